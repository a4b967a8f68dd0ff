"""Downloads, from a real server on this machine that misbehaves; and the sums of the Lichess Elite files."""

from __future__ import annotations

import bz2
import email.utils
import gzip
import hashlib
import io
import json
import logging
import lzma
import os
import pickle
import re
import runpy
import signal
import socket
import struct
import subprocess
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pandas as pd
import py7zr
import pytest
import requests
from backports import zstd

from reproduction.downloads import retrieve as module
from reproduction.downloads.checksums import read_sums, verify_lichess_files
from reproduction.downloads.retrieve import BLOCK, Record, retrieve
from transitivity.errors import InputError

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "workflow" / "paper" / "lichess_elite_files.csv"
DATA = np.random.default_rng(0).bytes(5 * BLOCK + 7)
OTHER = np.random.default_rng(1).bytes(5 * BLOCK + 7)
DATE = "Wed, 21 Oct 2015 07:28:00 GMT"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Answers with the behaviours that a test lists, one a request; the last one for ever."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.seen.append((self.path, dict(self.headers)))
        behaviours = self.server.behaviours.get(self.path.split("?")[0], [status(404)])
        behaviour = behaviours.pop(0) if len(behaviours) > 1 else behaviours[0]
        try:
            behaviour(self)
        except OSError:
            self.server.gone += 1
        self.close_connection = True

    def head(self, code: int, **headers):
        self.send_response_only(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.behaviours, server.seen, server.gone, server.release = {}, [], 0, threading.Event()
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.release.set()
    server.shutdown()
    server.server_close()
    thread.join()


# -------------------------------------------------------------------- behaviours


def status(code: int, body: bytes = b"", **headers):
    def behave(handler):
        handler.head(code, Content_Length=len(body), **headers)
        handler.wfile.write(body)

    return behave


def whole(data: bytes = DATA, **headers):
    """The file, whatever is asked."""
    return status(200, data, **headers)


def ranged(data: bytes = DATA, etag: str = '"v1"', check: bool = True, **headers):
    """The file as a good server sends it; without `check`, one that does not look at If-Range."""

    def behave(handler):
        match = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
        validators = (None, etag, headers.get("Last_Modified"))
        if not match or (check and handler.headers.get("If-Range") not in validators):
            return whole(data, ETag=etag, **headers)(handler)
        start = int(match[1])
        if start >= len(data):
            return handler.head(416, Content_Range=f"bytes */{len(data)}", Content_Length=0, ETag=etag)
        says = f"bytes {start}-{len(data) - 1}/{len(data)}"
        handler.head(206, Content_Range=says, Content_Length=len(data) - start, ETag=etag)
        handler.wfile.write(data[start:])

    return behave


def cut(at: int, data: bytes = DATA, **headers):
    """The connection ends after so many bytes."""

    def behave(handler):
        handler.head(200, Content_Length=len(data), **headers)
        handler.wfile.write(data[:at])

    return behave


def stalls(at: int, data: bytes = DATA, **headers):
    """Nothing more comes after so many bytes, and the connection stays open."""

    def behave(handler):
        cut(at, data, **headers)(handler)
        handler.wfile.flush()
        handler.server.release.wait(20)

    return behave


def silent(handler):
    handler.server.release.wait(20)


def reset(handler):
    """The connection is reset before an answer."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def endless(handler):
    handler.head(200)
    while True:
        handler.wfile.write(bytes(BLOCK))


def chunked(*chunks: bytes, ends: bool = True):
    def behave(handler):
        handler.head(200, Transfer_Encoding="chunked")
        for chunk in chunks:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        if ends:
            handler.wfile.write(b"0\r\n\r\n")

    return behave


# -------------------------------------------------------------------- what the tests do


@pytest.fixture
def get(server, tmp_path, monkeypatch):
    """Fetch from the server into a folder; `get.waits` are the pauses, which do not happen."""
    waits = []
    monkeypatch.setattr(module, "sleep", waits.append)

    def run(*behaviours, name="file.bin", mirrors=(), **options):
        if behaviours:
            server.behaviours["/a/" + name] = list(behaviours)
        urls = [f"{server.url}/a/{name}", *mirrors]
        options = {"timeout": 5, "progress": False} | options
        return retrieve(urls, tmp_path / name, **options)

    run.waits = waits
    run.path = tmp_path / "file.bin"
    run.part = tmp_path / "file.bin.part"
    run.record = tmp_path / "file.bin.json"
    return run


def ranges(server) -> list[str | None]:
    """The Range headers that the server has seen."""
    return [headers.get("Range") for _, headers in server.seen]


def clean(get) -> bool:
    """Whether nothing is left beside the file and its record."""
    return {path.name for path in get.path.parent.iterdir()} <= {"file.bin", "file.bin.json"}


def test_a_file_is_fetched_and_recorded(server, get):
    record = get(ranged(Last_Modified=DATE), licence="CC0", credit="Ann")
    assert get.path.read_bytes() == DATA
    assert record == Record.load(get.record)
    assert record == Record(
        url=f"{server.url}/a/file.bin",
        final_url=f"{server.url}/a/file.bin",
        sha256=sha256(DATA),
        bytes=len(DATA),
        date=record.date,
        last_modified=DATE,
        etag='"v1"',
        licence="CC0",
        credit="Ann",
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", record.date)
    assert json.loads(get.record.read_text())["sha256"] == sha256(DATA)
    assert ranges(server) == [None]
    assert server.seen[0][1]["Accept-Encoding"] == "identity"
    assert clean(get)


def test_a_good_file_is_not_fetched_again(server, get):
    first = get(ranged(), sha256=sha256(DATA), n_bytes=len(DATA))
    assert first.checked == "given"
    assert get(sha256=sha256(DATA).upper()) == first
    assert get().sha256 == first.sha256
    changed = get(licence="CC0")
    assert len(server.seen) == 1
    assert changed.licence == "CC0" and changed.date == first.date and Record.load(get.record) == changed


def test_a_file_that_does_not_fit_its_record_is_fetched_again(server, get):
    get(ranged())
    get.path.write_bytes(OTHER)
    get()
    assert get.path.read_bytes() == DATA and len(server.seen) == 2


def test_a_file_from_another_url_is_fetched_again(server, get, tmp_path):
    get(ranged())
    server.behaviours["/b/file.bin"] = [ranged(OTHER)]
    retrieve(f"{server.url}/b/file.bin", get.path, progress=False)
    assert get.path.read_bytes() == OTHER
    # With its checksum it is the right file, wherever it came from.
    retrieve(f"{server.url}/c/file.bin", get.path, sha256=sha256(OTHER), progress=False)


def test_a_file_put_there_by_hand_is_kept(server, get):
    get.path.write_bytes(OTHER)
    get.part.write_bytes(b"left over")
    record = get(ranged())
    assert clean(get)
    assert record.url == "" and record.sha256 == sha256(OTHER) and record == Record.load(get.record)
    assert get() == record and server.seen == []
    # But not a wrong one.
    get(sha256=sha256(DATA))
    assert get.path.read_bytes() == DATA


def test_what_a_failure_advises_works(server, get):
    get(ranged())
    server.behaviours["/a/file.bin"] = [status(404)]
    get.path.write_bytes(OTHER)
    with pytest.raises(InputError, match=rf"by hand to {get.path} and remove {get.record}, or"):
        get()
    get.record.unlink()
    assert get().sha256 == sha256(OTHER)


def test_an_unreadable_record_is_none(server, get):
    get(ranged())
    get.record.write_text('{"url": 1, "more": 2}')
    assert get(sha256=sha256(DATA)).url == "" and len(server.seen) == 1


# -------------------------------------------------------------------- retries


def test_errors_of_the_server_are_retried_with_growing_pauses(server, get):
    get(status(500), reset, status(502), status(408), whole())
    assert get.path.read_bytes() == DATA
    assert len(get.waits) == 4
    for k, wait in enumerate(get.waits):
        assert (2**k if k else 0) <= wait <= 2**k + 1


def test_retries_end(server, get):
    with pytest.raises(InputError, match=r"503 .*, after 3 attempts\); download it by hand to .*file\.bin, or"):
        get(status(503), attempts=3)
    assert len(server.seen) == 3 and len(get.waits) == 2
    assert clean(get) and not get.path.exists()


@pytest.mark.parametrize(
    ("code", "headers", "wait"),
    [
        (429, {"Retry_After": "7"}, 7),
        (503, {"Retry_After": "0"}, 0),
        (503, {"Retry_After": DATE}, 0),
        (429, {"Retry_After": "86400"}, module.LONGEST_RETRY_AFTER),
        (429, {"Retry_After": "9" * 400}, module.LONGEST_RETRY_AFTER),
        (429, {"Retry_After": email.utils.formatdate(4102444800, usegmt=True)}, module.LONGEST_RETRY_AFTER),
    ],
)
def test_retry_after_is_honoured(get, code, headers, wait):
    get(status(code, **headers), whole())
    assert get.waits == [wait]


@pytest.mark.parametrize("value", ["soon", "-5", "", "1e9", "Wed, 99 Foo 2015 07:28:30 GMT", "9" * 5000])
def test_a_senseless_retry_after_counts_as_none(get, value):
    get(status(429, Retry_After=value), whole())
    assert get.waits == [0]


@pytest.mark.parametrize("code", [400, 401, 403, 404, 410, 451])
def test_a_mirror_without_the_file_is_left_at_once(server, get, code):
    server.behaviours["/b/file.bin"] = [whole()]
    record = get(status(code), mirrors=[f"{server.url}/b/file.bin"])
    assert record.url == f"{server.url}/b/file.bin" and get.waits == []
    assert [path for path, _ in server.seen] == ["/a/file.bin", "/b/file.bin"]


def test_every_mirror_is_named_with_its_reason(server, get):
    server.behaviours["/b"] = [whole()]
    with pytest.raises(InputError) as error:
        get(status(403), mirrors=[f"{server.url}/b", "file:///no/such/file"], n_bytes=3)
    message = str(error.value)
    assert f"{server.url}/a/file.bin: 403" in message
    assert f"{server.url}/b: it has {len(DATA)} bytes, not 3" in message
    assert "file:///no/such/file: it cannot be read (No such file or directory)" in message
    assert "set `path:`" in message and "\n" not in message


def test_nobody_listens(get, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/x"
        with pytest.raises(InputError, match=r"no connection \(Connection refused\), after 2 attempts"):
            retrieve(url, tmp_path / "x", attempts=2)


def test_a_silent_server_is_given_up_and_asked_again(get):
    get(silent, whole(), timeout=0.2)
    assert get.path.read_bytes() == DATA and len(get.waits) == 1
    with pytest.raises(InputError, match=r"no answer within 0\.2 s"):
        get(silent, timeout=0.2, attempts=1, sha256=sha256(OTHER))


# -------------------------------------------------------------------- cut and resumed


@pytest.mark.parametrize("first", [cut, stalls])
@pytest.mark.parametrize("headers", [{"ETag": '"v1"'}, {"Last_Modified": DATE}])
def test_a_cut_download_is_resumed(server, get, first, headers):
    at = 3 * BLOCK
    get(first(at, **headers), ranged(**{"etag": "", **headers} if "ETag" not in headers else {}), timeout=0.5)
    assert get.path.read_bytes() == DATA and clean(get)
    (begin,) = re.fullmatch(r"bytes=(\d+)-", ranges(server)[1]).groups()
    assert 0 < int(begin) <= at
    assert server.seen[1][1]["If-Range"] == next(iter(headers.values()))


def test_a_weak_etag_is_no_validator(server, get):
    get(cut(BLOCK, ETag='W/"v1"', Last_Modified=DATE), ranged(etag='W/"v1"', Last_Modified=DATE))
    assert server.seen[1][1]["If-Range"] == DATE
    assert get.path.read_bytes() == DATA


def test_without_a_validator_a_download_starts_over(server, get):
    get(cut(BLOCK), whole())
    assert ranges(server) == [None, None] and get.path.read_bytes() == DATA


def test_with_a_checksum_it_is_resumed_without_a_validator(server, get):
    get(cut(BLOCK), ranged(), sha256=sha256(DATA))
    assert ranges(server) == [None, f"bytes={BLOCK}-"] and get.path.read_bytes() == DATA


def test_with_a_checksum_a_mirror_goes_on(server, get):
    server.behaviours["/b/file.bin"] = [ranged(etag='"mirror"')]
    record = get(cut(BLOCK, ETag='"v1"'), status(404), mirrors=[f"{server.url}/b/file.bin"], sha256=sha256(DATA))
    assert ranges(server) == [None, f"bytes={BLOCK}-", f"bytes={BLOCK}-"]
    assert "If-Range" not in server.seen[2][1]
    assert record.etag == '"mirror"' and get.path.read_bytes() == DATA


def test_without_a_checksum_a_mirror_starts_over(server, get):
    server.behaviours["/b/file.bin"] = [ranged(OTHER)]
    get(cut(BLOCK, ETag='"v1"'), status(404), mirrors=[f"{server.url}/b/file.bin"])
    assert ranges(server)[2] is None and get.path.read_bytes() == OTHER


def test_a_server_that_ignores_ranges_sends_it_all(server, get):
    get(cut(BLOCK, ETag='"v1"'), whole(ETag='"v1"'))
    assert ranges(server)[1] is not None and get.path.read_bytes() == DATA


@pytest.mark.parametrize("check", [True, False])
def test_a_changed_file_starts_over(server, get, check):
    get(cut(BLOCK, ETag='"v1"'), ranged(OTHER, etag='"v2"', check=check))
    assert get.path.read_bytes() == OTHER and Record.load(get.record).etag == '"v2"'
    assert ranges(server) == [None, f"bytes={BLOCK}-", *([] if check else [None])]


@pytest.mark.parametrize("says", ["bytes 0-9/10", f"bytes {BLOCK}-9999999/10000000", "nonsense", ""])
def test_a_senseless_range_starts_over(server, get, says):
    answer = status(206, DATA[BLOCK:], ETag='"v1"', Content_Range=says)
    get(cut(BLOCK, ETag='"v1"'), answer, ranged())
    assert get.path.read_bytes() == DATA and ranges(server)[2] is None


def test_halves_that_do_not_fit_start_over(server, get):
    # A server that says that nothing has changed, when something has.
    get(cut(BLOCK, OTHER, ETag='"v1"'), ranged(), ranged(), sha256=sha256(DATA))
    assert ranges(server) == [None, f"bytes={BLOCK}-", None] and get.path.read_bytes() == DATA


def test_a_download_that_was_whole_is_not_fetched_again(server, get):
    server.behaviours["/a/file.bin"] = [ranged()]
    leave_part(get, server, DATA)
    record = get()
    assert ranges(server) == [f"bytes={len(DATA)}-"] and record.sha256 == sha256(DATA) and clean(get)


@pytest.mark.parametrize(
    "answer", [ranged(OTHER[:-5], etag='"v1"'), status(416), status(416, Content_Range="bytes */3")]
)
def test_a_range_that_cannot_be_had_starts_over(server, get, answer):
    leave_part(get, server, DATA)
    get(answer, ranged(OTHER, etag='"v2"'))
    assert get.path.read_bytes() == OTHER and ranges(server)[-1] is None


def leave_part(get, server, data):
    """What a killed process leaves."""
    get.part.write_bytes(data)
    notes = {"url": f"{server.url}/a/file.bin", "etag": '"v1"', "bytes": len(DATA)}
    get.part.with_name(get.part.name + ".json").write_text(json.dumps(notes))


def test_a_part_of_unknown_origin_is_not_continued(server, get):
    get.part.write_bytes(DATA[:BLOCK])
    get(ranged())
    assert ranges(server) == [None] and get.path.read_bytes() == DATA and clean(get)


def test_attempts_that_bring_much_do_not_count(server, get, monkeypatch):
    monkeypatch.setattr(module, "GAIN", BLOCK)

    def a_block(handler):
        start = int((re.findall(r"\d+", handler.headers.get("Range", "")) or [0])[0])
        says = f"bytes {start}-{len(DATA) - 1}/{len(DATA)}"
        code = 206 if start else 200
        handler.head(code, Content_Length=len(DATA) - start, ETag='"v1"', Content_Range=says)
        handler.wfile.write(DATA[start : start + BLOCK])

    get(a_block, attempts=2)
    assert get.path.read_bytes() == DATA and len(server.seen) == 6


def test_a_length_that_never_comes_is_given_up(server, get):
    with pytest.raises(InputError, match=rf"it broke off after {BLOCK} of {len(DATA)} bytes, after 3 attempts"):
        get(cut(BLOCK, ETag='"v1"'), attempts=3)
    assert not get.path.exists() and get.part.stat().st_size == BLOCK


def test_a_server_that_drips_is_given_up(server, get):
    def drips(handler):
        handler.head(200, Content_Length=len(DATA), ETag='"v1"')
        for k in range(100):
            handler.wfile.write(DATA[k : k + 1])
            handler.wfile.flush()
            if handler.server.release.wait(0.05):
                return

    get(drips, ranged(), timeout=0.5)
    assert get.path.read_bytes() == DATA and len(server.seen) == 2
    with pytest.raises(InputError, match="slower than 100 bytes a second, after 2 attempts"):
        get(drips, timeout=0.5, attempts=2, sha256=sha256(OTHER))


@pytest.mark.parametrize("length", ["9" * 5000, "-1", "x"], ids=["digits", "negative", "text"])
def test_a_senseless_length_counts_as_none(get, length):
    def behave(handler):
        handler.head(200, Content_Length=length)
        handler.wfile.write(DATA)

    get(behave)
    assert get.path.read_bytes() == DATA


def test_a_cut_in_chunks_is_noticed(server, get):
    get(chunked(DATA[:BLOCK], ends=False), chunked(DATA[:BLOCK], DATA[BLOCK:]))
    assert get.path.read_bytes() == DATA and len(server.seen) == 2


def test_a_killed_process_leaves_a_part_that_the_next_resumes(server, get):
    at = 4 * BLOCK
    server.behaviours["/a/file.bin"] = [stalls(at, ETag='"v1"'), ranged()]
    command = [sys.executable, ROOT / "scripts" / "retrieve.py", "--urls", f"{server.url}/a/file.bin"]
    command += ["--output", get.path, "--record", get.path.parent / "record" / "r.json"]
    command += ["--sha256", sha256(DATA), "--bytes", str(len(DATA)), "--licence", "CC0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    for _ in range(600):
        if get.part.exists() and get.part.stat().st_size >= at - BLOCK:
            break
        server.release.wait(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert {path.name for path in get.path.parent.iterdir()} == {"file.bin.part", "file.bin.part.json"}
    left = get.part.stat().st_size
    assert 0 < left <= at
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ranges(server) == [None, f"bytes={left}-"]
    assert get.path.read_bytes() == DATA
    assert {path.name for path in get.path.parent.iterdir()} == {"file.bin", "record"}
    assert Record.load(get.path.parent / "record" / "r.json").licence == "CC0"
    assert "file.bin: 100%|" in done.stderr and "\r" not in done.stderr


# -------------------------------------------------------------------- wrong files


PAGE = b"\xef\xbb\xbf\r\n  <!DOCTYPE html><html><body>Please log in</body></html>"


def test_a_wrong_file_never_replaces_a_good_one(server, get):
    get(ranged())
    wanted = sha256(b"the wanted one")
    for answer in (ranged(OTHER), whole(PAGE), whole(b""), status(404), cut(BLOCK)):
        with pytest.raises(InputError):
            get(answer, sha256=wanted, attempts=1)
        assert get.path.read_bytes() == DATA and Record.load(get.record).sha256 == sha256(DATA)
    assert not get.part.exists() or answer is not None


def test_a_wrong_checksum_is_shown_beside_the_right_one(server, get):
    with pytest.raises(InputError, match=f"its sha256 is {sha256(OTHER)}, not {sha256(DATA)}"):
        get(whole(OTHER), sha256=sha256(DATA))
    # It would be the same again.
    assert len(server.seen) == 1 and list(get.path.parent.iterdir()) == []


def test_after_a_wrong_checksum_comes_the_next_mirror(server, get):
    server.behaviours["/b/file.bin"] = [whole()]
    get(whole(OTHER), mirrors=[f"{server.url}/b/file.bin"], sha256=sha256(DATA))
    assert get.path.read_bytes() == DATA


@pytest.mark.parametrize("answer", [whole(), chunked(DATA)])
def test_a_wrong_size_is_shown_beside_the_right_one(get, answer):
    for n_bytes, shown in ((len(DATA) + 1, f"it has {len(DATA)} bytes, not {len(DATA) + 1}"), (7, r"\b7\b")):
        with pytest.raises(InputError, match=shown):
            get(answer, n_bytes=n_bytes)
        assert list(get.path.parent.iterdir()) == []


def test_too_much_is_refused(server, get):
    with pytest.raises(InputError, match=f"it has {len(DATA)} bytes, more than the {BLOCK} allowed"):
        get(whole(), max_bytes=BLOCK)
    with pytest.raises(InputError, match=f"it has more than {3 * BLOCK} bytes"):
        get(endless, max_bytes=3 * BLOCK)
    assert list(get.path.parent.iterdir()) == []


def test_nothing_is_refused(get):
    with pytest.raises(InputError, match="it is empty"):
        get(whole(b""))


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (PAGE, {}),
        (b"<html lang=en>", {}),
        (b"Sign in", {"Content_Type": "text/html; charset=utf-8"}),
        (b"\n\n\t<HTML>", {"Content_Type": "application/zip"}),
    ],
)
@pytest.mark.parametrize("name", ["file.bin", "games.pgn", "games.zip"])
def test_a_web_page_is_refused(get, body, headers, name):
    with pytest.raises(InputError, match=r"a web page .*came instead of the file"):
        get(whole(body, **headers), name=name)
    assert list(get.path.parent.iterdir()) == []


def test_a_web_page_is_fetched_where_one_is_wanted(get):
    assert get(whole(PAGE, Content_Type="text/html"), name="page.html").bytes == len(PAGE)


def encoded(handler):
    whole(gzip.compress(DATA), Content_Encoding="gzip")(handler)


def test_an_encoding_that_was_not_asked_for_is_refused(get):
    with pytest.raises(InputError, match=r"it came encoded \(gzip\)"):
        get(encoded)


def test_a_gz_that_is_called_encoded_is_stored_as_it_is(get):
    get(encoded, name="file.gz")
    assert gzip.decompress(get.path.with_name("file.gz").read_bytes()) == DATA


def zipped(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("games.pgn", data)
    return buffer.getvalue()


def seven(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with py7zr.SevenZipFile(buffer, "w") as archive:
        archive.writestr(data, "games.pgn")
    return buffer.getvalue()


def saved(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


KINDS = {
    "zip": zipped(DATA),
    "7z": seven(DATA),
    "gz": gzip.compress(DATA),
    "bz2": bz2.compress(DATA),
    "xz": lzma.compress(DATA),
    "zst": zstd.compress(DATA),
    "pkl": pickle.dumps({"rps": np.eye(3)}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_recognised_and_a_cut_or_other_one_refused(get, kind):
    data, name = KINDS[kind], f"file.{kind}"
    for wrong, why in (
        (data[: len(data) // 2], f"not a whole .{kind} file: it is cut short or damaged"),
        (data[:-1], f"not a whole .{kind} file: it is cut short or damaged"),
        (b"Not found, sorry", f"starts with b'Not foun', which a .{kind} file never does"),
        (saved(np.eye(3)), f"which a .{kind} file never does"),
    ):
        with pytest.raises(InputError, match=re.escape(why)):
            get(whole(wrong), name=name)
        assert list(get.path.parent.iterdir()) == []
    assert get(whole(data), name=name).sha256 == sha256(data)


def test_an_old_text_pickle_is_one(get):
    get(whole(pickle.dumps([1.0], protocol=0)), name="old.pkl")


def test_padding_after_a_gz_is_no_cut(get):
    get(whole(gzip.compress(DATA) + bytes(100)), name="file.gz")


# -------------------------------------------------------------------- redirects, urls


def test_redirects_are_followed_and_the_last_url_recorded(server, get):
    server.behaviours["/b"] = [status(302, b"x" * 100, Location="c/file.bin?key=secret")]
    server.behaviours["/c/file.bin"] = [cut(BLOCK, ETag='"v1"'), ranged()]
    record = get(status(301, Location="/b"))
    assert record.url == f"{server.url}/a/file.bin" and record.final_url == f"{server.url}/c/file.bin"
    assert ranges(server)[-1] == f"bytes={BLOCK}-" and get.path.read_bytes() == DATA


def test_a_redirect_with_an_endless_body_is_followed(server, get):
    def endless_redirect(handler):
        handler.head(302, Location=f"{server.url}/b")
        while True:
            handler.wfile.write(bytes(BLOCK))

    server.behaviours["/b"] = [whole()]
    get(endless_redirect)
    assert get.path.read_bytes() == DATA and get.waits == []


def test_a_loop_of_redirects_ends(server, get):
    with pytest.raises(InputError, match="it redirects more than 10 times"):
        get(status(302, Location="/a/file.bin"))
    assert len(server.seen) == 11


@pytest.mark.parametrize("target", ["file:///etc/hostname", "ftp://127.0.0.1/x", "http://[", "data:,x"])
def test_a_redirect_elsewhere_is_refused(get, target):
    with pytest.raises(InputError, match="it redirects to "):
        get(status(302, Location=target))
    assert get.waits == []


class Pretends(requests.adapters.HTTPAdapter):
    """Asks over http for what was asked for over https, and does not tell."""

    def send(self, request, **options):
        asked, request.url = request.url, request.url.replace("https:", "http:")
        response = super().send(request, **options)
        response.url = request.url = asked
        return response


def test_a_redirect_from_https_to_http_is_refused(server, get, monkeypatch):
    monkeypatch.setattr(module._Session, "get_adapter", lambda self, url: Pretends())
    server.behaviours["/x"] = [status(302, Location=f"{server.url}/y")]
    with pytest.raises(InputError, match=f"it redirects to {server.url}/y, which is less safe"):
        retrieve(server.url.replace("http:", "https:") + "/x", get.path)
    assert [path for path, _ in server.seen] == ["/x"] and get.waits == []


def test_tls_is_not_optional(server, get):
    # Plain HTTP where TLS is wanted: an error, not a fallback.
    with pytest.raises(InputError, match=r"https://127.*no connection"):
        retrieve(server.url.replace("http:", "https:") + "/x", get.path, attempts=1)


@pytest.mark.parametrize("user", ["ann:secret", "ann:se@cret", "ann:se/cret", "ann:1/secret", "ann:se?cret", "secret"])
@pytest.mark.parametrize("key", ["urls", "sha256_list"])
def test_a_password_in_a_url_is_refused_and_not_shown(server, get, user, key):
    url = server.url.replace("http://", f"http://{user}@") + "/a/file.bin"
    urls = [f"{server.url}/x", *([url] if key == "urls" else [])]
    with pytest.raises(InputError) as error:
        retrieve(urls, get.path, sha256_list=url if key == "sha256_list" else None)
    assert not re.search("ann|se|cret", str(error.value).partition("/a/file.bin")[0])
    assert "127.0.0.1" in str(error.value) and server.seen == []


def test_a_password_comes_from_netrc_and_is_not_recorded(server, get, monkeypatch, tmp_path):
    netrc = tmp_path / "folder" / "netrc"
    netrc.parent.mkdir()
    netrc.write_text("machine 127.0.0.1 login ann password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    get(whole())
    assert server.seen[0][1]["Authorization"] == requests.auth._basic_auth_str("ann", "secret")
    assert "secret" not in get.record.read_text() and "ann" not in get.record.read_text()


def test_a_password_in_a_redirect_is_not_recorded(server, get):
    server.behaviours["/b"] = [whole()]
    target = server.url.replace("http://", "http://ann:secret@") + "/b?key=secret"
    get(status(302, Location=target))
    assert "secret" not in get.record.read_text() and "ann" not in get.record.read_text()


@pytest.mark.parametrize(
    "url", ["ftp://x/y", "file://host/x", "/etc/hostname", "http://", "file:", "http://[", "javascript:x", ""]
)
def test_what_is_no_url_is_refused(get, url):
    with pytest.raises(InputError, match=r"the url .* cannot be fetched; give one that starts with https://"):
        retrieve(["http://127.0.0.1/x", url], get.path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sha256": "abc"}, "sha256 is 'abc'; give the 64 hexadecimal digits"),
        ({"attempts": 0}, "attempts is 0; give a whole number"),
    ],
)
def test_senseless_arguments_are_refused(get, options, message):
    with pytest.raises(InputError, match=message):
        get(whole(), **options)


def test_a_host_that_cannot_be_is_named(get):
    with pytest.raises(InputError, match=r"http://a\.\.b/x: (the request failed|no connection)"):
        retrieve("http://a..b/x", get.path, attempts=1)


def test_a_folder_is_no_file(get, tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        retrieve("http://127.0.0.1/x", tmp_path)
    with pytest.raises(InputError, match="No url is given"):
        retrieve([], get.path)


def test_a_folder_that_cannot_be_written_is_named(server, get, tmp_path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(InputError, match="cannot be read or written"):
        retrieve(f"{server.url}/a/file.bin", tmp_path / "taken" / "file.bin")


# -------------------------------------------------------------------- file: urls


def test_a_local_file_is_copied(tmp_path):
    source = tmp_path / "from here" / "x.bin"
    source.parent.mkdir()
    source.write_bytes(DATA)
    record = retrieve(source.as_uri(), tmp_path / "y.bin", sha256=sha256(DATA))
    assert (tmp_path / "y.bin").read_bytes() == DATA == source.read_bytes()
    assert record.url == record.final_url == source.as_uri() and record.last_modified
    assert sorted(path.name for path in tmp_path.iterdir()) == ["from here", "y.bin", "y.bin.json"]


def test_a_relative_local_file_is_copied(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.bin").write_bytes(DATA)
    retrieve("file:x.bin", "y.bin", progress=False)
    assert Path("y.bin").read_bytes() == DATA


def test_a_local_file_is_checked_too(tmp_path):
    source = tmp_path / "x.zip"
    source.write_bytes(PAGE)
    with pytest.raises(InputError, match="a web page came"):
        retrieve(source.as_uri(), tmp_path / "y.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["x.zip"]


def test_what_is_not_a_regular_file_is_not_copied(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for source in (tmp_path / "fifo", tmp_path, Path("/dev/zero")):
        with pytest.raises(InputError, match="it is not a regular file"):
            retrieve(source.as_uri(), tmp_path / "y.zip")


# -------------------------------------------------------------------- lists of checksums


def sums(data: bytes, name: str = "file.bin"):
    return status(200, f"# sums\n{'0' * 64}  other.bin\n{sha256(data).upper()} *x/{name}\n".encode())


def test_a_published_list_vouches_for_a_file(server, get):
    server.behaviours["/sums.txt"] = [status(503), sums(DATA)]
    url = f"{server.url}/sums.txt"
    record = get(whole(), sha256_list=url)
    assert record.checked == url and len(server.seen) == 3
    # Nor is the list asked again.
    assert get(sha256_list=url) == record and len(server.seen) == 3
    get.path.unlink()
    with pytest.raises(InputError, match=f"its sha256 is {sha256(OTHER)}, not {sha256(DATA)}"):
        get(whole(OTHER), sha256_list=url)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (sums(DATA, "more.bin"), "has no line for file.bin; give the sha256"),
        (status(404), "The checksums of .* could not be retrieved .*404"),
        (whole(PAGE), "could not be retrieved .*a web page came"),
    ],
)
def test_a_list_that_says_nothing_is_refused(server, get, answer, why):
    server.behaviours["/sums.txt"] = [answer]
    with pytest.raises(InputError, match=why):
        get(whole(), sha256_list=f"{server.url}/sums.txt")
    assert not get.path.exists() and "/a/file.bin" not in [path for path, _ in server.seen]


def test_lists_of_sums_are_read_as_sha256sum_writes_them():
    a, b = "a" * 64, "B" * 64
    assert read_sums(f"{a}  x.zst\r\n{b} *y/z w.zst\n\n<p>\nabc  short\n") == {"x.zst": a, "z w.zst": b.lower()}


# -------------------------------------------------------------------- the script


def test_the_script_fails_with_one_sentence(server, get, tmp_path, monkeypatch):
    server.behaviours["/file.bin"] = [whole()]
    arguments = ["--urls", f"{server.url}/no", f"{server.url}/file.bin", "--output", get.path, "--bytes", "1"]
    monkeypatch.setattr(sys, "argv", ["retrieve.py", *map(str, arguments)])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(ROOT / "scripts" / "retrieve.py"), run_name="__main__")
    assert re.fullmatch(rf"error: .* {server.url}/file\.bin: it has {len(DATA)} bytes, not 1\); .*", end.value.code)
    assert list(tmp_path.iterdir()) == []


def test_progress_goes_to_the_log_as_lines(get, caplog):
    caplog.set_level(logging.INFO)
    get(whole(), progress=True)
    lines = [record.getMessage() for record in caplog.records]
    assert any(re.match(r"file\.bin: +100%\|.*328k/328k", line) for line in lines), lines
    caplog.clear()
    get(whole(OTHER), progress=False, sha256=sha256(OTHER))
    assert not any("%|" in record.getMessage() for record in caplog.records)


# -------------------------------------------------------------------- the files of Lichess Elite

GAMES = b'[Event "x"]\r\n\r\n1. e4 1-0\r\n\r\n' * 30_000


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    rows = [(f"lichess_elite_{month}.pgn", len(data), sha256(data)) for month, data in MONTHS.items()]
    pd.DataFrame(rows, columns=["file", "bytes", "sha256"]).to_csv(path, index=False)
    return path


MONTHS = {"2019-08": GAMES, "2019-09": GAMES + GAMES, "2019-10": b"[Event]\r\n"}


def test_files_are_compared_with_the_published_sums(tmp_path, table):
    folder = tmp_path / "games"
    folder.mkdir()
    (folder / "lichess_elite_2019-08.pgn").write_bytes(MONTHS["2019-08"])
    (folder / "lichess_elite_2019-09.pgn").write_bytes(MONTHS["2019-09"].replace(b"\r\n", b"\n"))
    (folder / "lichess_elite_2019-10.pgn").write_bytes(b"[Event]\r\n[Event]\n")
    (folder / "mine.pgn").write_bytes(b"[Event]\n[White]\n")
    (folder / "renamed.pgn.gz").write_bytes(gzip.compress(MONTHS["2019-10"]))
    frame = verify_lichess_files(folder, table)
    assert frame[["file", "status", "published_file"]].values.tolist() == [
        ["lichess_elite_2019-08.pgn", "as published", "lichess_elite_2019-08.pgn"],
        ["lichess_elite_2019-09.pgn", "as published, LF", "lichess_elite_2019-09.pgn"],
        ["lichess_elite_2019-10.pgn", "differs", "lichess_elite_2019-10.pgn"],
        ["mine.pgn", "not in the table", ""],
        ["renamed.pgn", "as published", "lichess_elite_2019-10.pgn"],
    ]
    assert frame["bytes"][:2].tolist() == [len(GAMES), 2 * len(GAMES)]


@pytest.mark.parametrize("suffix", ["7z", "zip"])
def test_members_of_an_archive_are_compared(tmp_path, table, suffix):
    path = tmp_path / f"Lichess Elite Database.{suffix}"
    names = {f"db/lichess_elite_{month}.pgn": data for month, data in MONTHS.items()}
    if suffix == "7z":
        with py7zr.SevenZipFile(path, "w") as archive:
            for name, data in names.items():
                archive.writestr(data, name)
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in names.items():
                archive.writestr(name, data)
    assert verify_lichess_files(path, table)["status"].tolist() == ["as published"] * 3
    some = verify_lichess_files(path, table, members=["*_2019-09*", "*_2019-10*"])
    assert some["file"].tolist() == ["lichess_elite_2019-09.pgn", "lichess_elite_2019-10.pgn"]


def test_the_script_writes_what_it_found(tmp_path, table, monkeypatch, caplog):
    caplog.set_level(logging.INFO)
    (tmp_path / "lichess_elite_2019-08.pgn").write_bytes(MONTHS["2019-08"])
    (tmp_path / "lichess_elite_2019-10.pgn").write_bytes(b"[Event]\n")
    (tmp_path / "lichess_elite_2019-09.pgn").write_bytes(b"[Site]\n")
    output = tmp_path / "x" / "verified.csv"
    arguments = ["--path", tmp_path, "--table", table, "--output", output]
    monkeypatch.setattr(sys, "argv", ["verify_files.py", *map(str, arguments)])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(ROOT / "scripts" / "verify_files.py"), run_name="__main__")
    assert end.value.code is None
    assert pd.read_csv(output)["status"].tolist() == ["as published", "differs", "as published, LF"]
    assert "lichess_elite_2019-09.pgn differs from the published file" in caplog.text


def test_a_table_without_sums_is_refused(tmp_path):
    (tmp_path / "table.csv").write_text("file,bytes\nx,1\n")
    (tmp_path / "x.pgn").write_bytes(b"x")
    with pytest.raises(InputError, match=r"table\.csv has no column 'sha256'"):
        verify_lichess_files(tmp_path / "x.pgn", tmp_path / "table.csv")


def test_the_table_of_the_paper_has_its_79_files():
    frame = pd.read_csv(TABLE)
    assert list(frame) == ["file", "bytes", "sha256"] and len(frame) == 79
    assert frame["file"].is_unique and frame["sha256"].is_unique
    assert frame["file"].str.fullmatch(r"lichess_elite_20\d\d-\d\d\.pgn").all()
    assert frame["sha256"].str.fullmatch("[0-9a-f]{64}").all() and (frame["bytes"] > 0).all()
    assert frame["file"].iloc[-1] == "lichess_elite_2020-05.pgn"


def test_the_real_files_are_as_published(shared_data):
    frame = verify_lichess_files(shared_data / "lichess_elite", TABLE)
    assert len(frame) == 25 and (frame["status"] == "as published").all()
    sizes = pd.read_csv(TABLE).set_index("file")["bytes"]
    assert (sizes[frame["file"]].to_numpy() == frame["bytes"].to_numpy()).all()
