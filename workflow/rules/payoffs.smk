rule play:
    input:
        "src/transitivity/games/agents.py",
        script="scripts/play.py",
    output:
        f"{RESULTS}/played/{{dataset}}/{{part}}.npz",
    log:
        f"{RESULTS}/logs/play/{{dataset}}/{{part}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/play/{{dataset}}/{{part}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=4000,
        runtime=1440,
    params:
        specification=payoff_specification,
        chunks=chunks,
        seed=SEED,
    message:
        "games of {wildcards.dataset} among agents, part {wildcards.part}"
    shell:
        "python {input.script} --dataset {wildcards.dataset} --specification {params.specification:q} "
        "--chunk {wildcards.part} --n-chunks {params.chunks} --seed {params.seed} --output {output:q} "
        "2> >(tee {log:q} >&2)"


rule payoff:
    input:
        script="scripts/payoff.py",
        sources=payoff_sources,
        matchups=payoff_matchups,
        played=payoff_played,
        parents=payoff_parent_files,
        metadata=payoff_parent_metadata,
    output:
        payoff=f"{RESULTS}/payoffs/{{dataset}}.npz",
        metadata=f"{RESULTS}/payoffs/{{dataset}}.json",
    log:
        f"{RESULTS}/logs/payoff/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/payoff/{{dataset}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        specification=payoff_specification,
        seed=SEED,
    message:
        "payoff of {wildcards.dataset}"
    shell:
        "python {input.script} --dataset {wildcards.dataset} --specification {params.specification:q} "
        "--matchups {input.matchups:q} --played {input.played:q} --parents {input.parents:q} --parents-metadata {input.metadata:q} --seed {params.seed} "
        "--output {output.payoff:q} --metadata {output.metadata:q} > {log:q} 2>&1"


rule datasets:
    input:
        script="scripts/datasets.py",
        metadata=of_datasets("payoffs/{dataset}.json"),
    output:
        table=f"{RESULTS}/datasets.csv",
        provenance=f"{RESULTS}/provenance.json",
    log:
        f"{RESULTS}/logs/datasets.log",
    benchmark:
        f"{RESULTS}/benchmarks/datasets/datasets.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    message:
        "the datasets of this run, and where they come from"
    shell:
        "python {input.script} --metadata {input.metadata:q} --table {output.table:q} "
        "--provenance {output.provenance:q} > {log:q} 2>&1"


rule decomposition:
    input:
        CORE,
        DECOMPOSITION,
        script="scripts/decomposition.py",
        payoff=rules.payoff.output.payoff,
    output:
        points=f"{RESULTS}/decompositions/{{dataset}}.csv",
        hull=f"{RESULTS}/decompositions/{{dataset}}.json",
        components=f"{RESULTS}/decompositions/{{dataset}}.npz",
    log:
        f"{RESULTS}/logs/decomposition/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/decomposition/{{dataset}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        seed=SEED,
    message:
        "first disc component of {wildcards.dataset}"
    shell:
        "python {input.script} --dataset {wildcards.dataset} --payoff {input.payoff:q} --seed {params.seed} "
        "--output {output.points:q} --hull {output.hull:q} --components {output.components:q} > {log:q} 2>&1"


rule nash_clusters:
    input:
        "src/transitivity/measures/nash.py",
        script="scripts/nash_clusters.py",
        payoff=rules.payoff.output.payoff,
    output:
        f"{RESULTS}/nash_clusters/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/nash_clusters/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/nash_clusters/{{dataset}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    message:
        "Nash clusters of {wildcards.dataset}"
    shell:
        "python {input.script} --dataset {wildcards.dataset} --payoff {input.payoff:q} --output {output:q} "
        "> {log:q} 2>&1"


rule measure:
    input:
        "src/transitivity/measures/measure.py",
        "src/transitivity/measures/bootstrap.py",
        script="scripts/measure.py",
        payoff=rules.payoff.output.payoff,
        components=rules.decomposition.output.components,
        hull=rules.decomposition.output.hull,
        clusters=measure_clusters,
    output:
        f"{RESULTS}/transitivity/{{dataset}}.csv",
    log:
        f"{RESULTS}/logs/measure/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure/{{dataset}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=3000,
        runtime=30,
    params:
        resamples=config["resamples"],
        seed=SEED,
    message:
        "how transitive {wildcards.dataset} is"
    shell:
        "python {input.script} --dataset {wildcards.dataset} --payoff {input.payoff:q} "
        "--components {input.components:q} --clusters {input.clusters:q} --hull {input.hull:q} "
        "--resamples {params.resamples} --seed {params.seed} --output {output:q} > {log:q} 2>&1"


rule example_03:
    input:
        CORE,
        script="scripts/example_03.py",
    output:
        f"{RESULTS}/examples/example_03.csv",
    log:
        f"{RESULTS}/logs/example_03.log",
    benchmark:
        f"{RESULTS}/benchmarks/example_03/example_03.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    message:
        "Elo and disc on the three-player games of Example 3"
    shell:
        "python {input.script} --output {output:q} > {log:q} 2>&1"
