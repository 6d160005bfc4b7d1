"""``rosenblatt certify``: whether a hyperplane separates the classes, with a proof."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import rich_click as click
from click.exceptions import Exit

from rosenblatt.cli import options, screen, words
from rosenblatt.cli.failures import BadData, Failure

if TYPE_CHECKING:
    from rosenblatt.proofs import Certificate, Certificates, Verification
    from rosenblatt.streams import Stream
    from rosenblatt.streams.settings import Settings

UNDECIDED = 4
"""The exit status where the time did not suffice."""


@click.command(no_args_is_help=True)
@options.in_order
@options.data_argument
@click.option(
    "--no-intercept",
    is_flag=True,
    help="Ask for a hyperplane through the origin, w·x = 0, instead of w·x + b = 0.",
    panel="Question",
)
@click.option(
    "--tol",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    metavar="X",
    default=1e-6,
    show_default=True,
    help="How narrow the interval of the margin must be, relatively.",
    panel="Question",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0.0),
    metavar="SECONDS",
    default=60.0,
    show_default=True,
    help="For each class. What is open then is undecided, exit status 4.",
    panel="Question",
)
@click.option(
    "--proof",
    "path",
    metavar="FILE",
    help="Write the proof here, as JSON text that rosenblatt verify checks.",
    panel="Output",
)
@options.json_option("One object: status, margin, rows, weights, diverging, verified, …")
@options.quiet_option
@options.reading_options
def certify(data: str, **given: Any) -> None:
    """Tell whether a hyperplane separates the classes of DATA, and prove it.

    [bold]Examples[/]
        rosenblatt certify mail.svm
        rosenblatt certify patients.csv --target ill --proof patients.json
        rosenblatt certify sklearn:iris --json

    Separable: some hyperplane has every row on its own side. Quasi-separable: none has, but some
    has rows on itself and none on the wrong side; a logistic regression then has no finite
    estimate, whatever it reports. Inseparable: the classes overlap. All rows are held in memory; of
    three classes or more, each is asked against the rest. Weights of rows do not count. The proof
    is checked in exact arithmetic.
    """
    from rosenblatt.cli import opening
    from rosenblatt.cli.aside import left_out

    how = opening.reading(given)
    if given["path"] is not None:
        opening.check_proof_path(given["path"], data)
    rows = read(data, how)
    asked = {name: given[name] for name in ("tol", "time_limit")}
    with waiting("certifying …", given["quiet"]):
        answer = ask(rows, fit_intercept=not given["no_intercept"], **asked)
    if given["path"] is not None:
        answer.proof.save(given["path"])
    if given["as_json"]:
        record = record_of(answer) | {"bad_rows": left_out(how)}
        click.echo(json.dumps(record, ensure_ascii=False))
    else:
        _show(answer, given["path"])
    if answer.failed is not None:
        raise Failure(answer.broken)
    if answer.proof.status == "undecided":
        raise Exit(UNDECIDED)


class Rows(NamedTuple):
    """All rows of DATA, in memory."""

    stream: Stream
    X: Any
    y: Any


class Answer(NamedTuple):
    """A proof, and what checking it found, class by class."""

    rows: Rows
    proof: Certificate | Certificates
    checks: list[Verification]
    seconds: float

    @property
    def failed(self) -> str | None:
        """The first claim that does not hold."""
        return next((check.failed for check in self.checks if not check), None)

    @property
    def broken(self) -> str:
        """What to say of a proof that was just found, and does not hold."""
        return f"the proof does not hold: {self.failed}. This should not happen: please report it."

    @property
    def found(self) -> float:
        """Seconds that the search took."""
        from rosenblatt.cli.verdict import each

        return sum(proof.seconds for proof in each(self.proof))


def read(data: str, how: Settings) -> Rows:
    """All rows of DATA, with the labels of two classes or more.

    Raises
    ------
    BadData
        There is nothing to separate.
    """
    from rosenblatt.cli.opening import open_data
    from rosenblatt.cli.reporting import check_labels

    stream = open_data(data, how)
    X, y = stream.read()
    check_labels(y, stream)
    if (y == y[0]).all():
        only = words.label(y[:1].tolist()[0])
        raise BadData(f"{stream.name}: every label is {only}; to separate takes two classes.")
    if X.shape[1] == 0:
        raise BadData(f"{stream.name}: the rows have no features.")
    return Rows(stream, X, y)


def ask(rows: Rows, **asked: Any) -> Answer:
    """Certify the rows, and check the proof on them."""
    from rosenblatt.proofs import certify

    names = rows.stream.feature_names
    proof = _named(certify(rows.X, rows.y, **asked), None if names is None else tuple(names))
    return check(proof, rows)


def _named(
    proof: Certificate | Certificates, names: tuple[str, ...] | None
) -> Certificate | Certificates:
    from rosenblatt.proofs import Certificate, Certificates

    if isinstance(proof, Certificate):
        return replace(proof, feature_names=names)
    return Certificates({k: replace(one, feature_names=names) for k, one in proof.items()})


def check(proof: Certificate | Certificates, rows: Rows) -> Answer:
    """Check a proof on the rows: class after class, until one fails."""
    from rosenblatt.cli.verdict import each
    from rosenblatt.proofs import Certificate, Verification

    begin, checks = time.perf_counter(), []
    if not isinstance(proof, Certificate) and not (claim := proof.covers(rows.y)).holds:
        return Answer(rows, proof, [Verification((claim,))], 0.0)
    for one in each(proof):
        names = rows.stream.feature_names
        checks.append(
            one.verify(rows.X, rows.y, feature_names=None if names is None else tuple(names))
        )
        if not checks[-1]:
            break
    return Answer(rows, proof, checks, time.perf_counter() - begin)


@contextmanager
def waiting(text: str, quiet: bool) -> Iterator[None]:
    """Say what takes its time, on a terminal, for as long as it takes."""
    from rich.live import Live
    from rich.text import Text

    console = screen.messages(quiet)
    if quiet or not (console.is_interactive and console.file.isatty()):
        yield
        return
    with Live(Text(text, "dim"), console=console, auto_refresh=False, transient=True):
        yield


# --- --json --------------------------------------------------------------------------------------


def record_of(answer: Answer) -> dict[str, Any]:
    """The object of ``--json``."""
    from rosenblatt.cli.verdict import each
    from rosenblatt.proofs import Certificate

    proof = answer.proof
    if isinstance(proof, Certificate):
        classes = {"classes": [proof.negative, proof.positive]}
        return _of_one(proof, answer.failed is None) | classes
    checked = zip(each(proof), answer.checks, strict=False)  # a check that fails is the last
    return {
        "status": proof.status,
        "verified": answer.failed is None,
        "seconds": answer.found,
        "classes": {words.label(one.positive): _of_one(one, bool(c)) for one, c in checked},
    }


def _of_one(proof: Certificate, verified: bool) -> dict[str, Any]:
    from rosenblatt.proofs.files import digits

    return {
        "status": proof.status,
        "margin": [finite(end) for end in proof.margin],
        "radius": finite(proof.radius),
        "mistake_bound": finite(proof.mistake_bound),
        "rows": proof.rows.tolist(),
        "weights": [digits(weight) for weight in proof.weights],
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


def finite(number: float) -> float | None:
    """JSON knows no infinity."""
    return number if math.isfinite(number) else None


# --- the screen ----------------------------------------------------------------------------------


def _show(answer: Answer, path: str | None) -> None:
    from rosenblatt.cli import render, verdict
    from rosenblatt.proofs import Certificate

    (stream, X, y), proof = answer.rows, answer.proof
    console = screen.output()
    console.print(verdict.headline(proof))
    console.print()
    if not isinstance(proof, Certificate):
        console.print(verdict.classes(proof))
        console.print()
        told = "features whose estimate a logistic regression sends to ±∞"
        console.print(
            render.facts([*_source(answer), ("diverging", told), *_checked(answer, path)])
        )
        return
    known = verdict.facts(proof, X, y, stream.index_base or 0)
    console.print(render.facts([*_source(answer), *known, *_checked(answer, path)]))
    if proof.status != "undecided":
        console.print()
        console.print(verdict.rows_heading(proof))
        console.print(verdict.rows(proof, y))
        if left := verdict.rows_left(proof, path is not None):
            console.print(left, style="dim")


def _source(answer: Answer) -> list[tuple[str, str]]:
    stream, X, _ = answer.rows
    labels = "" if stream.target is None else f", labels in column {stream.target!r}"
    size = f"{words.count(X.shape[0], 'row')}, {words.count(X.shape[1], 'feature')}"
    return [("data", stream.name), ("", size + labels)]


def _checked(answer: Answer, path: str | None) -> list[tuple[str, Any]]:
    found = f"found in {words.seconds(answer.found)}"
    exactly = f"in exact arithmetic, in {words.seconds(answer.seconds)}; {found}"
    lines = [("verified", exactly) if answer.failed is None else ("not verified", found)]
    if path is not None:
        lines.append(("proof", f"{path} ({words.size(os.path.getsize(path))})"))
        lines.append(("to check it", f"rosenblatt verify {path} DATA"))
    return lines
