rule retrieve:
    # The only rule that needs the network.
    input:
        script=ancient("scripts/retrieve.py"),
    output:
        # A file that is there is kept, and comes back where its successor cannot be had.
        file=update(f"{DOWNLOADS}/{{source}}/{{file}}"),
        record=update(f"{DOWNLOADS}/{{source}}/{{file}}.json"),
    log:
        f"{RESULTS}/logs/retrieve/{{source}}/{{file}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/retrieve/{{source}}/{{file}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=1440,
    params:
        arguments=download_arguments,
    message:
        "download {wildcards.file}"
    shell:
        "python {input.script} {params.arguments} --output {output.file:q} --record {output.record:q} "
        "2> >(tee {log:q} >&2)"


rule simulate_league:
    input:
        "src/transitivity/sources/simulated.py",
        script="scripts/simulate_league.py",
    output:
        games=f"{RESULTS}/simulated/{{league}}.{{suffix}}.gz",
        truth=f"{RESULTS}/simulated/{{league}}.{{suffix}}.truth.csv",
    log:
        f"{RESULTS}/logs/simulate_league/{{league}}.{{suffix}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_league/{{league}}.{{suffix}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        arguments=league_arguments,
        seed=SEED,
    message:
        "simulated games of {wildcards.league}"
    shell:
        "python {input.script} --dataset {wildcards.league} {params.arguments} "
        "--seed {params.seed} --output {output.games:q} --truth {output.truth:q} > {log:q} 2>&1"
