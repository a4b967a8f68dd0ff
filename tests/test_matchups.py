"""Counting, merging and filtering matchups, their payoffs, and what their graph identifies."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading import script

from transitivity import Payoff, read_matchups
from transitivity.errors import InputError
from transitivity.matchups import tally as tally_module
from transitivity.matchups.table import filter_matchups, merge_matchups, save_matchups, why_empty
from transitivity.matchups.tally import COLUMNS, Tally
from transitivity.payoff.graph import identifiability
from transitivity.sources import read as formats

ROOT = Path(__file__).resolve().parents[1]


def table(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS)


def rows(frame) -> list[tuple]:
    return list(frame.itertuples(index=False, name=None))


PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 2)).filter(lambda g: g[0] != g[1]))


@settings(deadline=None)
@given(PAIRS, st.sampled_from([1, 3, 1 << 20]), st.booleans())
def test_a_tally_counts_every_game_once(games, pending, compiled):
    expected: Counter = Counter()
    tally = Tally()
    names = [tally.player(name) for name in "gfedcba"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally_module, "_PENDING", pending)
        if not compiled:
            patch.setattr(tally_module.library, "load", lambda: None)
        for k, (a, b, outcome) in enumerate(games):
            one, other = np.array([names[a]]), np.array([names[b]])
            if k % 2:
                tally.add_games(one, other, np.array([outcome]))
            else:
                tally.add(one, other, np.eye(3, dtype=np.int64)[[outcome]])
            pair = ("gfedcba"[a], "gfedcba"[b])
            expected[(*pair, outcome) if pair[0] < pair[1] else (*pair[::-1], 2 - outcome)] += 1
        frame = tally.frame()
    found = Counter({(a, b, k): wins[k] for a, b, *wins in rows(frame) for k in range(3) if wins[k]})
    assert found == expected
    assert tuple(frame.columns) == COLUMNS
    assert (frame["player_a"] < frame["player_b"]).all()
    assert frame.attrs["games"] == len(games)


def test_memory_grows_with_pairs_not_with_games(monkeypatch):
    monkeypatch.setattr(tally_module, "_PENDING", 1000)
    tally = Tally()
    a, b = (np.full(300, tally.player(name)) for name in "ab")
    for _ in range(100):
        tally.add_games(a, b, np.zeros(300, dtype=np.int64))
        assert sum(map(len, tally._pending_games)) < 1300
    assert rows(tally.frame()) == [("a", "b", 30_000, 0, 0)]


def test_merging_sums_counts_and_reasons():
    one, other = table(("Ann", "Bob", 1, 2, 3), ("Ann", "Cy", 1, 0, 0)), table(("bob", "ann", 10, 20, 30))
    one.attrs = {"dropped": {"unfinished": 2}, "noted": {}, "located": {"unfinished": "a: game 1"}}
    other.attrs = {"dropped": {"unfinished": 1}, "noted": {"file cut off": 1}, "located": {"unfinished": "b: game 1"}}
    merged = merge_matchups([one, other], ignore_case=True)
    assert rows(merged) == [("Ann", "Bob", 31, 22, 13), ("Ann", "Cy", 1, 0, 0)]
    assert merged.attrs == {
        "games": 67,
        "dropped": {"unfinished": 3},
        "noted": {"file cut off": 1},
        "located": {"unfinished": "a: game 1"},
    }
    assert len(merge_matchups([one, other])) == 3
    with pytest.raises(InputError, match="'Ann' with itself"):
        merge_matchups([table(("Ann", "ann", 1, 0, 0))], ignore_case=True)


def test_rows_that_stand_twice_are_noted():
    pairs = [(f"p{i}", f"p{j}", 2 * (i % 3), 2, 4) for i in range(7) for j in range(i)]
    twice = merge_matchups([table(*pairs)])
    what = "all counts are multiples of 2: rows may stand in the files more than once"
    assert twice.attrs["noted"] == {what: 1} and twice.attrs["located"] == {what: "21 pairs"}
    # It is about the sum only, and with one odd count or few pairs nothing is said.
    assert merge_matchups([twice, twice]).attrs["noted"] == {what.replace("2", "4"): 1}
    assert merge_matchups([twice, table(("p0", "p1", 1, 0, 0))]).attrs["noted"] == {}
    assert merge_matchups([table(*pairs[1:], (*pairs[0][:4], 5))]).attrs["noted"] == {}
    assert merge_matchups([table(*pairs[:19])]).attrs["noted"] == {}


def test_months_read_together_or_merged_are_the_same(shared_data):
    files = sorted((shared_data / "lichess_elite").glob("*2014-0*.pgn"))
    together = read_matchups(shared_data / "lichess_elite" / "*2014-0*.pgn")
    merged = merge_matchups([read_matchups(file) for file in files], ignore_case=True)
    assert rows(merged) == rows(together)


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (table(("a", "b", 1, 0, 0)).drop(columns="draws"), "no column 'draws'"),
        (table(("a", "b", 1.5, 0, 0)), "wins_a of 'a' and 'b' is .*1.5"),
        (table(("a", "b", 1, -1, 0)), "draws of 'a' and 'b'"),
        (table(("a", "b", 1, 0, None)), "wins_b of 'a' and 'b'"),
        (table(("a", "b", "x", 0, 0)), "wins_a of 'a' and 'b'"),
        (table(("a", "b", 1, 0, 0), ("a", None, 1, 0, 0)), "Row 2 of the matchups lacks a player's name"),
    ],
)
def test_tables_that_hold_no_counts_are_refused(frame, reason):
    for use in (Payoff.from_counts, filter_matchups, lambda frame: merge_matchups([frame])):
        with pytest.raises(InputError, match=reason):
            use(frame)


# -------------------------------------------------------------------- filters


LEAGUE = table(
    # A triangle, a tail, and a separate triangle with fewer games.
    ("a", "b", 5, 0, 5),
    ("a", "c", 5, 0, 5),
    ("b", "c", 5, 5, 0),
    ("c", "d", 9, 0, 0),
    ("d", "e", 9, 0, 0),
    ("x", "y", 2, 0, 0),
    ("x", "z", 2, 0, 0),
    ("y", "z", 3, 0, 0),
)


def test_filters_and_what_each_step_leaves():
    LEAGUE.attrs = {"dropped": {"unfinished": 1}}
    kept, steps = filter_matchups(LEAGUE, min_games=3, min_opponents=2, component="largest")
    assert [row[:2] for row in rows(kept)] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert kept.attrs == {"dropped": {"unfinished": 1}, "games": 30}
    assert rows(steps) == [
        ("read", 8, 8, 55),
        ("pairs with at least 3 games", 7, 6, 51),
        ("players with at least 2 opponents", 3, 3, 30),
        ("largest connected component", 3, 3, 30),
    ]
    # A filter that was not asked for adds no row; one game is written in the singular.
    steps = filter_matchups(LEAGUE)[1]
    assert list(steps.step) == ["read", "pairs with at least 1 game"]
    assert len(filter_matchups(LEAGUE, min_opponents=2)[0]) == 6
    assert len(filter_matchups(LEAGUE, component="largest")[0]) == 5


def test_a_filter_may_leave_nothing():
    kept, steps = filter_matchups(LEAGUE, min_games=100, component="largest")
    assert len(kept) == 0
    assert rows(steps[["players", "pairs", "games"]])[1:] == [(0, 0, 0)] * 2
    with pytest.raises(InputError, match="lower the thresholds"):
        Payoff.from_counts(kept)


@given(
    counts=st.dictionaries(
        st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda e: e[0] < e[1]), st.integers(0, 4)
    ),
    min_games=st.integers(1, 6),
    min_opponents=st.integers(1, 6),
)
def test_thresholds_that_leave_nothing_name_the_largest_that_leave_something(counts, min_games, min_opponents):
    frame = table(*((str(a), str(b), games, 0, 0) for (a, b), games in counts.items()))
    chosen = {"min_games": min_games, "min_opponents": min_opponents}
    if len(filter_matchups(frame, **chosen)[0]):
        return
    frame.attrs = {"dropped": {"unfinished": 2}}
    why = why_empty(frame, **chosen)
    if not any(counts.values()):
        assert why == "no game was counted (left out: 2 × unfinished); check what was read."
        return
    found = re.search(r"the most is (\d+); lower (\w+) to that or less", why)
    most, name = int(found[1]), found[2]
    # With opponents left as they were, the other threshold is named next.
    least = {"min_opponents": 1} if name == "min_games" else {}
    assert 0 < most < chosen[name]
    assert len(filter_matchups(frame, **chosen | least | {name: most})[0])
    assert not len(filter_matchups(frame, **chosen | least | {name: most + 1})[0])


def test_a_payoff_counts_one_game_in_the_singular_and_names_the_league_of_which_nothing_is_left(tmp_path):
    counted = script("payoff").counted
    about = {"league": "mine", "label": "Mine", "licence": "", "source": "", "files": []}
    for origin, after in (("file", ""), ("simulated", " (simulated)")):
        save_matchups(LEAGUE, tmp_path / "mine.csv", **about, origin=origin)
        for games, label in ((1, "Mine"), (2, "Mine, at least 2 games a pair")):
            filters = {"min_games": games, "min_opponents": 1, "component": "all"}
            assert counted(filters, tmp_path / "mine.csv")[1]["label"] == label + after
    with pytest.raises(InputError, match=r"The league 'mine': no pair has 100 games, the most is 10; lower min_g"):
        counted(filters | {"min_games": 100}, tmp_path / "mine.csv")


def test_of_equal_components_the_first_is_kept():
    frame = table(("a", "b", 1, 0, 0), ("c", "d", 1, 0, 0))
    assert rows(filter_matchups(frame, component="largest")[0]) == [("a", "b", 1, 0, 0)]
    # The size is what is left of a component.
    frame = table(("a", "b", 1, 0, 0), ("b", "e", 1, 0, 0), ("c", "d", 9, 0, 0))
    assert rows(filter_matchups(frame, 2, component="largest")[0]) == [("c", "d", 9, 0, 0)]


@settings(deadline=None)
@given(st.sets(st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda e: e[0] < e[1]), min_size=1))
def test_players_with_few_opponents_are_removed_until_none_is_left(edges):
    frame = table(*((f"{a:02}", f"{b:02}", 1, 0, 0) for a, b in sorted(edges)))
    for least in (2, 3):
        left = set(edges)
        while True:
            degree = Counter(v for edge in left for v in edge)
            smaller = {edge for edge in left if min(degree[v] for v in edge) >= least}
            if smaller == left:
                break
            left = smaller
        kept = filter_matchups(frame, min_opponents=least)[0]
        assert {(int(a), int(b)) for a, b, *_ in rows(kept)} == left


@pytest.mark.parametrize(
    "options", [{"min_games": 0}, {"min_games": 1.5}, {"min_opponents": -1}, {"component": "larges"}]
)
def test_thresholds_that_are_none_are_refused(options):
    with pytest.raises(InputError, match=next(iter(options))):
        filter_matchups(LEAGUE, **options)


# -------------------------------------------------------------------- payoffs


def test_draws_are_half_wins_and_games_are_weights():
    payoff = Payoff.from_counts(table(("bob", "Ann", 3, 2, 1), ("Cy", "bob", 0, 0, 4)))
    assert payoff.players.tolist() == ["Ann", "bob", "Cy"]
    assert payoff.to_frame().values.tolist() == [["Ann", "bob", 2 / 6, 6], ["bob", "Cy", 1.0, 4]]


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (table(("a", "a", 1, 0, 0), ("a", "b", 1, 0, 0)), "'a' with itself"),
        (table(("a", "b", 0, 0, 0)), r"\('a', 'b'\) has no games"),
        (table(("a", "b", 1, 0, 0), ("b", "a", 1, 0, 0)), r"\('a', 'b'\) appears twice"),
        (table(), "no pair"),
    ],
)
def test_what_is_no_payoff_is_refused(frame, reason):
    with pytest.raises(InputError, match=reason):
        Payoff.from_counts(frame)


def test_the_order_of_rows_does_not_matter():
    one, other = Payoff.from_counts(LEAGUE), Payoff.from_counts(LEAGUE.sample(frac=1, random_state=1))
    assert one.to_frame().equals(other.to_frame())


# -------------------------------------------------------------------- the graph


def test_what_the_graph_identifies():
    found = identifiability(Payoff.from_counts(LEAGUE))
    assert (found.components, found.cycles, found.largest_component) == (2, 2, 5)
    names = np.array(list("abcdexyz"))
    assert names[found.one_opponent].tolist() == ["e"]
    assert names[found.always_win].tolist() == ["x"]
    assert names[found.always_lose].tolist() == ["e", "z"]
    assert found.separated
    assert not found.transitive_by_graph
    assert found.to_row()["always_lose"] == 2


def test_without_cycles_transitivity_follows_from_the_graph():
    tree = identifiability(Payoff.from_counts(table(("a", "b", 1, 0, 1), ("b", "c", 1, 0, 1), ("b", "d", 2, 0, 1))))
    assert (tree.cycles, tree.components, tree.separated) == (0, 1, False)
    assert tree.transitive_by_graph
    alone = Payoff(np.array(["a", "b", "c"]), [0], [1], [0.5])
    assert identifiability(alone).components == 2
    assert len(identifiability(alone).always_win) == 0


def test_the_help_of_read_matchups_lists_every_option():
    options = {name for format in formats.FORMATS for name in formats.options(format)}
    listed = re.findall(r"^(\w[\w, ]*) : ", inspect.getdoc(read_matchups), re.MULTILINE)
    assert {name for names in listed for name in names.split(", ")} == options | {"path", "format"}
