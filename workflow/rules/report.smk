rule run_config:
    message:
        "the merged configuration"
    output:
        f"{RESULTS}/run_config.yaml",
    params:
        config=json.dumps(config),
        script="scripts/run_config.py",
    log:
        f"{RESULTS}/logs/run_config.log",
    benchmark:
        f"{RESULTS}/benchmarks/run_config/run_config.tsv"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    conda:
        ENVIRONMENT
    shell:
        "python {params.script} --config {params.config:q} --output {output:q} > {log:q} 2>&1"


rule html_report:
    message:
        "the report"
    input:
        script="scripts/report.py",
        template=f"{CAPTIONS}/report.html.jinja",
        comparison=rules.paper_comparison.output,
        figures=figure_files(),
        figure_data=figure_files("figures/data/figure_{number}.csv"),
        table_1=rules.table_1.output.csv,
        scores=rules.scores.output,
        transitivity=rules.transitivity.output,
        datasets=rules.datasets.output.table,
        provenance=rules.datasets.output.provenance,
        timings=rules.timings.output,
        config=rules.run_config.output,
    output:
        f"{RESULTS}/report.html",
    params:
        paper=PAPER,
        captions=CAPTIONS,
        benchmarks=f"{RESULTS}/benchmarks",
    log:
        f"{RESULTS}/logs/report.log",
    benchmark:
        f"{RESULTS}/benchmarks/report/report.tsv"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=5,
    conda:
        ENVIRONMENT
    shell:
        "python {input.script} --comparison {input.comparison:q} --figures {input.figures:q} "
        "--figure-data {input.figure_data:q} --captions {params.captions} --paper {params.paper} "
        "--table-1 {input.table_1:q} --scores {input.scores:q} --transitivity {input.transitivity:q} "
        "--datasets {input.datasets:q} --timings {input.timings:q} --benchmarks {params.benchmarks:q} "
        "--provenance {input.provenance:q} --config {input.config:q} --template {input.template} "
        "--output {output:q} > {log:q} 2>&1"


rule check_comparison:
    message:
        "check every number that is expected to reproduce"
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
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    conda:
        ENVIRONMENT
    shell:
        "python {input.script} --comparison {input.comparison:q} --output {output:q} > {log:q} 2>&1"
