"""Packed files: every packing, cut, damaged, hostile."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import lzma
import os
import re
import tarfile
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import numpy as np
import py7zr
import pytest
from backports import zstd

from transitivity import read_matchups
from transitivity.errors import InputError
from transitivity.sources import read as formats
from transitivity.sources import streams

GAME = '[Event "Rated Blitz game"]\n[Site "?"]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n\n'
GAMES = (GAME * 30).encode()


def archived(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> Path:
    """Write members into a .zip or .7z."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
    else:
        with py7zr.SevenZipFile(path, "w") as archive:
            for name, data in members.items():
                archive.writestr(data, name)
    return path


def packed(path: Path, data: bytes = GAMES, member: str = "games.pgn") -> Path:
    """Write data as the suffix of a path says."""
    suffix = path.suffix
    if suffix in (".zip", ".7z"):
        archived(path, {member: data}, zipfile.ZIP_DEFLATED)
    else:
        compress = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd.compress}
        path.write_bytes(compress.get(suffix, bytes)(data))
    return path


PACKINGS = ["pgn", "pgn.gz", "pgn.bz2", "pgn.xz", "pgn.zst", "zip", "7z"]


@pytest.fixture(params=["isal", "zlib"])
def deflate(request, monkeypatch):
    """Both packages that inflate."""
    if request.param == "zlib":
        monkeypatch.setattr(streams, "igzip_lib", None)
        monkeypatch.setattr(streams, "isal_zlib", None)


def of_packings(suffixes: list[str]) -> pytest.MarkDecorator:
    """Each suffix, and both packages that inflate where these are at work."""
    cases = [(suffix, "isal") for suffix in suffixes] + [(suffix, "zlib") for suffix in suffixes if inflated(suffix)]
    return pytest.mark.parametrize(("suffix", "deflate"), cases, indirect=["deflate"])


def inflated(suffix: str) -> bool:
    return suffix.endswith(("gz", "zip"))


def content(path: Path) -> bytes:
    return b"".join(block for stream in streams.open_streams(path, (".pgn",)) for block in stream)


@of_packings(PACKINGS)
def test_every_packing(tmp_path, suffix, deflate):
    frame = read_matchups(packed(tmp_path / f"games.{suffix}"))
    assert (frame.attrs["games"], frame.attrs["noted"]) == (30, {})


@of_packings(PACKINGS)
def test_content_longer_than_a_block(tmp_path, suffix, deflate, monkeypatch):
    monkeypatch.setattr(streams, "BLOCK", 1 << 16)
    data = os.urandom(streams.BLOCK) + bytes(3 * streams.BLOCK) + b"end"
    assert content(packed(tmp_path / f"x.{suffix}", data)) == data


def test_the_content_tells_the_packing_not_the_suffix(tmp_path):
    packed(tmp_path / "a.gz").rename(tmp_path / "a.pgn")
    assert read_matchups(tmp_path / "a.pgn").attrs["games"] == 30
    packed(tmp_path / "b.zip").rename(tmp_path / "b")
    assert read_matchups(tmp_path / "b").attrs["games"] == 30
    (tmp_path / "c").write_bytes(GAMES)
    assert read_matchups(tmp_path / "c").attrs["games"] == 30


def test_several_frames_and_what_is_between_them(tmp_path, deflate):
    path = tmp_path / "games.pgn.gz"
    path.write_bytes(gzip.compress(GAMES) * 2 + bytes(512))
    assert read_matchups(path).attrs["games"] == 60
    skipped = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"abcd"
    path = tmp_path / "games.pgn.zst"
    path.write_bytes(skipped + zstd.compress(GAMES) + skipped + zstd.compress(GAMES))
    assert read_matchups(path).attrs["games"] == 60


@of_packings(["pgn.gz", "pgn.bz2", "pgn.xz", "pgn.zst"])
def test_a_file_cut_in_the_middle_keeps_its_whole_games(tmp_path, suffix, deflate, monkeypatch):
    monkeypatch.setattr(streams, "BLOCK", 1 << 16)
    names = np.random.default_rng(1).integers(0, 10**9, 20_000)
    games = "".join(GAME.replace("Bob", f"Bob{name}") for name in names).encode()
    path = packed(tmp_path / f"games.{suffix}", games)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])
    frame = read_matchups(path)
    assert 0 < frame.attrs["games"] < 20_000
    assert frame.attrs["noted"]["file cut off"] == 1
    assert frame.attrs["located"]["file cut off"].startswith(f"{path}: after game ")


CUT_CONTENTS = {
    "pgn": "".join(GAME.replace("Bob", f"Bob{k * 7919 % 1000}") for k in range(30)),
    "csv": "player_a,player_b,wins_a,draws,wins_b\n" + "".join(f"a,b{k * 7919 % 9973},1,0,2\n" for k in range(99)),
    "jsonl": "".join(
        f'{{"player_a": "a", "player_b": "b{k * 7919 % 9973}", "wins_a": 1, "draws": 0, "wins_b": 2}}\n'
        for k in range(99)
    ),
    "sql": "COPY player (id, tag) FROM stdin;\n1\ta\n2\tb\n\\.\n\n"
    "COPY match (id, pla_id, plb_id, sca, scb) FROM stdin;\n"
    + "".join(f"{k}\t1\t2\t{k * 7919 % 9973}\t1\n" for k in range(99))
    + "\\.\n",
}

CUT_PACKINGS = ["gz", "bz2", "xz", "zst"]
FORMATS = {"pgn": "pgn", "csv": "results", "jsonl": "results", "sql": "aligulac"}


@of_packings(["gz", "bz2", "xz", "zst", "zip", "7z"])
@pytest.mark.parametrize("kind", list(CUT_CONTENTS))
def test_a_file_cut_anywhere_is_counted_as_cut_or_said_to_end_too_early(tmp_path, kind, suffix, deflate):
    path = tmp_path / (f"games.{suffix}" if suffix in ("zip", "7z") else f"games.{kind}.{suffix}")
    whole = packed(path, CUT_CONTENTS[kind].encode(), f"games.{kind}").read_bytes()
    assert read_matchups(path).attrs["games"] > 0
    refused = 0
    for size in sorted({*range(1, 50), *range(50, len(whole) - 12, 61), *range(len(whole) - 12, len(whole))}):
        path.write_bytes(whole[:size])
        try:
            assert read_matchups(path).attrs["noted"]["file cut off"] == 1, size
        except InputError as error:
            assert str(path) in str(error) and "ends too early" in str(error), size
            refused += 1
    assert refused > 0


@pytest.mark.parametrize(
    ("kind", "suffix", "packing"),
    [
        *itertools.product(["folder"], CUT_CONTENTS, CUT_PACKINGS),
        *((kind, *pair) for kind in ("zip", "7z") for pair in zip(CUT_CONTENTS, CUT_PACKINGS, strict=True)),
    ],
)
def test_a_file_cut_near_its_start_is_noted_where_another_is_whole(tmp_path, kind, suffix, packing):
    whole = packed(tmp_path / f"whole.{suffix}.{packing}", CUT_CONTENTS[suffix].encode())
    games, data = read_matchups(whole).attrs["games"], whole.read_bytes()
    for size in (1, 4, 12, len(data) // 4):
        # The cut one may come first, or last.
        for names in (("a", "b"), ("b", "a")):
            content = dict(zip((f"{name}.{suffix}.{packing}" for name in names), (data, data[:size]), strict=True))
            path = tmp_path / f"{names[0]}{size}{'.' + kind if kind != 'folder' else ''}"
            if kind == "folder":
                path.mkdir()
                for name, bytes_ in content.items():
                    (path / name).write_bytes(bytes_)
            else:
                archived(path, content)
            about = read_matchups(path, FORMATS[suffix]).attrs
            assert about["games"] >= games and about["noted"]["file cut off"] == 1, size
            assert about["located"]["file cut off"].startswith(f"{path}/{names[1]}.{suffix}.{packing}"), size


def test_what_has_no_suffix_and_nothing_to_read_is_said_to_end_too_early(tmp_path):
    (tmp_path / "games.gz").write_bytes(gzip.compress(GAMES)[:12])
    with pytest.raises(InputError, match="ends too early"):
        read_matchups(tmp_path / "games.gz")


@of_packings(["pgn.gz", "pgn.bz2", "pgn.xz", "pgn.zst", "zip", "7z"])
def test_a_damaged_file_is_refused(tmp_path, suffix, deflate):
    path = packed(tmp_path / f"games.{suffix}", os.urandom(5000))
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 200] = bytes(200)
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"damaged|no game|cut"):
        read_matchups(path, format="pgn")


@pytest.mark.parametrize("suffix", ["zip", "7z"])
def test_a_cut_archive_is_refused(tmp_path, suffix):
    path = packed(tmp_path / f"games.{suffix}", os.urandom(5000))
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(InputError, match="not a complete"):
        read_matchups(path, format="pgn")


def test_a_zip_whose_checksum_is_wrong_is_refused(tmp_path, deflate):
    path = packed(tmp_path / "games.zip")
    with zipfile.ZipFile(path) as archive:
        crc = archive.infolist()[0].CRC.to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(crc, b"\1\2\3\4"))
    with pytest.raises(InputError, match="checksum"):
        read_matchups(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_methods_of_zip(tmp_path, method):
    with zipfile.ZipFile(tmp_path / "games.zip", "w", method) as archive:
        archive.writestr("games.pgn", GAMES)
    assert read_matchups(tmp_path / "games.zip").attrs["games"] == 30


def test_encrypted_archives_are_refused(tmp_path):
    with py7zr.SevenZipFile(tmp_path / "games.7z", "w", password="secret") as archive:
        archive.writestr(GAMES, "games.pgn")
    with pytest.raises(InputError, match="encrypted"):
        read_matchups(tmp_path / "games.7z")
    path = packed(tmp_path / "games.zip")
    data = path.read_bytes()
    at = data.index(b"PK\1\2")
    path.write_bytes(data[: at + 8] + b"\1" + data[at + 9 :])
    with pytest.raises(InputError, match="encrypted"):
        read_matchups(path)


@pytest.mark.parametrize("suffix", ["zip", "7z"])
def test_members_are_picked_by_pattern_and_suffix(tmp_path, suffix):
    members = {"x/elite_2019-08.pgn": GAMES, "x/elite_2019-09.pgn": GAMES, "x/elite_2020-01.pgn": GAMES}
    members |= {"read_me.txt": b"hello", "empty.pgn": b""}
    path = archived(tmp_path / f"all.{suffix}", members)
    assert read_matchups(path).attrs["games"] == 90
    assert read_matchups(path, members="*_2019-*").attrs["games"] == 60
    assert read_matchups(path, members=["elite_2019-08.pgn", "*_2020-*"]).attrs["games"] == 60
    with pytest.raises(InputError, match=r"no member that matches .*2018.*; it holds x/elite_2019-08.pgn"):
        read_matchups(path, members="*_2018-*", format="pgn")


@pytest.mark.parametrize("suffix", ["zip", "7z"])
def test_reading_stops_early(tmp_path, suffix):
    path = packed(tmp_path / f"x.{suffix}", GAMES * 3000)
    opened = streams.open_streams(path, (".pgn",))
    assert next(iter(next(opened)))
    opened.close()


def test_a_path_inside_an_archive_writes_nowhere(tmp_path, monkeypatch):
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    absolute = str(tmp_path / "absolute.pgn")
    for name in ("../../evil.pgn", absolute, "ok.pgn"):
        assert read_matchups(packed(tmp_path / "games.zip", member=name)).attrs["games"] == 30
    # py7zr does not even write such a name: the header is changed, and its checksum with it.
    path = tmp_path / "games.7z"
    with py7zr.SevenZipFile(path, "w") as archive:
        archive.set_encoded_header_mode(False)
        archive.writestr(GAMES, "xx/xx/evil.pgn")
    assert read_matchups(path).attrs["games"] == 30
    data = path.read_bytes().replace("xx/xx/".encode("utf-16-le"), "../../".encode("utf-16-le"))
    at = 32 + int.from_bytes(data[12:20], "little")
    start = data[12:28] + zlib.crc32(data[at:]).to_bytes(4, "little")
    path.write_bytes(data[:8] + zlib.crc32(start).to_bytes(4, "little") + start + data[32:])
    with pytest.raises(InputError, match="damaged"):
        read_matchups(path)
    found = sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file())
    assert found == ["games.7z", "games.zip"]


@of_packings(["pgn.gz", "pgn.bz2", "pgn.xz", "pgn.zst", "zip"])
def test_a_bomb_takes_no_memory(tmp_path, suffix, deflate):
    assert peak_of(packed(tmp_path / f"bomb.{suffix}", bytes(18_000_000)), 18_000_000) < 12_000_000


def test_a_bomb_in_7z_takes_no_memory_but_that_of_py7zr(tmp_path, monkeypatch):
    # Its dictionary, and up to 128 MB at once, however much it unpacks; less here, so that the test is small.
    monkeypatch.setattr("py7zr.py7zr.get_memory_limit", lambda: 1_000_000)
    assert peak_of(packed(tmp_path / "bomb.7z", bytes(40_000_000)), 40_000_000) < 30_000_000


def peak_of(path: Path, size: int) -> int:
    """The memory that reading a file takes, in bytes."""
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    assert sum(len(block) for stream in streams.open_streams(path, (".pgn",)) for block in stream) == size
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<!DOCTYPE html><html>", "web page"),
        (b"\n  <html lang=en>", "web page"),
        (GAME.encode("utf-16"), "UTF-16"),
        (GAME.encode("utf-16-le"), "UTF-16"),
        (GAME.encode("utf-16-be"), "UTF-16"),
        (GAME.encode("utf-32"), "UTF-16"),
        (b"", "empty"),
    ],
)
@pytest.mark.parametrize("suffix", ["pgn", "csv", "sql", "pgn.gz"])
def test_what_is_no_data_is_refused(tmp_path, data, reason, suffix):
    path = packed(tmp_path / f"x.{suffix}", data) if data else tmp_path / f"x.{suffix}"
    path.touch()
    with pytest.raises(InputError, match=reason) as refused:
        read_matchups(path)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("outer", ["zip", "7z", "pgn.gz"])
@pytest.mark.parametrize("inner", ["pgn.gz", "pgn.bz2", "pgn.xz", "pgn.zst", "zip", "7z"])
def test_what_is_packed_twice(tmp_path, outer, inner):
    data = packed(tmp_path / f"games.{inner}").read_bytes()
    path = packed(tmp_path / f"outer.{outer}", data, f"games.{inner}")
    if outer != "pgn.gz" and inner.startswith("pgn"):
        # A compressed file in an archive is usual.
        assert read_matchups(path).attrs["games"] == 30
        return
    with pytest.raises(InputError, match="packed once more inside; unpack it first"):
        read_matchups(path, format="pgn")


def test_tar_archives_are_refused(tmp_path):
    with tarfile.open(tmp_path / "games.tar.gz", "w:gz") as archive:
        archive.add(packed(tmp_path / "games.pgn"))
    with pytest.raises(InputError, match="tar archive; unpack it first"):
        read_matchups(tmp_path / "games.tar.gz")


@pytest.mark.parametrize("suffix", ["zip", "7z"])
def test_archives_without_files_are_refused(tmp_path, suffix):
    path = tmp_path / f"x.{suffix}"
    (zipfile.ZipFile if suffix == "zip" else py7zr.SevenZipFile)(path, "w").close()
    with pytest.raises(InputError, match=r"without files|not a complete"):
        read_matchups(path)


def test_the_format_of_an_archive_is_that_of_a_member(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("README.txt", "read me")
        archive.writestr("games.pgn", GAMES)
    assert read_matchups(tmp_path / "x.zip").attrs["games"] == 30


def test_lists_of_files(tmp_path):
    one, other = packed(tmp_path / "a.pgn"), packed(tmp_path / "b.zip")
    assert read_matchups([one, str(other)]).attrs["games"] == 60
    with pytest.raises(InputError, match="list of files is empty"):
        read_matchups([])
    (tmp_path / "c.pgn").write_text("none")
    with pytest.raises(InputError, match=r"c\.pgn.*holds no game"):
        read_matchups([tmp_path / "c.pgn"])


def test_paths_folders_and_patterns(tmp_path):
    for name in ("a.pgn", "b.pgn.gz", "c.zip", ".hidden.pgn", "d.txt"):
        packed(tmp_path / name)
    (tmp_path / "e.pgn").mkdir()
    assert read_matchups(tmp_path, format="pgn").attrs["games"] == 90
    assert read_matchups(tmp_path / "*.pgn*").attrs["games"] == 60
    (tmp_path / "odd[1].pgn").write_bytes(GAMES)
    assert read_matchups(tmp_path / "odd[1].pgn").attrs["games"] == 30
    for missing, hint in (("none.pgn", "there is no file"), ("*.7z", "matches no file"), ("e.pgn", "has no file")):
        with pytest.raises(InputError, match=hint):
            read_matchups(tmp_path / missing, format="pgn")


def test_a_folder_without_games_names_every_suffix_and_the_subfolder_that_has_some(tmp_path):
    every = [suffix for suffixes in formats.SUFFIXES.values() for suffix in suffixes]
    with pytest.raises(InputError, match=re.escape(", ".join(every)) + ", packed or not; check"):
        read_matchups(tmp_path)
    (tmp_path / "notes.txt").write_text("none")
    for name in ("b", "a", ".hidden"):
        (tmp_path / name).mkdir()
        packed(tmp_path / name / "x.pgn.gz")
    with pytest.raises(InputError, match="its subfolder") as caught:
        read_matchups(tmp_path)
    found = re.search(r"subfolder (\S+) has one; give that, or a pattern such as (\S+);", str(caught.value))
    assert read_matchups(found[1]).attrs["games"] == 30
    assert read_matchups(found[2]).attrs["games"] == 60


def test_what_has_no_format_is_refused(tmp_path):
    (tmp_path / "x.bin").write_bytes(b"\0\1\2")
    with pytest.raises(InputError, match="no suffix that tells its format"):
        read_matchups(tmp_path / "x.bin")
    with pytest.raises(InputError, match="did you mean 'pgn'"):
        read_matchups(tmp_path / "x.bin", format="png")
    (tmp_path / "x.pgn").write_bytes(GAMES)
    with pytest.raises(InputError, match="did you mean 'repeats'"):
        read_matchups(tmp_path / "x.pgn", repeat="drop")


def test_packages_that_are_missing_are_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "py7zr", None)
    with pytest.raises(InputError, match="pip install py7zr"):
        read_matchups(packed_bytes(tmp_path / "x.7z", b"7z\xbc\xaf\x27\x1c" + bytes(40)), format="pgn")
    for module in ("compression", "compression.zstd", "backports.zstd", "backports"):
        monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(InputError, match=r"pip install backports\.zstd"):
        read_matchups(packed_bytes(tmp_path / "x.pgn.zst", b"\x28\xb5\x2f\xfd" + bytes(40)))


def packed_bytes(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_a_stream_as_a_file():
    reader = streams.Stream("x", iter([b"ab\nc", b"", b"d\n"])).reader()
    assert io.TextIOWrapper(reader).readlines() == ["ab\n", "cd\n"]


def test_valid_files_of_several_streams_are_read(tmp_path):
    """An .xz with padding between its streams and behind them, and a .bz2 whose first stream is empty."""
    whole = lzma.compress(b"one")
    contents = {
        "a.xz": whole + bytes(8) + lzma.compress(b"two") + bytes(4),
        "b.xz": whole + bytes(3 << 20) + lzma.compress(b"two") + bytes(3 << 20),
        "a.bz2": bz2.compress(b"") + bz2.compress(b"onetwo"),
        "a.gz": gzip.compress(b"one") + bytes(512) + gzip.compress(b"two"),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        for stream in streams.open_streams(tmp_path / name, (".pgn",)):
            assert b"".join(stream) == b"onetwo" and not stream.cut


def test_zstd_windows_of_any_size_are_read(tmp_path):
    options = {zstd.CompressionParameter.window_log: 28, zstd.CompressionParameter.checksum_flag: 1}
    compressor = zstd.ZstdCompressor(options=options)
    (tmp_path / "long.zst").write_bytes(compressor.compress(b"one") + compressor.compress(b"two") + compressor.flush())
    for stream in streams.open_streams(tmp_path / "long.zst", (".pgn",)):
        assert b"".join(stream) == b"onetwo" and not stream.cut
