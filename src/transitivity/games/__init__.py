"""Games whose payoff is computed: one module a game, found by its file name.

A module offers ``payoff(*, parameters..., rng=None) -> Payoff`` (``rng`` only where something is drawn),
``LABEL``, a format string of the parameters for plots, and ``REFERENCE``, where the definition comes from.
``LABEL_SUFFIXES``, where present, maps a parameter to what is appended to the label when the parameter is
not at its default. ``simulates(parameters)``, where present, tells whether the entries are means of
simulated games. Modules whose names start with an underscore are skipped.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import ModuleType

import numpy as np

from transitivity.errors import InputError, did_you_mean
from transitivity.payoff.core import Payoff


@cache
def names() -> tuple[str, ...]:
    """Return the names of all games, in alphabetical order."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")))


def parameters(name: str) -> dict[str, inspect.Parameter]:
    """Return the parameters of a game, without ``rng``; raise InputError if there is no such game."""
    signature = inspect.signature(_module(name).payoff)
    return {key: parameter for key, parameter in signature.parameters.items() if key != "rng"}


def compute(name: str, rng: np.random.Generator | None = None, **values: object) -> Payoff:
    """Compute the payoff of a game.

    Parameters
    ----------
    name : str
        One of `names`.
    rng : numpy.random.Generator, optional
        The source of what is drawn; not used by a game without chance. None: a fresh one each time.
    **values
        The parameters of the game; see the ``payoff`` function of its module.

    Returns
    -------
    Payoff
        A complete payoff.

    Raises
    ------
    InputError
        If the game or a parameter is unknown, a parameter is missing, or a value is not allowed.
    """
    module = _module(name, values)
    return module.payoff(**values, **({"rng": rng} if _draws(module) else {}))


def label(name: str, **values: object) -> str:
    """Return the name of a game for plots, such as "10,3-Blotto"; arguments and errors are those of `compute`."""
    module = _module(name, values)
    defaults = {key: parameter.default for key, parameter in parameters(name).items()}
    suffixes = getattr(module, "LABEL_SUFFIXES", {})
    text = module.LABEL + "".join(
        suffix for key, suffix in suffixes.items() if values.get(key, defaults[key]) != defaults[key]
    )
    return text.format(**(defaults | values))


def origin(name: str, **values: object) -> str:
    """Tell where the numbers of a computed game come from; arguments and errors are those of `compute`.

    Returns
    -------
    {"exact", "simulated", "fresh draw", "file"}
        Computed without chance; means of simulated games; drawn from the seed, so that only its distribution is
        that of the original; or made of ratings or points of the original that were read from a file.
    """
    module = _module(name, values)
    if not _draws(module):
        return "exact"
    if hasattr(module, "simulates"):
        return "simulated" if module.simulates(values) else "exact"
    from_file = values.get("ratings") is not None or values.get("points") is not None
    return "file" if from_file and not values.get("noise") else "fresh draw"


def reference(name: str) -> str:
    """Return where the definition of a game comes from; raise InputError if there is no such game."""
    return _module(name).REFERENCE


def _module(name: str, values: Mapping[str, object] | None = None) -> ModuleType:
    """Import the module of a game; raise InputError unless `values`, where given, are all that it needs."""
    if name not in names():
        raise InputError(f"There is no game {name!r}; {did_you_mean(str(name), names())}")
    module = importlib.import_module(f"{__name__}.{name}")
    if values is not None:
        known = parameters(name)
        for key in values:
            if key not in known:
                hint = did_you_mean(key, known) if known else "it has none."
                raise InputError(f"The game {name!r} has no parameter {key!r}; {hint}")
        for key, parameter in known.items():
            if parameter.default is parameter.empty and key not in values:
                raise InputError(f"The game {name!r} needs the parameter {key!r}; give it a value.")
    return module


def _draws(module: ModuleType) -> bool:
    """Return whether a game draws something from a random generator."""
    return "rng" in inspect.signature(module.payoff).parameters
