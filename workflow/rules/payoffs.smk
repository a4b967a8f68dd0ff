rule play:
    input:
        script=code_of("play"),
    output:
        f"{RESULTS}/played/{{dataset}}/{{part}}.npz",
    # Payoffs come before fits, so that the longest fits do not start last.
    priority: 1
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=1440,
    params:
        options=options(dataset="{dataset}", specification=payoff_specification, n_chunks=chunks, seed=SEED),
    message:
        "games of {wildcards.dataset} among agents, part {wildcards.part}"
    shell:
        "python {input.script[0]} {params.options} --chunk {wildcards.part} --output {output:q} "
        "2> >(tee {log:q} | grep --line-buffered --invert-match '^error: ' >&2)"


use rule job as payoff with:
    input:
        payoff_sources,
        unpack(payoff_parents),
        script=payoff_code,
        matchups=payoff_matchups,
        played=payoff_played,
    output:
        payoff=f"{RESULTS}/payoffs/{{dataset}}.npz",
        metadata=f"{RESULTS}/payoffs/{{dataset}}.json",
    priority: 1
    resources:
        mem_mb=memory(2000),
        runtime=10,
    params:
        options=options(dataset="{dataset}", specification=payoff_specification, seed=SEED),
    message:
        "payoff of {wildcards.dataset}"


use rule job as datasets with:
    input:
        script=code_of("datasets"),
        metadata=of_datasets("payoffs/{dataset}.json"),
    output:
        table=f"{RESULTS}/datasets.csv",
        provenance=f"{RESULTS}/provenance.json",
    message:
        "the datasets of this run, and where they come from"


use rule job as measure with:
    input:
        script=code_of("measure"),
        payoff=rules.payoff.output.payoff,
    output:
        points=f"{RESULTS}/decompositions/{{dataset}}.csv",
        hull=f"{RESULTS}/decompositions/{{dataset}}.json",
        clusters=f"{RESULTS}/nash_clusters/{{dataset}}.csv",
        measures=f"{RESULTS}/transitivity/{{dataset}}.csv",
    resources:
        mem_mb=memory(3000),
        runtime=60,
    params:
        options=options(dataset="{dataset}", resamples=config["resamples"], seed=SEED),
    message:
        "first disc component of {wildcards.dataset}, its Nash clusters, and how transitive it is"


use rule job as players with:
    input:
        script=code_of("players"),
        matchups=rules.matchups.output.output,
    output:
        ratings=f"{RESULTS}/players/{{league}}.ratings.csv",
        pairs=f"{RESULTS}/players/{{league}}.pairs.csv",
        surprises=f"{RESULTS}/players/{{league}}.surprises.csv",
        triples=f"{RESULTS}/players/{{league}}.triples.csv",
    resources:
        mem_mb=memory(3000),
        runtime=60,
    params:
        options=options(dataset="{league}", about=league_about, seed=SEED),
    message:
        "players of {wildcards.league}"


use rule job as example_03 with:
    input:
        script=code_of("example_03"),
    output:
        output=f"{RESULTS}/examples/example_03.csv",
    message:
        "Elo and disc on the three-player games of Example 3"
