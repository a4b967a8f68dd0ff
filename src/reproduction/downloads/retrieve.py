"""Downloads: mirrors, retries, resumed transfers, checks, and a record of what came from where.

Nothing else in the project touches the network. A file is received as ``<path>.part``, checked, and only then renamed,
so that `path` is never a part of a file, nor a wrong one. ``<path>.part.json`` says which file at the server the part
belongs to; both outlive a killed process, and the next call goes on from there.
"""

from __future__ import annotations

import dataclasses
import datetime
import email.utils
import json
import logging
import os
import random
import re
import struct
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin, urlsplit
from urllib.request import url2pathname

import requests
import urllib3
from tqdm import tqdm

from reproduction.downloads.checksums import check_sha256, read_sums, sha256_of
from transitivity.errors import InputError, check_count
from transitivity.files import atomic_path
from transitivity.sources.streams import open_streams

#: Bytes received at a time.
BLOCK = 1 << 16
#: Bytes that no file may exceed, unless told otherwise: twice the largest monthly file of Lichess.
MAX_BYTES = 64 << 30
#: Bytes of a list of checksums.
MAX_LIST_BYTES = 16 << 20
#: Bytes that make an attempt a success of its own: a large file may break off more often than a small one.
GAIN = 16 << 20
#: Redirects that are followed.
MAX_REDIRECTS = 10
#: Seconds before the second attempt; each further pause is twice the one before, up to the longest.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
#: Seconds that a server's Retry-After can make us wait.
LONGEST_RETRY_AFTER = 300.0
#: Answers of the 4xx kind that may be others later; those of the 5xx kind always may.
TRY_AGAIN = (408, 425, 429)
#: First bytes, by suffix.
_STARTS = {
    ".zip": (b"PK\x03\x04", b"PK\x05\x06"),
    ".npz": (b"PK\x03\x04", b"PK\x05\x06"),
    ".gz": (b"\x1f\x8b",),
    ".bz2": (b"BZh",),
    ".xz": (b"\xfd7zXZ\0",),
    # zstd's own, and the frames that parallel compressors write first.
    ".zst": (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + k]) + b"\x2a\x4d\x18" for k in range(16))),
    ".7z": (b"7z\xbc\xaf\x27\x1c",),
    # Protocol 2 and later; the old text protocol with a mark or a global first.
    ".pkl": (b"\x80", b"(", b"c"),
    ".npy": (b"\x93NUMPY",),
    ".parquet": (b"PAR1",),
}
#: Last bytes, by suffix.
_ENDS = {".pkl": b".", ".parquet": b"PAR1"}


@dataclass(frozen=True)
class Record:
    """Where a file came from.

    Attributes
    ----------
    url : str
        The url that was asked; empty for a file that somebody put there by hand.
    final_url : str
        The url that answered, after redirects.
    sha256 : str
        Of the file.
    bytes : int
        Its size.
    date : str
        When it was retrieved (or found), in UTC: 2026-01-31T12:00:00Z.
    last_modified, etag : str
        What the server said of its version; empty where it said nothing.
    checked : str
        What the sha256 was compared with: "given", the url of a list, or empty where none was known.
    licence, credit : str
        As given.
    """

    url: str
    final_url: str
    sha256: str
    bytes: int
    date: str
    last_modified: str = ""
    etag: str = ""
    checked: str = ""
    licence: str = ""
    credit: str = ""

    def save(self, path: str | os.PathLike) -> None:
        """Write the record as JSON, atomically."""
        _save_json(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike) -> Record | None:
        """Return the record in a file; None where there is none that can be read."""
        return _load_json(cls, path)


@dataclass(frozen=True)
class _Version:
    """Which version of which file a part belongs to; `total` is its size in bytes, where known."""

    url: str
    final_url: str
    etag: str = ""
    last_modified: str = ""
    total: int | None = None

    @property
    def validator(self) -> str:
        """What If-Range may be asked with: a strong ETag, or a date."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.last_modified


def _save_json(value: Record | _Version, path: str | os.PathLike) -> None:
    """Write a dataclass as a JSON object, atomically."""
    with atomic_path(path) as temporary:
        text = json.dumps(dataclasses.asdict(value), indent=2, ensure_ascii=False)
        temporary.write_text(text + "\n", encoding="utf-8")


def _load_json(cls: type, path: str | os.PathLike) -> object | None:
    """Return the dataclass in a file, None where it has none."""
    try:
        return cls(**json.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        # None, or one that somebody edited: the file is then as good as unrecorded.
        return None


class _Failed(Exception):
    """An attempt failed.

    Parameters
    ----------
    why : str
        Part of a sentence.
    again : bool
        Whether the same url may be asked again.
    wait : float, optional
        Seconds after which the server wants to be asked again.
    """

    def __init__(self, why: str, again: bool = False, wait: float | None = None) -> None:
        super().__init__(why)
        self.again = again
        self.wait = wait


def retrieve(
    urls: str | Sequence[str],
    path: str | os.PathLike,
    *,
    record: str | os.PathLike | None = None,
    sha256: str | None = None,
    n_bytes: int | None = None,
    sha256_list: str | None = None,
    licence: str | None = None,
    credit: str | None = None,
    timeout: float = 60.0,
    attempts: int = 5,
    max_bytes: int = MAX_BYTES,
    progress: bool = True,
    sleep: Callable[[float], object] = time.sleep,
) -> Record:
    """Fetch a file, check it, and record where it came from.

    A file that is there already is kept when it has the sha256 that is asked for; where none is, when its record says
    that it came, as it is, from one of `urls`; or when it has no record, since somebody then put it there by hand.

    Parameters
    ----------
    urls : str or sequence of str
        Mirrors of one file, in the order in which to try them: http, https or file.
    path : path-like
        Where the file is to be. Its suffix says which kind is expected.
    record : path-like, optional
        Where the record is to be; ``<path>.json`` by default.
    sha256 : str, optional
        What the file must have, 64 hexadecimal digits.
    n_bytes : int, optional
        The size that it must have.
    sha256_list : str, optional
        Url of a list as `sha256sum` writes it, with a line for the file's name in one of `urls`; not read where
        `sha256` is given.
    licence, credit : str, optional
        Recorded.
    timeout : float
        Seconds without a byte after which a connection is given up.
    attempts : int
        How often a mirror is asked without receiving anything much.
    max_bytes : int
        A file that is larger is refused.
    progress : bool
        Whether to show the progress: a bar on a terminal, lines in a log.
    sleep : callable
        Waits for a number of seconds.

    Returns
    -------
    Record
        As written to `record`.

    Raises
    ------
    InputError
        If no mirror gives the file, naming each with its reason, or an argument makes no sense.
    """
    urls = [urls] if isinstance(urls, str) else list(urls)
    path = Path(path)
    record_path = Path(record) if record is not None else path.with_name(path.name + ".json")
    if not urls:
        raise InputError(f"No url is given for {path}; give one, or download the file by hand to {path}.")
    for url in [*urls, *([sha256_list] if sha256_list else [])]:
        _check_url(url)
    if path.is_dir():
        raise InputError(f"{path} is a folder; give the path of a file.")
    check_count("attempts", attempts)
    sha256 = check_sha256("sha256", sha256) if sha256 else None
    notes = {
        "checked": "given" if sha256 else _shown(sha256_list or ""),
        "licence": licence or "",
        "credit": credit or "",
    }
    old = Record.load(record_path)
    try:
        found = sha256_of(path) if path.exists() else None
        if sha256 is None and sha256_list:
            if old is not None and old.sha256 == found and old.checked == notes["checked"]:
                # A list that once vouched for the file as it is need not be asked again.
                sha256 = found
            else:
                sha256 = _listed_sum(sha256_list, urls, path, timeout, attempts, sleep)
        transfer = _Transfer(path, sha256, n_bytes, max_bytes, timeout, progress)
        if found is not None:
            kept = _kept(path, found, old, urls, sha256, n_bytes)
            if kept is not None:
                kept = dataclasses.replace(kept, **notes)
                if kept != old:
                    kept.save(record_path)
                transfer.drop()
                logging.info("%s: there already, sha256 %s", path, found)
                return kept
        new = dataclasses.replace(transfer.fetch(urls, attempts, sleep), **notes)
        # The record first: should the process end in between, the next call sees that they do not fit.
        new.save(record_path)
        transfer.keep()
    except _Failed as failure:
        # A record of another file would have this one fetched again.
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


def _check_url(url: str) -> None:
    """Raise InputError for a url that cannot be fetched."""
    try:
        parts = urlsplit(url)
        good = parts.path and parts.netloc in ("", "localhost") if parts.scheme == "file" else parts.hostname
    except ValueError:
        good = False
    if not good or parts.scheme not in ("http", "https", "file"):
        raise InputError(
            f"{_shown(url)!r} is no url to fetch from; give one that starts with https://, http:// or file:."
        )


def _shown(url: str) -> str:
    """Return a url without a user's name and password."""
    return re.sub(r"(?<=://)[^/@]*@", "", url)


def _kept(
    path: Path, found: str, old: Record | None, urls: Sequence[str], sha256: str | None, n_bytes: int | None
) -> Record | None:
    """Return the record of a file that is there and good, None to fetch it again."""
    unchanged = old is not None and old.sha256 == found
    problem = _problem(path, path, found, sha256, n_bytes, look_inside=not unchanged)
    if problem is None and sha256 is None and old is not None:
        if not unchanged:
            problem = f"its sha256 is {found}, not {old.sha256} as recorded"
        elif old.url not in ("", *map(_shown, urls)):
            problem = f"it came from {old.url}"
    if problem is not None:
        logging.warning("%s is fetched again: %s", path, problem)
        return None
    return old if unchanged else Record("", "", found, path.stat().st_size, _now())


def _listed_sum(
    url: str,
    urls: Sequence[str],
    path: Path,
    timeout: float,
    attempts: int,
    sleep: Callable[[float], object],
) -> str:
    """Return the sha256 of a file that a list at `url` has."""
    with tempfile.TemporaryDirectory() as folder:
        transfer = _Transfer(Path(folder) / "sums.txt", None, None, MAX_LIST_BYTES, timeout, progress=False)
        try:
            transfer.fetch([url], attempts, sleep)
        except _Failed as failure:
            raise InputError(
                f"The checksums of {path} could not be retrieved ({failure}); give its sha256 instead."
            ) from failure
        sums = read_sums(transfer.part.read_text(encoding="utf-8", errors="replace"))
    names = [*(urlsplit(one).path.split("/")[-1] for one in urls), path.name]
    for name in names:
        if name in sums:
            return sums[name]
    raise InputError(f"{_shown(url)} has no line for {names[0]}; give the sha256 of {path} instead.")


class _Session(requests.Session):
    """A session that leaves redirects to its user: requests reads their bodies, of any size, into memory."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return None: what requests follows."""
        return None

    def redirect_target(self, response: requests.Response) -> str | None:
        """Return where an answer leads, None if it is no redirect."""
        return super().get_redirect_target(response)


class _Transfer:
    """The reception of one file, over all its mirrors and attempts.

    Parameters
    ----------
    path : pathlib.Path
        Where the file is to be.
    sha256, n_bytes : optional
        What it must have.
    max_bytes, timeout, progress
        As in `retrieve`.

    Attributes
    ----------
    part, notes : pathlib.Path
        The bytes so far, and which version of the file they belong to.
    """

    def __init__(
        self,
        path: Path,
        sha256: str | None,
        n_bytes: int | None,
        max_bytes: int,
        timeout: float,
        progress: bool,
    ) -> None:
        self.path = path
        self.part = path.with_name(path.name + ".part")
        self.notes = path.with_name(path.name + ".part.json")
        self._sha256 = sha256
        self._n_bytes = n_bytes
        self._max_bytes = max_bytes
        self._timeout = timeout
        self._progress = progress

    def fetch(self, urls: Sequence[str], attempts: int, sleep: Callable[[float], object]) -> Record:
        """Make `part` whole and right from the first url that can; return its record."""
        self.part.parent.mkdir(parents=True, exist_ok=True)
        failures = []
        for url in urls:
            try:
                version, found = self._from_mirror(url, attempts, sleep)
            except _Failed as failure:
                failures.append(f"{_shown(url)}: {failure}")
                continue
            final = _shown(version.final_url)
            if version.final_url != url:
                # What a redirect adds may be a key.
                final = final.split("?")[0]
            size = self.part.stat().st_size
            return Record(_shown(url), final, found, size, _now(), version.last_modified, version.etag)
        raise _Failed("; ".join(failures))

    def keep(self) -> None:
        """Make `part` the file."""
        os.replace(self.part, self.path)
        self.notes.unlink()

    def drop(self) -> None:
        """Forget what was received."""
        self.part.unlink(missing_ok=True)
        self.notes.unlink(missing_ok=True)

    def _from_mirror(self, url: str, attempts: int, sleep: Callable[[float], object]) -> tuple[_Version, str]:
        """Make `part` whole and right from one url, in several attempts if need be; return its sha256 too."""
        failed, most = 0, self._size()
        while True:
            try:
                resumed, version = self._receive(url)
                return version, self._check(resumed)
            except _Failed as failure:
                failed = 1 if self._size() - most >= GAIN else failed + 1
                most = max(most, self._size())
                if not failure.again or failed == attempts:
                    after = f", after {failed} attempts" if failed > 1 else ""
                    raise _Failed(f"{failure}{after}") from failure
                pause = min(FIRST_PAUSE * 2 ** (failed - 1), LONGEST_PAUSE) * random.uniform(0.5, 1)
                if failure.wait is not None:
                    pause = min(failure.wait, LONGEST_RETRY_AFTER)
                logging.info("%s: %s; again in %.0f s", _shown(url), failure, pause)
                sleep(pause)

    def _size(self) -> int:
        """Return the number of bytes so far."""
        return self.part.stat().st_size if self.part.exists() else 0

    def _check(self, resumed: bool) -> str:
        """Return the sha256 of the whole part; drop it and raise _Failed if it is not what was wanted."""
        found = sha256_of(self.part)
        problem = _problem(self.part, self.path, found, self._sha256, self._n_bytes, look_inside=True)
        if problem:
            self.drop()
            # Two halves may be of two versions; what came in one piece will be the same again.
            raise _Failed(problem, again=resumed)
        return found

    # ---------------------------------------------------------------- one attempt

    def _receive(self, url: str) -> tuple[bool, _Version]:
        """Make `part` whole; return whether it was resumed, and which version it is."""
        if urlsplit(url).scheme == "file":
            return False, self._receive_file(url)
        start = self._start(url)
        # The bytes as they are stored there: sizes, ranges and checksums are about those.
        headers = {"User-Agent": "transitivity", "Accept-Encoding": "identity"}
        if start is not None:
            headers["Range"] = f"bytes={self._size()}-"
            if start.url == url and start.validator:
                headers["If-Range"] = start.validator
        with _Session() as session, self._open(session, url, headers) as response:
            if start is not None and response.status_code in (206, 416):
                version = self._same_version(url, start, response)
                if response.status_code == 416:
                    # All of it was there already.
                    return True, version
                self._copy(lambda: response.raw.read(BLOCK, decode_content=False), version, append=True)
                return True, version
            if response.status_code != 200:
                raise _refusal(response)
            self._refuse_early(response)
            # Also where a server takes no ranges, or has another version by now.
            version = _version(url, response, _number(response.headers.get("Content-Length")))
            self._copy(lambda: response.raw.read(BLOCK, decode_content=False), version, append=False)
            return False, version

    def _start(self, url: str) -> _Version | None:
        """Return the version whose part can be continued from a url; None to start over."""
        noted = _load_json(_Version, self.notes)
        if noted is None or not self._size():
            return None
        # Without anything that tells versions apart, only a checksum can tell that the halves fit.
        if (noted.url == url and noted.validator) or self._sha256:
            return noted
        return None

    def _same_version(self, url: str, start: _Version, response: requests.Response) -> _Version:
        """Return the version of an answer to a range; raise _Failed if the part is no start of it."""
        first, total = _content_range(response.headers.get("Content-Range", ""))
        version = _version(url, response, total)
        fits = first == self._size() if response.status_code == 206 else total == self._size()
        if start.url == url:
            fits = fits and (version.etag == start.etag or not version.etag or not start.etag)
            version = dataclasses.replace(
                version,
                etag=version.etag or start.etag,
                last_modified=version.last_modified or start.last_modified,
            )
        if start.total is not None and total is not None:
            fits = fits and total == start.total
        if not fits:
            self.drop()
            raise _Failed("what is there does not continue what was received before", again=True)
        return version

    def _refuse_early(self, response: requests.Response) -> None:
        """Raise _Failed for an answer whose headers tell that it is not the file."""
        headers = response.headers
        kind = headers.get("Content-Type", "").split(";")[0].strip().lower()
        if kind == "text/html" and not _is_page(self.path):
            raise _Failed("a web page (Content-Type text/html) came instead of the file")
        encoding = headers.get("Content-Encoding", "identity").strip().lower()
        # Some servers call a .gz encoded, which is what it is.
        if encoding != "identity" and not (encoding.endswith("gzip") and self.path.suffix == ".gz"):
            raise _Failed(f"it came encoded ({encoding}), which was not asked for")
        size = _number(headers.get("Content-Length"))
        if size is not None and self._n_bytes is not None and size != self._n_bytes:
            raise _Failed(f"it has {size} bytes, not {self._n_bytes}")
        if size is not None and size > self._max_bytes:
            raise _Failed(f"it has {size} bytes, more than the {self._max_bytes} allowed")

    def _open(self, session: _Session, url: str, headers: dict[str, str]) -> requests.Response:
        """Return the answer to a request, after redirects, its body not yet read."""
        here = url
        for _ in range(MAX_REDIRECTS + 1):
            try:
                response = session.get(here, headers=headers, stream=True, timeout=self._timeout)
            except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
                raise _no_answer(error, self._timeout) from error
            target = session.redirect_target(response)
            if target is None:
                return response
            response.close()
            try:
                target = urljoin(here, target)
                scheme = urlsplit(target).scheme
            except ValueError as error:
                raise _Failed("it redirects to what is no url") from error
            if scheme not in ("http", "https") or (scheme == "http" and urlsplit(here).scheme == "https"):
                raise _Failed(f"it redirects to {_shown(target).split('?')[0]}, which is less safe")
            here = target
        raise _Failed(f"it redirects more than {MAX_REDIRECTS} times")

    def _receive_file(self, url: str) -> _Version:
        """Make `part` a copy of the file of a file: url."""
        source = Path(url2pathname(urlsplit(url).path))
        try:
            file = open(source, "rb")
        except OSError as error:
            raise _Failed(f"it cannot be read ({error.strerror})") from error
        with file:
            status = os.fstat(file.fileno())
            modified = email.utils.formatdate(status.st_mtime, usegmt=True)
            version = _Version(url, url, last_modified=modified, total=status.st_size)
            self._copy(lambda: file.read(BLOCK), version, append=False)
        return version

    def _copy(self, read: Callable[[], bytes], version: _Version, append: bool) -> None:
        """Write what `read` returns, up to the end, to `part`."""
        limits = (self._max_bytes, self._n_bytes, version.total)
        limit = min(one for one in limits if one is not None)
        if not append:
            # Never a part beside the notes of another version, wherever the process ends.
            self.drop()
        _save_json(version, self.notes)
        size, cut = self._size(), None
        with open(self.part, "ab") as file:
            with _progress(self.path.name, version.total, size, self._progress) as bar:
                try:
                    while block := read():
                        size += len(block)
                        if size > limit:
                            break
                        file.write(block)
                        bar.update(len(block))
                except (urllib3.exceptions.HTTPError, requests.RequestException) as error:
                    cut = error
            file.flush()
            os.fsync(file.fileno())
        if size > limit:
            self.drop()
            raise _Failed(f"it has more than {limit} bytes")
        if cut is not None or (version.total is not None and size < version.total):
            of = "" if version.total is None else f" of {version.total}"
            raise _Failed(f"it broke off after {size}{of} bytes", again=True) from cut


# -------------------------------------------------------------------- what servers say


def _number(value: str | None) -> int | None:
    """Return the whole number in a header, None if there is none."""
    return int(value) if value is not None and re.fullmatch(r"[0-9]+", value.strip()) else None


def _content_range(value: str) -> tuple[int | None, int | None]:
    """Return the first byte and the total size of a Content-Range, None where it does not say."""
    match = re.fullmatch(r"bytes\s+(?:([0-9]+)-[0-9]+|\*)/([0-9]+|\*)", value.strip())
    return (_number(match[1]), _number(match[2])) if match else (None, None)


def _version(url: str, response: requests.Response, total: int | None) -> _Version:
    """Return which version an answer is of."""
    headers = response.headers
    return _Version(url, response.url, headers.get("ETag", ""), headers.get("Last-Modified", ""), total)


def _refusal(response: requests.Response) -> _Failed:
    """Return why an answer is no file, and whether and when it may be one."""
    again = response.status_code in TRY_AGAIN or response.status_code >= 500
    why = f"{response.status_code} {response.reason or ''}".strip()
    return _Failed(why, again, _retry_after(response.headers) if again else None)


def _retry_after(headers: requests.structures.CaseInsensitiveDict) -> float | None:
    """Return the seconds that Retry-After says, as a number or as a date by the server's clock."""
    value = headers.get("Retry-After", "")
    if (seconds := _number(value)) is not None:
        return float(seconds)
    try:
        then = email.utils.parsedate_to_datetime(value)
        now = email.utils.parsedate_to_datetime(headers.get("Date", email.utils.formatdate(usegmt=True)))
        return max(0.0, (then - now).total_seconds())
    except (ValueError, TypeError):
        # Neither form, or a date without a time zone: as if it had not been said.
        return None


def _no_answer(error: Exception, timeout: float) -> _Failed:
    """Return why there was no answer."""
    if isinstance(error, requests.Timeout):
        return _Failed(f"no answer within {timeout:g} s", again=True)
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return _Failed(
            "its certificate cannot be verified (is the clock right, is REQUESTS_CA_BUNDLE needed?)"
        )
    if isinstance(error, requests.ConnectionError | requests.exceptions.ChunkedEncodingError):
        # The sentences of urllib3 are pages long; the innermost reason says it.
        inner: BaseException = error
        while (deeper := _cause(inner)) is not None:
            inner = deeper
        why = getattr(inner, "strerror", None) or str(inner)
        return _Failed(f"no connection ({why})", again=True)
    return _Failed(f"it cannot be asked for ({error})")


def _cause(error: BaseException) -> BaseException | None:
    """Return the error that an error of requests or urllib3 wraps, None for the innermost."""
    for inner in (getattr(error, "reason", None), *error.args, error.__cause__):
        if isinstance(inner, BaseException):
            return inner
    return None


# -------------------------------------------------------------------- what files are


def _is_page(path: Path) -> bool:
    """Whether a web page is what is wanted."""
    return path.suffix.lower() in (".html", ".htm")


def _problem(
    file: Path, name: Path, found: str, sha256: str | None, n_bytes: int | None, look_inside: bool
) -> str | None:
    """Return what is wrong with a file, as part of a sentence; None if nothing is.

    Parameters
    ----------
    file, name : pathlib.Path
        The file, and what it is going to be called.
    found, sha256 : str
        Its sha256, and the one that it must have.
    n_bytes : int, optional
        The size that it must have.
    look_inside : bool
        Whether to unpack a compressed file of unknown sha256, since only that tells whether it has an end.
    """
    size = file.stat().st_size
    with open(file, "rb") as opened:
        start = opened.read(1024)
        opened.seek(max(0, size - 8))
        end = opened.read()
    suffix = name.suffix.lower()
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n\f").lower()
    if sha256 is not None and found == sha256 and n_bytes in (None, size):
        # With the right sum it is the right file, whatever it looks like.
        return None
    if not size:
        return "it is empty"
    if text.startswith((b"<!doctype html", b"<html")) and not _is_page(name):
        return "a web page came instead of the file"
    if n_bytes is not None and size != n_bytes:
        return f"it has {size} bytes, not {n_bytes}"
    if sha256 is not None:
        return f"its sha256 is {found}, not {sha256}"
    if not start.startswith(_STARTS.get(suffix, b"")):
        return f"it does not start as a {suffix} does, but with {start[:8]!r}"
    if not end.endswith(_ENDS.get(suffix, b"")) or not _is_whole(file, suffix, start, size, look_inside):
        return f"it is cut short or damaged: no whole {suffix} in its {size} bytes"
    return None


def _is_whole(file: Path, suffix: str, start: bytes, size: int, look_inside: bool) -> bool:
    """Whether a file that starts right has an end."""
    try:
        if suffix in (".zip", ".npz"):
            # The list of members is at the end.
            zipfile.ZipFile(file).close()
        elif suffix == ".7z":
            # Likewise, and the first 32 bytes say where.
            offset, length = struct.unpack("<QQ", start[12:28])
            return 32 + offset + length <= size
        elif suffix in (".gz", ".bz2", ".xz", ".zst") and look_inside:
            for stream in open_streams(file, ("",)):
                for _ in stream:
                    continue
                return not stream.cut
    except (zipfile.BadZipFile, ValueError, struct.error, InputError):
        return False
    return True


# -------------------------------------------------------------------- progress


class _LogLines:
    """Where tqdm writes when nobody watches: each state of the bar becomes a line of the log."""

    def write(self, text: str) -> None:
        """Log a state."""
        if line := text.strip():
            logging.info("%s", line)

    def flush(self) -> None:
        """Do nothing: a log is flushed line by line."""


def _progress(name: str, total: int | None, size: int, shown: bool) -> tqdm:
    """Return a progress bar that has `size` of `total` bytes already."""
    watched = sys.stderr.isatty()
    return tqdm(
        desc=name,
        total=total,
        initial=size,
        unit="B",
        unit_scale=True,
        disable=not shown,
        file=sys.stderr if watched else _LogLines(),
        mininterval=0.5 if watched else 10.0,
    )
