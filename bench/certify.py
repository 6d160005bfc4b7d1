"""Certificates against linear programs on all rows, and each of MNIST's digits.

Run: python bench/certify.py
"""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from markdown import figure, pretty, table
from measure import Part, absent, joined, machine
from ratios import Finding, Ratio, alternate, exactly, faster, middle
from real import (
    a1a,
    endometrial,
    heart,
    ijcnn1,
    mushroom,
    pixels,
    rcv1_small,
    svmguide3,
    uci,
)
from scipy.optimize import linprog

import rosenblatt
from rosenblatt.proofs import Certificate

LIMIT = 60.0  # seconds, for each program and each certificate
MOVED = 1e-7  # HiGHS' own tolerance: a row that scores less lies on the plane
DEFAULT, INTERIOR = "highs", "highs-ipm"
SOLVED, LATE, INFEASIBLE = 0, 1, 2  # scipy's codes
PAIRS = ((0, 1), (3, 5), (4, 9))
TITLE = "Separable or not"
NOTES = (
    "The linear programs are scipy's, solved by HiGHS on all rows, sparse if the rows are: first "
    "z·β ≥ 1 for every row, which has a solution if the classes are separable; otherwise Konis's "
    "(2007), max Σ z·β with z·β ≥ 0 and −1 ≤ β ≤ 1, which distinguishes quasi-separable from "
    "inseparable. They answer to a tolerance and prove nothing. `ours` is a call of `certify`, "
    "including the check of its proof; `find` is the search alone, `verify` a second check. "
    "`verdict only` is `certify(tol=0.5)`, which does not narrow the interval of the margin. "
    f'Where scipy\'s default (`"highs"`) needs more than {LIMIT:.0f} s, its interior points '
    '(`"highs-ipm"`) are measured instead; if both do, the verdict is `time`.'
)


class Program(NamedTuple):
    """Verdict, method and seconds of the linear programs: of the first, and of both."""

    verdict: str
    method: str
    strict: float
    time: float


class Ours(NamedTuple):
    """A certificate, and the seconds to find it, to find and check it, and to check it again."""

    proof: Certificate
    find: float
    time: float
    verify: float
    loose: float  # to find and check it with a wide interval; NaN where there is no margin


class Row(NamedTuple):
    """One data set with the medians of both sides."""

    name: str
    X: Any
    program: Program
    ours: Ours
    ratio: Ratio  # of their time for the same question to ours; a lower bound at the limit


# --- both sides ----------------------------------------------------------------------------------


def their_answer(X: Any, y: Any) -> Program:
    """Solve with scipy's default, or with interior points if that takes too long."""
    found = programs(X, y, DEFAULT)
    return programs(X, y, INTERIOR) if found.verdict == "time" else found


def programs(X: Any, y: Any, method: str) -> Program:
    """Solve both programs, in the rows z_i = y_i (x_i, 1)."""
    start = time.perf_counter()
    Z = signed(X, y)
    found = solve(np.zeros(Z.shape[1]), -Z, -np.ones(len(y)), (None, None), method)
    strict = time.perf_counter() - start
    if found.status != INFEASIBLE:
        return Program(answer(found, "separable"), method, strict, strict)
    total = np.asarray(Z.sum(axis=0)).reshape(-1)
    found = solve(-total, -Z, np.zeros(len(y)), (-1, 1), method)
    both = time.perf_counter() - start
    moved = found.status == SOLVED and (Z @ found.x > MOVED).any()
    verdict = answer(found, "quasi-separable" if moved else "inseparable")
    return Program(verdict, method, strict, both)


def signed(X: Any, y: Any) -> Any:
    ones = np.ones((len(y), 1))
    if sp.issparse(X):
        return sp.csr_array(sp.diags_array(y) @ sp.hstack([X, sp.csr_array(ones)]))
    return y[:, None] * np.hstack([X, ones])


def solve(cost: Any, A: Any, b: Any, bounds: tuple[int | None, int | None], method: str) -> Any:
    options = {"time_limit": LIMIT}
    return linprog(cost, A_ub=A, b_ub=b, bounds=bounds, method=method, options=options)


def answer(found: Any, solved: str) -> str:
    if found.status == SOLVED:
        return solved
    return "time" if found.status == LATE else f"none (status {found.status})"


def our_answer(X: Any, y: Any) -> Ours:
    proof, took = certified(X, y)
    verify = verified(proof, X, y)
    loose = certified(X, y, tol=0.5)[1] if proof.status == "separable" else math.nan
    return Ours(proof, proof.seconds, took, verify, loose)


def certified(X: Any, y: Any, tol: float = 1e-6) -> tuple[Certificate, float]:
    start = time.perf_counter()
    proof = rosenblatt.certify(X, y, tol=tol, time_limit=LIMIT)
    took = time.perf_counter() - start
    assert isinstance(proof, Certificate)  # of two classes
    return proof, took


def verified(proof: Certificate, X: Any, y: Any) -> float:
    """Return the seconds to check a proof, which must hold."""
    start = time.perf_counter()
    found = proof.verify(X, y)
    took = time.perf_counter() - start
    assert found, found.failed
    return took


def warm_up() -> None:
    """Load what both sides need: for dense and sparse rows, and for each verdict."""
    y = np.array([-1.0, -1.0, 1.0, 1.0])
    for x in ([0, 1, 3, 4], [0, 1, 1, 4], [0, 3, 1, 4]):
        X = np.array(x, np.float64)[:, None]
        our_answer(X, y)
        our_answer(sp.csr_array(X), y)


def measured(name: str, X: Any, y: Any) -> Row:
    """Measure both sides in turn; programs that have no answer in time only once."""
    program, ours = their_answer(X, y), our_answer(X, y)
    agree(name, program.verdict, ours.proof.status)
    if program.verdict == "time":
        return Row(name, X, program, ours, exactly(program.time / ours.time))
    theirs, answers = list[Program](), list[Ours]()
    works = {
        "programs": lambda: kept(theirs, programs(X, y, program.method)),
        "ours": lambda: kept(answers, our_answer(X, y)),
    }
    lines = faster(name, "", "programs", "ours")
    _, (found,) = alternate(works, lines, clock=lambda work: work().time, warm_up=False)
    return Row(
        name,
        X,
        program._replace(**medians(theirs, "strict", "time")),
        ours._replace(**medians(answers, "find", "time", "verify", "loose")),
        found.ratio,
    )


def kept(answers: list[Any], answer: Any) -> Any:
    answers.append(answer)
    return answer


def medians(runs: list[Any], *parts: str) -> dict[str, float]:
    return {part: statistics.median(getattr(run, part) for run in runs) for part in parts}


def agree(name: str, theirs: str, ours: str) -> None:
    """Fail if the sides contradict each other."""
    assert theirs == "time" or theirs == ours, f"{name}: {ours}, but the programs say {theirs}"


# --- the sets ------------------------------------------------------------------------------------


def sets() -> Iterator[tuple[str, Any, Any]]:
    """Yield name, rows and signs."""
    yield from two_classes("endometrial", endometrial())
    for name in ("iris", "wine", "wheat-seeds"):
        yield from each_class(name, uci(name))
    for name in ("sonar", "ionosphere", "banknote_authentication"):
        yield from two_classes(name.partition("_")[0], uci(name))
    yield from two_classes("heart_scale", heart())
    yield from two_classes("svmguide3", svmguide3())
    yield from two_classes("mushroom", mushroom())
    for name, split in (("a1a", a1a()), ("rcv1_small", rcv1_small())):
        yield from two_classes(name, split and (split.X, split.y))
    yield from two_classes("ijcnn1", ijcnn1())
    if (found := pixels()) is not None:
        X, y = found
        for pair in PAIRS:
            either = np.isin(y, pair)
            name = "MNIST {} or {}".format(*pair)
            yield name, X[either], np.where(y[either] == pair[1], 1.0, -1.0)


def two_classes(name: str, found: tuple[Any, Any] | None) -> Iterator[tuple[str, Any, Any]]:
    if found is not None:
        X, y = found
        yield name, X, np.where(y == np.unique(y)[-1], 1.0, -1.0)


def each_class(name: str, found: tuple[Any, Any] | None) -> Iterator[tuple[str, Any, Any]]:
    if found is not None:
        X, y = found
        for label in np.unique(y):
            yield f"{name}, {label}", X, np.where(y == label, 1.0, -1.0)


# --- tables --------------------------------------------------------------------------------------


def against_programs() -> Part:
    warm_up()
    rows = [measured(*one) for one in sets()]
    if not rows:
        return absent(TITLE)
    header = ["", "rows", "verdict", "rows in the proof", "interval"]
    header += ["first program", "programs", "their verdict"]
    header += ["find", "ours", "verify", "programs to ours", "verdict only"]
    title = f"{TITLE}: `certify` against linear programs"
    text = f"### {title}\n\n{NOTES}\n\n{table(header, [line(row) for row in rows])}"
    separable = [row.ratio for row in rows if row.ours.proof.status == "separable"]
    others = [row.ratio for row in rows if row.ours.proof.status != "separable"]
    findings = [
        finding("a separator of the widest margin, proven", separable, 10.0),
        finding("that there is no separator, proven", others, 1.0),
    ]
    return Part(text, findings)


def line(row: Row) -> list[str]:
    program, ours = row.program, row.ours
    proof, (low, high) = ours.proof, ours.proof.margin
    least = "> " if program.verdict == "time" else ""
    return [
        row.name,
        "{:,} × {:,}".format(*row.X.shape) + (", sparse" if sp.issparse(row.X) else ""),
        proof.status,
        f"{len(proof.rows):,}",
        f"{(high - low) / high:.0e}" if high > 0.0 else "",
        pretty(program.strict),
        pretty(program.time),
        program.verdict + " (interior points)" * (program.method == INTERIOR),
        pretty(ours.find),
        pretty(ours.time),
        pretty(ours.verify),
        f"{least}{row.ratio}",
        "" if math.isnan(ours.loose) else pretty(ours.loose),
    ]


def finding(work: str, ratios: list[Ratio], wanted: float) -> Finding:
    gains = [ratio.median for ratio in ratios]
    spread = f"median of {len(gains)} sets, {figure(min(gains))} to {figure(max(gains))} ×"
    return Finding(work, "scipy's linprog (HiGHS)", middle(ratios), wanted, remark=spread)


def digits() -> Part:
    """Certify each of MNIST's digits against the rest."""
    title = "Each of MNIST's digits against the rest"
    if (found := pixels()) is None:
        return absent(title)
    X, y = found
    rows, slowest, count = [], 0.0, 0
    for digit in range(10):
        signs = np.where(y == digit, 1.0, -1.0)
        proof, took = certified(X, signs)
        verify = verified(proof, X, signs)
        slowest, count = max(slowest, took + verify), count + (proof.status != "undecided")
        rows.append([str(digit), *digit_line(proof), pretty(proof.seconds), pretty(verify), "yes"])
    header = ["", "verdict", "rows that cancel", "digits of the largest weight"]
    header += ["features that diverge", "the proof in a file", "find", "verify", "verified"]
    text = f"### {title}\n\n{program_for_digit(X, y)}\n\n{table(header, rows)}"
    work = "each of MNIST's digits against the rest (60,000 × 784), proven and verified"
    remark = f"{count} of 10 decided, the slowest in {pretty(slowest)}"
    line = Finding(work, "a minute", exactly(slowest / 60), 1.0, at_most=True, remark=remark)
    return Part(text, [line])


def digit_line(proof: Certificate) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof.json"
        proof.save(path)
        size = path.stat().st_size
    return [
        proof.status,
        f"{len(proof.rows):,}",
        f"{math.floor(math.log10(max(proof.weights))) + 1:,}",
        f"{np.count_nonzero(proof.diverging):,}",
        f"{size / 1000:,.0f} kB",
    ]


def program_for_digit(X: Any, y: Any) -> str:
    """Describe the result of the linear programs for the digit 0."""
    found = their_answer(X, np.where(y == 0, 1.0, -1.0))
    if found.verdict == "time":
        limit = f"{LIMIT:.0f} s for each program, by either method"
        return f"The linear programs have no answer for digit 0 in {limit}."
    how = f'{found.verdict}, by `"{found.method}"` in {pretty(found.time)}'
    return f"The linear programs for digit 0: {how}."


def main() -> Part:
    return joined([against_programs(), digits()])


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
