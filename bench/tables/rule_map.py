"""The picture of the study "When does which rule win?": errors of rules on sets, as ratios."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import svg

from rosenblatt.plots import style

NAME = "which_rule.svg"
NEAR, FAR = 1.1, 4.0  # ratios: near the least error, and as pale as it gets
SHADE = 0.55  # of the cells that are not near: dark letters stay readable on it
LEAST = 0.01  # percent: the last digit of the table, for ratios to an error of zero
MEAN = "mean rank"  # the last line of the table


class Errors(NamedTuple):
    """Errors in percent.

    Attributes
    ----------
    sets, rules : list of str
    values : ndarray of shape (sets, rules)
    """

    sets: list[str]
    rules: list[str]
    values: Any


def errors_of(text: str) -> Errors:
    r"""Return the errors of the table in a text.

    Examples
    --------
    >>> errors_of("| | pa | cw |\n| --- | --- | --- |\n| a1a | **1.50** | 2.25 |").values.tolist()
    [[1.5, 2.25]]
    """
    lines = [line.strip("| ") for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip(" *") for cell in line.split("|")] for line in lines]
    header, _, *rows = cells
    rows = [row for row in rows if row[0] != MEAN]
    rules = header[-(len(rows[0]) - 1) :]
    return Errors([row[0] for row in rows], rules, np.array([row[1:] for row in rows], float))


def ratios(errors: Errors) -> Any:
    """Return each error divided by the least of its set."""
    least = np.maximum(errors.values.min(axis=1, keepdims=True), LEAST)
    return np.maximum(errors.values / least, 1.0)


def alt_text(errors: Errors) -> str:
    """Return what the picture shows, in words."""
    best = [errors.rules[k] for k in errors.values.argmin(axis=1)]
    firsts = "; ".join(f"{rule} on {name}" for name, rule in zip(errors.sets, best, strict=True))
    return (
        f"A map of {len(errors.sets)} sets and {len(errors.rules)} rules, the error of each rule "
        f"divided by the least error of the set. Least errors: {firsts}"
    )


@style.common_style()
def draw(errors: Errors) -> Any:
    """Return the figure: a row for each set and a column for each rule, the best rule first."""
    values = ratios(errors)
    order = np.argsort(np.log(values).mean(axis=0), kind="stable")
    values, rules = values[:, order], [errors.rules[k] for k in order]
    n, m = values.shape
    axes = style.figure(2.6 + 0.56 * m, 2.3 + 0.34 * n).add_subplot()
    near = values <= NEAR
    depth = np.where(near, 1.0, SHADE * np.clip(1.0 - np.log(values) / np.log(FAR), 0.0, 1.0))
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("depth", ["white", style.BLUE])
    axes.pcolormesh(depth, cmap=shades, vmin=0.0, vmax=1.0, edgecolors="white", linewidth=2)
    for i, k in np.ndindex(n, m):
        look = {"color": "white", "weight": "bold"} if near[i, k] else {"color": style.INK}
        at = {"ha": "center", "va": "center", "size": style.SMALL_TEXT}
        axes.text(k + 0.5, i + 0.5, in_digits(values[i, k]), **look, **at)
    axes.set_xticks(np.arange(m) + 0.5, rules, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(np.arange(n) + 0.5, errors.sets)
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    counts = near.sum(axis=0)
    first = int(counts.argmax())
    style.title(
        axes,
        f"{rules[first]} is within a tenth of the least error on {counts[first]} of {n} sets",
        "Error of one pass, divided by the least of the set. Bold: at most 1.1.\n"
        "Columns: the rule with the smallest mean ratio (geometric) first.",
    )
    return axes.figure


def in_digits(ratio: float) -> str:
    """Return a ratio with the digits that tell it apart.

    >>> in_digits(1.0), in_digits(1.04), in_digits(3.26), in_digits(41.7), in_digits(2205.0)
    ('1', '1.04', '3.3', '42', '> 99')
    """
    if ratio == 1.0 or ratio > 99.0:
        return "1" if ratio == 1.0 else "> 99"
    return f"{ratio:.{2 if ratio < 2 else 1 if ratio < 10 else 0}f}"


def save(text: str, folder: Path) -> None:
    """Draw the table of a text into a folder; the same table gives the same bytes."""
    svg.write(draw(errors_of(text)), folder / NAME)
