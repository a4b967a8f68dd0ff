"""Writes simulated leagues as a dump of the Aligulac database, for the tests of its reader."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from transitivity.errors import InputError
from transitivity.sources.simulated import EVENT, PROFILES, _counted, _simulated_file, _times


def write_aligulac(
    frame: pd.DataFrame, path: str | os.PathLike, rng: np.random.Generator, profile: str = "starcraft"
) -> None:
    """Write games as a dump of the Aligulac database, as ``pg_dump -O -c`` writes its tables of players and matches.

    The maps of a pair are cut into series that end with a player's second win; the last one may end earlier.

    Parameters
    ----------
    frame : pandas.DataFrame
        Counts by pair without draws, such as those of `League.matchups`.
    path : path-like
        A file with "simulated" in its name, gzipped if it ends in .gz.
    rng : numpy.random.Generator
    profile : str
        Whose days the series are spread over.

    Raises
    ------
    InputError
        If there are draws: a map of StarCraft has a winner.
    """
    counts, names, a, b = _counted(frame)
    if counts[:, 1].any():
        pair = tuple(frame.loc[np.argmax(counts[:, 1] > 0), ["player_a", "player_b"]])
        raise InputError(f"The pair {pair!r} has draws, which a map of StarCraft cannot have; set draws to 0.")
    maps = np.repeat(np.tile([0, 2], len(frame)), counts[:, [0, 2]].ravel())
    row = np.repeat(np.arange(len(frame)), counts.sum(axis=1))
    # The maps of each pair in random order.
    maps = maps[np.lexsort((rng.random(len(maps)), row))]
    series = np.array(list(_series(row.tolist(), maps.tolist())), dtype=np.int64)
    rng.shuffle(series)
    row, *score = series.T
    # The number of each series among those of its pair tells two with the same score on one day apart.
    number = pd.Series(row).groupby(row).cumcount() + 1
    swapped = rng.random(len(series)) < 0.5
    first, second = np.where(swapped, b[row], a[row]), np.where(swapped, a[row], b[row])
    first_won, second_won = np.where(swapped, score[::-1], score)
    races = rng.choice(["P", "T", "Z"], len(names)).tolist()
    days = np.datetime_as_string(_times(PROFILES[profile], len(series)), unit="D").tolist()
    columns = (column.tolist() for column in (first, second, first_won, second_won, number))
    rows = zip(days, *columns, strict=True)
    with _simulated_file(path) as file:
        file.write(_DUMP_START.encode())
        file.write("".join(_match_rows(rows, races)).encode())
        file.write(_DUMP_MIDDLE.encode())
        players = (f"{k + 1}\t{name}\t\\N\t\\N\t\\N\t\\N\t{races[k]}\t\\N\n" for k, name in enumerate(names))
        file.write("".join(players).encode())
        file.write(_DUMP_END.encode())


def _series(rows: list[int], maps: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the row of each series and the maps won by each player, from the row and the outcome of each map."""
    row = won = lost = -1
    for at, outcome in zip(rows, maps, strict=True):
        if at != row or won == 2 or lost == 2:
            if row >= 0:
                yield row, won, lost
            row, won, lost = at, 0, 0
        if outcome == 0:
            won += 1
        else:
            lost += 1
    yield row, won, lost


def _match_rows(series: Iterable[tuple[str, int, int, int, int, int]], races: list[str]) -> Iterator[str]:
    """Yield the lines of the table of matches: day, players, maps won by each, and the number of the series."""
    for k, (day, first, second, first_won, second_won, number) in enumerate(series, 1):
        version = "WoL" if day < "2013-03-12" else "HotS" if day < "2015-11-10" else "LotV"
        yield (
            f"{k}\t\\N\t{day}\t{first + 1}\t{second + 1}\t{first_won}\t{second_won}\t{races[first]}\t{races[second]}"
            f"\tt\t{EVENT}, round {number}\t\\N\t\\N\t{version}\tf\t\\N\t\\N\n"
        )


_DUMP_START = """\
--
-- PostgreSQL database dump
--
-- A simulated league: no row is about a real player.

SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);

DROP TABLE IF EXISTS public.match;
DROP TABLE IF EXISTS public.player;

CREATE TABLE public.match (
    id integer NOT NULL PRIMARY KEY,
    period_id integer,
    date date NOT NULL,
    pla_id integer NOT NULL,
    plb_id integer NOT NULL,
    sca smallint NOT NULL,
    scb smallint NOT NULL,
    rca character varying(1) NOT NULL,
    rcb character varying(1) NOT NULL,
    treated boolean NOT NULL,
    event character varying(200) NOT NULL,
    eventobj_id integer,
    submitter_id integer,
    game character varying(10) NOT NULL,
    offline boolean NOT NULL,
    rta_id integer,
    rtb_id integer
);

CREATE TABLE public.player (
    id integer NOT NULL PRIMARY KEY,
    tag character varying(30) NOT NULL,
    name character varying(100),
    birthday date,
    mcnum integer,
    country character varying(2),
    race character varying(1) NOT NULL,
    dom_val double precision
);

COPY public.match (id, period_id, date, pla_id, plb_id, sca, scb, rca, rcb, treated, event, eventobj_id, \
submitter_id, game, offline, rta_id, rtb_id) FROM stdin;
"""
_DUMP_MIDDLE = """\
\\.

COPY public.player (id, tag, name, birthday, mcnum, country, race, dom_val) FROM stdin;
"""
_DUMP_END = """\
\\.

--
-- PostgreSQL database dump complete
--
"""
