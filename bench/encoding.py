"""Raw rows as numbers: RowEncoder, the command's reader of the same rows, and scikit-learn.

Run: python bench/encoding.py
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from markdown import pretty, table
from measure import Part, absent, machine, peer
from ratios import Finding, Times, alternate, medians, ratio
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rosenblatt import RowEncoder
from rosenblatt.streams import open_stream

ROWS, NUMBERS = 50_000, 6
CATEGORIES = (9, 16, 7, 15, 6, 5, 2, 42)  # of each column of words, as in adult
MISSING = 0.02  # of all cells
READER, TRANSFORMER = "the command's reader of the CSV", "scikit-learn ColumnTransformer"


def columns() -> dict[str, Any]:
    """Return columns like those of adult, with missing cells."""
    random = np.random.default_rng(0)
    made: dict[str, Any] = {}
    for j in range(NUMBERS):
        column = random.normal(50, 20, ROWS).round(2)
        column[random.random(ROWS) < MISSING] = np.nan
        made[f"n{j}"] = column
    for j, count in enumerate(CATEGORIES):
        words = np.array([f"value-{k}" for k in range(count)], object)
        column = words[random.integers(count, size=ROWS)]
        column[random.random(ROWS) < MISSING] = None
        made[f"c{j}"] = column
    return made | {"y": random.integers(2, size=ROWS)}


def transformer() -> Any:
    """Return the usual preprocessing of scikit-learn."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    words = OneHotEncoder(handle_unknown="ignore")
    return ColumnTransformer(
        [
            ("numbers", numbers, [f"n{j}" for j in range(NUMBERS)]),
            ("words", words, [f"c{j}" for j in range(len(CATEGORIES))]),
        ]
    )


def encoder(scale: bool = True) -> RowEncoder:
    return RowEncoder(impute="mean", scale=scale)


def compare(pandas: Any, path: Path) -> Part:
    frame = pandas.DataFrame(columns())
    frame.to_csv(path, index=False)
    rows = pandas.read_csv(path).drop(columns="y")
    dicts = rows.to_dict("records")
    fitted, theirs = encoder().fit(rows), transformer().fit(rows)
    works: dict[str, Callable[[], object]] = {
        READER: lambda: open_stream(path, impute="mean").whole(),
        "encode, as it reads": lambda: encoder(scale=False).partial_fit_transform(rows),
        "read_csv, and encode": lambda: encoder(scale=False).partial_fit_transform(
            pandas.read_csv(path).drop(columns="y")
        ),
        "fit_transform": lambda: encoder().fit_transform(rows),
        f"{TRANSFORMER}, fit_transform": lambda: transformer().fit_transform(rows),
        "transform": lambda: fitted.transform(rows),
        f"{TRANSFORMER}, transform": lambda: theirs.transform(rows),
        "transform of dicts": lambda: fitted.transform(dicts),
    }

    def lines(times: Times) -> list[Finding]:
        pairs = [
            ("raw rows of a DataFrame as numbers", READER, READER, "encode, as it reads", 0.8),
            (
                "pandas.read_csv, and its rows as numbers",
                READER,
                READER,
                "read_csv, and encode",
                0.8,
            ),
            *(
                (
                    f"{name} of numbers, categories and missing cells",
                    TRANSFORMER,
                    f"{TRANSFORMER}, {name}",
                    name,
                    2.0,
                )
                for name in ("fit_transform", "transform")
            ),
        ]
        return [
            Finding(work, of, ratio(times[theirs], times[ours]), wanted)
            for work, of, theirs, ours, wanted in pairs
        ]

    times, findings = alternate(works, lines)
    cells = ROWS * (NUMBERS + len(CATEGORIES))
    listed = [[name, pretty(t), f"{cells / t / 1e6:.1f} M"] for name, t in medians(times).items()]
    title = f"### Raw rows as numbers ({ROWS:,} × {NUMBERS} numbers, {len(CATEGORIES)} categories)"
    note = (
        "`ColumnTransformer` has `SimpleImputer`, `StandardScaler` and `OneHotEncoder`; "
        '`RowEncoder` has `impute="mean", scale=True` beside it, and no scale beside the reader.'
    )
    return Part(f"{title}\n\n{note}\n\n{table(['', 'median', 'cells a second'], listed)}", findings)


def main() -> Part:
    pandas = peer("pandas")
    if pandas is None:
        return absent("Raw rows as numbers", "pandas is not installed")
    with tempfile.TemporaryDirectory() as folder:
        return compare(pandas, Path(folder) / "rows.csv")


if __name__ == "__main__":
    print(machine(), "\n")
    done = main()
    print(done.text)
    for finding in done.findings:
        print(f"{finding.work} / {finding.peer}: {finding.ratio}, wanted {finding.wanted}")
