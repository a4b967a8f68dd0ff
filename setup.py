"""The compiled part of the package; everything else is in pyproject.toml."""

import zlib
from pathlib import Path

from setuptools import Extension, setup

SOURCES = ["src/transitivity/kernels.c", "src/transitivity/sources/heads.c"]
# By this number `native.library` tells whether they have changed since.
CHECKSUM = zlib.crc32(b"".join(Path(source).read_bytes() for source in SOURCES))

setup(
    ext_modules=[
        Extension(
            "transitivity._native",
            SOURCES,
            define_macros=[("SOURCES_CHECKSUM", f"{CHECKSUM}u")],
            extra_compile_args=["-O3", "-fopenmp-simd"],
            # Without a C compiler numpy and the exact reader of PGN do the same, at a fraction of the speed.
            optional=True,
        )
    ]
)
