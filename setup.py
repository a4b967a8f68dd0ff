"""The compiled part of the package; everything else is in pyproject.toml."""

import zlib
from pathlib import Path

from setuptools import Extension, setup

SOURCES = [f"src/transitivity/native/{name}.c" for name in ("pairs", "games", "counts", "online")]
# By this number `transitivity.native.library` tells whether they have changed since.
CHECKSUM = zlib.crc32(b"".join(Path(source).read_bytes() for source in SOURCES))

setup(
    ext_modules=[
        Extension(
            "transitivity.native._compiled",
            SOURCES,
            define_macros=[("SOURCES_CHECKSUM", f"{CHECKSUM}u")],
            extra_compile_args=["-O3", "-fopenmp-simd"],
            # Without a C compiler, numpy and plain Python do the same work more slowly.
            optional=True,
        )
    ]
)
