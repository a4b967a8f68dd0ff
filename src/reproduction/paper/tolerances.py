"""Whether one of our numbers agrees with the paper's."""

from __future__ import annotations

import math
import re

import numpy as np

from transitivity.errors import InputError

#: Relative slack of every limit, so that a number on the limit is inside whatever its rounding in binary.
SLACK = 1e-9


def within(tolerance: str, paper: float, ours: float) -> bool:
    """Whether `ours` agrees with the paper's number; limits count as inside.

    Parameters
    ----------
    tolerance : str
        ``"N %"``: relative; ``"N % beyond rounding to D digits"``: relative to the nearest number that prints
        as the paper's; ``"± x"``: absolute; ``"order of magnitude"``: a factor of at most 10; ``"sign"``: the
        same sign; ``"exact"``: equal.
    paper, ours : float
        The two numbers. A number that is not finite never agrees.

    Raises
    ------
    InputError
        If the tolerance is something else.
    """
    match = re.fullmatch(r"([\d.]+) %(?: beyond rounding to (\d+) digits)?", tolerance)
    absolute = re.fullmatch(r"± ([\d.e-]+)", tolerance)
    if not (match or absolute or tolerance in ("order of magnitude", "sign", "exact")):
        raise InputError(
            f"Tolerance {tolerance!r} is not known; write 'N %', 'N % beyond rounding to D digits', '± x', "
            "'order of magnitude', 'sign' or 'exact'."
        )
    if not (math.isfinite(paper) and math.isfinite(ours)):
        return False
    if match:
        nearest = paper
        if match[2] and paper != 0:
            half_unit = 0.5 * 10.0 ** (math.floor(math.log10(abs(paper))) - int(match[2]) + 1)
            nearest = min(max(ours, paper - half_unit), paper + half_unit)
        return abs(ours - nearest) <= float(match[1]) / 100 * abs(nearest) + SLACK * abs(paper)
    if absolute:
        return abs(ours - paper) <= float(absolute[1]) * (1 + SLACK)
    if tolerance == "order of magnitude":
        return paper * ours > 0 and abs(math.log10(ours / paper)) <= 1 + SLACK
    if tolerance == "sign":
        return bool(np.sign(paper) == np.sign(ours))
    return math.isclose(paper, ours, rel_tol=SLACK, abs_tol=0)
