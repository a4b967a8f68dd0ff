"""Which reader reads which file, and `read_matchups`, which reads any of them."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable

import pandas as pd

from transitivity.errors import InputError, did_you_mean
from transitivity.matchups.tally import Tally
from transitivity.sources import aligulac, pgn, streams, tables

FORMATS = ("pgn", "aligulac", "results")
READERS: dict[str, Callable[..., pd.DataFrame]] = {
    "pgn": pgn.read_pgn,
    "aligulac": aligulac.read_aligulac,
    "results": tables.read_results,
}
SUFFIXES = {"pgn": pgn.SUFFIXES, "aligulac": aligulac.SUFFIXES, "results": tables.SUFFIXES}
_TAG = re.compile(rb'\[\w+[ \t]+"')
_DUMP = re.compile(rb"PGDMP|--\s+-- PostgreSQL")
#: The first line of a text of cells, or of JSON.
_CELLS = re.compile(rb"[{\[]|[^\n]*[,;\t]")


def guess(path: str | os.PathLike[str] | list[str]) -> str:
    """Return the format of the first file of a path; raise InputError if neither suffix nor content tells it."""
    every = tuple(suffix for suffixes in SUFFIXES.values() for suffix in suffixes)
    file = streams.find_files(path, every)[0]
    for format, suffixes in SUFFIXES.items():
        if streams.plain_suffix(file.name) in suffixes:
            return format
    starts = []
    for name, start in streams.peek(file):
        for format, suffixes in SUFFIXES.items():
            if streams.plain_suffix(name) in suffixes:
                return format
        starts.append(start)
    start = next(filter(None, starts), b"")
    if not start:
        raise streams.too_early(os.fspath(file))
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if _TAG.match(text):
        return "pgn"
    if _DUMP.match(text) or b"\nCOPY " in start:
        return "aligulac"
    if start.startswith((*streams.STARTS[".db"], *streams.STARTS[".parquet"])) or (
        _CELLS.match(text) and b"\0" not in start
    ):
        return "results"
    raise InputError(f"{file} has no suffix that tells its format; give format=, one of {', '.join(READERS)}.")


def options(format: str) -> list[str]:
    """Return the names of a reader's options."""
    more = {"pgn": pgn.PgnScanner, "results": tables.Columns}
    names = [
        name for taker in (READERS[format], more.get(format)) if taker for name in inspect.signature(taker).parameters
    ]
    return [name for name in names if name not in ("path", "tally", "columns", "options", "fast")]


def read(
    format: str,
    path: str | os.PathLike[str] | list[str],
    chosen: dict[str, object],
    tally: Callable[..., Tally] = Tally,
) -> pd.DataFrame:
    """Call the reader of a format, with what makes its tally; raise InputError if it lacks one of the options."""
    known = options(format)
    for name in chosen:
        if name not in known:
            raise InputError(f"The format {format} has no option {name!r}; {did_you_mean(name, known)}")
    return READERS[format](path, **chosen, tally=tally)


def check_format(path: str | os.PathLike[str] | list[str], format: str | None) -> str:
    """Return the format of a file, guessed where None is given; raise InputError if there is no such format."""
    if format is None:
        return guess(path)
    if format not in FORMATS:
        raise InputError(f"{path}: there is no format {format!r}; {did_you_mean(str(format), FORMATS)}")
    return format


def read_matchups(
    path: str | os.PathLike[str] | list[str], format: str | None = None, **options: object
) -> pd.DataFrame:
    """Read the games of a file, a folder or a glob pattern as counts by pair.

    Parameters
    ----------
    path : path-like or list of str
        Any supported file, packed (.gz, .bz2, .xz, .zst, .zip, .7z) or not; or a list of files.
    format : {"pgn", "aligulac", "results"}, optional
        What the file is; guessed by its suffix and its content by default.
    **options
        Those of the format, below; `transitivity.sources.pgn.read_pgn`, `transitivity.sources.aligulac.read_aligulac`
        and `transitivity.sources.tables.read_results` say more.

    Other Parameters
    ----------------
    first, last : str
        Every format: the first and the last day to count, ``YYYY-MM-DD``.
    members : str or list of str
        pgn, results: patterns of the members of an archive to read, such as ``*_2019-*.pgn``.
    repeats : {"keep", "drop"}
        pgn, aligulac: what to do with a game that was met before.
    bots, variants : {"keep", "drop"}
        pgn: games of players with the title BOT, and games of chess variants.
    ratings : "elite", (int, int) or RatingRule
        pgn: the ratings that the better and the worse player need.
    races : {"ignore", "split"}
        aligulac: whether a player is a player for each race.
    games : list of str
        aligulac: versions to count, of WoL, HotS, LotV.
    schema, match_table, player_table : str
        aligulac: names in the dump.
    player_a, player_b : str
        results: the columns of the two players; "player_a" and "player_b" by default. What a row says is told by one
        of `winner`, `score_a` and `score_b`, `outcome`, `wins_a` and `wins_b`.
    name_a, name_b : str
        results: the columns of the players' names, where `player_a` and `player_b` hold ids. Names that several ids
        have get the id behind them.
    names : mapping or path
        results, pgn: what to call a player, by the name in the file, such as ``{"Stockfish 15": "Stockfish"}``, or a
        table (.csv) with these two columns.
    winner : str
        results: the column with the name of the winner.
    draw : str or list of str
        results: what `winner` holds for a draw, in any case and with a remark in brackets behind it; by default
        `transitivity.sources.names.DRAWS`. `outcomes` says what other labels mean.
    score_a, score_b : str
        results: the columns of scores; the higher one wins. A score may be written ½, 1/2 or 0,5; a negative one is a
        walkover, which is left out.
    row : {"game", "series", "pair"}
        results: what a row is; "series" makes the scores numbers of games won.
    outcome : str
        results: the column of labels.
    outcomes : mapping
        results: what each label of `outcome`, or of `winner`, means: 1 (player_a won), 0.5, 0, or None (not a game),
        such as ``{"H": 1, "D": 0.5, "A": 0}``.
    wins_a, draws, wins_b : str
        results: the columns of counts of a table with one row a pair; `draws` may be left out.
    where : mapping
        results: only rows with these values count, such as ``{"tournament": ["World Cup", "Euro"]}``; or what a
        mapping of in, not, min, max and like says of the values: ``{"round": {"not": "Q1", "like": "Q*"}, "year":
        {"min": 1990}}``. Limits are numbers or, as for ISO dates, texts; patterns have ``*`` and ``?``.
    date : str
        results: the column of dates, for `first`, `last` and the order of `read_games`.
    date_format : str
        results: how dates are written, as for `datetime.strptime`, or "unix" for seconds since 1970; by default ISO
        dates or times, also as 20200131, 2020.01.31 or 2020/01/31.
    game_id : str
        results: the column that identifies a game; a second row with the same value is left out.
    dummies : list of str
        results: names, in any case, that stand for nobody; "bye" by default.
    case_sensitive : bool
        results: whether names that differ by case are different players; True by default.
    table : str
        results: the table of a SQLite file; needed where it has several.
    delimiter : str
        results: what separates the cells of a text; by default a tab in .tsv, else whichever of comma, semicolon and
        tab the header has most of.
    encoding : str
        results: the encoding of a text that is neither UTF-8 nor Latin-1, such as "gb18030".

    Returns
    -------
    pandas.DataFrame
        One row per unordered pair: player_a, player_b, wins_a, draws, wins_b. Its `attrs` say what was left out and
        why: `games` (how many were counted), `dropped` and `noted` (how often, by reason) and `located` (where each
        reason was met first).

    Raises
    ------
    InputError
        If there is no such file, format or option, or if the file holds no game at all.

    Examples
    --------
    >>> read_matchups("games.pgn", ratings="elite")  # doctest: +SKIP
    >>> read_matchups("results.csv", player_a="home", player_b="away", score_a="hg", score_b="ag")  # doctest: +SKIP
    """
    return read(check_format(path, format), path, options)
