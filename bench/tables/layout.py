"""One layout for the tables of papers and programs that are reproduced here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from markdown import table

import rosenblatt

C = [2.0**power for power in range(-4, 5)]
ETA = [2.0**power for power in range(-8, 3)]
PHI = [0.13, 0.25, 0.39, 0.52, 0.67, 0.84, 1.04, 1.28, 1.64]  # Φ of them: 55, 60, …, 95 %
RULES = rosenblatt.rules

GRIDS: dict[str, list[Any]] = {
    "perceptron": [RULES.Perceptron()],
    "PA": [RULES.PA()],
    "PA-I": [RULES.PA1(c) for c in C],
    "PA-II": [RULES.PA2(c) for c in C],
    "ROMMA": [RULES.ROMMA()],
    "aggressive ROMMA": [RULES.AggressiveROMMA()],
    "ALMA": [RULES.ALMA(c) for c in C],
    "hinge, constant rate": [RULES.Hinge(eta) for eta in ETA],
    "OGD": [RULES.OGD(eta) for eta in ETA],
    "Pegasos": [RULES.Pegasos(10.0**power) for power in range(-6, 1)],
    "SOP": [RULES.SOP(a) for a in C],
    "AROW": [RULES.AROW(r) for r in C],
    "NAROW": [RULES.NAROW(b) for b in C],
    "CW": [RULES.CW(phi) for phi in PHI],
    "ECCW": [RULES.CWStdev(phi) for phi in PHI],
    "SCW-I": [RULES.SCW1(c, phi) for c in C[::2] for phi in PHI[::2]],
    "SCW-II": [RULES.SCW2(c, phi) for c in C[::2] for phi in PHI[::2]],
    "AdaGrad, hinge": [RULES.AdaGrad(eta) for eta in ETA],
    "AdaGrad, logistic": [RULES.AdaGradLogistic(eta) for eta in ETA],
}
"""The settings that each rule is chosen from."""


class Cell(NamedTuple):
    """What was published and what was measured here.

    Attributes
    ----------
    name : str
        The learner.
    published : float or None
        The figure of the source.
    values : sequence of float
        One for each permutation.
    tolerance : float
        How far the mean may be from the published figure.
    setting : str
        The setting that was chosen.
    """

    name: str
    published: float | None
    values: Sequence[float]
    tolerance: float
    setting: str = ""

    def verdict(self) -> str:
        """Return whether the cell agrees with what was published."""
        if self.published is None:
            return ""
        near = abs(float(np.mean(self.values)) - self.published) <= self.tolerance
        return "agrees" if near else "**differs**"


def row_of(cell: Cell, digits: int) -> list[str]:
    """Return the cell's line of the table."""
    mean, deviation = float(np.mean(cell.values)), float(np.std(cell.values))
    spread = f" ± {deviation:.{digits}f}" if len(cell.values) > 1 else ""
    published = "–" if cell.published is None else f"{cell.published:.{digits}f}"
    return [cell.name, published, f"{mean:.{digits}f}{spread}", cell.verdict(), cell.setting]


def page_of(cells: Sequence[Cell], digits: int) -> str:
    """Return the Markdown table of the cells."""
    rows = [row_of(cell, digits) for cell in cells]
    return table(["", "published", "here", "verdict", "setting"], rows)


def perceptron(rule: Any, **params: Any) -> Any:
    """Return the learner of one pass in the order of the rows."""
    return rosenblatt.Perceptron(rule=rule, max_iter=1, tol=None, shuffle=False, **params)


def best(rules: Sequence[Any], error: Callable[[Any], float]) -> Any:
    """Return the rule with the least error, the first of several."""
    return rules[0] if len(rules) == 1 else min(rules, key=error)


def permutations(count: int, n: int, seed: int = 0) -> Iterator[Any]:
    """Yield random orders of n rows."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield rng.permutation(n)


def progressive_errors(rule: Any, X: Any, y: Any, order: Any) -> tuple[float, int]:
    """Return the error of one pass, each row predicted before it is learned, and the updates."""
    model = perceptron(rule, tie=1).fit(X[order], y[order])
    return float(model.history_["mistakes"][0]) / len(y), int(model.history_["updates"][0])
