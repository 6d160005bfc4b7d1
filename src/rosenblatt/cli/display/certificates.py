"""Certificates of separability as text and tables for the terminal."""

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
from rosenblatt.theory import most_mistakes

Facts = list[tuple[str, RenderableType]]

_COLOURS = {
    "separable": "green",
    "quasi-separable": "yellow",
    "inseparable": "red",
    "undecided": "magenta",
}
_QUASI_SEPARABLE = "a hyperplane has no row on the wrong side, but some rows on it"
_MAX_ROWS = 12
_MAX_NAMES = 8
_MAX_EXACT_WEIGHT = 10**12  # larger weights are shown as percentages
_BAR_WIDTH = 20


def list_certificates(proof: Certificate | Certificates) -> list[Certificate]:
    """Return the certificates: one, or one for each class."""
    return [proof] if isinstance(proof, Certificate) else list(proof.values())


# --- one sentence --------------------------------------------------------------------------------


def headline(proof: Certificate | Certificates) -> Text:
    """Return the status and its meaning as one sentence."""
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
        return f"A {plane} separates the classes, with a margin of {proof.margin[0]:.4g}."
    if proof.status == "quasi-separable":
        return (
            f"No {plane} has every row strictly on its own side, but one has no row on the wrong "
            "side: the other rows lie exactly on it."
        )
    if proof.status == "inseparable":
        return f"The classes overlap: any {plane} that parts the rows has some on the wrong side."
    if proof.margin[1] > 0.0:
        return (
            f"A separating {plane} was neither found nor excluded: give a longer --time-limit, or "
            "fewer rows."
        )
    return (
        f"No {plane} has every row strictly on its own side. One without rows on the wrong side "
        "was neither found nor excluded: give a longer --time-limit, or fewer rows."
    )


def summary(proof: Certificate | Certificates) -> str:
    """Return the status, and the mistake bound that follows, in a few words."""
    if isinstance(proof, Certificates):
        return f"each class against the rest: {_count_statuses(proof).plain.rstrip('.')}"
    if proof.mistake_bound < math.inf:
        return f"separable: a plain perceptron makes at most {_format_bound(proof)}"
    if proof.margin[1] == 0.0:
        meaning = f"; {_QUASI_SEPARABLE}" if proof.status == "quasi-separable" else ""
        return f"{proof.status}: every epoch of a perceptron makes a mistake{meaning}"
    return proof.status


def _format_bound(proof: Certificate) -> str:
    bound = proof.mistake_bound
    if bound >= 1e12:
        return f"{bound:.3g} mistakes"
    return fmt.count(int(most_mistakes(bound)), "mistake")


# --- facts ---------------------------------------------------------------------------------------


def facts(proof: Certificate, X: Any, y: Any, base: int) -> Facts:
    """Return the facts about two classes.

    Parameters
    ----------
    proof : Certificate
    X : array or csr_array of shape (n, d)
    y : array of shape (n,)
        The labels.
    base : int
        Index of the first feature; used if the features have no names.
    """
    return [
        ("classes", _format_classes(proof, y)),
        ("margin", format_margin(*proof.margin)),
        *_hyperplane_facts(proof, X, y),
        ("radius", f"R = {proof.radius:.4g}, the largest norm of a row"),
        ("perceptron", _format_run(proof)),
        *_mistake_bound_facts(proof),
        *_logistic_facts(proof, base),
    ]


def _hyperplane_facts(proof: Certificate, X: Any, y: Any) -> Facts:
    """Count the rows on and off the hyperplane of a quasi-separable set."""
    if proof.direction is None:
        return []
    data = LabelledData(as_matrix(X), np.where(y == proof.positive, 1.0, -1.0))
    count = int(np.count_nonzero(exact_signs(data, proof.direction, (0, 0), 0.0)))
    on = fmt.count(len(y) - count, "row")
    off = f"{fmt.count(count, 'row')} strictly on the right side"
    return [("hyperplane", f"{off}, {on} on it, none on the wrong side")]


def _mistake_bound_facts(proof: Certificate) -> Facts:
    if proof.mistake_bound == math.inf:
        return []
    of = ""
    if proof.fit_intercept:  # the learned offset is the weight of a constant feature
        of = (
            f": (R² + 1)/γ², γ = {proof.margin[0] / math.hypot(1.0, proof.intercept):.4g} of (x, 1)"
        )
    return [("", f"at most {_format_bound(proof)} in any order of the rows (Novikoff{of})")]


def _format_classes(proof: Certificate, y: Any) -> str:
    count = int(np.count_nonzero(y == proof.positive))
    positive = f"{fmt.label(proof.positive)} (positive, {fmt.count(count, 'row')})"
    rest = fmt.count(len(y) - count, "row")
    return f"{positive}, {fmt.label(proof.negative)} (negative, {rest})"


def format_margin(low: float, high: float) -> str:
    """Format an interval of the margin with as many digits as distinguish its ends.

    Examples
    --------
    >>> format_margin(0.8175557692887542, 0.8175557692888374)
    '0.81755576928875 to 0.81755576928884 (relative width 1e-13)'
    >>> format_margin(1.0, 1.0), format_margin(0.0, 0.0)
    ('1.0 exactly', 'none')
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
    mistakes = f"{fmt.count(proof.mistakes, 'mistake')} in {fmt.count(proof.epochs, 'epoch')}"
    return f"{mistakes}, {'none in the last' if proof.converged else 'at least one in each'}"


def _logistic_facts(proof: Certificate, base: int) -> Facts:
    """Return which maximum-likelihood estimates of a logistic regression exist."""
    if proof.status == "undecided":
        return []
    if proof.status == "inseparable":
        return [("logistic fit", "the maximum-likelihood estimate exists")]
    lines = [f"{names} → {end}" for end, names in _diverging_features(proof, base)]
    if proof.status == "quasi-separable" and not proof.diverging.all():
        lines.append("all other coefficients stay finite")
    lines.append(f"no finite maximum-likelihood estimate: {_advice(proof)}")
    return [("" if i else "logistic fit", line) for i, line in enumerate(lines)]


def _diverging_features(proof: Certificate, base: int) -> list[tuple[str, str]]:
    """Return the names of the diverging coefficients by their limit, +∞ or −∞."""
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
    z = "(x, 1)" if proof.fit_intercept else "x"
    return f"{fmt.count(rows, 'row')} with Σ λ y {z} = 0" if rows > 1 else "a zero row"


def feature_name(proof: Certificate, j: int, base: int) -> str:
    """Return the name of a feature, or x and its index."""
    return proof.feature_names[j] if proof.feature_names is not None else f"x{j + base}"


# --- rows and classes ----------------------------------------------------------------------------


def row_heading(proof: Certificate) -> Text:
    """Return the heading of the table of rows."""
    if proof.status == "separable":
        return render.heading("Support rows", "they determine the margin; row numbers start at 0")
    if proof.fit_intercept and proof.weights == (1, 1):
        return render.heading("Two equal rows of opposite classes", "row numbers start at 0")
    if len(proof.rows) == 1:
        return render.heading("A zero row", "row numbers start at 0")
    row = "(x, 1)" if proof.fit_intercept else "x"
    title = f"{fmt.count(len(proof.rows), 'row')} that prove it"
    return render.heading(title, f"Σ λ y {row} = 0, λ > 0; row numbers start at 0")


def row_table(proof: Certificate, y: Any) -> Table:
    """Return a table of the rows of the proof; of many rows, those with the largest weights."""
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
    """Return a note on rows or digits that the table of rows omits; "" if it is complete."""
    where = "in the proof" if saved else "in the proof that --proof FILE writes"
    if (more := len(proof.rows) - _MAX_ROWS) > 0:
        return f"… and {more:,} with smaller weights, {where}"
    return f"exact weights {where}" if max(proof.weights, default=0) >= _MAX_EXACT_WEIGHT else ""


def class_table(proofs: Certificates) -> Table:
    """Return a table with one line for each class."""
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("class", style="bold", overflow="ellipsis", no_wrap=True, max_width=24)
    table.add_column("status", no_wrap=True)
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


def legend(proofs: Certificates) -> Facts:
    """Return the meanings of the words in the table of classes that are not common."""
    facts: Facts = []
    if any(proof.status == "quasi-separable" for proof in proofs.values()):
        facts.append(("quasi-separable", _QUASI_SEPARABLE))
    if any(proof.diverging.any() for proof in proofs.values()):
        text = "coefficients that a logistic regression drives to ±∞: no finite fit"
        facts.append(("diverging", text))
    return facts


def _format_evidence(proof: Certificate) -> str:
    if proof.status == "separable":
        return f"margin {proof.margin[0]:.4g}"
    if proof.margin[1] == 0.0:
        return _format_dependence(proof)
    return f"margin {format_margin(*proof.margin)}"
