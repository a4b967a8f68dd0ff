"""Pictures of the page: SVG whose every mark tells what it is when pointed at, without a script or a network.

A `Drawing` is a list of marks in the coordinates of the picture; the template writes and escapes it. Colours are
classes of the page's style, so that a picture follows light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from matplotlib.ticker import MaxNLocator

from reproduction.report.cells import minus

#: The width of a character, rather too wide, and the height of a line, in units of a picture.
WIDE, LINE = 7.3, 17
#: Longer labels of rows are cut; otherwise a picture as wide as the page would be too small to read.
LONGEST = 80
#: The multiples of powers of ten that a logarithmic axis names, by the ratio of its ends.
STEPS = {8.0: (1, 1.5, 2, 3, 5, 7), 2000.0: (1, 2, 5), math.inf: (1,)}


@dataclass
class Drawing:
    """A picture, as wide as its column of the page at most.

    Parameters
    ----------
    width, height : float
        Its coordinates end there; y runs downwards.
    label : str
        What it shows, for who cannot see it.
    """

    width: float
    height: float
    label: str
    marks: list[dict] = field(default_factory=list)

    def line(self, x1: float, y1: float, x2: float, y2: float, look: str, title: str = "") -> None:
        """Add a line."""
        ends = {name: round(value, 1) for name, value in zip(("x1", "y1", "x2", "y2"), (x1, y1, x2, y2), strict=True)}
        self.marks.append({"tag": "line", "look": look, "title": title, "words": ""} | ends)

    def dot(self, x: float, y: float, r: float, look: str, title: str) -> None:
        """Add a point."""
        place = {"cx": round(x, 1), "cy": round(y, 1), "r": round(r, 1)}
        self.marks.append({"tag": "circle", "look": look, "title": title, "words": ""} | place)

    def text(self, x: float, y: float, words: str, anchor: str = "start", look: str = "") -> None:
        """Add words, with the baseline at y."""
        place = {"x": round(x, 1), "y": round(y, 1), "text-anchor": anchor}
        self.marks.append({"tag": "text", "look": look, "title": "", "words": words} | place)


@dataclass(frozen=True)
class Block:
    """A piece of the page: a heading, paragraphs, a picture, a table that is folded where it has a title, and more."""

    title: str
    words: Sequence[str] = ()
    drawing: Drawing | None = None
    table: Mapping | None = None
    table_title: str = ""
    more: Sequence[str] = ()
    figure: Mapping | None = None
    id: str = ""


@dataclass(frozen=True)
class Axis:
    """From values to coordinates.

    Parameters
    ----------
    low, high : float
        The values at its ends; beyond them everything lies on the end.
    first, last : float
        The coordinates of its ends.
    log : bool
        Whether equal ratios have equal lengths.
    """

    low: float
    high: float
    first: float
    last: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the coordinate of a value."""
        low, high, value = (self._scaled(one) for one in (self.low, self.high, min(max(value, self.low), self.high)))
        return self.first + (self.last - self.first) * (value - low) / (high - low)

    def _scaled(self, value: float) -> float:
        return math.log(value) if self.log else value

    def ticks(self) -> list[float]:
        """Return the values that are written at the axis."""
        # Along a short way ratios are differences.
        if self.log and self.high > 2 * self.low:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            steps = next(steps for most, steps in STEPS.items() if self.high / self.low <= most)
            ticks = [step * 10.0**power for power in powers for step in steps]
        else:
            ticks = [float(tick) for tick in MaxNLocator(6).tick_values(self.low, self.high)]
        return [round(tick, 9) for tick in ticks if self.low <= round(tick, 9) <= self.high]


@dataclass(frozen=True)
class Row:
    """A row of `rows`: a value with its interval (NaN where there is none), or several dots."""

    label: str
    dots: Sequence[tuple[float, str, str]]
    low: float = math.nan
    high: float = math.nan


def rows(
    label: str, lines: Sequence[Row], axis_label: str, at: float | None, log: bool = False, limit: float = 0
) -> Drawing:
    """Draw a row a line on a common axis.

    Parameters
    ----------
    label : str
        What the picture shows.
    lines : sequence of Row
        From the top; dots are (value, look, title).
    axis_label : str
        What stands below the axis.
    at : float, optional
        Where a line stands in all rows: what nothing is, or what is equal.
    log : bool
        Whether the axis is logarithmic.
    limit : float
        With a logarithmic axis: values beyond this, or below its inverse, lie at the ends. 0: all are inside.
    """
    values = [dot[0] for line in lines for dot in line.dots]
    values += [end for line in lines for end in (line.low, line.high)] + ([] if at is None else [at])
    values = [value for value in values if math.isfinite(value) and (value > 0 or not log)]
    low, high = min(values), max(values)
    if log:
        low, high = (low / 1.1, high * 1.1) if not limit else (max(low, 1 / limit) / 1.1, min(high, limit) * 1.1)
    else:
        low, high = low - 0.03 * (high - low or 1), high + 0.03 * (high - low or 1)
    crowded = max(len(line.dots) for line in lines) > 3
    tall = 30 if crowded else LINE + 3
    labels = [f"{line.label[: LONGEST - 1]}…" if len(line.label) > LONGEST else line.label for line in lines]
    left = WIDE * max(map(len, labels)) + 14
    picture = Drawing(left + 340, tall * len(lines) + 46, label)
    axis = Axis(low, high, left, picture.width - 14, log)
    bottom = tall * len(lines) + 4
    for tick in axis.ticks():
        picture.line(axis(tick), 2, axis(tick), bottom, "grid")
        picture.text(axis(tick), bottom + LINE - 2, minus(f"{tick:,g}"), "middle", "small")
    if at is not None:
        picture.line(axis(at), 2, axis(at), bottom, "reference")
    picture.text((left + picture.width - 14) / 2, bottom + 2 * LINE, axis_label, "middle", "small")
    for place, line in enumerate(lines):
        y = tall * place + tall / 2 + 2
        picture.text(left - 10, y + 4.5, labels[place], "end")
        if math.isfinite(line.low):
            picture.line(axis(line.low), y, axis(line.high), y, "interval", line.dots[0][2])
        for number, (value, look, title) in enumerate(line.dots):
            # The golden ratio spreads any number of points evenly.
            off = ((number * 0.618034) % 1 - 0.5) * (tall - 12) if crowded else 0
            picture.dot(axis(value), y + off, 4, look, title)
    return picture


def plane(
    label: str, points: Sequence[tuple[float, float, str, str]], written: Sequence[str], most: int = 14
) -> Drawing:
    """Draw named points with the origin, in equal units, and write the names of some.

    Parameters
    ----------
    label : str
        What the picture shows.
    points : sequence of tuple
        (x, y, name, title).
    written : sequence of str
        Names to write, the most important first; one that would cover another is left out.
    most : int
        The most names.
    """
    picture = Drawing(480, 360, label)
    xs, ys = [0.0, *(x for x, _, _, _ in points)], [0.0, *(y for _, y, _, _ in points)]
    spread = max(max(xs) - min(xs), (max(ys) - min(ys)) * 1.1) or 1.0
    unit = (picture.width - 120) / spread
    middle_x, middle_y = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2

    def place(x: float, y: float) -> tuple[float, float]:
        return picture.width / 2 + (x - middle_x) * unit, picture.height / 2 - (y - middle_y) * unit

    zero = place(0, 0)
    picture.line(zero[0] - 8, zero[1], zero[0] + 8, zero[1], "reference", "the origin")
    picture.line(zero[0], zero[1] - 8, zero[0], zero[1] + 8, "reference", "the origin")
    for x, y, _, title in points:
        picture.dot(*place(x, y), 4, "one", title)
    places = {name: place(x, y) for x, y, name, _ in points}
    boxes: list[tuple[float, float, float]] = []
    for name in written:
        at_x, at_y = places[name]
        wide = WIDE * len(name)
        start = at_x + 7 if at_x + 7 + wide <= picture.width else at_x - 7 - wide
        free = all(abs(at_y - y) >= LINE or start > end or start + wide < begin for begin, end, y in boxes)
        if len(boxes) < most and free and start >= 0:
            boxes.append((start, start + wide, at_y))
            picture.text(start, at_y + 4.5, name, look="name")
    return picture


def square(
    label: str,
    points: Sequence[tuple[float, float, float, str]],
    bins: Sequence[tuple[float, float, float, float, str]],
    names: tuple[str, str],
) -> Drawing:
    """Draw points of two scores, those of x at least 1/2, with the line of equality and means with intervals.

    Parameters
    ----------
    label : str
        What the picture shows.
    points : sequence of tuple
        (x, y, radius, title).
    bins : sequence of tuple
        (x, y, low, high, title).
    names : pair of str
        Of the two scores.
    """
    picture = Drawing(460, 456, label)
    across, up = Axis(0.5, 1, 46, 446), Axis(0, 1, 416, 24)
    for tick in across.ticks():
        picture.line(across(tick), up(0), across(tick), up(1), "grid")
        picture.text(across(tick), up(0) + LINE - 2, f"{tick:g}", "middle", "small")
    for tick in up.ticks():
        picture.line(across(0.5), up(tick), across(1), up(tick), "grid")
        picture.text(across(0.5) - 5, up(tick) + 4, f"{tick:g}", "end", "small")
    picture.line(across(0.5), up(0.5), across(1), up(1), "reference")
    for x, y, r, title in points:
        picture.dot(across(x), up(y), r, "faint", title)
    for x, y, low, high, title in bins:
        picture.line(across(x), up(low), across(x), up(high), "interval", title)
        picture.dot(across(x), up(y), 5, "one", title)
    picture.text(across(0.75), up(0) + 2 * LINE, names[0], "middle", "small")
    picture.text(4, up(1) - 10, names[1], "start", "small")
    return picture
