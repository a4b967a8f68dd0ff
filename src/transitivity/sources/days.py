"""When games were played: days that a user gives, and dates as files write them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import lru_cache
from re import error as PatternError

from transitivity.errors import InputError


def check_days(first: object, last: object) -> tuple[str, str]:
    """Return the days `first` and `last` as YYYY-MM-DD, an empty string for None; raise InputError if they are none."""
    days = []
    for name, value in (("first", first), ("last", last)):
        try:
            days.append("" if value is None else date.fromisoformat(str(value)).isoformat())
        except ValueError as error:
            raise InputError(f"{name} is {value!r}; give a day as YYYY-MM-DD.") from error
    if all(days) and days[0] > days[1]:
        raise InputError(f"first is {days[0]}, which is after last, {days[1]}; exchange them.")
    return days[0], days[1]


def check_format(date_format: object) -> None:
    """Raise InputError if `date_format` is not a form of dates, as `moment` takes it."""
    if date_format is None or date_format == "unix":
        return
    try:
        written = datetime(2020, 1, 31, tzinfo=UTC).strftime(date_format)  # type: ignore[arg-type]
        datetime.strptime(written, date_format)  # type: ignore[arg-type]
    except (ValueError, TypeError, PatternError) as error:
        raise InputError(f"date_format is {date_format!r} ({error}); write it like '%d/%m/%Y', or 'unix'.") from error


@lru_cache(100_000)
def moment(written: str, date_format: str | None = None) -> str:
    """Return a date or time in ISO form, an empty string where it is none.

    Parameters
    ----------
    written : str
        As the file has it.
    date_format : str, optional
        As for `datetime.strptime`, or "unix" for seconds since 1970; by default ISO dates or times, also as 20200131,
        2020.01.31 or 2020/01/31.
    """
    try:
        if date_format == "unix":
            return datetime.fromtimestamp(float(written), UTC).replace(tzinfo=None).isoformat()
        if date_format is not None:
            return datetime.strptime(written, date_format).isoformat()
        written = written.replace(written[4], "-", 2) if written[4:5] in (".", "/") else written
        return datetime.fromisoformat(written.replace(" UTC", "+00:00")).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
