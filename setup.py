"""The compiled part of the package; everything else is in pyproject.toml."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "transitivity._native",
            ["src/transitivity/kernels.c", "src/transitivity/sources/heads.c"],
            extra_compile_args=["-O3", "-fopenmp-simd"],
            # Without a C compiler numpy and the exact reader of PGN do the same, at a fraction of the speed.
            optional=True,
        )
    ]
)
