"""Dates and times in cells: their spellings, and the features that they become."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rosenblatt.streams.core.missing import FILL_IN, FILL_IN_ROWS
from rosenblatt.streams.core.options import DATE_KINDS
from rosenblatt.utils.words import missing_option, option_value, schema_option

YEARS = "years"
"""The part of a date that is a number."""

PARTS = (YEARS, "month", "weekday", "hour")
"""The parts of a date."""

_YEAR_DAYS = 365.2425  # the mean length of a year of the calendar
_EPOCH = datetime.date(2020, 1, 1).toordinal()  # numbers of today are small, as scales matter
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FULL_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_PIVOT = 69  # of years with two digits, as in POSIX: 69 is 1969, 68 is 2068
_LONGEST = 64  # letters of a date, blanks around it included
_SAMPLE = 50  # cells; a column without a date among them is none of dates

_CLOCK = (
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}(?:[.,][0-9]+)?))?"
    r"(?:\s*(?P<half>[ap])\.?m\.?)?(?:\s*(?:z|utc|gmt|[+-][0-9]{2}(?::?[0-9]{2})?))?"
)
_YEAR = r"(?P<year>[0-9]{4})"
_SHORT_YEAR = r"(?P<year>[0-9]{4}|[0-9]{2})"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?"
_MONTH_NAME = r"(?P<name>[a-z]{3,9})\.?"


def _pattern(date: str) -> re.Pattern[str]:
    return re.compile(rf"{date}(?:(?:t|,?\s+){_CLOCK})?", re.IGNORECASE)


_YEAR_FIRST = _pattern(rf"{_YEAR}([-/.])(?P<month>[0-9]{{1,2}})\2(?P<day>[0-9]{{1,2}})")
_MONTHLY = re.compile(rf"{_YEAR}[-/](?P<month>[0-9]{{1,2}})")
_COMPACT = re.compile(
    rf"{_YEAR}(?P<month>[0-9]{{2}})(?P<day>[0-9]{{2}})"
    r"(?:t(?P<hour>[0-9]{2})(?P<minute>[0-9]{2})(?P<second>[0-9]{2})?z?)?",
    re.IGNORECASE,
)
_NAMED = (
    _pattern(rf"{_WEEKDAY}(?P<day>[0-9]{{1,2}})[-\s]+{_MONTH_NAME},?[-\s]+{_SHORT_YEAR}"),
    _pattern(rf"{_WEEKDAY}{_MONTH_NAME}\s+(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,?\s+{_YEAR}"),
)
_DAY_FIRST = _pattern(rf"(?P<day>[0-9]{{1,2}})([-/.])(?P<month>[0-9]{{1,2}})\2{_SHORT_YEAR}")
_WITH_POINTS = _pattern(rf"(?P<day>[0-9]{{1,2}})\.(?P<month>[0-9]{{1,2}})\.{_SHORT_YEAR}")
_MONTH_FIRST = _pattern(rf"(?P<month>[0-9]{{1,2}})([-/.])(?P<day>[0-9]{{1,2}})\2{_SHORT_YEAR}")
_ALWAYS = (_YEAR_FIRST, _MONTHLY, _COMPACT, *_NAMED)  # whose order is clear
_PATTERNS = {
    "date": (*_ALWAYS, _WITH_POINTS),
    "date-dmy": (*_ALWAYS, _DAY_FIRST),
    "date-mdy": (*_ALWAYS, _MONTH_FIRST),
    "time": (re.compile(_CLOCK, re.IGNORECASE),),
}


class Moment(NamedTuple):
    """The features of a date, or of a time of day.

    Parameters
    ----------
    years : float or None
        Years since 2020, with the fraction: (days since 2020-01-01) / 365.2425. None for a time.
    parts : tuple of (str, str)
        ``month``, 1 to 12; ``weekday``, Mon to Sun; and ``hour``, 0 to 23: those that are known.
    """

    years: float | None
    parts: tuple[tuple[str, str], ...]


def parse_date(cell: str, kind: str) -> Moment | None:
    """Return the features of a cell of a kind of dates, or None if it is none.

    A date has the year first (``2024-05-31``, ``2024/5/31``, ``20240531``, ``2024-05`` without a
    weekday), points (``31.5.2024``) or the English name of its month (``31-May-2024``,
    ``May 31, 2024``), a time of day perhaps after it. With slashes or hyphens the kind says what is
    first, the day (``date-dmy``) or the month (``date-mdy``). Years of two digits are 1969 to 2068.
    A zone is ignored: the clock is that of the cell. At midnight, 0:00, a date has no hour, since
    programs write days so.

    Parameters
    ----------
    cell : str
    kind : {"date", "date-dmy", "date-mdy", "time"}

    Examples
    --------
    >>> parse_date("2024-05-31T18:30:00Z", "date")  # doctest: +NORMALIZE_WHITESPACE
    Moment(years=4.415616565250028, parts=(('month', '5'), ('weekday', 'Fri'), ('hour', '18')))
    >>> parse_date("5/6/2024", "date-mdy").parts, parse_date("5/6/2024", "date")
    ((('month', '5'), ('weekday', 'Mon')), None)
    >>> parse_date("7:05 pm", "time").parts
    (('hour', '19'),)
    """
    return _parse(cell, kind) if len(cell) <= _LONGEST else None


@lru_cache(maxsize=1 << 16)
def _parse(cell: str, kind: str) -> Moment | None:
    word = cell.strip()
    match = next((m for m in (p.fullmatch(word) for p in _PATTERNS[kind]) if m is not None), None)
    if match is None:
        return None
    fields = match.groupdict()
    seconds = _seconds_of_day(fields)
    if seconds is None:
        return None
    if kind == "time":
        return Moment(None, (("hour", str(int(seconds // 3600))),))
    day = _day_of(fields)
    if day is None:
        return None
    parts = [("month", str(day.month))]
    if fields.get("day") is not None:
        parts.append(("weekday", _WEEKDAYS[day.weekday()]))
    if seconds > 0.0:
        parts.append(("hour", str(int(seconds // 3600))))
    return Moment((day.toordinal() - _EPOCH + seconds / 86400) / _YEAR_DAYS, tuple(parts))


def _day_of(fields: dict[str, str | None]) -> datetime.date | None:
    """Return the day of the parts of a date; None if the calendar has no such day."""
    year, day = int(fields["year"] or 0), int(fields.get("day") or 1)
    if len(fields["year"] or "") == 2:
        year += 1900 if year >= _PIVOT else 2000
    name = (fields.get("name") or "").lower()
    if name:
        is_month = name in (*_MONTHS, *_FULL_MONTHS)
        month = _MONTHS.index(name[:3]) + 1 if is_month else 0
    else:
        month = int(fields["month"] or 0)
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def _seconds_of_day(fields: dict[str, str | None]) -> float | None:
    """Return the seconds since midnight, 0 without a time of day; None if no clock shows them."""
    if fields.get("hour") is None:
        return 0.0
    hour, minute = int(fields["hour"] or 0), int(fields["minute"] or 0)
    second = float((fields.get("second") or "0").replace(",", "."))
    half = (fields.get("half") or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    if hour > 23 or minute > 59 or second >= 61.0:  # a minute may have a leap second
        return None
    return 3600 * hour + 60 * minute + min(second, 59.999999)


def infer_date(cells: Sequence[str]) -> str | None:
    """Return the kind of dates of a column, or None if fewer than half of its cells are dates.

    Where the first cells do not tell whether the day or the month is first, the kind is ``date``,
    which such cells are not: their reader must be told.

    Parameters
    ----------
    cells : sequence of str
        Cells that are not missing.

    Examples
    --------
    >>> infer_date(["2024-05-31", "31.5.2024"]), infer_date(["18:30", "7:05"])
    ('date', 'time')
    >>> infer_date(["5/31/2024", "1/2/2024"]), infer_date(["31/5/2024"]), infer_date(["1/2/2024"])
    ('date-mdy', 'date-dmy', 'date')
    >>> infer_date(["may", "june"])
    """
    sample = cells[:_SAMPLE]
    if not any(parse_date(cell, kind) for cell in sample for kind in DATE_KINDS):
        return None
    counts = {kind: sum(parse_date(c, kind) is not None for c in cells) for kind in DATE_KINDS}
    most = max(counts.values())
    if 2 * most < len(cells):
        return None
    best = [kind for kind in DATE_KINDS if counts[kind] == most]
    return best[0] if best[0] in ("date", "time") or len(best) == 1 else "date"


class DateError(ValueError):
    """A cell of a column of dates that is none: its arguments are those of :func:`date_fault`."""


def date_fault(name: str, cell: str, kind: str, *, in_python: bool = False) -> str:
    """Return what is wrong with a cell of a column of dates, and what to do.

    Parameters
    ----------
    name, cell, kind : str
    in_python : bool, default False
        Whether the options are written as arguments in Python, not as those of the command.

    Examples
    --------
    >>> date_fault("when", "1/2/2024", "date")
    "column 'when': found '1/2/2024', whose day or month is first: --schema when:date-dmy, or \
when:date-mdy; or leave it out: --schema when:skip."
    >>> date_fault("when", "soon", "date")
    "column 'when': found 'soon', expected a date: correct it, or leave the column out: --schema \
when:skip; as categories: when:category; if the cell is missing: --missing 'soon'."
    >>> date_fault("when", "1/2/2024", "date", in_python=True)
    "column 'when': found '1/2/2024', whose day or month is first: schema={'when': 'date-dmy'}, or \
'date-mdy'; or leave it out: schema={'when': 'skip'}."
    """

    def option(kind: str) -> str:
        return f"schema={{{name!r}: {kind!r}}}" if in_python else schema_option(name, kind)

    def value(kind: str) -> str:
        return repr(kind) if in_python else option_value([f"{name}:{kind}"])

    start = f"column {name!r}: found {repr(cell[:40]) if cell else 'nothing'}"
    skip = option("skip")
    if kind == "date" and (parse_date(cell, "date-dmy") or parse_date(cell, "date-mdy")):
        orders = f"{option('date-dmy')}, or {value('date-mdy')}"
        return f"{start}, whose day or month is first: {orders}; or leave it out: {skip}."
    noun = "a time of day" if kind == "time" else "a date"
    if not cell:
        remedy = FILL_IN_ROWS if in_python else FILL_IN
        return f"{start}, expected {noun}: fill it in, or leave the row out; {remedy}."
    missing = f"missing={cell[:40]!r}" if in_python else missing_option(cell)
    return (
        f"{start}, expected {noun}: correct it, or leave the column out: {skip}; as categories: "
        f"{value('category')}; if the cell is missing: {missing}."
    )
