"""PGN: every awkward kind of file, both ways through a file, and python-chess as the reference."""

from __future__ import annotations

import io
import re
from collections import Counter

import chess.pgn
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitivity import read_matchups
from transitivity.errors import InputError
from transitivity.matchups import tally
from transitivity.native import library
from transitivity.sources import pgn
from transitivity.sources.pgn_unusual import PlainReader
from transitivity.sources.streams import Stream, open_streams

needs_the_compiled_part = pytest.mark.skipif(library.load() is None, reason="built without a C compiler")


def scan(data: bytes, fast: bool = True, pieces: int = 1 << 20, cut: bool = False, **options):
    """The table of a text, given to the scanner in pieces."""
    scanner = pgn.PgnScanner(fast=fast, **options)
    stream = Stream("games.pgn", iter([data[k : k + pieces] for k in range(0, len(data), pieces)]))
    stream.cut = cut
    scanner.scan(stream)
    return scanner.tally.frame()


def rows(frame) -> list[tuple]:
    return list(frame.itertuples(index=False, name=None))


def game(white="Ann", black="Bob", result="1-0", moves="1. e4 e5", end="\n", **tags) -> str:
    """A game of the usual form."""
    tags = {"Event": "Rated Blitz game", "Site": "?", "White": white, "Black": black, "Result": result} | tags
    head = "".join(f'[{name} "{value}"]{end}' for name, value in tags.items() if value is not None)
    return f"{head}{end}{moves} {result}{end}{end}"


ANN_BOB = [("Ann", "Bob", 1, 0, 0)]
TAGS = '[Event "e"]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n'
EVIL = '[Event "x"]\n[White "Eve"]\n[Black "Dan"]\n[Result "0-1"]\n'

# Awkward texts, and what they hold.
KINDS: dict[str, tuple[str | bytes, list[tuple]]] = {
    "usual": (game(), ANN_BOB),
    "byte order mark": ("\ufeff" + game(), ANN_BOB),
    "marks inside": ("\ufeff" + game() + "\ufeff" + game(), [("Ann", "Bob", 2, 0, 0)]),
    "carriage returns": (game(end="\r\n") * 2, [("Ann", "Bob", 2, 0, 0)]),
    "old mac": (game(end="\r") * 2, [("Ann", "Bob", 2, 0, 0)]),
    "old mac comments": (game(moves="1. e4 ; { not open\r%{\re5", end="\r") * 2, [("Ann", "Bob", 2, 0, 0)]),
    "glued": (game().rstrip() + game("Bob", "Ann", "0-1"), [("Ann", "Bob", 2, 0, 0)]),
    "glued draw": (game(result="1/2-1/2").rstrip() + game(), [("Ann", "Bob", 1, 1, 0)]),
    "no blank line": (game().rstrip() + "\n" + game(), [("Ann", "Bob", 2, 0, 0)]),
    "leading space": ("  " + game() + " " + game(), [("Ann", "Bob", 2, 0, 0)]),
    "contradiction": (game(moves="1. e4 0-1 {really}"), ANN_BOB),
    "blank lines in tags": (TAGS.replace("\n", "\n\n") + "1. e4 1-0\n\n" + game(), [("Ann", "Bob", 2, 0, 0)]),
    "tags on one line": ('[Event "e"] [White "Ann"] [Black "Bob"] [Result "1-0"]\n\n1. e4 1-0\n', ANN_BOB),
    "moves behind tags": ('[White "Ann"][Black "Bob"][Result "1-0"] 1. e4 1-0\n', ANN_BOB),
    "escaped quotes": (game('Ann \\"A\\" \\\\'), [('Ann "A" \\', "Bob", 1, 0, 0)]),
    "quotes": (game('Ann "A"', Event='The "Big" [one]'), [('Ann "A"', "Bob", 1, 0, 0)]),
    "brackets": (game("[Ann]", "Bob]["), [("[Ann]", "Bob][", 1, 0, 0)]),
    "trailing backslash": (game("Ann\\"), [("Ann\\", "Bob", 1, 0, 0)]),
    "tabs": (game().replace(" ", "\t", 4), ANN_BOB),
    "comment with tags": (game(moves=f"1. e4 {{\n\n{EVIL}\n}} e5") * 2, [("Ann", "Bob", 2, 0, 0)]),
    "comment on tags": (TAGS + f"{{\n{EVIL}}}\n1. e4 1-0\n", ANN_BOB),
    "nested braces": (game(moves=f"1. e4 {{ a {{ b }}\n{EVIL[12:]} }} e5"), ANN_BOB),
    "semicolon": (game(moves=f"1. e4 ; {{ not open\ne5 ;{EVIL.split()[0]} x\n") * 2, [("Ann", "Bob", 2, 0, 0)]),
    "semicolon lines": (
        game() + "".join(f";{line}\n" for line in EVIL.split("\n")) + game(),
        [("Ann", "Bob", 2, 0, 0)],
    ),
    "escape lines": (game() + "".join(f"%{line}\n" for line in EVIL.split("\n")) + game(), [("Ann", "Bob", 2, 0, 0)]),
    "brace in a tag": (game("A{nn") + game("A{nn"), [("A{nn", "Bob", 2, 0, 0)]),
    "clocks": (game(moves="1. e4 { [%eval 0.3] [%clk 0:03:00] } e5 { [%clk 0:02:59] }") * 3, [("Ann", "Bob", 3, 0, 0)]),
    "latin-1": (game("Jos\xe9").encode("latin-1"), [("Bob", "Jos\xe9", 0, 0, 1)]),
    "utf-8": (game("\ud558\ub298"), [("Bob", "\ud558\ub298", 0, 0, 1)]),
    "tags only": (TAGS + "\n" + TAGS, [("Ann", "Bob", 2, 0, 0)]),
    "no event": (TAGS[12:] + "\n1. e4 1-0\n\n" + TAGS[12:] + "\n1-0\n", [("Ann", "Bob", 2, 0, 0)]),
    "last game cut in moves": (game() + TAGS + "\n1. e4 e5 2. N", [("Ann", "Bob", 2, 0, 0)]),
    "case": (game("ANN") + game("bob", "ann", "0-1"), [("ANN", "Bob", 2, 0, 0)]),
    "other tags before Event": ('[Round "1"]\n'.join(["", game(), game()]), [("Ann", "Bob", 2, 0, 0)]),
    "the start of a tag in moves": (game(moves='1. e4\n[Event x"]') + game(), [("Ann", "Bob", 2, 0, 0)]),
    "tags in moves": (game(moves=f"1. e4\n{EVIL[12:]}") + game(), [("Ann", "Bob", 2, 0, 0)]),
    "tags behind moves": (game() + EVIL[12:] + "\n" + game(), [("Ann", "Bob", 2, 0, 0), ("Dan", "Eve", 1, 0, 0)]),
    "tags behind a mark": (game() + f"\ufeff{EVIL[12:]}", [("Ann", "Bob", 1, 0, 0), ("Dan", "Eve", 1, 0, 0)]),
    "tags behind blanks": (game() + f" \v{EVIL[12:]}", [("Ann", "Bob", 1, 0, 0), ("Dan", "Eve", 1, 0, 0)]),
    "two tags on a line": (game(Site='a"] [Black "Zoe'), ANN_BOB),
    "a tag on two lines": (game(Site='a"\n]\n["') + game(), ANN_BOB),
    "two blanks in a tag": (game().replace("White ", "White  "), ANN_BOB),
    "a tab in a tag": (game().replace("White ", "White\t"), ANN_BOB),
    "a tag again after a blank line": (
        TAGS + "\n" + EVIL[12:] + "\n1. e4 1-0\n",
        [("Ann", "Bob", 1, 0, 0), ("Dan", "Eve", 1, 0, 0)],
    ),
    "comment open at the end": (game() + game(moves="1. e4 } e5 { a } { b"), [("Ann", "Bob", 2, 0, 0)]),
    "preamble": ("Games of a club\n\n" + game(), ANN_BOB),
    "a tag twice": (game() + TAGS + '[Result "0-1"]\n\n1. e4 0-1\n', [("Ann", "Bob", 1, 0, 1)]),
    "variant": (game(Variant="Crazyhouse"), ANN_BOB),
    "broken event": (game() + '[Event "]\n' + game(), [("Ann", "Bob", 2, 0, 0)]),
    "broken event in tags": (TAGS[:-15] + '[Event "]\n[Result "1-0"]\n\n1. e4 1-0\n', ANN_BOB),
    "vertical tab": (TAGS + '[White\v"Zoe"]\n\n1. e4 1-0\n\n' + game(), [("Ann", "Bob", 2, 0, 0)]),
    "zeros": (game("Ann\0") + game("A\0b"), [("A\\x00b", "Bob", 1, 0, 0), ("Ann\\x00", "Bob", 1, 0, 0)]),
    "long name": (game("A" * 200), [("A" * 200, "Bob", 1, 0, 0)]),
    "markup": (game("<b>Ann</b>"), [("<b>Ann</b>", "Bob", 1, 0, 0)]),
}


def as_bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pieces", [1, 7, 1 << 20])
@pytest.mark.parametrize("fast", [True, False])
def test_awkward_kinds(kind, pieces, fast):
    text, expected = KINDS[kind]
    assert rows(scan(as_bytes(text), fast, pieces)) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (game(result="*"), "unfinished"),
        (game(result="?"), "no result"),
        (game(Result=None), "no result"),
        (game(result="2-0"), "no result"),
        (game("ann", "Ann"), "self-play"),
        (game(""), "no player name"),
        (game("?"), "no player name"),
        (game(" ", "Bob"), "no player name"),
        (game(Black=None), "no player name"),
        (TAGS[:35], "no player name"),
        (TAGS[:-5], "no result"),
    ],
)
@pytest.mark.parametrize("fast", [True, False])
def test_what_is_left_out_is_counted_and_located(text, reason, fast):
    frame = scan((game() + text).encode(), fast)
    assert rows(frame) == ANN_BOB
    assert frame.attrs["games"] == 1
    assert frame.attrs["dropped"] == {reason: 1}
    assert frame.attrs["located"][reason] == "games.pgn: game 2"


def test_options_leave_out_and_count():
    text = (
        game(WhiteTitle="BOT")
        + game(Variant="Crazyhouse", moves="1. P@e4")
        + game(UTCDate="2019.08.01", UTCTime="10:00:00")
        + game("ANN", UTCDate="2019.08.01", UTCTime="10:00:00")
        + game(moves="1. d4")
        + game(moves="1. d4")
        + game(moves="1. c4")
    ).encode()
    assert scan(text, bots="drop").attrs["dropped"] == {"bot": 1}
    assert scan(text, variants="drop").attrs["dropped"] == {"other variant": 1}
    variants = ["normal", "Standard", "From Position", "", "chess960", "Fischerandom", "Atomic"]
    found = scan("".join(game(Variant=one) for one in variants).encode(), variants="drop").attrs
    assert (found["games"], found["dropped"]) == (4, {"Chess960": 2, "other variant": 1})
    assert scan(text, repeats="drop").attrs["dropped"] == {"repeated game": 2}
    dated = scan(text, first="2019-08-01", last="2019-08-31").attrs
    assert (dated["games"], dated["dropped"]) == (2, {"no date": 5})
    assert scan(text, first="2019-08-02").attrs["dropped"] == {"no date": 5, "other date": 2}


@pytest.mark.parametrize(
    "copy",
    [
        "1. e4 {best} e5",
        "1. e4 ; best\n1... e5",
        "1. e4 $1 e5$2",
        "1.e4! e5?!",
        "1. e4 (1. d4 (1. c4 {) (} e5) d5) 1... e5",
        "1. e4 {a\n[Event } e5",
    ],
)
def test_a_repeated_game_is_known_by_its_moves_alone(copy):
    """Copies differ by comments, evaluations and variations; other moves are another game."""
    text = game() + game(moves=copy) + game(moves="1. e4 c5") + game(moves="1. e4 (1... e5) c6")
    frame = scan(text.encode(), repeats="drop")
    assert rows(frame) == [("Ann", "Bob", 3, 0, 0)]
    assert frame.attrs["located"]["repeated game"] == "games.pgn: game 2"


def test_games_on_one_line_are_each_read_once(monkeypatch):
    one = '[Event "e"] [White "Ann"] [Black "Bob"] [Result "1-0"] 1. e4 (x [y] % z) e5 1-0 '
    read, taken = PlainReader._read, []
    monkeypatch.setattr(PlainReader, "_read", lambda self, data: (taken.append(len(data)), read(self, data)))
    for count in (20_000, 40_000):
        taken.clear()
        frame = scan((one * count).encode(), pieces=1 << 16)
        assert rows(frame) == [("Ann", "Bob", count, 0, 0)]
        assert sum(taken) == count * len(one)


@pytest.mark.parametrize("result", ["1/2", "½", "½ - ½", "0.5-0.5", "Draw", "draw (agreed)"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_draw_has_many_spellings(result, encoding):
    for fast in (True, False):
        frame = scan((game() + game(result=result)).encode(encoding), fast)
        assert (rows(frame), frame.attrs["dropped"]) == ([("Ann", "Bob", 1, 1, 0)], {})


def test_names_that_look_alike_are_one_player():
    odd = ["Jose\u0301 Paz", "JOSÉ\u00a0Paz", "José  Paz", "José\u200b Paz"]
    text = "".join(game(name) for name in ["José Paz", *odd, *odd])
    for fast in (True, False):
        frame = scan(text.encode(), fast)
        assert rows(frame) == [("Bob", "José Paz", 0, 0, 9)]
        assert frame.attrs["noted"] == {"name respelled": 4}
        assert frame.attrs["located"] == {"name respelled": "games.pgn"}


def rated(white, black, clock="180+0", day="2019.08.01", **tags) -> str:
    """A game with ratings, in the order of Lichess."""
    return game(UTCDate=day, UTCTime="10:00:00", WhiteElo=white, BlackElo=black, TimeControl=clock, **tags)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (rated(2400, 2200), None),
        (rated(2200, 2400), None),
        (rated(2399, 2399), "ratings"),
        (rated(2800, 2199), "ratings"),
        (rated("?", 2500), "ratings"),
        (game(), "ratings"),
        (rated(2500, 2500, "60+0"), "bullet"),
        (rated(2500, 2500, "120+1"), "bullet"),
        (rated(2500, 2500, "120+2"), None),
        (rated(2500, 2500, "-", Event="Rated UltraBullet game"), "bullet"),
        (rated(2499, 2499, day="2021.12.01"), "ratings"),
        (rated(2500, 2300, day="2021.12.01"), None),
        (rated(2400, 2200, day="2021.11.30"), None),
        (rated(2400, 2200, WhiteTitle="GM"), None),
    ],
)
@pytest.mark.parametrize("fast", [True, False])
def test_the_elite_rule(text, reason, fast):
    frame = scan((rated(3000, 3000) + text).encode(), fast, ratings="elite")
    assert frame.attrs["dropped"] == ({reason: 1} if reason else {})


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("pieces", [5, 100, 1 << 20])
def test_what_options_judge_is_found_in_unusual_places(fast, pieces):
    """A title before its game's Event; the tags of a file that ends inside them, one with an escape."""
    text = game() + '[WhiteTitle "BOT"]\n' + game() + game('Ann \\"A\\"').split("\n\n")[0]
    frame = scan(text.encode(), fast, pieces, bots="drop")
    assert rows(frame) == [("Ann", "Bob", 1, 0, 0), ('Ann "A"', "Bob", 1, 0, 0)]
    assert frame.attrs["dropped"] == {"bot": 1}


def test_two_ratings_are_a_rule():
    text = (rated(2500, 2100, "60+0") + rated(2500, 2000)).encode()
    assert scan(text, ratings=(2100, 2500)).attrs["dropped"] == {"ratings": 1}


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"bots": "no"}, "drop"),
        ({"ratings": "elte"}, "'elite'"),
        ({"ratings": (1, 2, 3)}, "'elite'"),
        ({"first": "2019-13-01"}, "YYYY-MM-DD"),
        ({"first": "2019-02-01", "last": "2019-01-31"}, "after last, 2019-01-31; exchange them"),
    ],
)
def test_options_that_are_none_are_refused(options, hint):
    with pytest.raises(InputError, match=hint):
        pgn.PgnScanner(**options)


def test_what_is_kept_but_unusual_is_noted():
    text = (game() + game(moves="1. e4 { no end") + EVIL + EVIL).encode()
    frame = scan(text)
    assert rows(frame) == [("Ann", "Bob", 2, 0, 0)]
    assert frame.attrs["noted"] == {"comment without an end": 1, "tags inside a comment": 2}
    assert frame.attrs["located"]["comment without an end"] == "games.pgn: game 2"
    assert scan((game() + '[White "Ann\n' + TAGS).encode()).attrs["noted"] == {"broken tag": 1}
    assert scan(game().encode(), cut=True).attrs["located"] == {"file cut off": "games.pgn: after game 1"}


def test_files_without_games(tmp_path):
    (tmp_path / "none.pgn").write_text("no game here\n")
    with pytest.raises(InputError, match="holds no game"):
        read_matchups(tmp_path / "none.pgn")
    (tmp_path / "some.pgn").write_text(game())
    frame = read_matchups(tmp_path)
    assert frame.attrs["noted"] == {"file without games": 1}
    assert frame.attrs["located"]["file without games"].endswith("none.pgn")


@pytest.mark.parametrize("fast", [True, False])
def test_huge_tags(fast):
    text = game(Event="x" * 3_000_000) + game("A" * 3_000_000, "Cy") + game()
    frame = scan(text.encode(), fast, 1 << 16)
    assert ("Ann", "Bob", 2, 0, 0) in rows(frame)


def test_a_text_without_lines_takes_no_memory():
    games = []
    reader = PlainReader(lambda *game: games.append(game), lambda *_: None, keep_moves=True)
    for _ in range(40):
        reader.feed(b"x" * (1 << 18))
        assert len(reader._rest) <= 1 << 20 and len(reader._moves) <= 4 << 20
    reader.close()
    assert not games


# -------------------------------------------------------------------- both ways agree


FRAGMENTS = [
    *(as_bytes(text) for text, _ in KINDS.values()),
    game("Eve", "Ann", "0-1", end="\r\n").encode(),
    game("Dan", "Eve", "1/2-1/2").encode(),
    rated(2500, 2300).encode(),
    rated(2000, 2300, "60+0", Site="https://example.org/a").encode(),
    game(result="*").encode(),
    game(UTCDate="2019.08.01", UTCTime="10:00:00").encode(),
    b'[WhiteElo "2500"]\n', b"\n", b"\r\n", b"{", b"}", b"; x\n", b"1-0 ", b"[", b'[Event "', b'"]\n', b" ", b"%\n",
    b'[White "Zoe"]\n', b'[Black "Zoe"]\n', b'[Site "s"]\n', b"\t", b'[Event "f"] [White "g"]\n', b"\r", b"\\",
]  # fmt: skip
OPTIONS = [{}, {"ratings": "elite"}, {"repeats": "drop"}, {"bots": "drop", "variants": "drop", "first": "2019-01-01"}]


@given(
    st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=12),
    st.sampled_from(OPTIONS),
    st.sampled_from([3, 50, 1000, 1 << 20]),
)
def test_both_ways_through_a_file_agree(fragments, options, pieces):
    data = b"".join(fragments)
    one, other = scan(data, True, pieces, **options), scan(data, False, 1 << 20, **options)
    assert rows(one) == rows(other)
    assert one.attrs == other.attrs


#: What may have got into a usual file, anywhere.
DAMAGE = [
    '"', "]", "[", "\n", "\r", "\\", "{", "}", ";", " ", "\t", "\0", "\v", "1-0", '"]\n', '"] [X "', "x" * 5000,
    '[Event "x"]\n', '[Event "]\n', '[Event  "x"]\n', '[Event\t"x"]\n', '[EventDate "x"]\n', '\n[Event x"]\n',
    '[White "]\n', '[White\v"z"]\n', '[White\t"z"]\n', '[White  "z"]\n', "[ White", '[WhiteElo "27"]\n',
    '[Result "*"]\n', '"]\n[Event "', "\n\n", "}\n", "{\n", "\n; {\n", "%\n", "\ufeff", "\xe9", "\n [%clk {",
    '\n \v[Black "Q"]\n', '\n\ufeff[Black "Q"]\n', '[WhiteTitle "BOT"]\n', '\n\n[WhiteTitle "BOT"]\n',
]  # fmt: skip


@st.composite
def damaged(draw) -> bytes:
    """A usual file in which a few characters are lost, or something is put in."""
    usual = [game(), game("[Ann"), rated(2500, 2300), rated("?", 99, day="2022.01.01", result="*")]
    usual += [game('E "q\\"', moves="1. e4 { [%clk 0:03:00] } e5"), rated(2600, 2600, WhiteTitle="BOT"), game("Eve\\")]
    text = "".join(draw(st.lists(st.sampled_from(usual), min_size=1, max_size=4)))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    for at in draw(st.lists(st.integers(0, len(text)), max_size=3)):
        lost = draw(st.sampled_from([0, 0, 1, 5, 20]))
        if draw(st.booleans()):
            at = text.rfind("\n", 0, at) + 1
        text = text[:at] + draw(st.sampled_from(["", *DAMAGE] if lost else DAMAGE)) + text[at + lost :]
    # Files end anywhere.
    text = text[: draw(st.sampled_from([len(text)] * 3 + [*range(len(text))]))]
    return text.encode()


@given(damaged(), st.sampled_from(OPTIONS), st.integers(0, 1000))
def test_both_ways_through_a_damaged_file_agree(data, options, at):
    expected = scan(data, False, **options)
    for pieces in (at + 1, 1 << 20):
        found = scan(data, True, pieces, **options)
        assert rows(found) == rows(expected)
        assert found.attrs == expected.attrs


ONE_LINE = '[White "Eve"] [Black "Dan"] [Result "0-1"]\n\n'
HEAD = '[Event "{}"]\n[White "Ann"]\n[Result "1-0"]\n[Black "Bob"]'
#: Each would be counted otherwise if games.c did not look at one of the things that it looks at.
UNUSUAL = {
    "text behind a tag": game(Site='"] x ["').replace(' [""]', ""),
    "two events": '[Event "a"]\n' + game(),
    "a tab, later": TAGS + '[White\t"Zoe"]\n\n1. e4 1-0\n\n',
    "no value": game().replace('"Ann"', '"'),
    "event behind a semicolon": game(moves=f"1. e4 ; {EVIL}"),
    "glued event with a tab": game().rstrip() + ' [Event\t"x"] ' + ONE_LINE,
    "tags behind a mark": game() + "\ufeff" + ONE_LINE,
    "tags behind blanks": game() + " \v" + ONE_LINE,
    "tags behind a digit": game() + '[9 "x"] ' + ONE_LINE,
    "a rating of seven digits": rated("0002500", 2500),
    "as long as a usual head": HEAD.format("x" * (4096 - len(HEAD.format("")))) + ' Cy"]\n\n1. e4 1-0\n\n',
}


@pytest.mark.parametrize("kind", UNUSUAL)
@pytest.mark.parametrize("options", OPTIONS)
def test_both_ways_agree_where_a_game_is_unusual(kind, options):
    data = (game() + UNUSUAL[kind] + game("Cy", "Eve", "0-1")).encode()
    found, expected = scan(data, True, **options), scan(data, False, **options)
    assert rows(found) == rows(expected)
    assert found.attrs == expected.attrs


def test_the_first_spelling_is_shown_where_blocks_go_different_ways():
    first = '[Round "1"]\n' + game("ANN", "bob")
    assert rows(scan((first + game()).encode(), True, len(first))) == [("ANN", "bob", 2, 0, 0)]


@needs_the_compiled_part
def test_names_with_the_same_hash_are_told_apart(monkeypatch):
    # With such keys all names have the same.
    monkeypatch.setattr(pgn.os, "urandom", bytes)
    text = "".join(game(f"{'x' * (k % 20)}{k}", f"{'x' * (k % 20)}{k + 1}") for k in range(300))
    found = scan((text * 2).encode())
    assert rows(found) == rows(scan((text * 2).encode(), False)) and len(found) == 300


@needs_the_compiled_part
def test_nobody_knows_beforehand_which_names_have_the_same_hash():
    """A small file of such names would take hours."""
    slots = []
    for _ in range(2):
        scanner = pgn.PgnScanner()
        scanner.scan(Stream("games.pgn", iter([(game("Ann", "x" * 4000)).encode()])))
        slots.append(np.sort(scanner._numbered._slots[scanner._numbered._slots > 0] >> np.uint64(32)))
    assert len(slots[0]) == 2 and not np.isin(*slots).any()


def test_lines_are_looked_at_once_however_small_the_pieces_are(monkeypatch):
    """Event tags that do not end a block, as what follows them is unusual."""

    class Counting:
        looks, pattern = 0, pgn._EVENT_LINE

        def match(self, *arguments):
            self.looks += 1
            return self.pattern.match(*arguments)

    counting = Counting()
    monkeypatch.setattr(pgn, "_EVENT_LINE", counting)
    monkeypatch.setattr(pgn, "_SAMPLE", 200)
    data = (game().replace('game"]', 'game" ]') * 500).encode()
    assert rows(scan(data, pieces=200)) == [("Ann", "Bob", 500, 0, 0)]
    assert counting.looks < 3 * 500


def test_counted_games_are_sorted():
    for largest in (0, 255, 256, 2**17, 2**62):
        numbers = np.random.default_rng(0).integers(0, largest, 1000, endpoint=True)
        assert np.array_equal(tally._sorted(numbers.copy()), np.sort(numbers))
    assert len(tally._sorted(np.empty(0, dtype=np.int64))) == 0


def test_the_first_game_that_the_ratings_leave_out_is_located():
    text = rated(3000, 3000) + rated(2450, 2250, day="2022.01.01") + rated(2000, 2000)
    for fast in (True, False):
        frame = scan(text.encode(), fast, ratings="elite")
        assert frame.attrs["located"] == {"ratings": "games.pgn: game 2"}


@needs_the_compiled_part
def test_usual_files_take_the_fast_way(monkeypatch):
    def fail(*_):
        raise AssertionError("a usual game went through the plain reader")

    monkeypatch.setattr(PlainReader, "_take_tag", fail)
    usual = rated(2500, 2400, moves="1. e4 { [%clk 0:03:00] } e5", WhiteTitle="GM")
    for end in ("\n", "\r\n"):
        data = (usual * 50).replace("\n", end).encode()
        for options in OPTIONS:
            assert scan(data, **options).attrs["games"] >= 1


@pytest.mark.parametrize("slots", [2, 64, 1 << 12])
@pytest.mark.parametrize("pool", [1, 100, 1 << 20])
def test_names_are_told_apart_however_much_room_there_is_at_first(monkeypatch, slots, pool):
    games = [(f"player {k % 7}", f"a rather long name {k % 11}") for k in range(100)]
    # Names of nobody, the same player in another case, names that begin as another does, and longer ones.
    games += [
        *(("?", "player 1"), ("PLAYER 2", "a rather long name 3"), ("x" * 40, "player 3"), ("x" * 8, "x" * 40)),
        *(("x" * length, "x" * (length + 1)) for length in range(1, 40)),
    ]
    text = "".join(game(white, black) for white, black in games + games[::-1])
    expected = scan(text.encode(), False)
    monkeypatch.setattr(pgn, "_SLOTS", slots)
    monkeypatch.setattr(pgn, "_POOL", pool)
    for pieces in (1 << 20, 1000):
        found = scan(text.encode(), True, pieces)
        assert rows(found) == rows(expected) and len(found) == 118
        assert found.attrs == expected.attrs


@needs_the_compiled_part
def test_names_take_memory_for_themselves_only():
    """Long names take no room for others; a name that comes again takes none."""
    scanner = pgn.PgnScanner()
    text = "".join(game(f"{k % 2000}", "x" * 3000 if k % 1000 == 0 else "Bob") for k in range(20_000))
    pieces = (text[k : k + 50_000].encode() for k in range(0, len(text), 50_000))
    scanner.scan(Stream("games.pgn", pieces))
    numbered = scanner._numbered
    assert numbered._known == 2002
    assert numbered._ends[numbered._known] == 3003 + sum(len(f"{k}") for k in range(2000))
    assert len(numbered._pool) == pgn._POOL and len(numbered._slots) <= 1 << 13


def test_without_the_compiled_part_counts_are_the_same(monkeypatch):
    text = "".join((game(), rated(2500, 2300), game("Ann", "Cy", "*"), EVIL, rated("?", 99))).encode()
    found = [scan(text, pieces=100, **options) for options in OPTIONS]
    monkeypatch.setattr(pgn.library, "load", lambda: None)
    for options, one in zip(OPTIONS, found, strict=True):
        other = scan(text, pieces=100, **options)
        assert rows(other) == rows(one) and other.attrs == one.attrs


# -------------------------------------------------------------------- python-chess


def reference(text: str) -> tuple[int, Counter]:
    """What python-chess reads: the number of games with players, and those that count, by pair and outcome."""
    handle = io.StringIO(text)
    counted: Counter = Counter()
    games = 0
    while (headers := chess.pgn.read_headers(handle)) is not None:
        values = [re.sub(r'\\(["\\])', r"\1", headers[colour]).lower() for colour in ("White", "Black")]
        # Several spaces are one in names that are counted.
        names = [re.sub(" +", " ", value).strip() for value in values]
        result = headers.get("Result", "*")
        if {"", "?"} & set(names):
            continue
        games += 1
        if names[0] != names[1] and result in ("1-0", "0-1", "1/2-1/2"):
            wins = {"1-0": (1, 0, 0), "0-1": (0, 0, 1)}.get(result, (0, 1, 0))
            if names[0] > names[1]:
                names, wins = names[::-1], wins[::-1]
            counted.update({(*names, k): value for k, value in enumerate(wins) if value})
    return games, counted


def counted(frame) -> Counter:
    """A table of matchups in the form of `reference`."""
    return Counter({(a.lower(), b.lower(), k): wins[k] for a, b, *wins in rows(frame) for k in range(3) if wins[k]})


NAMES = st.text(st.sampled_from(list('aAbBéЖ하 "\\[]{};%')), max_size=4)
#: Kinds that python-chess reads as meant (it takes two games of tags only for one).
MOVES = st.sampled_from(
    [
        "1. e4 e5",
        "1. e4 { comment } e5",
        f"1. e4 {{ a\n\n{EVIL}\n}} e5",
        "1. e4 { a { b } e5",
        "1. e4 ; {\ne5",
        "1. e4\n% [Event\ne5",
        "1. e4 (1. d4 { [%clk 1:00:00] } d5) e5",
    ]
)


@st.composite
def texts(draw) -> str:
    """A file of generated games."""
    parts = [draw(st.sampled_from(["", "\ufeff"]))]
    for _ in range(draw(st.integers(1, 6))):
        tags = {"Event": draw(NAMES), "White": draw(NAMES), "Black": draw(NAMES)}
        result = draw(st.sampled_from(["1-0", "0-1", "1/2-1/2", "*", "?", ""]))
        if draw(st.booleans()):
            tags["Result"] = result
        tags |= draw(st.sampled_from([{}, {"WhiteElo": "2500"}, {"Variant": "Chess960"}]))
        if draw(st.booleans()):
            tags = {name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in tags.items()}
        between = draw(st.sampled_from(["\n", "\n", "\n", "\n\n", "\n; comment\n"]))
        parts.append(between.join(f'[{name} "{value}"]' for name, value in tags.items()))
        parts.append(f"\n\n{draw(MOVES)} {draw(st.sampled_from(['1-0', '*', result]))}".rstrip() + "\n\n")
    text = "".join(parts)
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(texts())
def test_generated_games_agree_with_python_chess(text):
    games, expected = reference(text.removeprefix("\ufeff"))
    frame = scan(text.encode())
    assert counted(frame) == expected
    dropped = frame.attrs["dropped"]
    assert frame.attrs["games"] + sum(dropped.values()) - dropped.get("no player name", 0) == games


def test_real_files_agree_with_python_chess(shared_data):
    files = sorted((shared_data / "lichess_elite").glob("*-0[1-6].pgn"))
    assert files
    for file in files:
        games, expected = reference(file.read_text(encoding="utf-8"))
        frame = read_matchups(file)
        assert (frame.attrs["games"], counted(frame)) == (games, expected)
        assert frame.attrs["dropped"] == {}


def test_the_real_files_are_counted_as_their_description_says(shared_data):
    frame = read_matchups(shared_data / "lichess_elite")
    assert (frame.attrs["games"], len(frame)) == (13_781, 3_865)
    assert len(set(frame["player_a"]) | set(frame["player_b"])) == 1_041
    games = frame[["wins_a", "draws", "wins_b"]].sum(axis=1)
    assert [int((games >= least).sum()) for least in (10, 20, 40, 80)] == [248, 64, 17, 4]
    # They are what the rule of their database selects.
    assert read_matchups(shared_data / "lichess_elite", ratings="elite").equals(frame)


def test_real_files_by_both_ways(shared_data):
    def read(fast):
        scanner = pgn.PgnScanner(fast=fast, repeats="drop", bots="drop")
        for file in sorted((shared_data / "lichess_elite").glob("*2014*.pgn")):
            for stream in open_streams(file, (".pgn",)):
                scanner.scan(stream)
        return scanner.tally.frame()

    assert read(True).equals(read(False))
