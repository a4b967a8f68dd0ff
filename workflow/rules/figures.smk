rule figure:
    input:
        figure_inputs,
        script=figure_script,
    output:
        pdf=f"{RESULTS}/figures/{{figure}}.pdf",
        png=f"{RESULTS}/figures/{{figure}}.png",
        data=f"{RESULTS}/figures/data/{{figure}}.csv",
    log:
        f"{RESULTS}/logs/{{figure}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure/{{figure}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        arguments=figure_arguments,
    message:
        "{wildcards.figure}"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "{params.arguments} > {log:q} 2>&1"


# The one figure that comes with a table.
use rule figure as spectrum with:
    input:
        FIGURES["spectrum"].paths(RESULTS),
        script="scripts/figure_spectrum.py",
    output:
        pdf=f"{RESULTS}/figures/spectrum.pdf",
        png=f"{RESULTS}/figures/spectrum.png",
        data=f"{RESULTS}/figures/data/spectrum.csv",
        agreement=f"{RESULTS}/tables/measure_agreement.csv",
    log:
        f"{RESULTS}/logs/spectrum.log",
    benchmark:
        f"{RESULTS}/benchmarks/spectrum/spectrum.tsv"
    params:
        arguments=spectrum_arguments,
    message:
        "the games from transitive to cyclic"
