"""The compiled part of the package: kernels.c, which setup.py builds where there is a C compiler."""

from __future__ import annotations

import ctypes
import warnings
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import numpy as np


@cache
def library() -> ctypes.CDLL | None:
    """Return the compiled functions, or None, with a warning, where the package was installed without them."""
    folder = Path(__file__).parent
    built = [path for suffix in EXTENSION_SUFFIXES if (path := folder / f"_native{suffix}").is_file()]
    if not built:
        warnings.warn(
            "transitivity was installed without a C compiler: results are the same, but fits and game files take"
            " several times as long; install a C compiler and then the package again.",
            stacklevel=2,
        )
        return None
    return ctypes.CDLL(str(built[0]))


def address(array: np.ndarray | None) -> int | None:
    """Return where the numbers of an array are, for a compiled function; null stands for None."""
    return None if array is None else array.ctypes.data
