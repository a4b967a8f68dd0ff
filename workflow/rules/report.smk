rule run_config:
    input:
        script="scripts/run_config.py",
    output:
        f"{RESULTS}/run_config.yaml",
    log:
        f"{RESULTS}/logs/run_config.log",
    benchmark:
        f"{RESULTS}/benchmarks/run_config/run_config.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        config=merged_config,
    message:
        "the merged configuration"
    shell:
        "python {input.script} --config {params.config:q} --output {output:q} > {log:q} 2>&1"


rule html_report:
    input:
        script="scripts/report.py",
        template="src/reproduction/report/page.html.jinja",
        captions=CAPTION_FILES,
        paper=PAPER_FILES,
        comparison=rules.paper_comparison.output,
        figures=figure_files(),
        figure_data=figure_files("figures/data/{figure}.csv"),
        table_1=rules.table_1.output.csv,
        answer=rules.model_comparison.output.answer,
        models=rules.model_comparison.output.comparison,
        signed_rank=rules.model_comparison.output.signed_rank,
        choice_of_k=rules.model_comparison.output.choice_of_k,
        optima=rules.model_comparison.output.optima,
        scores=rules.scores.output,
        transitivity=rules.transitivity.output,
        leagues=LEAGUE_TABLES,
        datasets=rules.datasets.output.table,
        provenance=rules.datasets.output.provenance,
        timings=rules.timings.output,
        config=rules.run_config.output,
    output:
        f"{RESULTS}/report.html",
    log:
        f"{RESULTS}/logs/report.log",
    benchmark:
        f"{RESULTS}/benchmarks/report/report.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=5,
    params:
        benchmarks=f"{RESULTS}/benchmarks",
        left_out=figures_left_out,
    message:
        "the report"
    shell:
        "python {input.script} --comparison {input.comparison:q} --figures {input.figures:q} "
        "--figure-data {input.figure_data:q} "
        "--answer {input.answer:q} --model-comparison {input.models:q} "
        "--signed-rank {input.signed_rank:q} --choice-of-k {input.choice_of_k:q} --optima {input.optima:q} "
        "--table-1 {input.table_1:q} --scores {input.scores:q} --transitivity {input.transitivity:q} "
        "--league-tables {input.leagues:q} --datasets {input.datasets:q} --timings {input.timings:q} --benchmarks {params.benchmarks:q} "
        "--provenance {input.provenance:q} --config {input.config:q} --left-out {params.left_out:q} "
        "--output {output:q} > {log:q} 2>&1"


rule check_comparison:
    input:
        script="scripts/check_comparison.py",
        comparison=rules.paper_comparison.output,
        # The report is there to be read even where the check fails.
        report=rules.html_report.output,
    output:
        f"{RESULTS}/checked.txt",
    log:
        f"{RESULTS}/logs/check_comparison.log",
    benchmark:
        f"{RESULTS}/benchmarks/check_comparison/check_comparison.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    message:
        "check every number that is expected to reproduce"
    shell:
        "python {input.script} --comparison {input.comparison:q} --output {output:q} > {log:q} 2>&1"
