"""The Aligulac dump, as a real pg_dump wrote it, and everything that may be odd about it."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from transitivity import Payoff, read_matchups
from transitivity.errors import InputError
from transitivity.sources import streams

FIXTURE = Path(__file__).parent / "fixtures" / "aligulac.sql"
DUMP = FIXTURE.read_text(encoding="utf-8")

#: What the fixture holds: maps by pair.
EXPECTED = [
    ("Amber (1)", "birch", 6, 0, 3),
    ("Amber (1)", "Amber (3)", 1, 0, 1),
    ("birch", "line\nfeed", 2, 0, 0),
    ("tab\ttag", "back\\slash", 6, 0, 4),
    ("하늘", "<b>bold</b>", 1, 0, 0),
]


def rows(frame) -> list[tuple]:
    return list(frame.itertuples(index=False, name=None))


def read(tmp_path, text: str | bytes, **options):
    path = tmp_path / "dump.sql"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_matchups(path, **options)


def test_a_dump_of_a_real_postgresql():
    assert "\\restrict" in DUMP
    assert "DROP TABLE public.match;" in DUMP
    frame = read_matchups(FIXTURE)
    assert rows(frame) == EXPECTED
    assert frame.attrs["games"] == 24
    assert frame.attrs["dropped"] == {"self-match": 1, "no score": 1, "0-0": 1, "no player": 1, "negative score": 1}
    assert frame.attrs["noted"] == {"series that may be repeated": 1}
    lines = DUMP.split("\n")
    for reason, beginning in (("self-match", "4\t"), ("no score", "5\t"), ("no player", "10\t")):
        line = int(frame.attrs["located"][reason].removeprefix(f"{FIXTURE}: line "))
        assert lines[line - 1].startswith(beginning)


@pytest.mark.parametrize("block", [1, 5, 64, 1 << 19])
def test_the_size_of_blocks_does_not_matter(tmp_path, monkeypatch, block):
    attributes = read_matchups(FIXTURE).attrs
    monkeypatch.setattr(streams, "BLOCK", block)
    frame = read_matchups(FIXTURE)
    assert frame.attrs == attributes and rows(frame) == EXPECTED


#: As written before PostgreSQL 10.3: derived, since only a new pg_dump is at hand.
OLD = (
    re.sub(r"\\(un)?restrict .*\n", "", DUMP)
    .replace("SELECT pg_catalog.set_config('search_path', '', false);\n", "")
    .replace("CREATE TABLE", "SET search_path = public, pg_catalog;\n\nCREATE TABLE", 1)
    .replace("public.", "")
)
VARIANTS = {
    "old style, without schemas": OLD,
    "another schema": re.sub(r"\bpublic\.", "aligulac.", DUMP),
    "quoted names": re.sub(r"COPY public\.(\w+)", r'COPY "My ""Schema""."."\1"', DUMP).replace(", date,", ', "date",'),
    "carriage returns": DUMP.replace("\n", "\r\n"),
    "lower case": DUMP.replace("COPY public", "copy public").replace("FROM stdin", "from stdin"),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("block", [3, 1 << 19])
def test_old_and_new_styles(tmp_path, variant, block, monkeypatch):
    monkeypatch.setattr(streams, "BLOCK", block)
    assert rows(read(tmp_path, VARIANTS[variant])) == EXPECTED


QUOTED = (FIXTURE.parent / "aligulac_quoted.sql").read_text(encoding="utf-8")
#: The same tables in two schemas, which only the search path tells apart.
OLD_SCHEMAS = re.sub(r'COPY ("[^"]+")\.("\w+")', r"SET search_path = \1, pg_catalog;\n\nCOPY \2", QUOTED)


@pytest.mark.parametrize("text", [QUOTED, OLD_SCHEMAS], ids=["new style", "old style"])
def test_two_schemas_and_quoted_names(tmp_path, text):
    assert "COPY" in text
    assert rows(read(tmp_path, text, schema="public")) == EXPECTED
    assert rows(read(tmp_path, text, schema="Old Data")) == [("player (1)", "player (2)", 5, 0, 1)]
    with pytest.raises(InputError, match="'Old Data' and 'public'; pick one by schema="):
        read(tmp_path, text)


def test_a_dump_of_insert_commands_is_refused():
    with pytest.raises(InputError, match="write it again by pg_dump without --inserts"):
        read_matchups(FIXTURE.parent / "aligulac_inserts.sql")


def test_columns_in_another_order(tmp_path):
    def turn(match: re.Match) -> str:
        columns = [part.strip() for part in match[1].split(",")]
        cells = [line.split("\t") for line in match[2].split("\n")[:-1]]
        turned = "".join("\t".join(row[::-1]) + "\n" for row in cells)
        return f"COPY public.match ({', '.join(columns[::-1])}) FROM stdin;\n{turned}\\.\n"

    text = re.sub(r"COPY public\.match \((.*)\) FROM stdin;\n((?:.*\n)*?)\\\.\n", turn, DUMP)
    assert text != DUMP
    assert rows(read(tmp_path, text)) == EXPECTED


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_content_tells_that_a_file_is_a_dump(tmp_path, end):
    (tmp_path / "dump").write_bytes(gzip.compress(DUMP.replace("\n", end).encode()))
    frame = read_matchups(tmp_path / "dump")
    assert rows(frame) == EXPECTED
    assert Payoff.from_counts(frame).n_pairs == len(EXPECTED)


def test_a_packed_dump(tmp_path):
    (tmp_path / "aligulac.sql.gz").write_bytes(gzip.compress(DUMP.encode()))
    assert rows(read_matchups(tmp_path / "aligulac.sql.gz")) == EXPECTED


def test_options():
    frame = read_matchups(FIXTURE, repeats="drop")
    assert ("tab\ttag", "back\\slash", 3, 0, 2) in rows(frame)
    assert frame.attrs["dropped"]["repeated series"] == 1
    split = rows(read_matchups(FIXTURE, races="split"))
    assert split[:2] == [("Amber (1) (P)", "birch (T)", 1, 0, 2), ("Amber (1) (Z)", "birch (T)", 5, 0, 1)]
    assert read_matchups(FIXTURE, games=["WoL", "HotS"]).attrs["games"] == 8
    assert read_matchups(FIXTURE, games="WoL").attrs["dropped"]["other version"] == 6
    dated = read_matchups(FIXTURE, first="2013-01-01", last="2016-12-31").attrs
    assert dated["games"] == 13
    assert (dated["dropped"]["other date"], dated["dropped"]["no date"]) == (3, 1)


def test_a_player_of_no_tag_and_a_tag_like_another(tmp_path):
    text = DUMP.replace("2\tbirch\t", "2\tAmber (1)\t").replace("14\tline\\nfeed\t", "14\t\\N\t")
    players = {name for row in rows(read(tmp_path, text)) for name in row[:2]}
    assert {"Amber (1)", "Amber (1) (2)", "player (14)"} <= players
    assert len(players) == 8


def test_rows_that_are_broken_or_repeated_are_counted(tmp_path):
    row = next(line for line in DUMP.split("\n") if line.startswith("13\t1\t2017"))
    text = DUMP.replace(
        row, f"{row}\n{row}\n99\tx\n" + row.replace("13\t1\t", "98\t1\t").replace("\t1\t2\tP", "\tx\t2\tP")
    )
    frame = read(tmp_path, text)
    assert rows(frame) == EXPECTED
    dropped = frame.attrs["dropped"]
    assert (dropped["repeated id"], dropped["broken row"], dropped["no score"]) == (1, 1, 2)
    assert frame.attrs["located"]["broken row"].startswith(f"{tmp_path / 'dump.sql'}: line ")


def test_a_dump_that_is_cut_off_is_noted(tmp_path):
    at = DUMP.index("9\t1\t2016-07-10")
    frame = read(tmp_path, DUMP[: at + 20])
    assert frame.attrs["noted"]["file cut off"] == 1
    assert sum(row[2] + row[4] for row in rows(frame)) == 18
    # The players come behind the matches, and without them ids are what is known.
    assert rows(frame)[0][:2] == ("player (1)", "player (2)")


def test_another_encoding(tmp_path):
    text = DUMP.replace("'UTF8'", "'LATIN1'").replace("하늘", "José")
    assert ("José", "<b>bold</b>", 1, 0, 0) in rows(read(tmp_path, text.encode("latin-1")))
    with pytest.raises(InputError, match="-E UTF8"):
        read(tmp_path, DUMP.replace("'UTF8'", "'KLINGON'"))


def test_tables_in_several_schemas(tmp_path):
    other = 'COPY "Old Data".match (scb, sca, id, plb_id, pla_id) FROM stdin;\n0\t7\t1\t2\t1\n\\.\n'
    with pytest.raises(InputError, match="'Old Data' and 'public'; pick one by schema="):
        read(tmp_path, other + DUMP)
    assert rows(read(tmp_path, other + DUMP, schema="public")) == EXPECTED
    assert rows(read(tmp_path, other + DUMP, schema="Old Data")) == [("player (1)", "player (2)", 7, 0, 0)]
    with pytest.raises(InputError, match="in the schema 'none'"):
        read(tmp_path, DUMP, schema="none")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"PGDMP\1\16\0\0", "pg_dump -F plain"),
        (b"INSERT INTO public.match VALUES (1);\n", "has no COPY block of a table 'match'"),
        (DUMP.replace("public.match (", "public.matches ("), "those of: event, matches, message, player"),
        (DUMP.replace(" sca,", " score_a,"), "no column 'sca'; its columns are: id, period_id"),
        (b"COPY match (pla_id, plb_id, sca, scb) FROM stdin;\n\\.\n", "no row in the table"),
    ],
)
def test_what_is_no_such_dump_is_refused(tmp_path, text, reason):
    with pytest.raises(InputError, match=re.escape(reason)):
        read(tmp_path, text)


@pytest.mark.parametrize(("options", "hint"), [({"races": "splitt"}, "'split'"), ({"first": "x"}, "YYYY-MM-DD")])
def test_options_that_are_none_are_refused(options, hint):
    with pytest.raises(InputError, match=hint):
        read_matchups(FIXTURE, **options)
