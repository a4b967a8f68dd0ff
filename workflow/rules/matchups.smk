use rule job as count_matchups with:
    input:
        league_records,
        script=code_of("count_matchups"),
        files=league_files,
    output:
        f"{RESULTS}/matchups/files/{{league}}/{{part}}.json",
        output=f"{RESULTS}/matchups/files/{{league}}/{{part}}.csv",
    priority: 1
    resources:
        mem_mb=memory(4000),
        runtime=240,
    params:
        options=options(options=league_options),
    message:
        "games of {wildcards.league} by pair, part {wildcards.part}"


use rule job as matchups with:
    input:
        script=code_of("matchups"),
        counts=league_parts,
    output:
        f"{RESULTS}/matchups/{{league}}.json",
        output=f"{RESULTS}/matchups/{{league}}.csv",
    priority: 1
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        options=options(league="{league}", about=league_about),
    message:
        "matchups of {wildcards.league}"


use rule job as verify_files with:
    input:
        lichess_files,
        script=code_of("verify_files"),
        table=f"{PAPER}/lichess_elite_files.csv",
    output:
        output=f"{RESULTS}/tables/lichess_files.csv",
    resources:
        mem_mb=memory(2000),
        runtime=120,
    params:
        options=lichess_options,
    message:
        "the Lichess files against the published checksums"


use rule job as league_tables with:
    input:
        script=code_of("league_tables"),
        metadata=of_datasets("payoffs/{dataset}.json", COUNTED),
        leagues=[f"{RESULTS}/matchups/{league}.json" for league in SETTINGS.leagues],
    output:
        steps=f"{RESULTS}/tables/matchups.csv",
        dropped=f"{RESULTS}/tables/dropped.csv",
        identifiability=f"{RESULTS}/tables/identifiability.csv",
    params:
        options=options(left_out=payoffs_left_out),
    message:
        "what was counted, what was left out, and what the graphs can tell"
