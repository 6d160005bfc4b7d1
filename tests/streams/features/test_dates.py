"""Dates: spellings, the calendar, and what a column of them is."""

import datetime

import pytest
from profiles import is_thorough

from rosenblatt.streams.features.dates import infer_date, parse_date

EPOCH = datetime.datetime(2020, 1, 1)


def features(moment):
    years = (moment - EPOCH).total_seconds() / 86400 / 365.2425
    parts = [("month", str(moment.month)), ("weekday", moment.strftime("%a"))]
    if moment.time() != datetime.time(0):
        parts.append(("hour", str(moment.hour)))
    return years, tuple(parts)


MAY = datetime.datetime(2024, 5, 31)
EVENING = datetime.datetime(2024, 5, 31, 18, 5)
SPELLINGS = [
    ("date", MAY, "2024-05-31", "2024/5/31", "2024.05.31", "20240531", "31.5.2024", "31.05.24"),
    ("date", MAY, "31 May 2024", "31-May-2024", "31-MAY-24", "May 31, 2024", "may 31st 2024"),
    ("date", MAY, "Fri, 31 May 2024", "Friday, May 31, 2024", "2024-05-31 00:00:00"),
    ("date", EVENING, "2024-05-31T18:05Z", "2024-05-31 18:05:00+02:00", "2024-05-31 18:05 UTC"),
    ("date", EVENING, "Fri, 31 May 2024 18:05:00 +0000", "2024-05-31, 6:05 PM", "20240531T1805"),
    ("date-dmy", MAY, "31/5/2024", "31-05-2024", "31/05/24", "2024-05-31", "31.5.2024"),
    ("date-mdy", MAY, "5/31/2024", "05-31-2024", "5/31/24", "2024-05-31"),
    ("date-mdy", EVENING, "5/31/2024 6:05 pm", "5/31/2024 18:05:00.000"),
]


@pytest.mark.parametrize(
    ("kind", "moment", "cell"), [(k, m, cell) for k, m, *cells in SPELLINGS for cell in cells]
)
def test_spellings(kind, moment, cell):
    read = parse_date(cell, kind)
    years, parts = features(moment)
    assert read.years == pytest.approx(years, abs=1e-12)
    assert read.parts == parts


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        *(("2023-02-29", "date"), ("2024-13-01", "date"), ("0000-01-01", "date"), ("", "date")),
        *(("5/31/2024", "date"), ("31/5/2024", "date-mdy"), ("5/31/2024", "date-dmy")),
        *(("2024-05-31 24:00", "date"), ("2024-05-31 12:60", "date"), ("13:00 pm", "time")),
        *(("2024-05-31T", "date"), ("31 Mai 2024", "date"), ("Mar 2024", "date"), ("5-6", "date")),
        *(("12:5", "time"), ("125:00", "time"), ("18", "time"), ("2024-05/31", "date")),
    ],
)
def test_what_is_no_date(cell, kind):
    assert parse_date(cell, kind) is None


def test_days_of_two_centuries():
    """Every fifth, and each in a thorough run."""
    step = datetime.timedelta(days=1 if is_thorough() else 5)
    day, last = datetime.date(1900, 1, 1), datetime.date(2100, 3, 2)
    before = parse_date((day - step).isoformat(), "date").years
    while day < last:
        read = parse_date(day.isoformat(), "date")
        assert read.parts == (("month", str(day.month)), ("weekday", day.strftime("%a")))
        assert 0.0 < read.years - before < 0.0028 * step.days
        before, day = read.years, day + step


def test_a_month_has_no_weekday_and_a_time_no_years():
    assert parse_date("2024-05", "date").parts == (("month", "5"),)
    assert parse_date("0:00", "time") == (None, (("hour", "0"),))
    assert parse_date("12:30 am", "time").parts == (("hour", "0"),)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["2024-05-31", "never", "2024-06-01"], "date"),
        (["2024-05-31", "never", "soon"], None),
        (["1/2/2024", "13/2/2024"], "date-dmy"),
        (["1/2/2024", "2/13/2024"], "date-mdy"),
        (["1/2/2024", "2/3/2024"], "date"),
        (["18:30", "7:05 am"], "time"),
        (["red", "blue"], None),
        (["1:2", "3:1"], None),
        ([], None),
    ],
)
def test_kinds(cells, kind):
    assert infer_date(cells) == kind
