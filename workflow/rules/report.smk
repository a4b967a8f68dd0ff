use rule job as run_config with:
    input:
        script=code_of("run_config"),
    output:
        README,
        output=f"{RESULTS}/run_config.yaml",
    params:
        options=options(config=merged_config),
    message:
        "the merged configuration"


use rule job as html_report with:
    input:
        CAPTION_FILES,
        PAPER_FILES,
        unpack(report_tables),
        "docs/results.md",
        "src/reproduction/report/page.html.jinja",
        script=code_of("report"),
        comparison=rules.paper_comparison.output,
        decompositions=of_datasets("decompositions/{dataset}.csv", OWN),
        figures=figure_files(),
        figure_data=figure_files("figures/data/{figure}.csv"),
        table_1=rules.table_1.output.csv,
        answer=rules.model_comparison.output.answer,
        model_comparison=rules.model_comparison.output.comparison,
        signed_rank=rules.model_comparison.output.signed_rank,
        best_models=rules.model_comparison.output.best,
        choice_of_k=rules.model_comparison.output.choice_of_k,
        optima=rules.model_comparison.output.optima,
        scores=rules.scores.output.scores,
        transitivity=f"{RESULTS}/tables/transitivity.csv",
        league_tables=LEAGUE_TABLES,
        datasets=rules.datasets.output.table,
        provenance=rules.datasets.output.provenance,
        timings=rules.scores.output.timings,
        config=rules.run_config.output.output,
    output:
        output=f"{RESULTS}/report.html",
    resources:
        mem_mb=memory(2000),
        runtime=5,
    params:
        options=options(benchmarks=f"{RESULTS}/benchmarks", left_out=figures_left_out),
    message:
        "the report"


use rule job as check_comparison with:
    input:
        # The report is there to be read even where the check fails.
        rules.html_report.output,
        script=code_of("check_comparison"),
        comparison=rules.paper_comparison.output,
    output:
        output=f"{RESULTS}/checked.txt",
    message:
        "check every number that is expected to reproduce"
