rule retrieve:
    # The only rule that needs the network.
    input:
        script=ancient(code_of("retrieve")),
    output:
        # A file that is there is kept, and comes back where its successor cannot be had.
        file=update(f"{DOWNLOADS}/{{source}}/{{file}}"),
        record=update(f"{DOWNLOADS}/{{source}}/{{file}}.json"),
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=memory(500),
        runtime=1440,
    params:
        arguments=download_arguments,
    message:
        "download {wildcards.file}"
    shell:
        "python {input.script[0]} {params.arguments} --output {output.file:q} --record {output.record:q} "
        "2> >(tee {log:q} | grep --line-buffered --invert-match '^error: ' >&2)"


use rule job as simulate_league with:
    input:
        script=code_of("simulate_league"),
    output:
        output=f"{RESULTS}/simulated/{{league}}.{{suffix}}.gz",
        truth=f"{RESULTS}/simulated/{{league}}.{{suffix}}.truth.csv",
    priority: 1
    resources:
        mem_mb=memory(2000),
        runtime=10,
    params:
        options=options(dataset="{league}", parameters=league_parameters, seed=SEED),
    message:
        "simulated games of {wildcards.league}"
