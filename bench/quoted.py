"""The pages with figures of the kept runs: README and guides quote the worse ends of intervals.

Run: python bench/quoted.py. tests/promises/test_benchmarks.py fails where a page has other figures.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import kept
from markdown import figure
from ratios import Finding

Findings = dict[tuple[str, str], Finding]  # by work and peer

ROOT = Path(__file__).resolve().parents[1]
HEADER = "| work | peer | ratio | |\n|---|---|---|---|\n"
TABLE = re.compile(re.escape(HEADER) + r"(?:\|.*\n)+")
LEARN, SGD = "scikit-learn Perceptron", "scikit-learn SGDClassifier"
WABBIT, LIBLINEAR, RIVER = "Vowpal Wabbit", "LIBLINEAR at its best", "river Perceptron"
PRODUCT = "the product X @ W"
TO_ACCURACY = "training to the same held-out accuracy ({})"
MACHINE = "training a kernel machine ({})"


class Row(NamedTuple):
    """A row of a table: its first cell, and the lines of the runs that it quotes."""

    work: str
    lines: tuple[str, ...]  # the works of the findings
    peer: str
    note: str = ""
    further: tuple[tuple[str, str], ...] = ()  # work and peer of the figures in the note


SPARSE = Row(
    "one epoch, sparse, two classes (200,000 × 47,236)",
    ("one shuffled sparse epoch, two classes",),
    LEARN,
    "{} × the time of the product `X @ w`",
    (("one shuffled sparse epoch, two classes", PRODUCT),),
)
DENSE = Row(
    "one epoch, dense, ten classes (MNIST)", ("one shuffled dense epoch, ten classes",), LEARN
)
SMALL = Row(
    "one epoch of a thousand rows",
    (
        "one shuffled sparse epoch of a small set, two classes",
        "one shuffled sparse epoch of a small set, two classes, separable",
    ),
    LEARN,
)
WHOLE = Row(
    "`fit` to the end, five sets of 150 to 1,797 rows",
    tuple(f"fit to the end, {name}" for name in ("iris", "wine", "digits", "a1a", "rcv1_small")),
    LEARN,
)
OVERVIEW = (
    SPARSE,
    DENSE,
    SMALL,
    WHOLE,
    Row(
        "`predict_one` and `learn_one`, dicts of 75 features",
        tuple(
            f"predict_one and learn_one, {rows}"
            for rows in ("dicts of 75", "75 of 2,000 words", "75 of 40,000 words")
        ),
        RIVER,
        "whether names change from dict to dict or not",
    ),
    Row(
        "svmlight text to a sparse matrix, one core",
        ('svmlight text to CSR on one core, values "%.6g"',),
        "scikit-learn `load_svmlight_file`",
        "every number equal to the last bit",
    ),
    Row(
        "text file to model, one pass (186 MB)",
        ("text file to model, one pass (made rows)",),
        WABBIT,
    ),
    Row(
        "the command on 186 MB, start-up included",
        ("the same as a command, start-up included (186 MB)",),
        WABBIT,
    ),
    Row(
        "the command on 50 MB, start-up included",
        ("the same as a command, start-up included (50 MB)",),
        WABBIT,
    ),
    Row(
        "training to the same accuracy",
        (TO_ACCURACY.format("made rows"),),
        LIBLINEAR,
        "{} on letter, {} on a1a",
        ((TO_ACCURACY.format("letter"), LIBLINEAR), (TO_ACCURACY.format("a1a"), LIBLINEAR)),
    ),
    Row(
        "kernel machine, 12,000 rows of MNIST, polynomial",
        (MACHINE.format("MNIST, poly"),),
        "LIBSVM",
    ),
    Row(
        "kernel machine, 16 features (pendigits, letter)",
        tuple(
            MACHINE.format(of)
            for of in (
                "pendigits, rbf",
                "pendigits, poly",
                "letter, rbf",
                "letter, poly",
            )
        ),
        "LIBSVM",
    ),
)
TABLES = {
    "README.md": OVERVIEW,
    "docs/index.md": OVERVIEW,
    "docs/howto/from-scikit-learn.md": (
        SPARSE,
        DENSE,
        Row("`partial_fit` of one row", ("partial_fit of one row",), LEARN),
        Row("`predict` of one row", ("predict of one row",), LEARN),
        SMALL,
        WHOLE,
    ),
}


def table(rows: tuple[Row, ...], findings: Findings) -> str:
    """Return the table of those rows that have figures."""
    texts = []
    for row in rows:
        found = [findings[work, row.peer] for work in row.lines if (work, row.peer) in findings]
        if found:
            peer = WABBIT if row.peer == WABBIT else row.peer.split()[0]
            cells = [row.work, peer, gain(found), notes(row, peer, found, findings)]
            texts.append("| " + " | ".join(cells) + " |\n")
    return HEADER + "".join(texts)


def gain(found: list[Finding]) -> str:
    """Return the ratio, or the range of several, in bold if a peer may be faster."""
    ends = min(line.quoted for line in found), max(line.quoted for line in found)
    text = "–".join(dict.fromkeys(map(figure, ends)))
    return f"**{text}**" if any(line.is_behind for line in found) else text


def notes(row: Row, peer: str, found: list[Finding], findings: Findings) -> str:
    """Return where the peer is ahead, in time or accuracy, and what else there is to say."""
    words = []
    if slower := [line for line in found if line.is_behind]:
        words.append(f"**{peer} is faster**{' on some' * (len(slower) < len(found))}")
    if worse := [line for line in found if line.is_less_accurate]:
        words.append(f"**{peer} is more accurate**{' on some' * (len(worse) < len(found))}")
    if len(found) == 1 and found[0].accuracy is not None:
        ours, theirs = (f"{100 * share:.1f} %" for share in found[0].accuracy)
        words += [f"{theirs} to {ours}" if worse else f"{ours} right to {theirs}"]
    if all(key in findings for key in row.further):
        words += [row.note.format(*(gain([findings[key]]) for key in row.further))] * bool(row.note)
    return "; ".join(words)


def figures(runs: kept.Runs) -> Findings:
    """Return the last figures of all lines."""
    return {line.key: line for line in kept.lines(runs)}


def write(runs: kept.Runs) -> None:
    """Write the page of the benchmarks, and the figures into the other pages."""
    kept.PAGE.write_text(kept.page(runs), "utf-8")
    for name, rows in TABLES.items():
        text = table(rows, figures(runs))
        page = ROOT / name
        page.write_text(TABLE.sub(lambda _, text=text: text, page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    write(kept.load())
