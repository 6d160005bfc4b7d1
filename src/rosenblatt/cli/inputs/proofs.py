"""TODO."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import BadData
from rosenblatt.streams.features.labels import NUMBER

if TYPE_CHECKING:
    from rosenblatt.proofs import Certificate, Certificates, Verification
    from rosenblatt.streams import Stream
    from rosenblatt.streams.core.options import ReadOptions


def check_labels(y: Any, stream: Stream) -> None:
    """Refuse numbers with fractions: they measure something, and name nothing."""
    fractions = y[y != np.floor(y)] if y.dtype.kind == "f" else _measurements(y)
    if len(fractions):
        where = "the labels" if stream.target is None else f"column {stream.target!r}, the labels,"
        hint = "" if stream.target is None else ": --target names the column with the labels"
        value = f"{float(fractions[0]):g}, a measurement, not a class"
        raise BadData(f"{stream.name}: {where} hold {value}{hint}.")


def _measurements(y: Any) -> list[str]:
    """Numbers with fractions, where they are half of different labels that are text, or more."""
    if y.dtype.kind != "U":
        return []
    labels = np.unique(y).tolist()
    fractions = [label for label in labels if NUMBER.fullmatch(label) and float(label) % 1.0]
    return fractions if 2 * len(fractions) >= len(labels) else []


class LoadedData(NamedTuple):
    """All rows of DATA, in memory."""

    stream: Stream
    X: Any
    y: Any


class CheckedProof(NamedTuple):
    """A proof, and what checking it found, class by class."""

    rows: LoadedData
    proof: Certificate | Certificates
    checks: list[Verification]
    seconds: float

    @property
    def failed(self) -> str | None:
        """The first claim that does not hold."""
        return next((check.failed for check in self.checks if not check), None)

    @property
    def failure_message(self) -> str:
        """What to say of a proof that was just found, and does not hold."""
        return f"the proof does not hold: {self.failed}. This should not happen: please report it."

    @property
    def search_seconds(self) -> float:
        """Seconds that the search took."""
        from rosenblatt.cli.display.certificates import list_certificates

        return sum(proof.seconds for proof in list_certificates(self.proof))


def read_data(data: str, read_options: ReadOptions) -> LoadedData:
    """All rows of DATA, with the labels of two classes or more.

    Raises
    ------
    BadData
        There is nothing to separate.
    """
    from rosenblatt.cli.inputs.data import open_data

    # DROPPED

    stream = open_data(data, read_options)
    X, y = stream.read()
    check_labels(y, stream)
    if (y == y[0]).all():
        only = fmt.label(y[:1].tolist()[0])
        raise BadData(f"{stream.name}: every label is {only}; to separate takes two classes.")
    if X.shape[1] == 0:
        raise BadData(f"{stream.name}: the rows have no features.")
    return LoadedData(stream, X, y)


def certify_data(data: LoadedData, **options: Any) -> CheckedProof:
    """Certify the rows, and check the proof on them."""
    from rosenblatt.proofs import certify

    names = data.stream.feature_names
    proof = _with_feature_names(
        certify(data.X, data.y, **options), None if names is None else tuple(names)
    )
    return check_proof(proof, data)


def _with_feature_names(
    proof: Certificate | Certificates, names: tuple[str, ...] | None
) -> Certificate | Certificates:
    from rosenblatt.proofs import Certificate, Certificates

    if isinstance(proof, Certificate):
        return replace(proof, feature_names=names)
    return Certificates({k: replace(one, feature_names=names) for k, one in proof.items()})


def check_proof(proof: Certificate | Certificates, data: LoadedData) -> CheckedProof:
    """Check a proof on the rows: class after class, until one fails."""
    from rosenblatt.cli.display.certificates import list_certificates
    from rosenblatt.proofs import Certificate, Verification

    started, checks = time.perf_counter(), []
    if not isinstance(proof, Certificate) and not (claim := proof.covers(data.y)).holds:
        return CheckedProof(data, proof, [Verification((claim,))], 0.0)
    for one in list_certificates(proof):
        names = data.stream.feature_names
        checks.append(
            one.verify(data.X, data.y, feature_names=None if names is None else tuple(names))
        )
        if not checks[-1]:
            break
    return CheckedProof(data, proof, checks, time.perf_counter() - started)


@contextmanager
def show_waiting(text: str, quiet: bool) -> Iterator[None]:
    """Say what takes its time, on a terminal, for as long as it takes."""
    from rich.live import Live
    from rich.text import Text

    console = terminal.stderr(quiet)
    if quiet or not (console.is_interactive and console.file.isatty()):
        yield
        return
    with Live(Text(text, "dim"), console=console, auto_refresh=False, transient=True):
        yield


# --- --json --------------------------------------------------------------------------------------


def proof_record(answer: CheckedProof) -> dict[str, Any]:
    """The object of ``--json``."""
    from rosenblatt.cli.display.certificates import list_certificates
    from rosenblatt.proofs import Certificate

    proof = answer.proof
    if isinstance(proof, Certificate):
        classes = {"classes": [proof.negative, proof.positive]}
        return _certificate_record(proof, answer.failed is None) | classes
    pairs = zip(
        list_certificates(proof), answer.checks, strict=False
    )  # a check that fails is the last
    return {
        "status": proof.status,
        "verified": answer.failed is None,
        "seconds": answer.search_seconds,
        "classes": {fmt.label(one.positive): _certificate_record(one, bool(c)) for one, c in pairs},
    }


def _certificate_record(proof: Certificate, verified: bool) -> dict[str, Any]:
    from rosenblatt.proofs.files import format_integer

    return {
        "status": proof.status,
        "margin": [finite_or_none(end) for end in proof.margin],
        "radius": finite_or_none(proof.radius),
        "mistake_bound": finite_or_none(proof.mistake_bound),
        "rows": proof.rows.tolist(),
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
    """JSON knows no infinity."""
    return number if math.isfinite(number) else None
