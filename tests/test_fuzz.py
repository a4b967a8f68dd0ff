"""Damaged files and configurations of every kind: read, or refused by an InputError; never another exception.

For a longer search: pytest tests/test_fuzz.py --hypothesis-profile=long.
"""

from __future__ import annotations

import contextlib
import copy
import io
import pickle
import sqlite3
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import py7zr
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reproduction.config import check_yaml
from reproduction.config import settings as configuration
from transitivity import read_matchups
from transitivity.errors import InputError
from transitivity.payoff.files import read_payoff

ROOT = Path(__file__).resolve().parents[1]
FRAME = pd.DataFrame({"player_a": list("ABCA"), "player_b": list("BCAD"), "winner": list("ABAD"), "when": ["2020"] * 4})
P = np.array([[0.5, 0.7, 0.1], [0.3, 0.5, 1.0], [0.9, 0.0, 0.5]])
PGN = '[Event "e"]\n[Date "2020.01.01"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 {c} (1. d4) 1-0\n\n' * 2
DUMP = (
    "SET client_encoding = 'UTF8';\nCOPY public.player (id, tag) FROM stdin;\n1\tA\n2\tB\n\\.\n"
    "COPY public.match (id, date, pla_id, plb_id, sca, scb) FROM stdin;\n1\t2020-01-01\t1\t2\t2\t1\n\\.\n"
)


def parquet() -> bytes:
    written = io.BytesIO()
    FRAME.to_parquet(written)
    return written.getvalue()


def sqlite() -> bytes:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        FRAME.to_sql("games", connection, index=False)
        return connection.serialize()


def archive(name: str, content: bytes, packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as opened:
        opened.writestr(name, content, packing)
    return written.getvalue()


def numpy(save: object) -> bytes:
    written = io.BytesIO()
    save(written, P)
    return written.getvalue()


CSV = FRAME.to_csv(index=False)
RESULTS = {
    "x.csv": CSV.encode(),
    "quoted.csv": FRAME.to_csv(index=False, quoting=1).encode(),
    "x.jsonl": FRAME.to_json(orient="records", lines=True).encode(),
    "x.parquet": parquet(),
    "x.sqlite": sqlite(),
    "x.zip": archive("x.csv", CSV.encode()),
    "x.pgn": PGN.encode(),
    "x.sql": DUMP.encode(),
}
PAYOFFS = {
    "x.npy": numpy(np.save),
    "x.npz": numpy(np.savez_compressed),
    "x.pkl": pickle.dumps(P, 2),
    "x.csv": pd.DataFrame(P).to_csv(index=False, header=False).encode(),
    "names.csv": pd.DataFrame(P, list("ABC"), list("ABC")).to_csv().encode(),
    "pairs.csv": b"player_a,player_b,p,games\nA,B,0.7,3\nB,C,1,2\n",
    "x.zip": archive("x.npy", numpy(np.save), zipfile.ZIP_LZMA),
}
#: What is put in: bytes that mean something to some reader, or any.
TELLING = [b'"', b"\n", b"\r", b",", b";", b"\0", b"{", b"[", b"\\", b"-1"]
PIECES = st.one_of(st.binary(max_size=6), st.sampled_from(TELLING))
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), PIECES), min_size=1, max_size=4)
COST = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def damaged(content: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    """Return a content in which pieces were replaced; places are shares of its length."""
    for place, length, piece in edits:
        at = int(place * len(content))
        content = content[:at] + piece + content[at + length :]
    return content


@pytest.mark.parametrize("name", RESULTS)
@given(edits=EDITS)
@COST
def test_damaged_results(tmp_path, name, edits):
    path = tmp_path / name
    path.write_bytes(damaged(RESULTS[name], edits))
    table = path.suffix not in (".pgn", ".sql")
    with contextlib.suppress(InputError):
        read_matchups(path, **({"winner": "winner", "date": "when", "first": "2000-01-01"} if table else {}))


@pytest.mark.parametrize("name", PAYOFFS)
@given(edits=EDITS)
@COST
def test_damaged_payoffs(tmp_path, name, edits):
    path = tmp_path / name
    path.write_bytes(damaged(PAYOFFS[name], edits))
    with contextlib.suppress(InputError):
        payoff = read_payoff(path)
        assert ((payoff.p >= 0) & (payoff.p <= 1)).all()


def test_a_7z_with_one_wrong_byte_in_its_directory(tmp_path):
    path = tmp_path / "x.7z"
    with py7zr.SevenZipFile(path, "w") as opened:
        opened.set_encoded_header_mode(False)
        opened.writestr(CSV, "x.csv")
    content = path.read_bytes()
    start, size = struct.unpack("<QQ", content[12:28])
    for at in range(size):
        directory = bytearray(content[32 + start :])
        directory[at] ^= 8
        # The checksums are right: the reader must look at what is wrong.
        head = content[12:28] + zlib.crc32(directory).to_bytes(4, "little")
        checksum = zlib.crc32(head).to_bytes(4, "little")
        path.write_bytes(content[:8] + checksum + head + content[32 : 32 + start] + directory)
        with contextlib.suppress(InputError):
            read_matchups(path, winner="winner")


def test_a_parquet_file_whose_names_of_columns_are_not_utf8(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(RESULTS["x.parquet"].replace(b"winner", b"winn\xff\xfe"))
    with pytest.raises(InputError, match=r"x\.parquet"):
        read_matchups(path, winner="winner")


@pytest.mark.parametrize("name", ["x.npz", "x.zip"])
@pytest.mark.parametrize("at", ["name", "version", "content"])
def test_an_archive_with_one_wrong_byte(tmp_path, name, at):
    content = bytearray(PAYOFFS[name])
    directory = content.rindex(b"PK\1\2")
    # A name that is said to be UTF-8 and is not; a version that nobody reads; data that do not unpack.
    places = {"name": {7: 8, 30: 0xFF}, "version": {directory + 6: 0xFF}, "content": {directory - 8: 0xFF}}[at]
    for place, value in places.items():
        content[place] = value
    (tmp_path / name).write_bytes(content)
    for read in (read_payoff, read_matchups) if name == "x.zip" else (read_payoff,):
        with pytest.raises(InputError, match=name):
            read(tmp_path / name)


CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
MINE = """
data: embedded
seed: 1
only_datasets: [rps, mine]
models: {disc: {n_components: [1, 2]}, mine: {model: elo, weights: games}}
datasets:
  mine:
    path: games.csv
    matchups: {winner: winner, where: {when: {min: 2000}}, min_games: [1, 2], by: winner}
  rps: {game: rps}
sources: {web: {urls: ["https://example.org/{month}.zip"], months: [2019-01], licence: CC0}}
protocols: {written: {datasets: [rps], models: [disc], share: 0.2, repeats: 2}}
cycles: {datasets: [rps], games: [4, unlimited], shares: [.5]}
"""


@given(edits=EDITS)
@COST
def test_damaged_configurations(tmp_path, monkeypatch, edits):
    monkeypatch.chdir(ROOT)
    (tmp_path / "games.csv").write_text(CSV)
    path = tmp_path / "mine.yaml"
    path.write_bytes(damaged(MINE.encode(), edits))
    with contextlib.suppress(InputError):
        check_yaml.parse(path)
        given_ = yaml.safe_load(path.read_text(encoding="utf-8"))
        configuration.read(copy.deepcopy(CONFIG) | given_, [path])


PLAIN = st.none() | st.booleans() | st.integers(-5, 10**20) | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    PLAIN | st.sampled_from(["rps", "disc"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def places(value: object, keys: tuple = ()) -> list[tuple]:
    """Return the paths of all values of a configuration."""
    found = [keys] if keys else []
    if isinstance(value, dict | list):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(below, (*keys, key))
    return found


@given(place=st.sampled_from(places(yaml.safe_load(MINE))), value=VALUES)
@COST
def test_configurations_with_a_value_of_another_kind(tmp_path, monkeypatch, place, value):
    monkeypatch.chdir(ROOT)
    (tmp_path / "games.csv").write_text(CSV)
    config = copy.deepcopy(CONFIG) | yaml.safe_load(MINE)
    config["datasets"]["mine"]["path"] = str(tmp_path / "games.csv")
    inner = config
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with contextlib.suppress(InputError):
        configuration.read(config)
