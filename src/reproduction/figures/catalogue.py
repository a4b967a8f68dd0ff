"""The figures of a run: which there are, what each is drawn from, and why the others are left out.

The settings alone decide, so the workflow knows before anything runs; nothing here imports matplotlib. A figure is one
entry of `FIGURES`; docs/add_a_figure.md shows how to add one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reproduction.config.settings import Settings, paper_datasets, paper_rows
from transitivity.errors import amount

#: The columns of the paper's Figure 9, from left to right.
FIGURE_9_GAMES = ("go_3", "go_4", "alphastar", "kuhn_poker", "blotto_10_3", "blotto_10_5")
FIGURE_1_GAMES = ("example_elo", "example_cyclic_disc")
#: Games of the user's own in a row.
ACROSS = 6
#: The unit of every figure of errors.
ELO = "elo"
#: Families of models from the literature that the paper does not compare; no figure of the paper shows them.
RIVALS = (
    "blade_chest_inner",
    "blade_chest_dist",
    "hodge_rank_svd",
    "singular_value_thresholding",
    "thurstone",
    "counter_categories",
)
#: Models that the paper does not have; its figures show the paper's and the user's own.
BEYOND_THE_PAPER = ("constant", "elo_tuned", "disc_tuned", "melo_tuned", "melo_logit_tuned", *RIVALS)
#: What the paper's Figure 5 leaves out; our version of it leaves it out, too.
BEYOND_FIGURE_5 = ("elo_plus_plus", "balduzzi_2019", "melo_logit", "disc_joint", "disc_regularised", *BEYOND_THE_PAPER)


@dataclass(frozen=True)
class Run:
    """What decides which figures a run has.

    Parameters
    ----------
    settings : Settings
        The configuration, spelled out.
    thresholds : mapping
        The configuration's `figures`: {figure: {league: games a pair to show}}.
    """

    settings: Settings
    thresholds: Mapping[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)

    def has(self, names: Iterable[str]) -> list[str]:
        """Return those datasets that are in the run."""
        return [name for name in names if name in self.settings.datasets]

    def scored(
        self, protocols: Collection[str], names: Collection[str] | None = None, without: Collection[str] = ()
    ) -> list[str]:
        """Return the datasets on which some of the protocols compare Elo with another model.

        Parameters
        ----------
        protocols : collection of str
            Their ids; those that the run does not have score nothing.
        names : collection of str, optional
            The datasets in question; all by default.
        without : collection of str
            Families of models that do not count as another model.
        """
        found: dict[str, None] = {}
        for protocol in protocols:
            about = self.settings.protocols.get(protocol, {"datasets": [], "models": []})
            models = {model for entry in about["models"] for model in self.settings.models[entry].instances}
            ids = tuple(f"{family}_k" for family in without)
            others = {model for model in models - {ELO, *without} if not model.startswith(ids)}
            if ELO in models and others:
                found |= dict.fromkeys(about["datasets"])
        return [name for name in found if names is None or name in names]

    def leagues(self, figure: str) -> dict[str, dict[str, str]]:
        """Return the columns of a figure of leagues: {title of a league: {dataset: title}}."""
        columns = {}
        for name, league in self.settings.leagues.items():
            made = {
                about["min_games"]: dataset
                for dataset, about in self.settings.datasets.items()
                if about.get("league") == name
            }
            wanted = self.thresholds.get(figure, {}).get(name.removesuffix("_simulated"), list(made))
            # A league with other thresholds than those of the figure shows all that it has.
            drawn = [games for games in wanted if games in made] or (list(made) if wanted else [])
            if drawn:
                title = league["label"] + (" (simulated)" if league["simulated"] else "")
                columns[title] = {made[games]: amount(games, "game") for games in drawn}
        return columns


@dataclass(frozen=True)
class Inputs:
    """What the script of a figure is given.

    Parameters
    ----------
    files : mapping
        {option: paths}. A path is below the folder of the results, or below the repository if it starts with
        "workflow/".
    words : mapping
        {option: words}; an option without words is a switch. An option is named as in Python: `dataset_table` becomes
        ``--dataset-table``.
    """

    files: Mapping[str, Sequence[str]] = field(default_factory=dict)
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def placed(self, results: str) -> dict[str, list[str]]:
        """Return the files of each option, given the folder of the results."""
        return {
            option: [path if path.startswith("workflow/") else f"{results}/{path}" for path in paths]
            for option, paths in self.files.items()
        }


@dataclass(frozen=True)
class Figure:
    """An entry of the catalogue.

    Parameters
    ----------
    script : str
        The file of `scripts/` that draws it, without ".py".
    title : str
        What the report calls it.
    caption : str
        What the report says of it; paragraphs are separated by empty lines.
    decide : callable
        Takes a `Run` and returns the `Inputs` of the figure, or why the run has nothing to show: a clause that the
        report puts behind the title, empty where it is not worth a line.
    """

    script: str
    title: str
    caption: str
    decide: Callable[[Run], Inputs | str]


def figures(run: Run) -> dict[str, Inputs]:
    """Return the figures of a run with their inputs, by the name of their files."""
    decided = {name: figure.decide(run) for name, figure in FIGURES.items()}
    return {name: inputs for name, inputs in decided.items() if isinstance(inputs, Inputs)}


def left_out(run: Run) -> dict[str, str]:
    """Return why the run has not the other figures, by name."""
    decided = {name: figure.decide(run) for name, figure in FIGURES.items()}
    return {name: reason for name, reason in decided.items() if isinstance(reason, str)}


def games_of_average(figure: int) -> list[str]:
    """Return the games that the paper's Figure 5 or 6 averages over (see `paper.numbers.averaged_games`)."""
    rows = [row for row in paper_rows("figure_5") if row["dataset"] != "log_average"]
    return list(dict.fromkeys(row["dataset"] for row in rows if figure == 6 or row["source"] == "printed"))


def columns_of(names: Iterable[str] = ()) -> dict[str, str]:
    """Return the columns of a figure of the paper, {dataset: title}: by default the games of its Table 1."""
    titles = {row["dataset"]: row["label"].removeprefix("Mixture, ") for row in paper_rows("datasets")}
    names = names or dict.fromkeys(row["dataset"] for row in paper_rows("table_1"))
    return {name: titles[name] for name in names}


# -------------------------------------------------------------------- decisions

DATASETS = {"dataset_table": ["datasets.csv"]}


def _figure_1(run: Run) -> Inputs | str:
    missing = set(FIGURE_1_GAMES) - set(run.has(FIGURE_1_GAMES))
    if missing:
        return f"the run does not have {' and '.join(sorted(missing))}"
    elo, disc = (f"payoffs/{name}.npz" for name in FIGURE_1_GAMES)
    return Inputs({"elo": [elo], "disc": [disc]} | DATASETS)


def _example_3(quantity: str) -> Callable[[Run], Inputs | str]:
    return lambda run: Inputs({"grid": ["examples/example_03.csv"]}, {"quantity": [quantity]})


def _grids(
    run: Run, blocks: Mapping[str, Mapping[str, str]], nash: bool, further: Mapping[str, Sequence[str]] = {}
) -> Inputs | str:
    """Return the inputs of a figure with a column a game: `blocks` as in `games.py`."""
    wanted = [name for columns in blocks.values() for name in columns]
    names = run.has(wanted)
    if not names:
        return f"the run has none of its games ({', '.join(wanted)})"
    folders = [("payoffs", "payoffs/{}.npz"), ("decompositions", "decompositions/{}.csv")]
    folders += [("verdicts", "decompositions/{}.json")]
    folders += [("nash", "nash_clusters/{}.csv")] if nash else []
    files = {option: [pattern.format(name) for name in names] for option, pattern in folders}
    return Inputs({**files, **further, **DATASETS}, {"columns": [json.dumps(blocks, ensure_ascii=False)]})


def _figure_7(run: Run) -> Inputs | str:
    columns = run.leagues("figure_07")
    if not columns:
        return "the run has no league"
    return _grids(run, columns, nash=False, further={"identifiability": ["tables/identifiability.csv"]})


def _own_games(run: Run) -> Inputs | str:
    paper = paper_datasets()
    own = [
        name
        for name, about in run.settings.datasets.items()
        if "path" in about and "league" not in about and name not in paper
    ]
    if not own:
        # Few runs have any; the report does not mention it.
        return ""
    grids = [own[at : at + ACROSS] for at in range(0, len(own), ACROSS)]
    blocks = {
        f"Grid {number} of {len(grids)}" if len(grids) > 1 else "": dict.fromkeys(grid, "")
        for number, grid in enumerate(grids, 1)
    }
    return _grids(run, blocks, nash=True)


def _forecasts(run: Run) -> Inputs | str:
    if not any(league["forecast"] is not None for league in run.settings.leagues.values()):
        # Few runs have any; the report does not mention it.
        return ""
    return Inputs({"forecasts": ["tables/forecasts.csv"], "calibration": ["tables/calibration.csv"]})


PAPER_GAMES = {"paper_games": ["workflow/paper/figure_5.csv"], "paper_datasets": ["workflow/paper/datasets.csv"]}
PAPER_MEANS = {"paper": ["workflow/paper/figure_6.csv"]} | PAPER_GAMES
#: The protocols of Figures 5 and 6 as the paper has them.
AS_THE_PAPER = ("published", "written")


def _errors(
    run: Run,
    protocols: Sequence[str],
    games: Sequence[str] | None,
    asked: str,
    files: Mapping[str, Sequence[str]],
    without: Sequence[str] = BEYOND_THE_PAPER,
    **words: Sequence[str],
) -> Inputs | str:
    """Return the inputs of a figure of errors, or that its protocols compare no model on any of its games."""
    if not run.scored(protocols, games, without):
        return f"no model is compared with Elo on any of {asked} (protocol {', '.join(protocols)})"
    words = {"protocols": protocols, **words, "without_models": without}
    return Inputs({"scores": ["tables/scores.csv"], **files, **DATASETS}, words)


def _figure_5(run: Run) -> Inputs | str:
    games = "the games of the paper's Figure 5"
    return _errors(run, AS_THE_PAPER, games_of_average(5), games, PAPER_GAMES, BEYOND_FIGURE_5)


def _figure_5_strong(run: Run) -> Inputs | str:
    scored = run.scored(["strong"], without=BEYOND_THE_PAPER)
    further = [name for name in scored if name not in games_of_average(5)]
    more = {"further_games": further} if further else {}
    return _errors(run, ["strong"], None, "the datasets", PAPER_GAMES, intervals=[], **more)


def _figure_6(protocols: Sequence[str], **words: Sequence[str]) -> Callable[[Run], Inputs | str]:
    games = "the games of the paper's Figure 6"
    return lambda run: _errors(run, protocols, games_of_average(6), games, PAPER_MEANS, **words)


def _figure_10(run: Run) -> Inputs | str:
    leagues = run.leagues("figure_10")
    names = [name for columns in leagues.values() for name in columns]
    # Those that hide pairs of all players.
    random = [name for name, about in run.settings.protocols.items() if about["hold_out"] == "random"]
    protocols = [name for name in random if run.scored([name], names, BEYOND_THE_PAPER)]
    titles = [json.dumps(leagues, ensure_ascii=False)]
    files = {"paper": ["workflow/paper/figure_10.csv"]}
    return _errors(run, protocols or random, names, "the leagues", files, leagues=titles)


def _cycles_pay(run: Run) -> Inputs | str:
    if not run.settings.cycles.get("datasets"):
        return "`cycles` of the configuration names no dataset of the run"
    return Inputs({"table": ["tables/cycles_pay.csv"], "rule": ["tables/cycles_rule.csv"]} | DATASETS)


# -------------------------------------------------------------------- the figures
FIGURES = {
    "figure_01": Figure(
        script="figure_payoffs",
        title="Figure 1",
        caption="""Payoff matrices of an Elo game (left) and of a cyclic disc game (right). A cell is the probability
        that the player of the row beats the player of the column. In the Elo game player 1 beats everyone, player 2
        everyone but player 1, and so on; in the disc game there is no such order.""",
        decide=_figure_1,
    ),
    "figure_02": Figure(
        script="figure_example_3",
        title="Figure 2",
        caption="""Elo fails on some transitive games. The difference of the stationary Elo scores of players 1 and 2
        in the three-player game of Example 3, in which player 1 beats player 2 with probability γ > 1/2. An orange
        diamond: Elo puts player 2 above player 1; a blue dot: player 1 above player 2. The area of a mark is
        proportional to the difference. Elo fails exactly where δ > 3γ − 1.""",
        decide=_example_3("elo_difference"),
    ),
    "figure_03": Figure(
        script="figure_example_3",
        title="Figure 3",
        caption="""The disc decomposition ranks the same games correctly. The logit of the probability that player 1
        beats player 2, as the first pair of components gives it, for the games of Figure 2. A blue dot: player 1 is
        above player 2; an orange diamond, where there is one: below. The area of a mark is proportional to the
        logit.""",
        decide=_example_3("disc_logit"),
    ),
    "figure_04": Figure(
        script="figure_games",
        title="Figure 4",
        caption="""From the Elo game to the disc game, mixed in logit space. Top: payoff matrices, players sorted by
        their mean. Below: one dot a player (v, u), as the first pair of components gives it in probability space and in
        logit space, with the convex hull and the origin (+). The component is cyclic where the origin lies inside the
        hull, transitive where it lies outside (Proposition 1).""",
        decide=lambda run: _grids(run, {"": columns_of()}, nash=False),
    ),
    "figure_05": Figure(
        script="figure_ratios_by_game",
        title="Figure 5",
        caption="""Elo's error on hidden pairs over that of each model (the higher, the better; 1 is Elo). Black ticks
        are the paper's bars. Games that need a file that was not given are left out and named. The bars of “m-Elo as
        written” follow the equation of the paper, those of “m-Elo as published” its numbers.""",
        decide=_figure_5,
    ),
    "figure_05_strong": Figure(
        script="figure_ratios_by_game",
        title="Figure 5, protocol strong",
        caption="""Figure 5 as an answer to its question: Elo's error on hidden pairs over that of each model (the
        higher, the better; 1 is Elo), with all players, repeated hold-outs, all pairs of a model fitted at once to
        convergence, and m-Elo both in probability space (Equation 20) and in logit space. Lines are 95 % intervals of
        the geometric mean over the hold-outs of one game, with a variance that allows for their overlap (Nadeau and
        Bengio 2003); they do not allow for the number of comparisons.

        At equal k, m-Elo has n parameters more than the disc decomposition.""",
        decide=_figure_5_strong,
    ),
    "figure_06": Figure(
        script="figure_ratios_by_size",
        title="Figure 6",
        caption="""The average over games of the logarithm (base 10) of Elo's error over that of each model (the
        higher, the better; 0 is Elo). Open diamonds are the paper's averages over its 20 games, crosses the averages of
        the paper's bars over the games drawn here: a cross lies on its point where these games are the paper's own, not
        other populations of the same kind.""",
        decide=_figure_6(AS_THE_PAPER),
    ),
    "figure_06_strong": Figure(
        script="figure_ratios_by_size",
        title="Figure 6, protocol strong",
        caption="""Figure 6 as an answer to its question, from the bars of Figure 5 under the same protocol: the mean
        over games of log10 of Elo's error over each model's, against the number of parameters per player. Lines are 95
        % intervals over the repeated hold-outs of these games; they do not say what other games would give. A game that
        a model fits almost exactly (10,3-Blotto with three pairs) can dominate the mean.""",
        decide=_figure_6(["strong"], intervals=[]),
    ),
    "figure_07": Figure(
        script="figure_games",
        title="Figure 7",
        caption="""Leagues as a function of the least number of games a pair: which pairs are observed (top), and one
        dot a player as the first pair of components gives it in probability space and in logit space. The word above a
        panel is the verdict. Where the pairs that met form no cycle, ratings fit any results; “12 to test” means that
        the graph of pairs has 12 independent cycles, which alone can contradict an order of the players.""",
        decide=_figure_7,
    ),
    "figure_08": Figure(
        script="figure_games",
        title="Figure 8",
        caption="""As Figure 4, with the Nash clusters of each game below: a dot a cluster, its size against the share
        of the population that it beats. Many small clusters speak for a transitive game, one large cluster for a cyclic
        one.""",
        decide=lambda run: _grids(run, {"": columns_of()}, nash=True),
    ),
    "figure_09": Figure(
        script="figure_games",
        title="Figure 9",
        caption="""Games considered transitive and games considered cyclic: payoff matrix, first pair of components in
        probability space and in logit space, Nash clusters, all players. Games that need a file that was not given are
        left out and named.""",
        decide=lambda run: _grids(run, {"": columns_of(FIGURE_9_GAMES)}, nash=True),
    ),
    "figure_10": Figure(
        script="figure_ratios_by_threshold",
        title="Figure 10",
        caption="""Leagues: Elo's error on hidden pairs over that of the models, by the least number of games a pair
        (the higher, the better; 1 is Elo). Lines are 95 % intervals over the repeated hold-outs. The models
        have no priors and are not tuned (the regularised disc alone has a penalty by cross-validation): on few games
        they, and Elo too, follow luck. The section “Which model predicts better?” compares tuned models.""",
        decide=_figure_10,
    ),
    "games": Figure(
        script="figure_games",
        title="Games of your own",
        caption="""The payoffs that came as files: payoff matrix, first pair of components in probability space and in
        logit space (one dot a player), Nash clusters. The word above a panel is the verdict. A payoff with missing
        pairs has no Nash clusters. The players of a panel are in decompositions/{dataset}.csv, with their
        coordinates.""",
        decide=_own_games,
    ),
    "forecasts": Figure(
        script="figure_forecasts",
        title="Forecasts",
        caption=(
            "The last games of each league, forecast from those before them. Parameters were chosen on an earlier "
            "period. Left: the log-loss of each model less that of sequential Elo (left of 0 the model is better; "
            "where an interval contains 0, neither is shown to be better). These 95 % intervals hold for all models of "
            "a league together. Right: reliability, each game seen from its favourite. The 95 % intervals there take "
            "games as independent; games of the same players are not, so these are somewhat too narrow."
        ),
        decide=_forecasts,
    ),
    "spectrum": Figure(
        script="figure_spectrum",
        title="Spectrum",
        caption="""All games of this run from transitive (top) to cyclic (bottom), by every measure; further right is
        more transitive. Games are ordered by their mean rank over the measures that are defined for them. A measure is
        left out for a game if any results would have given its value (the pairs that met form no cycle, or only the
        penalty decides). Gradient shares and triads are shown as their excess over the level of chance, from 0
        (chance) to 1 (the most that is possible). With fewer than five games there is no order: they stand as in the
        tables. Below, Spearman's rank correlation of each two measures over the games: where it is far from 1, how
        transitive a game is depends on the measure.""",
        decide=lambda run: Inputs({"transitivity": ["tables/transitivity.csv"]} | DATASETS),
    ),
    "cycles_pay": Figure(
        script="figure_cycles_pay",
        title="When cycles pay",
        caption=(
            "Which tuned family predicts hidden pairs best, by the share of pairs seen and the games of each. A number "
            "is the excess log-loss of the tuned Elo (its mean Kullback-Leibler divergence from the true "
            "probabilities) over that of the best family with a cyclic part: above 1, cycles predict better. Grey "
            "cells: the repetitions show no difference. This does not prove equality: with few repetitions only "
            "large differences are seen. A letter stands where the 95 % interval of the difference, over the "
            "repetitions of that cell, excludes 0; of forty cells without a difference, up to about two get a letter "
            "by luck.\n\n"
            "Leagues have no known truth: their panels show the log-loss of games of hidden pairs, as more of the "
            "games of the other pairs are kept. A filled mark: the 95 % interval of its difference from Elo, over "
            "repetitions, excludes 0."
        ),
        decide=_cycles_pay,
    ),
}
