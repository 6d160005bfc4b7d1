"""Certificates for DATA: reading all rows, finding a proof, checking it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.live import Live
from rich.text import Text

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.certificates import list_certificates
from rosenblatt.cli.display.errors import BadData
from rosenblatt.cli.inputs.data import check_labels, count_lines, open_data
from rosenblatt.proofs import Certificate, Certificates, Verification
from rosenblatt.proofs import certify as find_proof
from rosenblatt.proofs.check.rows import decimal_rows
from rosenblatt.proofs.files import format_integer
from rosenblatt.proofs.notes import RowIndex
from rosenblatt.streams.io.paths import is_single_pass
from rosenblatt.streams.registry import FORMATS
from rosenblatt.utils.arrays import Array, Matrix

if TYPE_CHECKING:
    from rosenblatt.streams import Stream
    from rosenblatt.streams.core.options import ReadOptions


class LoadedData(NamedTuple):
    """DATA in memory: the stream, its rows, labels and ids, and the line of the first row.

    X are floats, or ``ExactRows``: the decimals in text. The line is None where a row may have
    several lines, or lines hold no rows. ``computed`` says why X are other numbers than those of
    the text, if they are.
    """

    stream: Stream
    X: Matrix
    y: Array
    ids: object = None
    first_line: int | None = None
    computed: str = ""


class CheckedProof(NamedTuple):
    """A proof, and the results of checking it, class by class."""

    data: LoadedData
    proof: Certificate | Certificates
    checks: list[Verification]
    seconds: float

    @property
    def failed(self) -> str | None:
        """The first claim that does not hold."""
        return next((check.failed for check in self.checks if not check), None)

    @property
    def failure_message(self) -> str:
        """The message for a proof of ours that does not hold."""
        return f"the proof does not hold: {self.failed}. This is a bug: please report it."

    @property
    def search_seconds(self) -> float:
        """Seconds that the search took."""
        return sum(proof.seconds for proof in list_certificates(self.proof))


def read_data(data: str, read_options: ReadOptions, *, rounded: bool = False) -> LoadedData:
    """Read all rows of DATA.

    The numbers of text are the decimals that are written, exactly, unless an option computes other
    numbers from them. If ``rounded``, they are the nearest floats, and ``computed`` says so where
    these are other numbers.

    A missing category of a table is one: ``column is missing``. Else its rows would lie off every
    plane that the categories of the column span with the intercept, and would look separable.

    With ``impute="mean"`` a missing number becomes the mean of its whole column: a file is read
    twice, once for the means.

    Raises
    ------
    BadData
        The rows have fewer than two classes, or no features; or a pipe has missing numbers that
        means should replace.
    """
    read_options = read_options._replace(missing_category=True, written=True)
    stream = open_data(data, read_options)
    rows = stream.whole()
    if (means := _means_of_columns(stream)) is not None:
        if is_single_pass(data):
            raise BadData(
                f"{stream.name}: the mean of a column is known only after its last row, and a pipe "
                "is read once: name a file, or fill in missing cells with --impute zero or "
                "indicator."
            )
        stream = open_data(data, read_options._replace(means=means))
        rows = stream.whole()
    X, y = rows.X, rows.y
    check_labels(y, stream)
    if (y == y[0]).all():
        only = fmt.label(y[:1].tolist()[0])
        raise BadData(f"{stream.name}: every label is {only}; separability takes two classes.")
    if X.shape[1] == 0:
        raise BadData(f"{stream.name}: the rows have no features.")
    computed = ""
    if FORMATS[stream.format].cut_at_lines:
        computed = _what_computes(stream, rows.computed, has_means=means is not None)
        if not computed:
            try:
                exact = decimal_rows(X, rows.long)
            except ValueError:
                computed = "the decimals differ too much in size for a common denominator"
            else:
                if not rounded:
                    X = exact
                elif exact.numbers != "binary64":
                    computed = "the proof is about floats"
    return LoadedData(stream, X, y, rows.ids, _first_line(data, stream, len(y)), computed)


def _what_computes(stream: Stream, computed: bool, *, has_means: bool) -> str:
    """Return why the numbers of the rows are not those of the text; "" if they are."""
    if has_means:
        return "--impute mean computes some of them"
    if not computed:
        return ""
    if stream.interactions:
        return "--interactions multiplies them"
    if stream.format == "vw":
        return "values are added up, scaled, or longer than 15 digits"
    return "dates become years" if stream.bits is None else "those of one hash are added up"


def _first_line(data: str, stream: Stream, n: int) -> int | None:
    """Return the line of the first row, from 1, if the n rows have n consecutive lines."""
    if not FORMATS[stream.format].cut_at_lines:
        return None
    header = int(stream.format in ("csv", "tsv") and stream.header is not False)
    return header + 1 if count_lines(data) == n + header else None


def _means_of_columns(stream: Stream) -> dict[str, float] | None:
    """Return the means of the columns, if the rows just read have missing numbers for them."""
    imputer = stream.imputer
    if imputer is None or imputer.policy != "mean" or not imputer.counts:
        return None
    means: dict[str, float] = imputer.noted()["means"]
    return means


def certify_data(data: LoadedData, **options: Any) -> CheckedProof:
    """Find a proof for the rows; the library checks it before it returns it."""
    proof, names = find_proof(data.X, data.y, **options), _feature_names(data)
    index = None if data.ids is None else RowIndex(str(data.stream.id_column), data.ids)
    if isinstance(proof, Certificate):
        return check_proof(proof.with_feature_names(names).with_index(index), data)
    named = {label: one.with_feature_names(names).with_index(index) for label, one in proof.items()}
    return check_proof(Certificates(named), data)


def _feature_names(data: LoadedData) -> tuple[str, ...] | None:
    names = data.stream.feature_names
    return None if names is None else tuple(names)


def check_proof(proof: Certificate | Certificates, data: LoadedData) -> CheckedProof:
    """Check a proof on the rows, class after class, up to the first that fails.

    A certificate of :func:`rosenblatt.certify` has been checked already; one from a file has not.
    """
    checks: list[Verification] = []
    if not isinstance(proof, Certificate) and not (claim := proof.covers(data.y)).holds:
        return CheckedProof(data, proof, [Verification((claim,))], 0.0)
    for one in list_certificates(proof):
        if one.verification is None:
            checks.append(one.verify(data.X, data.y, feature_names=_feature_names(data)))
        else:
            checks.append(one.verification)
        if not checks[-1]:
            break
    return CheckedProof(data, proof, checks, sum(check.seconds for check in checks))


@contextmanager
def show_certifying(quiet: bool) -> Iterator[None]:
    """Show on a terminal that a proof is being sought."""
    console = terminal.stderr(quiet)
    if quiet or not (console.is_interactive and console.file.isatty()):
        yield
        return
    with Live(Text("certifying …", "dim"), console=console, auto_refresh=False, transient=True):
        yield


def describe_numbers(data: LoadedData, numbers: str) -> str:
    """Return which numbers a proof is about, where text has others than floats; else ""."""
    if data.computed:
        return f"binary64, the floats nearest to those of the text: {data.computed}"
    return "" if numbers == "binary64" else "the decimals that are written, exactly"


def proof_record(checked: CheckedProof) -> dict[str, object]:
    """Return the object of ``--json``."""
    proof, verified = checked.proof, checked.failed is None
    if isinstance(proof, Certificate):
        classes = {"classes": [proof.negative, proof.positive]}
        return _certificate_record(proof, verified, checked.data.computed) | classes
    pairs = zip(list_certificates(proof), checked.checks, strict=False)  # a failed check is last
    records = {
        fmt.label(one.positive): _certificate_record(one, bool(check), checked.data.computed)
        for one, check in pairs
    }
    return {
        "status": proof.status,
        "verified": verified,
        "seconds": checked.search_seconds,
        "classes": records,
    }


def _certificate_record(proof: Certificate, verified: bool, computed: str) -> dict[str, object]:
    equal = proof.equal_rows
    return {
        "status": proof.status,
        "numbers": proof.numbers,
        "computed": computed or None,
        "margin": [finite_or_none(end) for end in proof.margin],
        "radius": finite_or_none(proof.radius),
        "mistake_bound": finite_or_none(proof.mistake_bound),
        "rows": proof.rows.tolist(),
        "ids": proof.labels_of_rows,
        "equal_rows": None if equal is None else {"count": equal.count, "pairs": equal.pairs},
        "weights": [format_integer(weight) for weight in proof.weights],
        "diverging": proof.diverging.tolist(),
        "features": None if proof.feature_names is None else list(proof.feature_names),
        "coef": None if proof.coef is None else proof.coef.tolist(),
        "intercept": proof.intercept,
        "mistakes": proof.mistakes,
        "epochs": proof.epochs,
        "converged": proof.converged,
        "examples": proof.shape[0],
        "n_features": proof.shape[1],
        "positive": proof.positive,
        "negative": proof.negative,
        "fit_intercept": proof.fit_intercept,
        "verified": verified,
        "seconds": proof.seconds,
    }


def finite_or_none(number: float) -> float | None:
    """Return a finite number, or None for JSON, which has no infinity."""
    return number if math.isfinite(number) else None
