"""Random generators that depend on names, never on the order of jobs."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, *names: str | int) -> np.random.Generator:
    """Return the generator of one job, spawned from the seed and what the job is about.

    Parameters
    ----------
    seed : int
        The seed of the configuration.
    *names : str or int
        What tells this job from others, such as ("hold_out", dataset, repetition).

    Returns
    -------
    numpy.random.Generator
        Independent of the generators of other names, the same whatever ran before.
    """
    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=words))
