"""Loads the compiled functions of this folder, which setup.py builds where there is a C compiler."""

from __future__ import annotations

import ctypes
import warnings
import zlib
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import numpy as np

_POINTER, _INTEGER, _DOUBLE = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
_LAYOUT = (_INTEGER, _POINTER, _POINTER)
_SOURCES = ("pairs.c", "games.c", "counts.c", "online.c")
_GAMES = (_INTEGER, *[_POINTER] * 4)
#: What the compiled functions take and return; their sources name the arguments.
_SIGNATURES: dict[str, tuple[tuple[type, ...], type | None]] = {
    "sources_checksum": ((), ctypes.c_uint32),
    "evaluate": (
        (*_LAYOUT, _INTEGER, *[_POINTER] * 2, ctypes.c_int, *[_POINTER] * 3, _INTEGER, *[_POINTER] * 4),
        _DOUBLE,
    ),
    "matrix_product": ((*_LAYOUT, _POINTER, _INTEGER, *[_POINTER] * 2, _DOUBLE), None),
    "find_games": ((_POINTER, *[_INTEGER] * 2, _POINTER), _INTEGER),
    "number_names": ((_POINTER, _INTEGER, *[_POINTER] * 3, *[_INTEGER, _POINTER] * 3), _INTEGER),
    "sort_numbers": ((_INTEGER, *[_POINTER] * 2), ctypes.c_int),
    "count_games": ((_INTEGER, *[_POINTER] * 2, _INTEGER, *[_POINTER] * 3), _INTEGER),
    "hessian_product": ((*_LAYOUT, *[_POINTER] * 2, _INTEGER, *[_POINTER] * 3), None),
    "online_elo": ((*_GAMES, _INTEGER, *[_POINTER] * 2, _INTEGER, *[_POINTER] * 4), None),
    "online_disc": ((*_GAMES, _DOUBLE, *[_POINTER] * 4), None),
    "online_melo": ((_INTEGER, *_GAMES, *[_DOUBLE] * 2, *[_POINTER] * 4), None),
}


@cache
def load() -> ctypes.CDLL | None:
    """Return the compiled functions, or None, with a warning, where the package was installed without them."""
    folder = Path(__file__).parent
    built = [path for suffix in EXTENSION_SUFFIXES if (path := folder / f"_compiled{suffix}").is_file()]
    if not built:
        _warn("transitivity was installed without a C compiler")
        return None
    try:
        loaded = ctypes.CDLL(str(built[0]))
        for name, (arguments, result) in _SIGNATURES.items():
            function = getattr(loaded, name)
            function.argtypes, function.restype = arguments, result
        sources = b"".join((folder / name).read_bytes() for name in _SOURCES)
        is_ours = loaded.sources_checksum() == zlib.crc32(sources)
    except (OSError, AttributeError):
        is_ours = False
    if not is_ours:
        _warn(f"{built[0].name} was compiled from another version of transitivity, or for another machine")
        return None
    return loaded


def _warn(reason: str) -> None:
    warnings.warn(
        f"{reason}: results are the same, but fits to 1000 players take about 20 to 30 times as long, fits to 100"
        " players 2 to 4 times, and game files 2 to 5 times; install a C compiler and then the package again.",
        stacklevel=3,
    )


def address(array: np.ndarray | None) -> int | None:
    """Return where the numbers of an array are, for a compiled function; null stands for None."""
    return None if array is None else array.ctypes.data
