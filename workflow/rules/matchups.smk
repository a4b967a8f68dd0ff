rule count_matchups:
    input:
        READERS,
        script="scripts/count_matchups.py",
        games=league_files,
    output:
        counts=f"{RESULTS}/matchups/files/{{league}}/{{part}}.csv",
        about=f"{RESULTS}/matchups/files/{{league}}/{{part}}.json",
    log:
        f"{RESULTS}/logs/count_matchups/{{league}}/{{part}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/count_matchups/{{league}}/{{part}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=4000,
        runtime=240,
    params:
        options=league_options,
    message:
        "games of {wildcards.league} by pair, part {wildcards.part}"
    shell:
        "python {input.script} --files {input.games:q} --options {params.options:q} "
        "--output {output.counts:q} > {log:q} 2>&1"


rule matchups:
    input:
        script="scripts/matchups.py",
        counts=league_parts,
    output:
        matchups=f"{RESULTS}/matchups/{{league}}.csv",
        about=f"{RESULTS}/matchups/{{league}}.json",
    log:
        f"{RESULTS}/logs/matchups/{{league}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/matchups/{{league}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        about=league_about,
    message:
        "matchups of {wildcards.league}"
    shell:
        "python {input.script} --league {wildcards.league} --about {params.about:q} --counts {input.counts:q} "
        "--output {output.matchups:q} > {log:q} 2>&1"


rule verify_files:
    input:
        "src/reproduction/downloads/checksums.py",
        script="scripts/verify_files.py",
        games=lichess_files,
        table=f"{PAPER}/lichess_elite_files.csv",
    output:
        f"{RESULTS}/tables/lichess_files.csv",
    log:
        f"{RESULTS}/logs/verify_files.log",
    benchmark:
        f"{RESULTS}/benchmarks/verify_files/verify_files.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        path=LICHESS.get("path", ""),
        members=lichess_members,
    message:
        "the Lichess files against the published checksums"
    shell:
        "python {input.script} --path {params.path:q} {params.members} --table {input.table:q} "
        "--output {output:q} > {log:q} 2>&1"


rule league_tables:
    input:
        script="scripts/league_tables.py",
        metadata=of_datasets("payoffs/{dataset}.json", COUNTED),
        leagues=[f"{RESULTS}/matchups/{league}.json" for league in SETTINGS.leagues],
    output:
        steps=report(
            f"{RESULTS}/tables/matchups.csv",
            caption=f"../../{CAPTIONS}/matchups.rst",
            category="Tables",
            labels={"table": "matchups"},
        ),
        dropped=report(
            f"{RESULTS}/tables/dropped.csv",
            caption=f"../../{CAPTIONS}/dropped.rst",
            category="Tables",
            labels={"table": "dropped"},
        ),
        identifiability=report(
            f"{RESULTS}/tables/identifiability.csv",
            caption=f"../../{CAPTIONS}/identifiability.rst",
            category="Tables",
            labels={"table": "identifiability"},
        ),
    log:
        f"{RESULTS}/logs/league_tables.log",
    benchmark:
        f"{RESULTS}/benchmarks/league_tables/league_tables.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    message:
        "what was counted, what was left out, and what the graphs can tell"
    shell:
        "python {input.script} --metadata {input.metadata:q} --leagues {input.leagues:q} "
        "--steps {output.steps:q} --dropped {output.dropped:q} --identifiability {output.identifiability:q} "
        "> {log:q} 2>&1"
