"""The verdict of a certificate in words, for every screen."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Any

import numpy as np
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rosenblatt.cli.display import fmt, render
from rosenblatt.proofs import Certificate, Certificates
from rosenblatt.proofs.check.data import LabelledData, as_matrix
from rosenblatt.proofs.check.exact_signs import exact_signs

Facts = list[tuple[str, RenderableType]]

_COLOURS = {
    "separable": "green",
    "quasi-separable": "yellow",
    "inseparable": "red",
    "undecided": "magenta",
}
_MAX_ROWS = 12
_MAX_NAMES = 8
_MAX_EXACT_WEIGHT = 10**12  # a weight that is shown digit by digit
_BAR_WIDTH = 20  # for the longest bar


def list_certificates(proof: Certificate | Certificates) -> list[Certificate]:
    """The certificate or, of several classes, all of them."""
    return [proof] if isinstance(proof, Certificate) else list(proof.values())


# --- one sentence --------------------------------------------------------------------------------


def headline(proof: Certificate | Certificates) -> Text:
    """The verdict, and what it means."""
    if isinstance(proof, Certificates):
        return Text.assemble(
            (f"{len(proof):,} classes", "bold"), ", each against the rest: ", _count_statuses(proof)
        )
    verdict = (f"{proof.status.capitalize()}.", f"bold {_COLOURS[proof.status]}")
    return Text.assemble(verdict, " ", _meaning(proof))


def _count_statuses(proofs: Certificates) -> Text:
    counts = Counter(proof.status for proof in proofs.values())
    parts = [
        Text.assemble(f"{counts[status]:,} ", (status, colour))
        for status, colour in _COLOURS.items()
        if counts[status]
    ]
    return Text(", ").join(parts) + Text(".")


def _meaning(proof: Certificate) -> str:
    plane = "hyperplane" if proof.fit_intercept else "hyperplane through the origin"
    if proof.status == "separable":
        return f"A {plane} puts every row on its side, with a margin of {proof.margin[0]:.4g}."
    if proof.status == "quasi-separable":
        return (
            f"No {plane} puts every row strictly on its own side, but one has no row on the wrong "
            "side: some lie beside it, the others exactly on it."
        )
    if proof.status == "inseparable":
        return (
            f"The classes overlap: wherever a {plane} parts the rows, some are on the wrong side."
        )
    if proof.margin[1] > 0.0:
        return f"Whether a {plane} separates the classes is open: give a longer --time-limit."
    return (
        f"No {plane} puts every row strictly on its own side; whether one has no row on the wrong "
        "side is open: give a longer --time-limit."
    )


def summary(proof: Certificate | Certificates) -> str:
    """The verdict in few words, and what it means for a perceptron."""
    if isinstance(proof, Certificates):
        return f"each class against the rest: {_count_statuses(proof).plain.rstrip('.')}"
    if proof.mistake_bound < math.inf:
        return f"separable: a plain perceptron makes at most {_format_bound(proof)}"
    if proof.margin[1] == 0.0:
        return f"{proof.status}: no pass ever ends without a mistake"
    return proof.status


def _format_bound(proof: Certificate) -> str:
    bound = proof.mistake_bound
    return fmt.count(math.floor(bound), "mistake") if bound < 1e12 else f"{bound:.3g} mistakes"


# --- facts ---------------------------------------------------------------------------------------


def facts(proof: Certificate, X: Any, y: Any, base: int) -> Facts:
    """What is known of two classes.

    Parameters
    ----------
    proof : Certificate
    X : array or csr_array of shape (n, d)
    y : array of shape (n,)
        The labels.
    base : int
        The index of the first feature, where features have no names.
    """
    return [
        ("classes", _format_classes(proof, y)),
        ("margin", format_margin(*proof.margin)),
        *_hyperplane_facts(proof, X, y),
        ("radius", f"R = {proof.radius:.4g}, the longest row"),
        ("perceptron", _format_run(proof)),
        *_mistake_bound_facts(proof),
        *_logistic_facts(proof, base),
    ]


def _hyperplane_facts(proof: Certificate, X: Any, y: Any) -> Facts:
    """How many rows the direction of a quasi-separable set decides."""
    if proof.direction is None:
        return []
    data = LabelledData(as_matrix(X), np.where(y == proof.positive, 1.0, -1.0))
    count = int(np.count_nonzero(exact_signs(data, proof.direction, (0, 0), 0.0)))
    on = fmt.count(len(y) - count, "row")
    return [("hyperplane", f"{fmt.count(count, 'row')} beside it, {on} on it, none wrong")]


def _mistake_bound_facts(proof: Certificate) -> Facts:
    if proof.mistake_bound == math.inf:
        return []
    return [("", f"at most {_format_bound(proof)}, in any order of the rows (Novikoff)")]


def _format_classes(proof: Certificate, y: Any) -> str:
    count = int(np.count_nonzero(y == proof.positive))
    positive = f"{fmt.label(proof.positive)} ({fmt.count(count, 'row')}) counts as +1"
    return f"{positive}, {fmt.label(proof.negative)} ({fmt.count(len(y) - count, 'row')}) as −1"


def format_margin(low: float, high: float) -> str:
    """The ends of an interval for a margin, with the digits that tell them apart.

    Examples
    --------
    >>> format_margin(0.8175557692887542, 0.8175557692888374), format_margin(1.0, 1.0),
    format_margin(0.0, 0.0) ('0.81755576928875 to 0.81755576928884 (relative width 1e-13)', '1.0
    exactly', 'none')
    >>> format_margin(0.0, 0.5)
    'at most 0.5'
    """
    if high == 0.0:
        return "none"
    if low == 0.0:
        return "unknown" if high == math.inf else f"at most {high:.4g}"
    if low == high:
        return f"{low!r} exactly"
    width = (high - low) / high
    digits = min(17, 1 + math.ceil(-math.log10(width)))
    floor = Context(digits, ROUND_FLOOR).create_decimal_from_float(low)
    ceiling = Context(digits, ROUND_CEILING).create_decimal_from_float(high)
    return f"{floor:g} to {ceiling:g} (relative width {width:.0e})"


def _format_run(proof: Certificate) -> str:
    mistakes = f"{fmt.count(proof.mistakes, 'mistake')} in {fmt.count(proof.epochs, 'pass')}"
    return f"{mistakes}, {'the last one clean' if proof.converged else 'none of them clean'}"


def _logistic_facts(proof: Certificate, base: int) -> Facts:
    """What becomes of a logistic regression's estimate."""
    if proof.status == "undecided":
        return []
    if proof.status == "inseparable":
        return [("logistic fit", "every estimate stays finite")]
    lines = [f"{names} → {end}" for end, names in _diverging_features(proof, base)]
    if proof.status == "quasi-separable" and not proof.diverging.all():
        lines.append("all others stay finite")
    lines.append(f"no finite estimate: {_advice(proof)}")
    return [("" if i else "logistic fit", line) for i, line in enumerate(lines)]


def _diverging_features(proof: Certificate, base: int) -> list[tuple[str, str]]:
    """The features whose estimate runs off, by where to."""
    features = []
    for sign, end in ((1, "+∞"), (-1, "−∞")):
        names = [
            feature_name(proof, j, base) for j in np.flatnonzero(proof.diverging == sign).tolist()
        ]
        if np.sign(proof.intercept) == sign:
            names.append("the intercept")
        if names:
            features.append((end, fmt.listing(names, _MAX_NAMES)))
    return features


def _advice(proof: Certificate) -> str:
    if proof.status == "separable":
        return "use a penalty"
    count = np.count_nonzero(proof.diverging)
    return f"use a penalty (Firth's, say), or reconsider the feature{'s' if count > 1 else ''}"


def _format_dependence(proof: Certificate) -> str:
    rows = len(proof.rows)
    return f"{fmt.count(rows, 'row')} that cancel" if rows > 1 else "a row that is zero"


def feature_name(proof: Certificate, j: int, base: int) -> str:
    """The name of a feature, or x and its index."""
    return proof.feature_names[j] if proof.feature_names is not None else f"x{j + base}"


# --- rows and classes ----------------------------------------------------------------------------


def row_heading(proof: Certificate) -> Text:
    """What the rows with weights are for."""
    if proof.status == "separable":
        return render.heading("Support rows", "they alone fix the margin; rows count from 0")
    if proof.fit_intercept and proof.weights == (1, 1):
        return render.heading("Two equal rows of opposite classes", "rows count from 0")
    title = _format_dependence(proof)
    row = "(x, 1)" if proof.fit_intercept else "x"
    return render.heading(title, f"Σ λ y {row} = 0; rows count from 0")


def row_table(proof: Certificate, y: Any) -> Table:
    """The rows that prove it, each with its label and its weight: the heaviest where many are."""
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("row", justify="right")
    table.add_column("class", overflow="ellipsis", no_wrap=True, max_width=24)
    table.add_column("weight λ", justify="right", no_wrap=True)
    table.add_column("")
    heaviest = sorted(range(len(proof.rows)), key=lambda q: -proof.weights[q])[:_MAX_ROWS]
    longest = max(proof.weights)
    for q in sorted(heaviest):
        row, weight = int(proof.rows[q]), proof.weights[q]
        bar = "▇" * max(1, round(_BAR_WIDTH * (weight / longest)))
        colour = "blue" if y[row] == proof.positive else "red"
        label = fmt.label(y[row : row + 1].tolist()[0])
        table.add_row(
            f"{row:,}", Text(label), _format_weight(weight, proof.weights), Text(bar, colour)
        )
    return table


def _format_weight(weight: int, weights: Sequence[int]) -> str:
    if max(weights) < _MAX_EXACT_WEIGHT:
        return f"{weight:,}"
    return f"{100 * weight / sum(weights):.2f} %"


def omitted_rows(proof: Certificate, saved: bool) -> str:
    """What the table of rows does not tell, and where that is; "" where it tells all."""
    where = "in the proof" if saved else "in the proof that --proof FILE writes"
    if (more := len(proof.rows) - _MAX_ROWS) > 0:
        return f"… and {more:,} lighter, {where}"
    return f"exact weights {where}" if max(proof.weights, default=0) >= _MAX_EXACT_WEIGHT else ""


def class_table(proofs: Certificates) -> Table:
    """One line a class."""
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("class", style="bold", overflow="ellipsis", no_wrap=True, max_width=24)
    table.add_column("verdict", no_wrap=True)
    table.add_column("proof")
    table.add_column("diverging", justify="right")
    table.add_column("time", justify="right", no_wrap=True)
    for label, proof in proofs.items():
        table.add_row(
            Text(fmt.label(label)),
            Text(proof.status, _COLOURS[proof.status]),
            _format_evidence(proof),
            f"{np.count_nonzero(proof.diverging):,}" if proof.diverging.any() else "–",
            fmt.seconds(proof.seconds),
        )
    return table


def _format_evidence(proof: Certificate) -> str:
    if proof.status == "separable":
        return f"margin {proof.margin[0]:.4g}"
    if proof.margin[1] == 0.0:
        return _format_dependence(proof)
    return f"margin {format_margin(*proof.margin)}"
