rule scores:
    input:
        script="scripts/concatenate.py",
        tables=of_fits("scores.csv"),
    output:
        report(
            f"{RESULTS}/tables/scores.csv",
            caption=f"../../{CAPTIONS}/scores.rst",
            category="Tables",
            labels={"table": "scores"},
        ),
    log:
        f"{RESULTS}/logs/scores.log",
    benchmark:
        f"{RESULTS}/benchmarks/scores/scores.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    message:
        "scores of every model"
    shell:
        "python {input.script} --tables {input.tables:q} --output {output:q} > {log:q} 2>&1"


rule timings:
    input:
        script="scripts/concatenate.py",
        tables=of_fits("fits.csv"),
    output:
        f"{RESULTS}/timings.csv",
    log:
        f"{RESULTS}/logs/timings.log",
    benchmark:
        f"{RESULTS}/benchmarks/timings/timings.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    message:
        "seconds and convergence of every fit"
    shell:
        "python {input.script} --tables {input.tables:q} --output {output:q} > {log:q} 2>&1"


rule model_comparison:
    input:
        "src/transitivity/evaluation/compare.py",
        script="scripts/model_comparison.py",
        scores=rules.scores.output,
        timings=rules.timings.output,
        datasets=rules.datasets.output.table,
        paper=f"{PAPER}/figure_5.csv",
    output:
        comparison=report(
            f"{RESULTS}/tables/model_comparison.csv",
            caption=f"../../{CAPTIONS}/model_comparison.rst",
            category="Tables",
            labels={"table": "models compared"},
        ),
        signed_rank=f"{RESULTS}/tables/signed_rank.csv",
        choice_of_k=f"{RESULTS}/tables/choice_of_k.csv",
        optima=f"{RESULTS}/tables/optima.csv",
        answer=f"{RESULTS}/tables/answer.md",
    log:
        f"{RESULTS}/logs/model_comparison.log",
    benchmark:
        f"{RESULTS}/benchmarks/model_comparison/model_comparison.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    message:
        "models compared over repeated hold-outs"
    shell:
        "python {input.script} --scores {input.scores:q} --timings {input.timings:q} "
        "--datasets {input.datasets:q} --paper {input.paper:q} --comparison {output.comparison:q} "
        "--signed-rank {output.signed_rank:q} --choice-of-k {output.choice_of_k:q} "
        "--optima {output.optima:q} --answer {output.answer:q} > {log:q} 2>&1"


rule transitivity:
    input:
        script="scripts/concatenate.py",
        tables=of_datasets("transitivity/{dataset}.csv"),
    output:
        report(
            f"{RESULTS}/tables/transitivity.csv",
            caption=f"../../{CAPTIONS}/transitivity.rst",
            category="Tables",
            labels={"table": "transitivity"},
        ),
    log:
        f"{RESULTS}/logs/transitivity.log",
    benchmark:
        f"{RESULTS}/benchmarks/transitivity/transitivity.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    message:
        "how transitive every dataset is"
    shell:
        "python {input.script} --tables {input.tables:q} --output {output:q} > {log:q} 2>&1"


rule table_1:
    input:
        "src/reproduction/paper/compare.py",
        PAPER_FILES,
        script="scripts/table_1.py",
        scores=rules.scores.output,
    output:
        csv=report(
            f"{RESULTS}/tables/table_1.csv",
            caption=f"../../{CAPTIONS}/table_1.rst",
            category="Tables",
            labels={"table": "1"},
        ),
        tex=f"{RESULTS}/tables/table_1.tex",
        markdown=f"{RESULTS}/tables/table_1.md",
    log:
        f"{RESULTS}/logs/table_1.log",
    benchmark:
        f"{RESULTS}/benchmarks/table_1/table_1.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    message:
        "Table 1"
    shell:
        "python {input.script} --scores {input.scores:q} --csv {output.csv:q} "
        "--tex {output.tex:q} --markdown {output.markdown:q} > {log:q} 2>&1"


rule paper_comparison:
    input:
        "src/reproduction/paper/compare.py",
        script="scripts/paper_comparison.py",
        paper=PAPER_FILES,
        scores=rules.scores.output,
        datasets=rules.datasets.output.table,
        decompositions=of_datasets("decompositions/{dataset}.csv"),
        hulls=of_datasets("decompositions/{dataset}.json"),
        clusters=of_datasets("nash_clusters/{dataset}.csv", COMPLETE),
        examples=of_datasets("payoffs/{dataset}.npz", catalogue.FIGURE_1_GAMES),
        grid=rules.example_03.output,
        leagues=league_comparison,
    output:
        report(
            f"{RESULTS}/tables/paper_comparison.csv",
            caption=f"../../{CAPTIONS}/paper_comparison.rst",
            category="Tables",
            labels={"table": "comparison with the paper"},
        ),
    log:
        f"{RESULTS}/logs/paper_comparison.log",
    benchmark:
        f"{RESULTS}/benchmarks/paper_comparison/paper_comparison.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=5,
    params:
        leagues=league_comparison_arguments,
    message:
        "the paper's numbers and ours, side by side"
    shell:
        "python {input.script} --scores {input.scores:q} --datasets {input.datasets:q} "
        "--decompositions {input.decompositions:q} --hulls {input.hulls:q} --nash-clusters {input.clusters:q} "
        "--payoffs {input.examples:q} --example-03 {input.grid:q} {params.leagues} --output {output:q} > {log:q} 2>&1"
