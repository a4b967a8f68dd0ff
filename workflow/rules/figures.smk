use rule job as figure with:
    input:
        unpack(figure_inputs),
        script=figure_code,
    output:
        pdf=f"{RESULTS}/figures/{{figure}}.pdf",
        png=f"{RESULTS}/figures/{{figure}}.png",
        data=f"{RESULTS}/figures/data/{{figure}}.csv",
    resources:
        mem_mb=memory(2000),
        runtime=10,
    params:
        options=figure_options,
    message:
        "{wildcards.figure}"


# The one figure that comes with a table.
use rule job as spectrum with:
    input:
        unpack(spectrum_inputs),
        script=code_of("figure_spectrum"),
    output:
        pdf=f"{RESULTS}/figures/spectrum.pdf",
        png=f"{RESULTS}/figures/spectrum.png",
        data=f"{RESULTS}/figures/data/spectrum.csv",
        agreement=f"{RESULTS}/tables/measure_agreement.csv",
    resources:
        mem_mb=memory(2000),
        runtime=10,
    message:
        "the games from transitive to cyclic"
