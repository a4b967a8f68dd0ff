"""Chess games in PGN: a scan of the headers, not a parser of moves.

Two ways through a file that agree exactly:

- `transitivity.sources.pgn_unusual` reads games of any form;
- `_usual_games`, compiled, takes a whole block at once, and only a block in which every ``[Event `` starts a line
  outside all comments and a tag section of one tag a line, with one White, one Black and one Result, and in which no
  other line could be a tag. Whatever else is in such a block cannot change a game. Any other block goes to the reader
  in plain Python, and so does everything where the package was installed without its compiled part.

The Result tag decides, whatever the moves end with.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, pairwise
from typing import Any

import numpy as np
import pandas as pd

from transitivity.errors import InputError, check_count, did_you_mean
from transitivity.matchups.tally import Tally
from transitivity.native import library
from transitivity.sources.days import check_days
from transitivity.sources.names import DRAWS, Spellings, draw_word
from transitivity.sources.pgn_unusual import BOM, PlainReader
from transitivity.sources.streams import Stream, find_files, open_streams, shown, too_early

SUFFIXES = (".pgn",)

_UNFINISHED, _NO_RESULT = 3, 4
_OUTCOMES = {b"1-0": 0, b"1/2-1/2": 1, b"0-1": 2, b"*": _UNFINISHED}
#: A stretch without [Event that is longer than this goes to the plain reader.
_BUFFER = 1 << 23
#: Bytes at the start of a file by which its kind of lines is told.
_SAMPLE = 1 << 16

#: What games.c tells of a game, and the fewest bytes that one takes.
_FIELDS = 9
_START, _MOVES, _NAMES, _OUTCOME, _RATINGS = 0, 1, slice(2, 6), 6, slice(7, 9)
_SHORTEST = len('[Event ""]\n[White ""]\n[Black ""]\n[Result "*"]\n')
#: Slots of names, and bytes, that there is room for at first.
_SLOTS, _POOL = 1 << 12, 1 << 20
#: Random numbers for the longest name that games.c tells of.
_KEYS = 1 + 4096 // 4
_EVENT_LINE = re.compile(rb'\n\[Event "[^"\n]*"\]\r?\n')
_TAG_LINE = re.compile(rb'^\[([A-Za-z0-9_]+)[ \t]+"([^"\\\r\n]*)"\]\r?$', re.MULTILINE)
_DAY = re.compile(rb"\d{4}\.\d\d\.\d\d")
_MOMENT = re.compile(rb"\d{4}\.\d\d\.\d\d \d\d:\d\d:\d\d")
_CLOCK = re.compile(rb"(\d{1,6})(?:\+(\d{1,6}))?")
_STANDARD = frozenset({b"", b"standard", b"from position", b"chess", b"normal", b"orthodox", b"classical"})
_CHESS960 = frozenset({b"chess960", b"chess 960", b"fischerandom", b"fischerrandom", b"fischer random", b"freestyle"})


_ESCAPE = re.compile(rb'\\(["\\])')


@dataclass(frozen=True)
class RatingRule:
    """Who must be rated how high for a game to count.

    Parameters
    ----------
    higher, lower : int
        What the better and the worse rated player need at least.
    bullet : bool
        Whether bullet games count: those whose clock (base + 40 increments) is below 180 seconds.
    since : str
        The first day (``YYYY.MM.DD``) on which the rule holds; the last of several rules that holds decides.
    """

    higher: int
    lower: int
    bullet: bool = False
    since: str = ""


#: The rule of the Lichess Elite Database, with its change of December 2021.
ELITE = (RatingRule(2400, 2200), RatingRule(2500, 2300, since="2021.12.01"))


def read_pgn(path: str | os.PathLike[str], *, members: str | list[str] | None = None, **options: Any) -> pd.DataFrame:
    """Count the games of PGN files by pair of players.

    Names that differ by case only are one player, shown as spelled first.

    Parameters
    ----------
    path : path-like
        A .pgn file, packed or not, an archive of such files, a folder or a glob pattern.
    members : str or list of str, optional
        Patterns such as ``*_2019-*.pgn`` of the members of an archive to read.
    **options
        Those of `PgnScanner`.

    Returns
    -------
    pandas.DataFrame
        See `transitivity.read_matchups`. Reasons in `attrs["dropped"]`: unfinished (result ``*``), no result, no player
        name, self-play and, where asked for, bot, Chess960, other variant, repeated game, ratings, bullet, other date,
        no date.

    Raises
    ------
    InputError
        If there is no such file or option, a file is damaged or something other than data, or none holds a game.
    """
    scanner = PgnScanner(**options)
    for file in find_files(path, SUFFIXES):
        for stream in open_streams(file, SUFFIXES, members):
            scanner.scan(stream)
    if scanner.tally.seen == 0:
        if scanner.tally.noted["file cut off"]:
            raise too_early(shown(path))
        raise InputError(f"{shown(path)} holds no game; check that it is PGN.")
    return scanner.tally.frame()


def _unix_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield blocks without a byte order mark, and with newlines where all lines end in a carriage return."""
    blocks = iter(blocks)
    start = b""
    while len(start) < _SAMPLE and (block := next(blocks, None)) is not None:
        start += block
    start = start.removeprefix(BOM)
    old_mac = b"\r" in start[:_SAMPLE] and b"\n" not in start[:_SAMPLE]
    for block in chain([start], blocks):
        yield block.replace(b"\r", b"\n") if old_mac else block


def _last_start(text: bytes, since: int = 0) -> int:
    """Return where the last line starts that is an Event tag, and so begins a game outside comments; 0 for none.

    The search goes back to the newline at `since`.
    """
    at = len(text)
    while (at := text.rfind(b"\n[Event ", since, at)) >= 0 and not _EVENT_LINE.match(text, at):
        pass
    return at + 1


class _Indices(dict[bytes, int]):
    """Indices of players by the values of their tags; -1 where a value names nobody."""

    def __init__(self, tally: Tally, where: Callable[[], str], names: Any) -> None:
        super().__init__()
        self._tally, self._where, self._spellings = tally, where, Spellings(tally, names)

    def __missing__(self, value: bytes) -> int:
        self[value] = index = self.find(value)
        return index

    def find(self, value: bytes) -> int:
        """Return the index of a player by the value of a tag, a new one for a new name."""
        if b"\\" in value:
            value = _ESCAPE.sub(rb"\1", value)
        try:
            name = value.decode()
        except UnicodeDecodeError:
            # What PGN prescribes.
            name = value.decode("latin-1")
        name = self._spellings.clean(name, self._where)
        # A question mark is PGN's word for an unknown player.
        return -1 if name in ("", "?") else self._tally.player(name)


class PgnScanner:
    """Counts the games of PGN streams.

    Parameters
    ----------
    bots, variants : {"keep", "drop"}
        What to do with games of a player whose title is BOT, and with those whose Variant tag is not one of orthodox
        chess, such as Standard or From Position.
    repeats : {"keep", "drop"}
        What to do with a game that was met before: the same players at the same UTC time or, where the time is not
        known, the same tags and moves. Dropping them takes memory that grows with the games (about 100 bytes each).
    ratings : "elite", (int, int) or RatingRule, optional
        Keep only games of strong players: by the rule of the Lichess Elite Database (one player 2400+, the other
        2200+, no bullet; from December 2021 2500+ and 2300+), or by the ratings that the better and the worse player
        need (bullet counts then).
    names, first, last
        See `transitivity.read_matchups`.
    tally : callable
        Makes what takes the games: `Tally` counts them, `transitivity.sources.games.Games` keeps them one by one.
    fast : bool
        Whether to use the compiled part.

    Attributes
    ----------
    tally : Tally
        The counts.
    """

    def __init__(
        self,
        *,
        bots: str = "keep",
        variants: str = "keep",
        repeats: str = "keep",
        ratings: str | tuple[int, int] | RatingRule | None = None,
        names: Any = None,
        first: str | None = None,
        last: str | None = None,
        fast: bool = True,
        tally: Callable[..., Tally] = Tally,
    ) -> None:
        for name, value in (("bots", bots), ("variants", variants), ("repeats", repeats)):
            if value not in ("keep", "drop"):
                raise InputError(f"{name} is {value!r}; {did_you_mean(str(value), ('keep', 'drop'))}")
        self.tally = tally(str.lower)
        self._indices = _Indices(self.tally, lambda: self._name, names)
        self._drop_bots, self._drop_variants = bots == "drop", variants == "drop"
        self._met: set[bytes] | None = set() if repeats == "drop" else None
        self._rules = _rating_rules(ratings)
        # PGN writes days with dots.
        self._first, self._last = (day.replace("-", ".") for day in check_days(first, last))
        dropping = self._drop_bots or self._drop_variants or self._met is not None
        # Only the tags tell when a game was played.
        self._judging = bool(dropping or self._rules or first or last or self.tally.dated)
        self._compiled = library.load() if fast else None
        self._numbered = None if self._compiled is None else _NumberedNames(self._compiled, self._indices.find)
        self._name, self._number = "", 0
        # Games that came one by one and are not yet counted; one list of tuples of it all would take 2 µs more a game.
        self._waiting: list[tuple[bytes, bytes]] = []
        self._waiting_outcomes: list[int] = []
        self._waiting_numbers: list[int] = []
        self._waiting_when: list[tuple[str, str]] = []

    def scan(self, stream: Stream) -> None:
        """Count the games of one file.

        Parameters
        ----------
        stream : Stream
            Its bytes.
        """
        self._name, self._number = stream.name, 0
        plain = PlainReader(self._count_next, self._note, keep_moves=self._met is not None)
        buffer = b""
        for block in _unix_lines(stream):
            # Games are taken whole: up to the last that starts.
            cut = _last_start(block)
            if cut:
                self._take(plain, b"".join((buffer, memoryview(block)[:cut])))
                buffer = block[cut:]
                continue
            # The blocks of some packings are small, and the line may begin in one and end in the next.
            whole = max(buffer.rfind(b"\n"), 0)
            buffer += block
            cut = _last_start(buffer, whole)
            if cut:
                self._take(plain, buffer[:cut])
                buffer = buffer[cut:]
            elif len(buffer) > _BUFFER:
                plain.feed(buffer)
                buffer = b""
        self._take(plain, buffer)
        plain.close()
        self._flush()
        if stream.cut:
            self.tally.note("file cut off", f"{self._name}: after game {self._number}")
        if self._number == 0:
            self.tally.note("file without games", self._name)

    def _take(self, plain: PlainReader, block: bytes) -> None:
        """Count the games of a block that ends before a game, or at the end of the file."""
        games = None
        if self._compiled is not None and plain.between_games and block.startswith(b"[Event "):
            games = _usual_games(self._compiled, block)
        sections = None if games is None else self._sections(block, games)
        if self._numbered is None or games is None or sections is None:
            plain.feed(block)
            return
        plain.finish()
        if self._judging:
            self._count_judged(sections, len(games))
        else:
            self._flush()
            numbers = range(self._number + 1, self._number + len(games) + 1)
            self._add(self._numbered.players(block, games[:, _NAMES]), games[:, _OUTCOME], numbers)
        self._number += len(games)

    # ---------------------------------------------------------------- whole blocks

    def _sections(self, block: bytes, games: np.ndarray) -> dict[int, dict[bytes, bytes]] | None:
        """Return the tags of those games of a block that the options must judge, or None if one is unusual."""
        if not self._judging:
            return {}
        passing = np.ones(len(games), dtype=bool)
        if self._rules:
            # Most games of a large database fail here, before their other tags are looked at.
            low, high = np.sort(games[:, _RATINGS], axis=1).T
            passing = (high >= min(rule.higher for rule in self._rules)) & (
                low >= min(rule.lower for rule in self._rules)
            )
        sections = {}
        for k in np.flatnonzero(passing).tolist():
            start, stop = games[k, _START], games[k, _MOVES]
            tags = _TAG_LINE.findall(block, start, stop)
            sections[k] = section = dict(tags)
            # Each line has one bracket. Without its time, the moves are needed, too, to tell a game from others.
            if len(tags) != block.count(b"[", start, stop) or (self._met is not None and _moment(section) is None):
                return None
        return sections

    def _count_judged(self, sections: dict[int, dict[bytes, bytes]], n: int) -> None:
        """Count those of the next n games whose tags are given; the ratings of the others are too low."""
        # What is left out is located where it is met first: all games before the first that fails are judged first.
        before = next((k for k in range(n) if k not in sections), n)
        for k in range(before):
            self._game(sections[k], self._number + k + 1, b"")
        if len(sections) < n:
            self.tally.drop("ratings", self._where(self._number + before + 1), n - len(sections))
        for k, section in sections.items():
            if k > before:
                self._game(section, self._number + k + 1, b"")

    # ---------------------------------------------------------------- games

    def _where(self, number: int) -> str:
        """Return how messages call a game of the present file."""
        return f"{self._name}: game {number}"

    def _note(self, what: str, later: bool) -> None:
        """Note what is unusual about the last game that was counted, or the one after it."""
        self.tally.note(what, self._where(self._number + later))

    def _count_next(self, tags: dict[bytes, bytes], moves: bytes) -> None:
        """Count the next game of the file."""
        self._number += 1
        self._game(tags, self._number, moves)

    def _game(self, tags: dict[bytes, bytes], number: int, moves: bytes) -> None:
        """Count game `number` of the file, from 1; `moves` are needed only to tell repeated games."""
        reason = self._judge(tags, moves) if self._judging else None
        if reason:
            self.tally.drop(reason, self._where(number))
            return
        self._waiting.append((tags.get(b"White", b""), tags.get(b"Black", b"")))
        self._waiting_outcomes.append(_outcome(tags.get(b"Result", b"").strip()))
        self._waiting_numbers.append(number)
        if self.tally.dated:
            self._waiting_when.append(_when(tags))
        if len(self._waiting) >= 10_000:
            self._flush()

    def _flush(self) -> None:
        """Count the games that came one by one."""
        if self._waiting:
            outcome = np.array(self._waiting_outcomes, dtype=np.int64)
            names = chain.from_iterable(self._waiting)
            players = np.fromiter(map(self._indices.__getitem__, names), np.int64, 2 * len(outcome))
            self._add(players, outcome, self._waiting_numbers, self._waiting_when)
            self._waiting, self._waiting_outcomes, self._waiting_numbers = [], [], []
            self._waiting_when = []

    def _add(
        self, players: np.ndarray, outcome: np.ndarray, numbers: Sequence[int], when: Sequence[tuple[str, str]] = ()
    ) -> None:
        """Count games that no option excludes.

        `players` are White and Black of each game in turn, -1 for nobody; `outcome` is 0, 1, 2 for a win of White, a
        draw, a win of Black, or `_UNFINISHED` or `_NO_RESULT`; `numbers` says which games of the file they are, and
        `when` they were played, where the tally is `dated`.
        """
        a, b = players[::2], players[1::2]
        kept = (a >= 0) & (b >= 0) & (a != b) & (outcome < 3)
        if kept.all():
            self.tally.add_games(a, b, outcome, when)
            return
        for k in np.flatnonzero(~kept).tolist():
            if a[k] < 0 or b[k] < 0:
                reason = "no player name"
            elif a[k] == b[k]:
                reason = "self-play"
            else:
                reason = "unfinished" if outcome[k] == _UNFINISHED else "no result"
            self.tally.drop(reason, self._where(numbers[k]))
        self.tally.add_games(a[kept], b[kept], outcome[kept], list(compress(when, kept)))

    def _judge(self, tags: dict[bytes, bytes], moves: bytes) -> str | None:
        """Return why the options exclude a game, or None."""
        date = tags.get(b"UTCDate") or tags.get(b"Date") or b""
        day = date.decode("latin-1") if _DAY.fullmatch(date) else ""
        if self._rules:
            # The last rule that holds on the day; the first one where the day is unknown.
            rule = [rule for rule in self._rules if rule.since <= day or not rule.since][-1]
            low, high = sorted(_rating(tags.get(name, b"")) for name in (b"WhiteElo", b"BlackElo"))
            if low < rule.lower or high < rule.higher:
                return "ratings"
            if not rule.bullet and _is_bullet(tags):
                return "bullet"
        if self._first or self._last:
            if not day:
                return "no date"
            if day < self._first or (self._last and day > self._last):
                return "other date"
        if self._drop_bots and b"BOT" in (tags.get(b"WhiteTitle"), tags.get(b"BlackTitle")):
            return "bot"
        if self._drop_variants and (variant := tags.get(b"Variant", b"").strip().lower()) not in _STANDARD:
            return "Chess960" if variant in _CHESS960 else "other variant"
        if self._met is not None:
            identity = _identity(tags, moves)
            if identity in self._met:
                return "repeated game"
            self._met.add(identity)
        return None


# -------------------------------------------------------------------- rules


def _rating_rules(ratings: str | Sequence[int] | RatingRule | None) -> tuple[RatingRule, ...]:
    """Return the rules that the option `ratings` stands for."""
    if ratings is None:
        return ()
    if ratings == "elite":
        return ELITE
    if isinstance(ratings, RatingRule):
        return (ratings,)
    if isinstance(ratings, Sequence) and not isinstance(ratings, str) and len(ratings) == 2:
        higher, lower = (check_count("A rating", rating, 0) for rating in ratings)
        return (RatingRule(max(higher, lower), min(higher, lower), bullet=True),)
    raise InputError(f"ratings is {ratings!r}; say 'elite', or give the two ratings that players need.")


def _outcome(result: bytes) -> int:
    """Return what stands for a result in `PgnScanner._add`."""
    if result in _OUTCOMES:
        return _OUTCOMES[result]
    words = (draw_word(result.decode(encoding, "replace")) for encoding in ("utf-8", "latin-1"))
    return 1 if any(word in DRAWS for word in words) else _NO_RESULT


def _rating(value: bytes) -> int:
    """Return a rating; -1 where there is none."""
    return int(value) if value.isdigit() and len(value) < 7 else -1


def _is_bullet(tags: dict[bytes, bytes]) -> bool:
    """Whether a game is faster than blitz: by its clock or, where it has none, by the name of its event."""
    clock = _CLOCK.fullmatch(tags.get(b"TimeControl", b""))
    if clock:
        return int(clock[1]) + 40 * int(clock[2] or 0) < 180
    return b"bullet" in tags.get(b"Event", b"").lower()


def _moment(tags: dict[bytes, bytes]) -> bytes | None:
    """Return when a game started, to the second, or None where that is not known."""
    moment = tags.get(b"UTCDate", b"") + b" " + tags.get(b"UTCTime", b"")
    return moment if _MOMENT.fullmatch(moment) else None


def _when(tags: dict[bytes, bytes]) -> tuple[str, str]:
    """Return when a game was played, for the tally: its time, or its day and round."""
    moment = _moment(tags)
    if moment is not None:
        return moment.decode("ascii"), ""
    days = (tags.get(name, b"") for name in (b"UTCDate", b"Date"))
    day = next(filter(_DAY.fullmatch, days), b"")
    return day.decode("ascii"), tags.get(b"Round", b"").decode("latin-1")


def _identity(tags: dict[bytes, bytes], moves: bytes) -> bytes:
    """Return a digest that is the same for the same game only."""
    players = [tags.get(name, b"").strip().lower() for name in (b"White", b"Black")]
    moment = _moment(tags)
    if moment is None:
        names = (b"Event", b"Site", b"Date", b"Round", b"Result")
        players += [*(tags.get(name, b"") for name in names), moves]
    else:
        players.append(moment)
    return hashlib.blake2b(b"\0".join(players), digest_size=12).digest()


# -------------------------------------------------------------------- whole blocks


def _usual_games(compiled: ctypes.CDLL, block: bytes) -> np.ndarray | None:
    """Return the games of a block that starts with ``[Event ``, or None if one of them may be unusual.

    Of each game: where it starts, and its moves; where the names of White and Black start and end; its outcome (see
    `PgnScanner._add`); WhiteElo and BlackElo, -1 where they are not numbers.
    """
    games = np.empty((len(block) // _SHORTEST + 1, _FIELDS), dtype=np.int64)
    n = compiled.find_games(block, len(block), len(games), library.address(games))
    return None if n < 0 else games[:n]


class _NumberedNames:
    """Players by the values of their tags: games.c numbers the values, each of which is met here once."""

    def __init__(self, compiled: ctypes.CDLL, find: Callable[[bytes], int]) -> None:
        self._compiled, self._find = compiled, find
        self._known = 0
        # Numbers of names do not depend on the keys, only where they are kept.
        self._keys = np.frombuffer(os.urandom(8 * _KEYS), dtype=np.uint64)
        self._make(_SLOTS, _POOL)

    def _make(self, n_slots: int, size: int) -> None:
        """Make empty room: for half as many values as there are slots, which have `size` bytes in all."""
        self._slots = np.zeros(n_slots, dtype=np.uint64)
        self._pool, self._ends = np.empty(size, dtype=np.uint8), np.zeros(n_slots // 2 + 1, dtype=np.int64)
        self._players = np.empty(n_slots // 2, dtype=np.int64)

    def _number(self, text: int | bytes | None, spans: np.ndarray, known: int) -> tuple[np.ndarray, int]:
        """Return the numbers of values, and how many are known then, or -1 if they need more room."""
        spans, numbers = np.ascontiguousarray(spans), np.empty(len(spans), dtype=np.int64)
        known = self._compiled.number_names(
            *(text, len(spans), library.address(spans), library.address(numbers)),
            *(library.address(self._slots), len(self._slots), library.address(self._pool), len(self._pool)),
            *(library.address(self._ends), known, library.address(self._keys)),
        )
        return numbers, known

    def _grow(self, spans: np.ndarray) -> None:
        """Make room for more values, which may all be new, by doubling what there is."""
        pool, ends, players = self._pool, self._ends[: self._known + 1], self._players[: self._known]
        n_slots, size = len(self._slots), len(pool)
        while n_slots < 2 * (self._known + len(spans)):
            n_slots *= 2
        while size < ends[-1] + (spans[:, 1] - spans[:, 0]).sum():
            size *= 2
        self._make(n_slots, size)
        self._number(library.address(pool), np.column_stack([ends[:-1], ends[1:]]), 0)
        self._players[: self._known] = players

    def players(self, block: bytes, names: np.ndarray) -> np.ndarray:
        """Return the indices of White and Black of each game in turn; `names` is where the names start and end."""
        spans = names.reshape(-1, 2)
        numbers, known = self._number(block, spans, self._known)
        if known < 0:
            self._grow(spans)
            numbers, known = self._number(block, spans, self._known)
        if known > self._known:
            ends = self._ends[self._known : known + 1]
            values, ends = self._pool[ends[0] : ends[-1]].tobytes(), (ends - ends[0]).tolist()
            self._players[self._known : known] = [self._find(values[a:b]) for a, b in pairwise(ends)]
            self._known = known
        return self._players[numbers]
