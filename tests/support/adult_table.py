"""A table like UCI's adult: incomes of people, with columns of very different scales."""

from __future__ import annotations

import numpy as np

NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
CATEGORIES = ("workclass", "marital-status", "occupation", "sex")
LABELS = ("<=50K", ">50K")

_EDUCATION = {13: 0.16, 14: 0.06, 10: 0.22, 9: 0.33, 7: 0.04, 11: 0.05, 12: 0.04, 6: 0.03, 16: 0.07}
_WORKCLASS = {"Private": 0.70, "Self-emp-not-inc": 0.08, "Local-gov": 0.07, "State-gov": 0.05,
              "Self-emp-inc": 0.04, "?": 0.06}  # fmt: skip
_MARITAL = {"Married-civ-spouse": 0.46, "Never-married": 0.33, "Divorced": 0.14, "Separated": 0.03,
            "Widowed": 0.04}  # fmt: skip
_OCCUPATION = {"Exec-managerial": 0.13, "Prof-specialty": 0.13, "Craft-repair": 0.13,
               "Adm-clerical": 0.12, "Sales": 0.11, "Other-service": 0.10, "Machine-op": 0.07,
               "Transport": 0.05, "Handlers": 0.04, "Tech-support": 0.06, "?": 0.06}  # fmt: skip
_EFFECT = {"Married-civ-spouse": 1.7, "Never-married": -1.0, "Exec-managerial": 0.8,
           "Prof-specialty": 0.6, "Tech-support": 0.5, "Other-service": -0.9, "Handlers": -0.8,
           "Self-emp-inc": 0.4, "Male": 0.3}  # fmt: skip


def _draw(random, shares, rows):
    values = np.array(list(shares))
    weights = np.array(list(shares.values()))
    return random.choice(values, rows, p=weights / weights.sum())


def adult_columns(rows, seed=0):
    """Columns by name, the label last: numbers as float64, categories and labels as text."""
    random = np.random.default_rng(seed)
    age = np.clip(random.gamma(8.5, 4.6, rows), 17, 90).round()
    education = _draw(random, _EDUCATION, rows).astype(float)
    hours = np.clip(random.normal(40, 12, rows), 1, 99).round()
    gain = np.where(random.random(rows) < 0.08, np.exp(random.normal(8.6, 0.9, rows)), 0.0)
    gain[random.random(rows) < 0.005] = 99999.0
    loss = np.where(random.random(rows) < 0.047, random.normal(1870, 380, rows), 0.0).clip(0)
    columns = {
        "age": age,
        "fnlwgt": np.exp(random.normal(12.0, 0.55, rows)).round(),
        "education-num": education,
        "capital-gain": gain.round(),
        "capital-loss": loss.round(),
        "hours-per-week": hours,
        "workclass": _draw(random, _WORKCLASS, rows),
        "marital-status": _draw(random, _MARITAL, rows),
        "occupation": _draw(random, _OCCUPATION, rows),
        "sex": _draw(random, {"Male": 0.67, "Female": 0.33}, rows),
    }
    score = -3.2 + 0.33 * (education - 10) + 0.04 * (age - 38) + 0.03 * (hours - 40)
    score -= 0.0018 * np.maximum(age - 52, 0) ** 2
    score += np.minimum(gain, 20000) / 2800 + loss / 1300
    for name in CATEGORIES:
        score += np.array([_EFFECT.get(value, 0.0) for value in columns[name]])
    income = random.random(rows) < 1 / (1 + np.exp(-score))
    return columns | {"income": np.where(income, LABELS[1], LABELS[0])}


def write_adult_table(path, rows, seed=0):
    """Write the table as CSV with a header."""
    columns = adult_columns(rows, seed)
    cells = [
        column.astype(np.int64).astype(str) if column.dtype.kind == "f" else column
        for column in columns.values()
    ]
    lines = [",".join(columns), *map(",".join, zip(*cells, strict=True))]
    path.write_text("\n".join(lines) + "\n")
