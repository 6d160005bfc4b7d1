"""A stream like elec2, an electricity market: prices go up or down, by a rule that drifts."""

import numpy as np

COLUMNS = ("period", "nswprice", "nswdemand", "vicprice", "vicdemand", "transfer")
LABELS = ("DOWN", "UP")


def electricity_lines(rows, changes, seed=0):
    """Lines of CSV with a header; after each row of ``changes`` the prices follow another rule."""
    random = np.random.default_rng(seed)
    X = random.random((rows, len(COLUMNS)))
    X[:, 0] = np.arange(rows) % 48 / 47
    w = np.array([0.5, 2.0, 1.0, -1.5, -1.0, 0.5])
    rules = np.searchsorted(changes, np.arange(rows), side="right")
    score = (X - 0.5) @ w * np.where(rules % 2, -1.0, 1.0) + 0.15 * random.normal(size=rows)
    cells = [[f"{value:.6f}" for value in row] for row in X]
    labels = np.where(score > 0, LABELS[1], LABELS[0]).tolist()
    lines = [",".join([*row, label]) for row, label in zip(cells, labels, strict=True)]
    return [",".join([*COLUMNS, "class"]), *lines]
