"""Files as streams of bytes, whatever they are packed in: plain, .gz, .bz2, .xz, .zst, or members of a .zip or .7z.

The content tells the packing, not the suffix. Nothing is ever extracted: members are decompressed block by block
in memory, so that a path inside an archive cannot write anywhere, and an archive that expands without end costs
time but no memory.
"""

from __future__ import annotations

import bz2
import fnmatch
import functools
import glob
import io
import itertools
import lzma
import os
import queue
import struct
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import IO, Any, BinaryIO

from transitivity.errors import InputError
from transitivity.payoff.files import ZIP_ERRORS

try:
    # The usual zlib inflates three times slower.
    from isal import igzip_lib, isal_zlib
except ImportError:  # pragma: no cover - which one is there depends on the installation
    igzip_lib = isal_zlib = None  # type: ignore[assignment]

#: Bytes that are read, and handed on, at a time.
BLOCK = 1 << 20
# glibc returns memory to the system from a size on that the largest piece freed so far sets. To get the memory of
# blocks back for each block would take as long as reading them. This piece is never written, and so takes no memory.
bytes(16 * BLOCK)
#: Bytes of a compressed file that are unpacked first.
_START = 4096
#: Blocks that a .7z may be ahead of its reader.
AHEAD = 4

#: The bytes that a file of a kind may start with, by suffix.
STARTS = {
    ".gz": (b"\x1f\x8b",),
    ".bz2": (*(b"BZh%d1AY&" % level for level in range(1, 10)), *(b"BZh%d\x17rE8" % level for level in range(1, 10))),
    ".xz": (b"\xfd7zXZ\0",),
    # Frames that zstd skips, which parallel compressors write first, start with 0x184D2A50 to 0x184D2A5F.
    ".zst": (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + k]) + b"\x2a\x4d\x18" for k in range(16))),
    # A zip with members, and one without.
    ".zip": (b"PK\x03\x04", b"PK\x05\x06"),
    ".npz": (b"PK\x03\x04", b"PK\x05\x06"),
    ".7z": (b"7z\xbc\xaf\x27\x1c",),
    ".npy": (b"\x93NUMPY",),
    # Protocol 2 and later; the old text protocol starts with a mark or a global.
    ".pkl": (b"\x80", b"(", b"c"),
    ".parquet": (b"PAR1",),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db"), (b"SQLite format 3\0",)),
}
PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zip", ".7z")


class Stream:
    """One file, or one member of an archive, as an iterator over blocks of bytes.

    Parameters
    ----------
    name : str
        How messages call it.
    blocks : iterator of bytes
        Its content, unpacked.

    Attributes
    ----------
    cut : bool
        Whether the content ended before its end, known once the iteration is over.
    """

    def __init__(self, name: str, blocks: Iterator[bytes] | None = None) -> None:
        self.name = name
        self.cut = False
        self._blocks = blocks

    def __iter__(self) -> Iterator[bytes]:
        first = True
        for block in self._blocks or ():
            if first and block:
                _refuse_what_is_no_data(self.name, block)
                first = False
            yield block

    def reader(self) -> io.BufferedReader:
        """Return the content as a binary file."""
        return io.BufferedReader(_Raw(iter(self)), BLOCK)


class _Raw(io.RawIOBase):
    """A binary file over an iterator of blocks."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = memoryview(block)
        size = min(len(target), len(self._rest))
        target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def _refuse_what_is_no_data(name: str, start: bytes) -> None:
    """Raise InputError where a file starts as a web page or as UTF-16 text."""
    text = start[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype", b"<html", b"<head", b"<?xml")):
        raise InputError(f"{name} is a web page, not data; download the file itself again.")
    if packing(start):
        raise InputError(f"{name} is packed once more inside; unpack it first.")
    if start[257:262] == b"ustar":
        raise InputError(f"{name} is a tar archive; unpack it first.")
    # Without a mark, every other byte of a Latin text is a zero.
    halves = [bool(start[k:64:2].strip(b"\0")) for k in (0, 1)]
    if start[:2] in (b"\xff\xfe", b"\xfe\xff") or (len(start) > 8 and sum(halves) == 1):
        raise InputError(f"{name} is UTF-16 text; save it as UTF-8.")


# -------------------------------------------------------------------- paths


def find_files(path: str | os.PathLike[str] | list[str], suffixes: tuple[str, ...]) -> list[Path]:
    """Return the files of a path, a folder or a glob pattern, sorted by name.

    Parameters
    ----------
    path : path-like or list of str
        A file, a folder (its files with one of `suffixes`, packed or not, and its archives), or a pattern such as
        ``games/*.pgn``; or a list of these, in its order.
    suffixes : tuple of str
        Lower-case suffixes of the format.

    Raises
    ------
    InputError
        If there is no such file.
    """
    if isinstance(path, list):
        if not path:
            raise InputError("The list of files is empty; name at least one.")
        return [file for one in path for file in find_files(one, suffixes)]
    text = os.fspath(path)
    if os.path.isdir(text):
        files = [file for file in Path(text).iterdir() if file.is_file() and fits(file.name, suffixes)]
        what = f"{text} has no file that ends in {', '.join(suffixes)}, packed or not"
        inside = map(Path, glob.iglob(os.path.join(glob.escape(text), "*", "*")))
        nested = (file for file in inside if fits(file.name, suffixes) and file.is_file())
        if not files and (found := min(nested, default=None)):
            pattern = Path(glob.escape(text), "**", f"*{plain_suffix(found.name)}*")
            what += f", but its subfolder {found.parent} has one; give that, or a pattern such as {pattern}"
    elif os.path.isfile(text):
        return [Path(text)]
    elif os.path.exists(text):
        raise InputError(f"{text} is a pipe or a device, which may never end; write what it gives to a file.")
    elif glob.has_magic(text):
        files = [Path(file) for file in glob.glob(text, recursive=True) if os.path.isfile(file)]
        what = f"{text} matches no file"
    else:
        files, what = [], f"there is no file {text}"
    if not files:
        raise InputError(f"{what}; check the path.")
    return sorted(files)


def shown(path: str | os.PathLike[str] | list[str]) -> str:
    """Return how messages call what `find_files` takes."""
    return ", ".join(map(os.fspath, path)) if isinstance(path, list) else os.fspath(path)


def fits(name: str, suffixes: tuple[str, ...]) -> bool:
    """Whether a file in a folder is of a format, by its name."""
    name = name.lower()
    if name.startswith("."):
        return False
    for packed in PACKED_SUFFIXES:
        if name.endswith(packed):
            return packed in (".zip", ".7z") or name.removesuffix(packed).endswith(suffixes)
    return name.endswith(suffixes)


def packing(start: bytes) -> str | None:
    """Return the suffix of the packing that a file's first bytes are those of, or None."""
    return next((suffix for suffix in PACKED_SUFFIXES if start.startswith(STARTS[suffix])), None)


def plain_suffix(name: str) -> str:
    """Return the lower-case suffix of a file name without those of its packing: ".pgn" of "a.pgn.zst"."""
    name = name.lower()
    for packed in PACKED_SUFFIXES:
        name = name.removesuffix(packed)
    return os.path.splitext(name)[1]


# -------------------------------------------------------------------- opening


def open_streams(
    path: str | os.PathLike[str], suffixes: tuple[str, ...], members: str | list[str] | None = None
) -> Iterator[Stream]:
    """Yield the streams of a file: one, or one for each member of an archive that is of the format.

    Parameters
    ----------
    path : path-like
        The file.
    suffixes : tuple of str
        Which members of an archive to read; the only member is read whatever its name.
    members : str or list of str, optional
        Patterns such as ``*_2019-*``; only the members of which one matches are read.

    Raises
    ------
    InputError
        If the file cannot be opened, is damaged, encrypted or something other than data, or has no such member.
    """
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            start = file.read(8)
            file.seek(0)
            if not start:
                raise InputError(f"{name} is empty; get the file again.")
            if packing(start) == ".zip":
                yield from _zip_streams(file, name, suffixes, members)
            elif packing(start) == ".7z":
                yield from _seven_streams(file, name, suffixes, members)
            else:
                yield _unpacked(name, start, _read_blocks(file))
    except OSError as error:
        raise InputError(f"{name} cannot be read ({error.strerror or error}); check the file.") from error


def too_early(name: str) -> InputError:
    """Return the error about a file of which too little is left to read anything."""
    return InputError(f"{name} ends too early, before there is anything to count; get the file again.")


def _begins(name: str, start: bytes) -> bool:
    """Whether a few bytes, all that there is of a file with the suffix of a packing, are the first of that packing."""
    return name.lower().endswith(PACKED_SUFFIXES) and any(
        magic.startswith(start) for suffix in PACKED_SUFFIXES for magic in STARTS[suffix]
    )


def peek(path: str | os.PathLike[str], size: int = _START) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the first bytes of a file's content; of each member, in an archive."""
    for stream in open_streams(path, ("",)):
        yield stream.name, next(filter(None, stream), b"")[:size]


def _read_blocks(file: IO[bytes], size: int | None = None) -> Iterator[bytes]:
    """Yield the content of a file, or its next `size` bytes."""
    while size is None or size > 0:
        block = file.read(BLOCK if size is None else min(BLOCK, size))
        if not block:
            return
        if size is not None:
            size -= len(block)
        yield block


def _unpacked(name: str, start: bytes, blocks: Iterator[bytes]) -> Stream:
    """Return the stream of a file whose first bytes are `start`, unpacked if it is compressed."""
    stream = Stream(name)
    packed = packing(start)
    new: Callable[[], Any]
    if packed == ".gz":
        new = functools.partial(_inflater, True)
    elif packed == ".bz2":
        new = bz2.BZ2Decompressor
    elif packed == ".xz":
        new = lzma.LZMADecompressor
    elif packed == ".zst":
        zstd = _zstd(name)
        # Windows of up to 2 GiB, which zstd --long=31 writes; memory is touched as far as there is content.
        new = functools.partial(zstd.ZstdDecompressor, options={zstd.DecompressionParameter.window_log_max: 31})
    elif len(start) < 8 and _begins(name, start):
        stream.cut = True
        return stream
    else:
        stream._blocks = blocks
        return stream
    stream._blocks = _expand(stream, blocks, new)
    return stream


def _expand(stream: Stream, blocks: Iterator[bytes], new: Callable[[], Any]) -> Iterator[bytes]:
    """Yield the content of one or more compressed frames; sets `stream.cut` where the last one has no end.

    `new` makes a decompressor of one frame, with the interface of `bz2.BZ2Decompressor`.
    """
    decompressor = new()
    # Who only looks at the start of a file does not wait for a block.
    size = _START
    while True:
        if decompressor.eof:
            # Zeros pad the end of tapes and of some downloads, and what is between the streams of an .xz.
            data = decompressor.unused_data.lstrip(b"\0")
            while not data:
                block = next(blocks, b"")
                if not block:
                    return
                data = block.lstrip(b"\0")
            decompressor = new()
        elif decompressor.needs_input:
            data = next(blocks, b"")
            if not data:
                stream.cut = True
                return
        else:
            data = b""
        try:
            # At most a block at a time: a bomb does not enter the memory.
            yield decompressor.decompress(data, size)
            size = BLOCK
        except EOFError:
            stream.cut = True
            return
        except Exception as error:
            # Each package has its own class of errors.
            raise InputError(f"{stream.name} is damaged ({str(error).rstrip('.')}); get the file again.") from error


class _ZlibDecompressor:
    """zlib with the interface of `bz2.BZ2Decompressor`, for where isal is not installed."""

    def __init__(self, wbits: int) -> None:
        self._inner = zlib.decompressobj(wbits)
        self._full = False

    def __getattr__(self, name: str) -> Any:
        # eof, unused_data
        return getattr(self._inner, name)

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail and not self._full

    def decompress(self, data: bytes, max_length: int) -> bytes:
        block = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        # A full block may have left output inside, without unconsumed input.
        self._full = len(block) == max_length and not self._inner.eof
        return block


def _inflater(gzipped: bool) -> Any:
    """Return a decompressor of one gzip member, or of a raw deflate stream, as zip members are."""
    if igzip_lib is None:
        return _ZlibDecompressor(31 if gzipped else -15)
    return igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP if gzipped else igzip_lib.DECOMP_DEFLATE)


def _zstd(name: str) -> ModuleType:
    """Return the module that reads zstd: Python's own from 3.14, its backport before."""
    try:
        from compression import zstd
    except ImportError:
        try:
            from backports import zstd
        except ImportError as error:
            raise InputError(f"{name} needs the package backports.zstd; pip install backports.zstd.") from error
    return zstd


# -------------------------------------------------------------------- archives


def _pick_members(
    name: str, known: list[str], suffixes: tuple[str, ...], patterns: str | list[str] | None
) -> list[str]:
    """Return the members of an archive to read, in its order."""
    known = [one for one in known if not one.endswith("/") and not one.startswith("__MACOSX/")]
    if patterns is not None:
        patterns = [patterns] if isinstance(patterns, str) else list(patterns)
        picked = [
            one
            for one in known
            if any(fnmatch.fnmatchcase(name, pattern) for name in (one, one.split("/")[-1]) for pattern in patterns)
        ]
    elif len(known) == 1:
        picked = known
    else:
        picked = [one for one in known if fits(one.split("/")[-1], suffixes)]
    if not known:
        raise InputError(f"{name} is an archive without files; get it again.")
    if not picked:
        listed = ", ".join(known[:5]) + (", ..." if len(known) > 5 else "")
        wanted = f"matches {patterns}" if patterns is not None else f"ends in {', '.join(suffixes)}"
        raise InputError(f"{name} has no member that {wanted}; it holds {listed}.")
    return picked


def _zip_streams(
    file: BinaryIO, name: str, suffixes: tuple[str, ...], patterns: str | list[str] | None
) -> Iterator[Stream]:
    """Yield the members of a .zip."""
    try:
        archive = zipfile.ZipFile(file)
        infos = {info.filename: info for info in archive.infolist()}
    except (*ZIP_ERRORS, ValueError) as error:
        # The list of members is at the end.
        raise InputError(
            f"{name} is not a complete zip archive: it ends too early, or is damaged ({error}); get the file again."
        ) from error
    for member in _pick_members(name, list(infos), suffixes, patterns):
        info = infos[member]
        if info.flag_bits & 1:
            raise InputError(f"{name}: {member} is encrypted; unpack it first.")
        blocks = _checked(f"{name}/{member}", info, _zip_member(file, archive, info, f"{name}/{member}"))
        first = next(blocks, b"")
        yield _unpacked(f"{name}/{member}", first[:8], itertools.chain([first], blocks))


def _zip_member(file: BinaryIO, archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> Iterator[bytes]:
    """Yield the content of one member of a .zip."""
    if info.compress_type != zipfile.ZIP_DEFLATED:
        try:
            with archive.open(info) as member:
                yield from _read_blocks(member)
        except ZIP_ERRORS as error:
            raise InputError(f"{name} is damaged or packed unusually ({error}); unpack it first.") from error
        return
    # zipfile inflates with zlib; the same bytes go through the faster package here.
    file.seek(info.header_offset)
    header = file.read(30)
    if len(header) < 30 or not header.startswith(STARTS[".zip"]):
        raise InputError(f"{name} is damaged (no header where one should be); get the file again.")
    lengths = struct.unpack("<HH", header[26:30])
    file.seek(sum(lengths), os.SEEK_CUR)
    whole = Stream(name)
    yield from _expand(whole, _read_blocks(file, info.compress_size), functools.partial(_inflater, False))
    if whole.cut:
        raise InputError(f"{name} is damaged (it ends too early); get the file again.")


def _checked(name: str, info: zipfile.ZipInfo, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the blocks of a zip member; raises InputError where its checksum is another."""
    crc32 = zlib.crc32 if isal_zlib is None else isal_zlib.crc32
    crc = 0
    for block in blocks:
        crc = crc32(block, crc)
        yield block
    if crc != info.CRC:
        raise InputError(f"{name} is damaged (checksum {crc:08x}, not {info.CRC:08x}); get the file again.")


class _Stop(Exception):
    """Tells the thread that unpacks a .7z that nobody reads on."""


def _seven_streams(
    file: BinaryIO, name: str, suffixes: tuple[str, ...], patterns: str | list[str] | None
) -> Iterator[Stream]:
    """Yield the members of a .7z. py7zr pushes their content into objects, so it runs in a thread of its own."""
    try:
        import py7zr
    except ImportError as error:
        raise InputError(f"{name} needs the package py7zr; pip install py7zr.") from error
    blocks: queue.Queue[tuple[str, bytes | BaseException | None]] = queue.Queue(AHEAD)
    stop = threading.Event()

    def push(member: str, block: bytes | BaseException | None) -> None:
        """Hand on a block, or give up when nobody reads on."""
        while not stop.is_set():
            try:
                blocks.put((member, block), timeout=0.1)
                return
            except queue.Full:
                continue
        raise _Stop

    class Sink(py7zr.Py7zIO):
        """Where py7zr writes a member."""

        def __init__(self, member: str) -> None:
            self.member = member
            self.length = 0

        def write(self, data: bytes | bytearray) -> int:
            # py7zr writes up to 128 MB at once.
            for at in range(0, len(data), BLOCK):
                push(self.member, bytes(memoryview(data)[at : at + BLOCK]))
            self.length += len(data)
            return len(data)

        def read(self, size: int | None = None) -> bytes:
            return b""

        def seek(self, offset: int, whence: int = 0) -> int:
            return 0

        def flush(self) -> None:
            return None

        def size(self) -> int:
            return self.length

    class Sinks(py7zr.WriterFactory):
        """Makes a sink for each member."""

        def create(self, filename: str) -> Sink:
            return Sink(filename)

    try:
        archive = py7zr.SevenZipFile(file)
        encrypted = archive.needs_password()
        known = [info.filename for info in archive.list() if not info.is_directory]
    except Exception as error:
        # py7zr raises errors of many types, such as TypeError.
        raise InputError(
            f"{name} is not a complete 7z archive: it ends too early, or is damaged ({error}); get the file again."
        ) from error
    if encrypted:
        raise InputError(f"{name} is encrypted; unpack it first.")
    picked = _pick_members(name, known, suffixes, patterns)

    def unpack() -> None:
        """Push every block of the picked members, then None or what went wrong."""
        try:
            archive.extract(targets=picked, factory=Sinks())
            push("", None)
        except _Stop:
            return
        except Exception as error:
            # Nobody waits for the exception of a thread: the reader gets it as the last block.
            if not stop.is_set():
                push("", error)

    thread = threading.Thread(target=unpack, daemon=True)
    thread.start()
    try:
        pending: list[tuple[str, bytes | BaseException | None]] = [blocks.get()]

        def content(member: str) -> Iterator[bytes]:
            """Yield the blocks of one member, until those of another come."""
            while pending[0][0] == member and isinstance(block := pending[0][1], bytes):
                yield block
                pending[0] = blocks.get()

        while isinstance(first := pending[0][1], bytes):
            member = pending[0][0]
            yield _unpacked(f"{name}/{member}", first[:8], content(member))
            for _ in content(member):
                # What the reader left of this member.
                continue
        if first is not None:
            raise InputError(f"{name} is damaged ({first!r}); get the file again.") from first
    finally:
        stop.set()
        thread.join()
        archive.close()
