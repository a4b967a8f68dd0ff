"""Downloads: mirrors, retries, resumed transfers, checks, and a record of what came from where.

Nothing else in the project uses the network. A file is received as ``<path>.part``, checked, and only then renamed, so
that `path` is never a part of a file, nor a wrong one. ``<path>.part.json`` says which file at the server the part
belongs to; both outlive a killed process, and the next call continues from there.
"""

from __future__ import annotations

import dataclasses
import datetime
import email.utils
import logging
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any
from urllib.parse import urljoin, urlsplit
from urllib.request import url2pathname

import requests
import urllib3
from tqdm import tqdm

from reproduction.downloads.checksums import check_sha256, read_sums, sha256_of
from reproduction.downloads.content import is_page, problem
from reproduction.downloads.provenance import Record, record_of
from reproduction.downloads.urls import check_url, hidden, hidden_in
from transitivity.errors import InputError, check_count

#: Bytes received at a time.
BLOCK = 1 << 16
#: Default limit on the size of a file, in bytes: twice the largest monthly file of Lichess.
MAX_BYTES = 64 << 30
#: Limit on the size of a list of checksums, in bytes.
MAX_LIST_BYTES = 16 << 20
#: An attempt that brings this many bytes does not count: a large file may break off more often than a small one.
GAIN = 16 << 20
#: A connection that brings fewer bytes a second than this, over one timeout, is given up.
SLOWEST = 100
#: Redirects that are followed.
MAX_REDIRECTS = 10
#: Longest pause between two attempts, and the longest that a server's Retry-After can ask for, in seconds.
LONGEST_PAUSE, LONGEST_RETRY_AFTER = 60, 300
#: Statuses of the 4xx kind that may go away; those of the 5xx kind always may.
TRY_AGAIN = (408, 425, 429)


class _Failed(Exception):
    """An attempt failed: why, as part of a sentence; whether to try the same url again; the answer, for Retry-After."""

    def __init__(self, why: str, again: bool = False, response: requests.Response | None = None) -> None:
        super().__init__(why)
        self.again = again
        self.response = response


def retrieve(
    urls: str | Sequence[str],
    path: str | os.PathLike[str],
    *,
    record: str | os.PathLike[str] | None = None,
    sha256: str | None = None,
    n_bytes: int | None = None,
    sha256_list: str | None = None,
    licence: str | None = None,
    credit: str | None = None,
    timeout: float = 60.0,
    attempts: int = 5,
    max_bytes: int = MAX_BYTES,
    progress: bool = True,
) -> Record:
    """Fetch a file, check it, and record where it came from.

    A file that is there already is kept if it has the sha256 that is asked for. Where none is asked for, it is kept if
    its record says that it came unchanged from one of `urls`, or if it has no record, because somebody then put it
    there by hand.

    Parameters
    ----------
    urls : str or sequence of str
        Mirrors of one file, in the order in which to try them: http, https or file.
    path : path-like
        Where to write the file. Its suffix says which kind is expected.
    record : path-like, optional
        Where to write the record; ``<path>.json`` by default.
    sha256 : str, optional
        The sha256 that the file must have, 64 hexadecimal digits.
    n_bytes : int, optional
        The size that it must have.
    sha256_list : str, optional
        Url of a list as `sha256sum` writes it, with a line for the file's name in one of `urls`. It is not read if
        `sha256` is given.
    licence, credit : str, optional
        Recorded.
    timeout : float
        Seconds without a byte after which a connection is given up.
    attempts : int
        How often to try each mirror; attempts that bring much do not count.
    max_bytes : int
        A larger file is refused.
    progress : bool
        Whether to show the progress: a bar on a terminal, lines in a log.

    Returns
    -------
    Record
        As written to `record`.

    Raises
    ------
    InputError
        If no mirror has the file (the message gives each mirror's reason), or an argument is invalid.
    """
    urls = [urls] if isinstance(urls, str) else list(urls)
    path = Path(path)
    record_path = Path(record) if record is not None else record_of(path)
    if not urls:
        raise InputError(f"No url is given for {path}; give one, or download the file by hand to {path}.")
    for url in [*urls, *([sha256_list] if sha256_list else [])]:
        check_url(url)
    if path.is_dir():
        raise InputError(f"{path} is a folder; give the path of a file.")
    check_count("attempts", attempts)
    sha256 = check_sha256("sha256", sha256) if sha256 else None
    notes: dict[str, Any] = {
        "checked": "given" if sha256 else sha256_list or "",
        "licence": licence or "",
        "credit": credit or "",
    }
    old = Record.load(record_path)
    try:
        found = sha256_of(path) if path.exists() else None
        if sha256 is None and sha256_list:
            if old is not None and old.sha256 == found and old.checked == sha256_list:
                # The list vouched for this very file before.
                sha256 = found
            else:
                sha256 = _listed_sum(sha256_list, urls, path, timeout, attempts)
        transfer = _Transfer(path, sha256, n_bytes, max_bytes, timeout, progress)
        if found is not None and (kept := _kept(path, found, old, urls, sha256, n_bytes)):
            kept = dataclasses.replace(kept, **notes)
            if kept != old:
                kept.save(record_path)
            transfer.drop()
            logging.info("%s: there already, sha256 %s", path, found)
            return kept
        new = dataclasses.replace(transfer.fetch(urls, attempts), **notes)
        # The record comes first: if the process ends in between, the next call sees that the two do not fit.
        new.save(record_path)
        transfer.keep()
    except _Failed as failure:
        # With the record of another file beside it, the file would be fetched again.
        by_hand = f"{path} and remove {record_path}" if record_path.exists() else f"{path}"
        raise InputError(
            f"{path} could not be retrieved ({failure}); download it by hand to {by_hand}, or set `path:` under the "
            "dataset."
        ) from failure
    except OSError as error:
        raise InputError(
            f"{path} cannot be read or written ({error.strerror or error}); check the folder and its free space."
        ) from error
    logging.info("%s: %d bytes from %s, sha256 %s", path, new.bytes, new.url, new.sha256)
    return new


def _now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _kept(
    path: Path, found: str, old: Record | None, urls: Sequence[str], sha256: str | None, n_bytes: int | None
) -> Record | None:
    """Return the record of a file that is there and good, None to fetch it again."""
    unchanged = old is not None and old.sha256 == found
    why = problem(path, path, found, sha256, n_bytes, look_inside=not unchanged)
    if why is None and sha256 is None and old is not None:
        if not unchanged:
            why = f"its sha256 is {found}, not {old.sha256} as recorded"
        elif old.url not in ("", *urls):
            why = f"it came from {old.url}"
    if why is not None:
        logging.warning("%s is fetched again: %s", path, why)
        return None
    return old if unchanged else Record("", sha256=found, bytes=path.stat().st_size, date=_now())


def _listed_sum(url: str, urls: Sequence[str], path: Path, timeout: float, attempts: int) -> str:
    """Return the sha256 that the list at `url` has for a file."""
    with tempfile.TemporaryDirectory() as folder:
        transfer = _Transfer(Path(folder) / "sums.txt", None, None, MAX_LIST_BYTES, timeout, progress=False)
        try:
            transfer.fetch([url], attempts)
        except _Failed as failure:
            raise InputError(
                f"The checksums of {path} could not be retrieved ({failure}); give its sha256 instead."
            ) from failure
        sums = read_sums(transfer.part.read_text(encoding="utf-8", errors="replace"))
    names = [*(urlsplit(one).path.split("/")[-1] for one in urls), path.name]
    for name in names:
        if name in sums:
            return sums[name]
    raise InputError(f"{url} has no line for {names[0]}; give the sha256 of {path} instead.")


class _Retry(urllib3.Retry):
    """urllib3's pauses between attempts, for which a Retry-After that makes no sense counts as none."""

    def parse_retry_after(self, retry_after: str) -> float:
        """Return the seconds that the header says; 0 if it does not say a number or a date."""
        try:
            return super().parse_retry_after(retry_after)
        except (urllib3.exceptions.InvalidHeader, ValueError, OverflowError):
            return 0


class _Session(requests.Session):
    """A session that follows safe redirects only, and does not read their bodies."""

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Return where an answer redirects to, None if nowhere; raise _Failed if that is less safe."""
        target = super().get_redirect_target(resp)
        if target is None:
            return None
        # requests would read the body, of any size, into memory.
        resp.close()
        try:
            scheme = urlsplit(urljoin(resp.url, target)).scheme
        except ValueError:
            scheme = ""
        if scheme not in ("http", "https") or (scheme == "http" and urlsplit(resp.url).scheme == "https"):
            raise _Failed(f"it redirects to {hidden(target).split('?')[0]}, which is less safe")
        return target


@dataclass
class _Transfer:
    """The reception of one file, over all its mirrors and attempts; its attributes are arguments of `retrieve`."""

    path: Path
    sha256: str | None
    n_bytes: int | None
    max_bytes: int
    timeout: float
    progress: bool

    @property
    def part(self) -> Path:
        """Where the bytes so far are."""
        return self.path.with_name(f"{self.path.name}.part")

    @property
    def notes(self) -> Path:
        """Where the record of what `part` belongs to is."""
        return record_of(self.part)

    def fetch(self, urls: Sequence[str], attempts: int) -> Record:
        """Make `part` whole and right from the first url that can; return its record."""
        self.part.parent.mkdir(parents=True, exist_ok=True)
        failures = []
        for url in urls:
            try:
                record = self._from_mirror(url, attempts)
            except _Failed as failure:
                failures.append(f"{url}: {failure}")
                continue
            final = record.final_url
            if final != url:
                # What a redirect adds may be a password or a key.
                parts = urlsplit(final)
                final = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
            return dataclasses.replace(record, final_url=final, bytes=self._size(), date=_now())
        raise _Failed("; ".join(failures))

    def keep(self) -> None:
        """Make `part` the file."""
        os.replace(self.part, self.path)
        self.notes.unlink()

    def drop(self) -> None:
        """Forget what was received."""
        self.part.unlink(missing_ok=True)
        self.notes.unlink(missing_ok=True)

    def _from_mirror(self, url: str, attempts: int) -> Record:
        """Make `part` whole and right from one url, in several attempts if need be; return its record."""
        fresh = _Retry(attempts - 1, backoff_factor=1, backoff_max=LONGEST_PAUSE, backoff_jitter=1)
        retry, most = fresh, self._size()
        while True:
            try:
                resumed, record = self._receive(url)
                return dataclasses.replace(record, sha256=self._check(resumed))
            except _Failed as failure:
                if self._size() - most >= GAIN:
                    retry = fresh
                most = max(most, self._size())
                failed = len(retry.history) + 1
                if not failure.again or retry.total == 0:
                    after = f", after {failed} attempts" if failed > 1 else ""
                    raise _Failed(f"{failure}{after}") from failure
                retry = retry.increment()
                asked = retry.get_retry_after(failure.response.raw) if failure.response is not None else None
                pause = min(asked or retry.get_backoff_time(), LONGEST_RETRY_AFTER)
                logging.info("%s: %s; again in %.0f s", url, failure, pause)
                sleep(pause)

    def _size(self) -> int:
        """Return the number of bytes so far."""
        return self.part.stat().st_size if self.part.exists() else 0

    def _check(self, resumed: bool) -> str:
        """Return the sha256 of the whole part; drop it and raise _Failed if it is not what was wanted."""
        found = sha256_of(self.part)
        if why := problem(self.part, self.path, found, self.sha256, self.n_bytes):
            self.drop()
            # Two halves may be of two versions; a file that came in one piece will be the same again.
            raise _Failed(why, again=resumed)
        return found

    # ---------------------------------------------------------------- one attempt

    def _receive(self, url: str) -> tuple[bool, Record]:
        """Make `part` whole; return whether it was resumed, and the record of what came."""
        if urlsplit(url).scheme == "file":
            return False, self._receive_file(url)
        start = self._start(url)
        # The bytes as they are stored there: sizes, ranges and checksums are about those.
        headers = {"User-Agent": "transitivity", "Accept-Encoding": "identity"}
        if start is not None:
            headers["Range"] = f"bytes={self._size()}-"
            if start.url == url and start.validator:
                headers["If-Range"] = start.validator
        with _Session() as session:
            session.max_redirects = MAX_REDIRECTS
            try:
                response = session.get(url, headers=headers, stream=True, timeout=self.timeout)
            except (requests.RequestException, urllib3.exceptions.HTTPError, ValueError) as error:
                raise _no_answer(error, self.timeout) from error
            with response:
                if start is not None and response.status_code in (206, 416):
                    record = self._same_version(url, start, response)
                    # 416: all of it was there already.
                    if response.status_code == 206:
                        self._copy(_blocks(response, self.timeout), record, append=True)
                    return True, record
                if response.status_code != 200:
                    again = response.status_code in TRY_AGAIN or response.status_code >= 500
                    raise _Failed(f"{response.status_code} {response.reason or ''}".strip(), again, response)
                self._refuse_early(response)
                # Also if the server does not support ranges, or has another version by now.
                record = _version(url, response, _number(response.headers.get("Content-Length")))
                self._copy(_blocks(response, self.timeout), record, append=False)
                return False, record

    def _start(self, url: str) -> Record | None:
        """Return the version whose part can be continued from a url; None to start over."""
        noted = Record.load(self.notes)
        if noted is None or not self._size():
            return None
        # Without anything that tells versions apart, only a checksum can tell that the halves fit.
        return noted if self.sha256 or (noted.url == url and noted.validator) else None

    def _same_version(self, url: str, start: Record, response: requests.Response) -> Record:
        """Return the version of an answer to a range; raise _Failed if it does not continue the part."""
        said = response.headers.get("Content-Range", "").strip()
        match = re.fullmatch(r"bytes\s+(?:([0-9]+)-[0-9]+|\*)/([0-9]+|\*)", said)
        first, total = (_number(match[1]), _number(match[2])) if match else (None, None)
        record = _version(url, response, total)
        fits = self._size() == (first if response.status_code == 206 else total)
        if start.url == url:
            fits = fits and (record.etag == start.etag or not record.etag or not start.etag)
            record = dataclasses.replace(
                record, etag=record.etag or start.etag, last_modified=record.last_modified or start.last_modified
            )
        if not fits or (start.bytes and total is not None and total != start.bytes):
            self.drop()
            raise _Failed("what is there does not continue what was received before", again=True)
        return record

    def _refuse_early(self, response: requests.Response) -> None:
        """Raise _Failed if the headers of an answer show that it is not the file."""
        headers = response.headers
        kind = headers.get("Content-Type", "").split(";")[0].strip().lower()
        if kind == "text/html" and not is_page(self.path):
            raise _Failed("a web page (Content-Type text/html) came instead of the file")
        encoding = headers.get("Content-Encoding", "identity").strip().lower()
        # Some servers call a .gz file encoded.
        if encoding != "identity" and not (encoding.endswith("gzip") and self.path.suffix == ".gz"):
            raise _Failed(f"it came encoded ({encoding}), which was not asked for")
        size = _number(headers.get("Content-Length"))
        if size is not None and self.n_bytes is not None and size != self.n_bytes:
            raise _Failed(f"it has {size} bytes, not {self.n_bytes}")
        if size is not None and size > self.max_bytes:
            raise _Failed(f"it has {size} bytes, more than the {self.max_bytes} allowed")

    def _receive_file(self, url: str) -> Record:
        """Make `part` a copy of the file of a file: url."""
        source = url2pathname(urlsplit(url).path)
        if os.path.exists(source) and not os.path.isfile(source):
            raise _Failed("it is not a regular file")
        try:
            file = open(source, "rb")
        except (OSError, ValueError) as error:
            raise _Failed(f"it cannot be read ({getattr(error, 'strerror', error)})") from error
        with file:
            status = os.fstat(file.fileno())
            modified = email.utils.formatdate(status.st_mtime, usegmt=True)
            record = Record(url, url, bytes=status.st_size, last_modified=modified)
            self._copy(iter(lambda: file.read(BLOCK), b""), record, append=False)
        return record

    def _copy(self, blocks: Iterable[bytes], record: Record, append: bool) -> None:
        """Write blocks of bytes to `part`."""
        total = record.bytes or None
        limit = min(size for size in (self.max_bytes, self.n_bytes, total) if size is not None)
        if not append:
            # Never a part beside the notes of another version, wherever the process ends.
            self.drop()
        record.save(self.notes)
        size, cut = self._size(), None
        with open(self.part, "ab") as file, _progress(self.path.name, total, size, self.progress) as bar:
            try:
                for block in blocks:
                    size += len(block)
                    if size > limit:
                        break
                    file.write(block)
                    bar.update(len(block))
            except urllib3.exceptions.HTTPError as error:
                cut = error
            file.flush()
            os.fsync(file.fileno())
        if size > limit:
            self.drop()
            raise _Failed(f"it has more than {limit} bytes")
        if cut is not None or size < (total or 0):
            of = "" if total is None else f" of {total}"
            raise _Failed(f"it broke off after {size}{of} bytes", again=True) from cut


def _blocks(response: requests.Response, timeout: float) -> Iterator[bytes]:
    """Yield the bytes of an answer as they come; raise _Failed if too few come within the timeout."""
    window, received = time.monotonic(), 0
    while block := response.raw.read1(BLOCK, decode_content=False):
        yield block
        received += len(block)
        if (now := time.monotonic()) - window >= timeout:
            if received < SLOWEST * timeout:
                raise _Failed(f"it came slower than {SLOWEST} bytes a second", again=True)
            window, received = now, 0


def _number(value: str | None) -> int | None:
    """Return the whole number in a header, None if there is none (a size of 19 digits is not a size)."""
    return int(value) if value is not None and re.fullmatch(r"[0-9]{1,18}", value.strip()) else None


def _version(url: str, response: requests.Response, total: int | None) -> Record:
    """Return which version of the file an answer is."""
    etag, modified = (response.headers.get(name, "") for name in ("ETag", "Last-Modified"))
    return Record(url, response.url, bytes=total or 0, etag=etag, last_modified=modified)


def _no_answer(error: Exception, timeout: float) -> _Failed:
    """Return why there was no answer."""
    if isinstance(error, requests.TooManyRedirects):
        return _Failed(f"it redirects more than {MAX_REDIRECTS} times")
    if isinstance(error, requests.Timeout):
        return _Failed(f"no answer within {timeout:g} s", again=True)
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return _Failed("its certificate cannot be verified; check this machine's clock, or set REQUESTS_CA_BUNDLE")
    if not isinstance(error, requests.ConnectionError | requests.exceptions.ChunkedEncodingError):
        return _Failed(hidden_in(f"the request failed: {error}"))
    # The messages of urllib3 are pages long; the innermost error has the reason.
    inner: BaseException = error
    while causes := [
        one for one in (getattr(inner, "reason", None), *inner.args, inner.__cause__) if isinstance(one, BaseException)
    ]:
        inner = causes[0]
    return _Failed(f"no connection ({getattr(inner, 'strerror', None) or inner})", again=True)


class _LogLines:
    """Where tqdm writes if stderr is not a terminal: each state of the bar becomes a line of the log."""

    def write(self, text: str) -> None:
        """Log a state."""
        if line := text.strip():
            logging.info("%s", line)

    def flush(self) -> None:
        """Do nothing: a log is flushed line by line."""


def _progress(name: str, total: int | None, size: int, shown: bool) -> tqdm:
    """Return a progress bar that has `size` of `total` bytes already."""
    terminal = sys.stderr.isatty()
    return tqdm(
        desc=name,
        total=total,
        initial=size,
        unit="B",
        unit_scale=True,
        disable=not shown,
        file=sys.stderr if terminal else _LogLines(),
        mininterval=0.5 if terminal else 10.0,
    )
