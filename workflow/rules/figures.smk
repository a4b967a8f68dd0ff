rule figure_01:
    input:
        "src/reproduction/figures/style.py",
        script="scripts/figure_01.py",
        elo=f"{RESULTS}/payoffs/example_elo.npz",
        disc=f"{RESULTS}/payoffs/example_cyclic_disc.npz",
        datasets=rules.datasets.output.table,
    output:
        pdf=f"{RESULTS}/figures/figure_01.pdf",
        png=report(
            f"{RESULTS}/figures/figure_01.png",
            caption=f"../../{CAPTIONS}/figure_01.rst",
            category="Figures",
            labels={"figure": "1"},
        ),
        data=f"{RESULTS}/figures/data/figure_01.csv",
    log:
        f"{RESULTS}/logs/figure_01.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure_01/figure_01.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    message:
        "Figure 1"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "--elo {input.elo:q} --disc {input.disc:q} --dataset-table {input.datasets:q} > {log:q} 2>&1"


rule figure_02:
    input:
        "src/reproduction/figures/style.py",
        script="scripts/figure_02.py",
        grid=rules.example_03.output,
    output:
        pdf=f"{RESULTS}/figures/figure_02.pdf",
        png=report(
            f"{RESULTS}/figures/figure_02.png",
            caption=f"../../{CAPTIONS}/figure_02.rst",
            category="Figures",
            labels={"figure": "2"},
        ),
        data=f"{RESULTS}/figures/data/figure_02.csv",
    log:
        f"{RESULTS}/logs/figure_02.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure_02/figure_02.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    message:
        "Figure 2"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "--grid {input.grid:q} > {log:q} 2>&1"


rule figure_03:
    input:
        "src/reproduction/figures/style.py",
        script="scripts/figure_03.py",
        grid=rules.example_03.output,
    output:
        pdf=f"{RESULTS}/figures/figure_03.pdf",
        png=report(
            f"{RESULTS}/figures/figure_03.png",
            caption=f"../../{CAPTIONS}/figure_03.rst",
            category="Figures",
            labels={"figure": "3"},
        ),
        data=f"{RESULTS}/figures/data/figure_03.csv",
    log:
        f"{RESULTS}/logs/figure_03.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure_03/figure_03.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    message:
        "Figure 3"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "--grid {input.grid:q} > {log:q} 2>&1"


rule figure_04:
    input:
        "src/reproduction/figures/style.py",
        script="scripts/figure_04.py",
        payoffs=of_datasets("payoffs/{dataset}.npz", FIGURE_4),
        points=of_datasets("decompositions/{dataset}.csv", FIGURE_4),
        hulls=of_datasets("decompositions/{dataset}.json", FIGURE_4),
        datasets=rules.datasets.output.table,
    output:
        pdf=f"{RESULTS}/figures/figure_04.pdf",
        png=report(
            f"{RESULTS}/figures/figure_04.png",
            caption=f"../../{CAPTIONS}/figure_04.rst",
            category="Figures",
            labels={"figure": "4"},
        ),
        data=f"{RESULTS}/figures/data/figure_04.csv",
    log:
        f"{RESULTS}/logs/figure_04.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure_04/figure_04.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    message:
        "Figure 4"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "--payoffs {input.payoffs:q} --decompositions {input.points:q} --verdicts {input.hulls:q} "
        "--dataset-table {input.datasets:q} > {log:q} 2>&1"


rule figure_05:
    input:
        "src/reproduction/figures/style.py",
        "src/reproduction/paper/compare.py",
        script="scripts/figure_05.py",
        scores=rules.scores.output,
        datasets=rules.datasets.output.table,
        paper=f"{PAPER}/figure_5.csv",
        labels=f"{PAPER}/datasets.csv",
    output:
        pdf=f"{RESULTS}/figures/figure_05.pdf",
        png=report(
            f"{RESULTS}/figures/figure_05.png",
            caption=f"../../{CAPTIONS}/figure_05.rst",
            category="Figures",
            labels={"figure": "5"},
        ),
        data=f"{RESULTS}/figures/data/figure_05.csv",
    log:
        f"{RESULTS}/logs/figure_05.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure_05/figure_05.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    message:
        "Figure 5"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "--scores {input.scores:q} --paper {input.paper:q} --dataset-table {input.datasets:q} "
        "--paper-datasets {input.labels:q} > {log:q} 2>&1"


rule figure_06:
    input:
        "src/reproduction/figures/style.py",
        "src/reproduction/paper/compare.py",
        script="scripts/figure_06.py",
        scores=rules.scores.output,
        datasets=rules.datasets.output.table,
        paper=f"{PAPER}/figure_6.csv",
        games=f"{PAPER}/figure_5.csv",
        labels=f"{PAPER}/datasets.csv",
    output:
        pdf=f"{RESULTS}/figures/figure_06.pdf",
        png=report(
            f"{RESULTS}/figures/figure_06.png",
            caption=f"../../{CAPTIONS}/figure_06.rst",
            category="Figures",
            labels={"figure": "6"},
        ),
        data=f"{RESULTS}/figures/data/figure_06.csv",
    log:
        f"{RESULTS}/logs/figure_06.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure_06/figure_06.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    message:
        "Figure 6"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "--scores {input.scores:q} --paper {input.paper:q} --paper-games {input.games:q} "
        "--dataset-table {input.datasets:q} --paper-datasets {input.labels:q} > {log:q} 2>&1"


rule figure_05_strong:
    input:
        "src/reproduction/figures/style.py",
        "src/reproduction/paper/compare.py",
        "src/transitivity/evaluation/compare.py",
        script="scripts/figure_05.py",
        scores=rules.scores.output,
        datasets=rules.datasets.output.table,
        paper=f"{PAPER}/figure_5.csv",
        labels=f"{PAPER}/datasets.csv",
    output:
        pdf=f"{RESULTS}/figures/figure_05_strong.pdf",
        png=report(
            f"{RESULTS}/figures/figure_05_strong.png",
            caption=f"../../{CAPTIONS}/figure_05_strong.rst",
            category="Figures",
            labels={"figure": "5, protocol strong"},
        ),
        data=f"{RESULTS}/figures/data/figure_05_strong.csv",
    log:
        f"{RESULTS}/logs/figure_05_strong.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure_05_strong/figure_05_strong.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        further=strong_further_games,
    message:
        "Figure 5, protocol strong"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "--scores {input.scores:q} --paper {input.paper:q} --dataset-table {input.datasets:q} "
        "--paper-datasets {input.labels:q} --protocols strong "
        "--all-models --intervals --further-games {params.further} > {log:q} 2>&1"


rule figure_06_strong:
    input:
        "src/reproduction/figures/style.py",
        "src/reproduction/paper/compare.py",
        "src/transitivity/evaluation/compare.py",
        script="scripts/figure_06.py",
        scores=rules.scores.output,
        datasets=rules.datasets.output.table,
        paper=f"{PAPER}/figure_6.csv",
        games=f"{PAPER}/figure_5.csv",
        labels=f"{PAPER}/datasets.csv",
    output:
        pdf=f"{RESULTS}/figures/figure_06_strong.pdf",
        png=report(
            f"{RESULTS}/figures/figure_06_strong.png",
            caption=f"../../{CAPTIONS}/figure_06_strong.rst",
            category="Figures",
            labels={"figure": "6, protocol strong"},
        ),
        data=f"{RESULTS}/figures/data/figure_06_strong.csv",
    log:
        f"{RESULTS}/logs/figure_06_strong.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure_06_strong/figure_06_strong.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    message:
        "Figure 6, protocol strong"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "--scores {input.scores:q} --paper {input.paper:q} --paper-games {input.games:q} "
        "--dataset-table {input.datasets:q} --paper-datasets {input.labels:q} "
        "--protocols strong --intervals > {log:q} 2>&1"


rule figure_08:
    input:
        "src/reproduction/figures/style.py",
        script="scripts/figure_08.py",
        payoffs=of_datasets("payoffs/{dataset}.npz", FIGURE_4),
        points=of_datasets("decompositions/{dataset}.csv", FIGURE_4),
        hulls=of_datasets("decompositions/{dataset}.json", FIGURE_4),
        clusters=of_datasets("nash_clusters/{dataset}.csv", FIGURE_4),
        datasets=rules.datasets.output.table,
    output:
        pdf=f"{RESULTS}/figures/figure_08.pdf",
        png=report(
            f"{RESULTS}/figures/figure_08.png",
            caption=f"../../{CAPTIONS}/figure_08.rst",
            category="Figures",
            labels={"figure": "8"},
        ),
        data=f"{RESULTS}/figures/data/figure_08.csv",
    log:
        f"{RESULTS}/logs/figure_08.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure_08/figure_08.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    message:
        "Figure 8"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "--payoffs {input.payoffs:q} --decompositions {input.points:q} --verdicts {input.hulls:q} "
        "--nash {input.clusters:q} --dataset-table {input.datasets:q} > {log:q} 2>&1"


rule figure_09:
    input:
        "src/reproduction/figures/style.py",
        script="scripts/figure_09.py",
        payoffs=of_datasets("payoffs/{dataset}.npz", FIGURE_9),
        points=of_datasets("decompositions/{dataset}.csv", FIGURE_9),
        hulls=of_datasets("decompositions/{dataset}.json", FIGURE_9),
        clusters=of_datasets("nash_clusters/{dataset}.csv", FIGURE_9),
        datasets=rules.datasets.output.table,
    output:
        pdf=f"{RESULTS}/figures/figure_09.pdf",
        png=report(
            f"{RESULTS}/figures/figure_09.png",
            caption=f"../../{CAPTIONS}/figure_09.rst",
            category="Figures",
            labels={"figure": "9"},
        ),
        data=f"{RESULTS}/figures/data/figure_09.csv",
    log:
        f"{RESULTS}/logs/figure_09.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure_09/figure_09.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    message:
        "Figure 9"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "--payoffs {input.payoffs:q} --decompositions {input.points:q} --verdicts {input.hulls:q} "
        "--nash {input.clusters:q} --dataset-table {input.datasets:q} > {log:q} 2>&1"


rule games:
    input:
        "src/reproduction/figures/style.py",
        script="scripts/games.py",
        payoffs=of_datasets("payoffs/{dataset}.npz", OWN_GAMES),
        points=of_datasets("decompositions/{dataset}.csv", OWN_GAMES),
        hulls=of_datasets("decompositions/{dataset}.json", OWN_GAMES),
        clusters=of_datasets("nash_clusters/{dataset}.csv", OWN_GAMES),
        datasets=rules.datasets.output.table,
    output:
        pdf=f"{RESULTS}/figures/games.pdf",
        png=report(
            f"{RESULTS}/figures/games.png",
            caption=f"../../{CAPTIONS}/games.rst",
            category="Figures",
            labels={"figure": "games"},
        ),
        data=f"{RESULTS}/figures/data/games.csv",
    log:
        f"{RESULTS}/logs/games.log",
    benchmark:
        f"{RESULTS}/benchmarks/games/games.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        datasets=OWN_GAMES,
    message:
        "games of your own"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "--datasets {params.datasets:q} --payoffs {input.payoffs:q} --decompositions {input.points:q} --verdicts {input.hulls:q} "
        "--nash {input.clusters:q} --dataset-table {input.datasets:q} > {log:q} 2>&1"


rule figure_07:
    input:
        "src/reproduction/figures/style.py",
        script="scripts/figure_07.py",
        payoffs=of_datasets("payoffs/{dataset}.npz", FIGURE_7),
        points=of_datasets("decompositions/{dataset}.csv", FIGURE_7),
        hulls=of_datasets("decompositions/{dataset}.json", FIGURE_7),
        graphs=rules.league_tables.output.identifiability,
        datasets=rules.datasets.output.table,
    output:
        pdf=f"{RESULTS}/figures/figure_07.pdf",
        png=report(
            f"{RESULTS}/figures/figure_07.png",
            caption=f"../../{CAPTIONS}/figure_07.rst",
            category="Figures",
            labels={"figure": "7"},
        ),
        data=f"{RESULTS}/figures/data/figure_07.csv",
    log:
        f"{RESULTS}/logs/figure_07.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure_07/figure_07.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        leagues=figure_7_leagues,
    message:
        "Figure 7"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "--leagues {params.leagues:q} --payoffs {input.payoffs:q} --decompositions {input.points:q} "
        "--verdicts {input.hulls:q} --identifiability {input.graphs:q} --dataset-table {input.datasets:q} "
        "> {log:q} 2>&1"


rule figure_10:
    input:
        "src/reproduction/figures/style.py",
        script="scripts/figure_10.py",
        scores=rules.scores.output,
        paper=f"{PAPER}/figure_10.csv",
        datasets=rules.datasets.output.table,
    output:
        pdf=f"{RESULTS}/figures/figure_10.pdf",
        png=report(
            f"{RESULTS}/figures/figure_10.png",
            caption=f"../../{CAPTIONS}/figure_10.rst",
            category="Figures",
            labels={"figure": "10"},
        ),
        data=f"{RESULTS}/figures/data/figure_10.csv",
    log:
        f"{RESULTS}/logs/figure_10.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure_10/figure_10.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        leagues=figure_10_leagues,
        protocols=FIGURE_10_PROTOCOLS,
    message:
        "Figure 10"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "--scores {input.scores:q} --leagues {params.leagues:q} --paper {input.paper:q} "
        "--protocols {params.protocols} --dataset-table {input.datasets:q} > {log:q} 2>&1"


rule spectrum:
    input:
        "src/reproduction/figures/style.py",
        "src/transitivity/measures/spectrum.py",
        script="scripts/spectrum.py",
        transitivity=rules.transitivity.output,
        datasets=rules.datasets.output.table,
    output:
        pdf=f"{RESULTS}/figures/spectrum.pdf",
        png=report(
            f"{RESULTS}/figures/spectrum.png",
            caption=f"../../{CAPTIONS}/spectrum.rst",
            category="Figures",
            labels={"figure": "spectrum"},
        ),
        data=f"{RESULTS}/figures/data/spectrum.csv",
        agreement=f"{RESULTS}/tables/measure_agreement.csv",
    log:
        f"{RESULTS}/logs/spectrum.log",
    benchmark:
        f"{RESULTS}/benchmarks/spectrum/spectrum.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    message:
        "the games from transitive to cyclic"
    shell:
        "python {input.script} --pdf {output.pdf:q} --png {output.png:q} --data {output.data:q} "
        "--transitivity {input.transitivity:q} --dataset-table {input.datasets:q} "
        "--agreement {output.agreement:q} > {log:q} 2>&1"
