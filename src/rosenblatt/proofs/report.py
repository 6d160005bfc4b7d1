"""Certificates of separability in words: the text of the command's report and of ``str``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction

import numpy as np

from rosenblatt.proofs.check.data import exact_rows, labelled
from rosenblatt.proofs.check.exact import exact_signs
from rosenblatt.proofs.check.record import STATUSES, Label, Record
from rosenblatt.proofs.notes import Notes, RowIndex
from rosenblatt.theory import most_mistakes
from rosenblatt.utils import words
from rosenblatt.utils.arrays import Array, Matrix
from rosenblatt.utils.directed import Enclosure, over_root
from rosenblatt.utils.shown import Text, html_facts, html_table, join
from rosenblatt.utils.tables import text_table

Facts = list[tuple[str, str]]
Records = Mapping[Label, Record]

MAX_ROWS = 12
MAX_EXACT_WEIGHT = 10**12  # larger weights are shown as percentages
_MAX_NAMES = 8
_QUASI_SEPARABLE = "a hyperplane has no row on the wrong side, but some rows on it"


def report(proof: Record) -> Text:
    """Return the verdict, the facts, and the rows that prove it: ``str(certificate)``."""
    named = facts(proof)
    lines = "\n".join(f"{name:<12}  {value}" for name, value in named)
    parts = [" ".join(verdict(proof)), Text(lines, html_facts(named))]
    if proof.status != "undecided":
        heaviest = heaviest_rows(proof)
        index = _notes(proof).index
        rows = [[*row_cells(index, int(proof.rows[q])), format_weight(proof, q)] for q in heaviest]
        title, detail = row_heading(proof)
        table = text_table([*row_columns(index), "weight λ"], rows)
        parts.append(join([f"{title} ({detail})", table, omitted_rows(proof, "in rows, weights")]))
    return join(parts, "\n\n")


def class_report(proofs: Records) -> Text:
    """Return the verdict and a line for each class: ``str(certificates)``."""
    heads, rows = ["class", "status", "proof", "diverging"], class_rows(proofs)
    table = Text(text_table(heads, rows), html_table(heads, rows, texts=3))
    meanings = [f"{name}: {meaning}" for name, meaning in legend(proofs)]
    return join([class_verdict(proofs), join([table, *meanings])], "\n\n")


def _notes(proof: Record) -> Notes:
    notes: Notes = getattr(proof, "notes", Notes())
    return notes


# --- one sentence --------------------------------------------------------------------------------


def verdict(proof: Record) -> tuple[str, str]:
    """Return the status and its meaning, a sentence each; first that decimals have another."""
    if (decimals := _notes(proof).decimals) is None:
        return f"{proof.status.capitalize()}.", _meaning(proof)
    written = f"as the decimals they were written as ({', '.join([*decimals.examples, '…'])})"
    other = f"{written} {decimals.status}: pass Decimals, or a file of text."
    return f"{proof.status.capitalize()} as the binary numbers they are;", other


def class_verdict(proofs: Records) -> str:
    """Return the number of classes, and of those with each status, as a sentence."""
    verdicts = f"{words.count(len(proofs), 'class')}, each against the rest: "
    others = {
        words.label(label): decimals
        for label, proof in proofs.items()
        if (decimals := _notes(proof).decimals) is not None
    }
    if not others:
        return f"{verdicts}{format_statuses(proofs)}."
    named = words.listing([f"{k} is {other.status}" for k, other in others.items()], _MAX_NAMES)
    return (
        f"{verdicts}{format_statuses(proofs)}, as the binary numbers they are; as the decimals "
        f"they were written as, {named}: pass Decimals, or a file of text."
    )


def format_statuses(proofs: Records) -> str:
    """Format the number of classes with each status."""
    return ", ".join(f"{number:,} {status}" for status, number in count_statuses(proofs))


def count_statuses(proofs: Records) -> list[tuple[str, int]]:
    """Return each status that occurs, and the number of its classes."""
    counts = Counter(proof.status for proof in proofs.values())
    return [(status, counts[status]) for status in STATUSES if counts[status]]


def _meaning(proof: Record) -> str:
    plane = "hyperplane" if proof.fit_intercept else "hyperplane through the origin"
    if proof.status == "separable":
        return f"A {plane} separates the classes, with a margin of {rounded_margin(*proof.margin)}."
    if proof.status == "quasi-separable":
        return (
            f"No {plane} has every row strictly on its own side, but one has no row on the wrong "
            "side: the other rows lie exactly on it."
        )
    if proof.status == "inseparable":
        return f"The classes overlap: any {plane} that parts the rows has some on the wrong side."
    if proof.margin[1] > 0.0:
        return (
            f"A separating {plane} was neither found nor excluded: give a longer time limit, or "
            "fewer rows."
        )
    return (
        f"No {plane} has every row strictly on its own side. One without rows on the wrong side "
        "was neither found nor excluded: give a longer time limit, or fewer rows."
    )


def summary(proof: Record) -> str:
    """Return the status, and the mistake bound that follows, in a few words."""
    if proof.mistake_bound < math.inf:
        return f"separable: a plain perceptron makes at most {_format_bound(proof)}"
    if proof.margin[1] == 0.0:
        meaning = f"; {_QUASI_SEPARABLE}" if proof.status == "quasi-separable" else ""
        return f"{proof.status}: every epoch of a perceptron makes a mistake{meaning}"
    return proof.status


def _format_bound(proof: Record) -> str:
    bound = proof.mistake_bound
    if bound >= 1e12:  # a count of thirteen digits says no more than its power of ten
        return f"{Enclosure.of(bound).digits_up(3)} mistakes"
    return words.count(int(most_mistakes(bound)), "mistake")


# --- facts ---------------------------------------------------------------------------------------


def facts(proof: Record, X: Matrix = None, y: Array | None = None, base: int = 0) -> Facts:
    """Return the facts about two classes.

    Parameters
    ----------
    proof : Record
    X, y : array or csr_array of shape (n, d), array of shape (n,), optional
        The certified data; without it no rows are counted.
    base : int, default 0
        Index of the first feature; used if the features have no names.
    """
    return [
        ("classes", _format_classes(proof, y)),
        ("margin", format_margin(*proof.margin)),
        *_direction_facts(proof),
        *([] if y is None else _hyperplane_facts(proof, X, y, base)),
        *_equal_rows_facts(_notes(proof)),
        *_main_column_facts(proof, base),
        ("radius", f"R = {_rounded_up(proof.radius)}, at least the largest norm of a row"),
        ("perceptron", _format_run(proof)),
        *_mistake_bound_facts(proof),
        *_logistic_facts(proof, base),
    ]


def _rounded_up(value: float) -> str:
    return Enclosure.of(value).digits_up(4) if value < math.inf else "∞"


def _direction_facts(proof: Record) -> Facts:
    """Return that floats hold no separator, where only the exact direction separates."""
    if proof.status != "separable" or proof.margin[0] > 0.0:
        return []
    text = "no plane was found in floats that separates: the whole numbers of the direction do"
    return [("hyperplane", text)]


def _hyperplane_facts(proof: Record, X: Matrix, y: Array, base: int) -> Facts:
    """Count the rows on and off the hyperplane of a quasi-separable set; name what sets them apart.

    A feature does if it is 0 in all rows on the hyperplane, and in no other.
    """
    if proof.direction is None or proof.status == "separable":
        return []
    data = labelled(exact_rows(X), np.where(y == proof.positive, 1.0, -1.0))
    is_off = exact_signs(data, proof.direction) != 0
    count = int(np.count_nonzero(is_off))
    on = words.count(len(y) - count, "row")
    off = f"{words.count(count, 'row')} strictly on the right side"
    facts = [("hyperplane", f"{off}, {on} on it, none on the wrong side")]
    filled = data.X != 0
    in_all, in_off = (np.asarray(rows.sum(axis=0)).ravel() for rows in (filled, filled[is_off]))
    columns = np.flatnonzero((in_all == count) & (in_off == count)).tolist()
    if columns and count < len(y):
        names = words.listing([repr(feature_name(proof, j, base)) for j in columns], _MAX_NAMES)
        facts.append(("", f"off it are exactly the rows in which {names} is not 0"))
    return facts


def _equal_rows_facts(notes: Notes) -> Facts:
    """Return the number of pairs of equal rows with opposite labels, and the first ones."""
    equal = notes.equal_rows
    if equal is None or not equal.count:
        return []
    pairs = [" and ".join(_row_name(notes.index, row) for row in pair) for pair in equal.pairs]
    more = f", … {equal.count - len(pairs):,} more" if equal.count > len(pairs) else ""
    number = words.count(equal.count, "pair")
    listed = "; ".join(pairs)
    return [("equal rows", f"{number} with opposite labels: {listed}{more}")]


def _row_name(index: RowIndex | None, row: int) -> str:
    return f"{row:,}" if index is None else f"{row:,} ({index.labels[row]})"


def _main_column_facts(proof: Record, base: int) -> Facts:
    """Return the columns that decide a separating hyperplane, and those that do so alone."""
    main = _notes(proof).main_columns
    if main is None:
        return []
    effects = [f"{feature_name(proof, j, base)} {effect:.3g}" for j, effect in main.effects]
    lines = [f"{', '.join(effects)}: the largest |w| × standard deviation"] if effects else []
    if main.alone:
        names = words.listing([feature_name(proof, j, base) for j in main.alone], _MAX_NAMES)
        subject = "the column" if len(main.alone) == 1 else "each of the columns"
        lines.insert(0, f"{subject} {names} alone separates the classes")
    return [("" if i else "decided by", line) for i, line in enumerate(lines)]


def _mistake_bound_facts(proof: Record) -> Facts:
    if proof.mistake_bound == math.inf:
        return []
    of = ""
    if proof.fit_intercept:  # the learned offset is the weight of a constant feature
        of = f": (R² + 1)/γ², γ ≥ {_augmented_margin(proof).digits_down(4)} of (x, 1)"
    return [("", f"at most {_format_bound(proof)} in any order of the rows (Novikoff{of})")]


def _augmented_margin(proof: Record) -> Enclosure:
    """Return the margin of the rows (x, 1) with (w, b), of which the proof knows the lower end."""
    square = Enclosure.of(1 + Fraction(proof.intercept) ** 2)
    return over_root(Enclosure.of(proof.margin[0]), square)


def _format_classes(proof: Record, y: Array | None) -> str:
    rest = "the rest" if proof.negative is None else words.label(proof.negative)
    names = words.label(proof.positive), rest
    if y is None:
        return f"{names[0]} (positive), {names[1]} (negative)"
    count = int(np.count_nonzero(y == proof.positive))
    rows = words.count(count, "row"), words.count(len(y) - count, "row")
    return f"{names[0]} (positive, {rows[0]}), {names[1]} (negative, {rows[1]})"


def format_margin(low: float, high: float) -> str:
    """Format an interval of the margin with as many digits as distinguish its ends.

    Examples
    --------
    >>> format_margin(0.8175557692887542, 0.8175557692888374)
    '0.81755576928875 to 0.81755576928884 (relative width 1e-13)'
    >>> format_margin(1.0, 1.0), format_margin(0.0, 0.0)
    ('1.0 exactly', 'none')
    >>> format_margin(0.0, 0.5), format_margin(0.0, 0.123449)
    ('at most 0.5', 'at most 0.1235')
    """
    if high == 0.0:
        return "none"
    if low == 0.0:
        return "unknown" if high == math.inf else f"at most {Enclosure.of(high).digits_up(4)}"
    if low == high:
        return f"{low!r} exactly"
    width = (high - low) / high
    digits = min(17, 1 + math.ceil(-math.log10(width)))
    floor = Context(digits, ROUND_FLOOR).create_decimal_from_float(low)
    ceiling = Context(digits, ROUND_CEILING).create_decimal_from_float(high)
    return f"{floor:g} to {ceiling:g} (relative width {width:.0e})"


def rounded_margin(low: float, high: float) -> str:
    """Format an interval of a margin above 0 as one number, or as a bound if it is too wide.

    Examples
    --------
    >>> rounded_margin(0.70710678, 0.70710679), rounded_margin(0.00019999, 0.11)
    ('0.7071', 'at least 0.0001999')
    """
    if low == 0.0:
        return "more than 0"
    number = f"{low:.4g}"
    return number if f"{high:.4g}" == number else f"at least {Enclosure.of(low).digits_down(4)}"


def _format_run(proof: Record) -> str:
    if not proof.epochs:
        return "no run noted: rounding misled it"
    mistakes = f"{words.count(proof.mistakes, 'mistake')} in {words.count(proof.epochs, 'epoch')}"
    return f"{mistakes}, {'none in the last' if proof.converged else 'at least one in each'}"


def _logistic_facts(proof: Record, base: int) -> Facts:
    """Return which maximum-likelihood estimates of a logistic regression exist."""
    if proof.status == "undecided":
        return []
    if proof.status == "inseparable":
        return [("logistic fit", "the maximum-likelihood estimate exists")]
    lines = [f"{names} → {end}" for end, names in _diverging_features(proof, base)]
    if proof.status == "quasi-separable" and not proof.diverging.all():
        lines.append("all other coefficients that the rows determine stay finite")
    lines.append(f"no finite maximum-likelihood estimate: {_advice(proof)}")
    return [("" if i else "logistic fit", line) for i, line in enumerate(lines)]


def _diverging_features(proof: Record, base: int) -> list[tuple[str, str]]:
    """Return the names of the diverging coefficients by their limit, +∞ or −∞."""
    features = []
    for sign, end in ((1, "+∞"), (-1, "−∞")):
        names = [
            feature_name(proof, j, base) for j in np.flatnonzero(proof.diverging == sign).tolist()
        ]
        if np.sign(proof.intercept) == sign:
            names.append("the intercept")
        if names:
            features.append((end, words.listing(names, _MAX_NAMES)))
    return features


def _advice(proof: Record) -> str:
    if proof.status == "separable":
        return "use a penalty"
    count = np.count_nonzero(proof.diverging)
    return f"use a penalty (Firth's, say), or reconsider the feature{'s' if count > 1 else ''}"


def feature_name(proof: Record, j: int, base: int) -> str:
    """Return the name of a feature, or x and its index."""
    return proof.feature_names[j] if proof.feature_names is not None else f"x{j + base}"


# --- rows and classes ----------------------------------------------------------------------------


def row_heading(proof: Record) -> tuple[str, str]:
    """Return the title of the table of rows, and a remark."""
    numbers = "row numbers start at 0"
    if proof.status == "separable":
        if proof.determined:
            return "Support rows", f"they determine the margin; {numbers}"
        return "Candidates for support rows", f"they bound the margin from above; {numbers}"
    if proof.fit_intercept and proof.weights == (1, 1):
        return "Two equal rows of opposite classes", numbers
    if len(proof.rows) == 1:
        return "A zero row", numbers
    row = "(x, 1)" if proof.fit_intercept else "x"
    title = f"{words.count(len(proof.rows), 'row')} that prove it"
    return title, f"Σ λ y {row} = 0, λ > 0; {numbers}"


def heaviest_rows(proof: Record) -> list[int]:
    """Return the positions in ``rows`` of those with the largest weights, ascending."""
    return sorted(sorted(range(len(proof.rows)), key=lambda q: -proof.weights[q])[:MAX_ROWS])


def row_columns(index: RowIndex | None) -> list[str]:
    """Return the titles of the columns that name a row."""
    return ["row"] if index is None else ["row", index.name]


def row_cells(index: RowIndex | None, row: int) -> list[str]:
    """Return the number of a row and its label."""
    return [f"{row:,}"] if index is None else [f"{row:,}", str(index.labels[row])]


def format_weight(proof: Record, q: int) -> str:
    """Format the weight at position q, exactly or as a percentage of all."""
    if max(proof.weights) < MAX_EXACT_WEIGHT:
        return f"{proof.weights[q]:,}"
    return f"{100 * proof.weights[q] / sum(proof.weights):.2f} %"


def omitted_rows(proof: Record, where: str) -> str:
    """Return a note on rows or digits that a table of the rows omits; "" if it is complete."""
    if (more := len(proof.rows) - MAX_ROWS) > 0:
        return f"… and {more:,} with smaller weights, {where}"
    return f"exact weights {where}" if max(proof.weights, default=0) >= MAX_EXACT_WEIGHT else ""


def class_rows(proofs: Records) -> list[tuple[str, str, str, str]]:
    """Return for each class its name, status, proof, and number of diverging coefficients."""
    return [
        (
            words.label(label),
            proof.status,
            _format_evidence(proof),
            f"{np.count_nonzero(proof.diverging):,}" if proof.diverging.any() else "–",
        )
        for label, proof in proofs.items()
    ]


def legend(proofs: Records) -> Facts:
    """Return the meanings of the words in the table of classes that are not common."""
    facts: Facts = []
    if any(proof.status == "quasi-separable" for proof in proofs.values()):
        facts.append(("quasi-separable", _QUASI_SEPARABLE))
    if any(proof.diverging.any() for proof in proofs.values()):
        text = "coefficients that a logistic regression drives to ±∞: no finite fit"
        facts.append(("diverging", text))
    return facts


def _format_evidence(proof: Record) -> str:
    if proof.status == "separable":
        return f"margin {rounded_margin(*proof.margin)}"
    if proof.margin[1] == 0.0:
        return _format_dependence(proof)
    return f"margin {format_margin(*proof.margin)}"


def _format_dependence(proof: Record) -> str:
    rows = len(proof.rows)
    z = "(x, 1)" if proof.fit_intercept else "x"
    return f"{words.count(rows, 'row')} with Σ λ y {z} = 0" if rows > 1 else "a zero row"
