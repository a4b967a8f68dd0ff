"""Colour, hatch, marker and label of each family of models."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.colors import to_hex, to_rgb

from reproduction.figures.inputs import clean_label
from reproduction.figures.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION
from transitivity.errors import InputError, did_you_mean

_MODEL_ID = re.compile(r"^(?P<family>.+?)_k(?P<k>\d+)$")
#: Families of models: label, colour, marker. Families not listed take what follows, in turn.
_FAMILIES = {
    "elo": ("Elo", BLACK, "o"),
    "disc": ("disc (logit)", BLUE, "o"),
    "melo_published": ("m-Elo, as published", ORANGE, "s"),
    "melo": ("m-Elo, Eq. 20 as written", GREEN, "^"),
    "melo_logit": ("m-Elo, logit space", PURPLE, "v"),
    "disc_regularised": ("disc, regularised (Eq. 21)", "#004488", "*"),
    "balduzzi_2019": ("Balduzzi 2019", SKY, "D"),
    "elo_plus_plus": ("Elo++", "#7F7F7F", "P"),
}
_FURTHER_COLOURS = (VERMILION, "#882255", "#999933", "#332288", "#AA4499", "#44AA99", "#661100", "#888888")
_FURTHER_MARKERS = ("X", "<", ">", "p", "h", "*", "d", "8")
#: Models that the paper's Figures 5 and 6 leave out; a figure that follows the paper leaves them out too.
BEYOND_FIGURE_5 = ("elo_plus_plus", "balduzzi_2019", "melo_logit", "disc_joint", "disc_regularised")


def split_model(model: str) -> tuple[str, int]:
    """Split a model's id into its family and number of pairs, 0 where it has none: "disc_k2" is ("disc", 2)."""
    match = _MODEL_ID.match(model)
    return (match["family"], int(match["k"])) if match else (model, 0)


@dataclass(frozen=True)
class Look:
    """How a family of models is drawn."""

    label: str
    colour: str
    marker: str
    hatch: str = ""

    def shade(self, k: int, largest: int) -> str:
        """Return the colour of the model with k pairs: the more pairs, the darker."""
        if largest <= 1 or k == 0:
            return self.colour
        lightness = 0.62 * (1 - (k - 1) / (largest - 1))
        return to_hex(np.asarray(to_rgb(self.colour)) * (1 - lightness) + lightness)


def family_looks(families: Sequence[str], labels: Mapping[str, str]) -> dict[str, Look]:
    """Return how each family is drawn: known ones as always, a user's own in further colours, then hatched.

    `labels` are those of `paired.family_labels`, for the user's own.
    """
    looks = {}
    further = 0
    for family in families:
        if family in _FAMILIES:
            looks[family] = Look(*_FAMILIES[family])
        else:
            turn, at = divmod(further, len(_FURTHER_COLOURS))
            hatch = ("", "////", "....", "xxxx")[turn % 4]
            label = clean_label(labels.get(family) or family)
            looks[family] = Look(label, _FURTHER_COLOURS[at], _FURTHER_MARKERS[at], hatch)
            further += 1
    return looks


def order_families(models: Sequence[str]) -> list[str]:
    """Return the families of some models: the known in the order of the legend, then others by name."""
    families = {split_model(model)[0] for model in models}
    return [f for f in _FAMILIES if f in families] + sorted(families - set(_FAMILIES))


def models_of_figure(models: Sequence[str], wanted: Sequence[str] | None) -> list[str]:
    """Return the models to draw: those wanted, or all but Elo (the unit) and those the paper's figure leaves out.

    Parameters
    ----------
    models : sequence of str
        Ids with scores.
    wanted : sequence of str, optional
        Ids to draw.

    Raises
    ------
    InputError
        If a wanted model has no scores, or none is left.
    """
    available = sorted(set(models) - {"elo"})
    for name in wanted or ():
        if name not in available:
            raise InputError(f"There are no scores of model {name!r}; {did_you_mean(name, available)}")
    drawn = list(wanted) if wanted else [m for m in available if split_model(m)[0] not in BEYOND_FIGURE_5]
    if not drawn:
        raise InputError("There are no scores of any model to compare with Elo; run at least one more model.")
    families = order_families(drawn)
    return sorted(drawn, key=lambda m: (split_model(m)[1] or np.inf, families.index(split_model(m)[0])))
