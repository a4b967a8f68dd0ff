"""Colour, hatch, marker and label of each family of models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Patch

from reproduction.figures.inputs import clean_label
from reproduction.figures.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION
from transitivity.evaluation.ratios import split_model

#: Families of models: colour, marker. Families not listed take what follows, in turn.
_FAMILIES = {
    "elo": (BLACK, "o"),
    "disc": (BLUE, "o"),
    "melo_published": (ORANGE, "s"),
    "melo": (GREEN, "^"),
    "melo_logit": (PURPLE, "v"),
    "disc_regularised": ("#004488", "*"),
    "balduzzi_2019": (SKY, "D"),
    "elo_plus_plus": ("#7F7F7F", "P"),
}
#: The most characters of a label.
LABEL = 32
_FURTHER_COLOURS = (VERMILION, "#882255", "#999933", "#332288", "#AA4499", "#44AA99", "#661100", "#888888")
_FURTHER_MARKERS = ("X", "<", ">", "p", "h", "*", "d", "8")


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
        red, green, blue = (part * (1 - lightness) + lightness for part in to_rgb(self.colour))
        return to_hex((red, green, blue))

    def patch(self, k: int, largest: int = 1) -> Patch:
        """Return the legend's handle of the model with k pairs, 0 for one that has none."""
        label = f"{self.label}, k = {k}" if k else self.label
        return Patch(facecolor=self.shade(k, largest), hatch=self.hatch, label=label)


def family_looks(families: Sequence[str], labels: Mapping[str, str]) -> dict[str, Look]:
    """Return how each family is drawn: known ones as always, a user's own in further colours, then hatched.

    `labels` are those of `family_labels`.
    """
    looks = {}
    further = 0
    for family in families:
        label = clean_label(labels.get(family) or family, LABEL)
        if family in _FAMILIES:
            looks[family] = Look(label, *_FAMILIES[family])
        else:
            turn, at = divmod(further, len(_FURTHER_COLOURS))
            hatch = ("", "////", "....", "xxxx")[turn % 4]
            looks[family] = Look(label, _FURTHER_COLOURS[at], _FURTHER_MARKERS[at], hatch)
            further += 1
    return looks


def order_families(models: Sequence[str]) -> list[str]:
    """Return the families of some models: the known in the order of the legend, then others by name."""
    families = {split_model(model)[0] for model in models}
    return [f for f in _FAMILIES if f in families] + sorted(families - set(_FAMILIES))


def models_of_figure(models: Iterable[str], without: Sequence[str] = ()) -> list[str]:
    """Return the models to draw, in the order of the bars: all but Elo, which is the unit.

    Parameters
    ----------
    models : iterable of str
        Ids with scores.
    without : sequence of str
        Families that are not drawn.
    """
    drawn = sorted(model for model in set(models) - {"elo"} if split_model(model)[0] not in without)
    families = order_families(drawn)
    return sorted(drawn, key=lambda m: (split_model(m)[1] or np.inf, families.index(split_model(m)[0])))
