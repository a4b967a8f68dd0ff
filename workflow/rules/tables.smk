use rule job as scores with:
    input:
        of_fits("scores.csv"),
        of_fits("fits.csv"),
        script=code_of("scores"),
    output:
        scores=f"{RESULTS}/tables/scores.csv",
        timings=f"{RESULTS}/timings.csv",
    params:
        options=options(fits=f"{RESULTS}/fits", protocols=scored),
    message:
        "scores, seconds and convergence of every fit"


use rule job as model_comparison with:
    input:
        script=code_of("model_comparison"),
        scores=rules.scores.output.scores,
        timings=rules.scores.output.timings,
        datasets=rules.datasets.output.table,
        paper=f"{PAPER}/figure_5.csv",
    output:
        comparison=f"{RESULTS}/tables/model_comparison.csv",
        signed_rank=f"{RESULTS}/tables/signed_rank.csv",
        best=f"{RESULTS}/tables/best_models.csv",
        choice_of_k=f"{RESULTS}/tables/choice_of_k.csv",
        optima=f"{RESULTS}/tables/optima.csv",
        answer=f"{RESULTS}/tables/answer.md",
    message:
        "models compared over repeated hold-outs"


use rule job as concatenate with:
    input:
        script=code_of("concatenate"),
        tables=concatenated,
    output:
        output=f"{RESULTS}/tables/{{table}}.csv",
    message:
        "the table {wildcards.table}"


use rule job as table_1 with:
    input:
        PAPER_FILES,
        script=code_of("table_1"),
        scores=rules.scores.output.scores,
    output:
        csv=f"{RESULTS}/tables/table_1.csv",
        tex=f"{RESULTS}/tables/table_1.tex",
        markdown=f"{RESULTS}/tables/table_1.md",
    message:
        "Table 1"


use rule job as paper_comparison with:
    input:
        PAPER_FILES,
        unpack(further_comparison),
        script=code_of("paper_comparison"),
        scores=rules.scores.output.scores,
        datasets=rules.datasets.output.table,
        decompositions=of_datasets("decompositions/{dataset}.csv"),
        hulls=of_datasets("decompositions/{dataset}.json"),
        nash_clusters=of_datasets("nash_clusters/{dataset}.csv", COMPLETE),
        payoffs=of_datasets("payoffs/{dataset}.npz", catalogue.FIGURE_1_GAMES),
        example_03=rules.example_03.output,
    output:
        output=f"{RESULTS}/tables/paper_comparison.csv",
    resources:
        mem_mb=memory(2000),
        runtime=5,
    message:
        "the paper's numbers and ours, side by side"


use rule job as cycles_pay with:
    input:
        script=code_of("cycles_pay"),
        payoff=rules.payoff.output.payoff,
    output:
        output=f"{RESULTS}/cycles/{{dataset}}.csv",
    resources:
        mem_mb=memory(2000),
        # Half a minute, but for docs/examples/full_size.yaml.
        runtime=480,
    params:
        options=options(dataset="{dataset}", plan=cycles_plan, seed=SEED),
    message:
        "tuned models on few pairs and games of {wildcards.dataset}"


use rule job as cycles_table with:
    input:
        script=code_of("cycles_table"),
        scores=of_datasets("cycles/{dataset}.csv", SETTINGS.cycles["datasets"]),
    output:
        table=f"{RESULTS}/tables/cycles_pay.csv",
        rule=f"{RESULTS}/tables/cycles_rule.csv",
    message:
        "when modelling cycles predicts better"


use rule job as forecast with:
    input:
        league_names,
        script=forecast_code,
        files=all_league_files,
    output:
        scores=f"{RESULTS}/forecasts/{{league}}.scores.csv",
        calibration=f"{RESULTS}/forecasts/{{league}}.calibration.csv",
    resources:
        mem_mb=memory(4000),
        runtime=240,
    params:
        options=options(
            dataset="{league}",
            about=league_about,
            options=league_options,
            forecast=forecast_options,
            models=forecast_instances,
            seed=SEED,
        ),
    message:
        "the last games of {wildcards.league}, forecast"
