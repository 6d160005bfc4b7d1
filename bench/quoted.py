"""The pages with figures of the kept runs: README and documentation quote the worse ends of them.

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
PRODUCT, NUMPY = "the product X @ W", "import numpy"
HIGHS, PYARROW = "scipy's linprog (HiGHS)", "pyarrow's own reading"
SHORT = {WABBIT: WABBIT, HIGHS: "SciPy's HiGHS", PYARROW: "pyarrow", NUMPY: "`import numpy`"}
"""How tables call a peer, where the first word of its name does not do."""
TO_ACCURACY = "training to the same held-out accuracy ({})"
MACHINE = "training a kernel machine ({})"


class Row(NamedTuple):
    """A row of a table: its first cell, and the lines of the runs that it quotes.

    Where the peer is ahead, ``behind`` says why, and what to do about it.
    """

    work: str
    lines: tuple[str, ...]  # the works of the findings
    peer: str
    note: str = ""
    further: tuple[tuple[str, str], ...] = ()  # work and peer of the figures in the note
    behind: str = ""


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
ONE_ROW = Row(
    "`partial_fit` and `predict` of one row",
    ("partial_fit of one row", "predict of one row"),
    LEARN,
)
DICTS = Row(
    "`predict_one` and `learn_one`, dicts of 75 features",
    tuple(
        f"predict_one and learn_one, {rows}"
        for rows in ("dicts of 75", "75 of 2,000 words", "75 of 40,000 words")
    ),
    RIVER,
    "whether names change from dict to dict or not",
)
PARSING = Row(
    "svmlight text to a sparse matrix, one core",
    ('svmlight text to CSR on one core, values "%.6g"',),
    "scikit-learn `load_svmlight_file`",
    "every number equal to the last bit",
)
FILE = Row(
    "text file to model, one pass (186 MB)",
    ("text file to model, one pass (made rows)",),
    WABBIT,
    behind="its steps adapt to each column; so do those of `auto`, the default",
)
SMALL_COMMAND = Row(
    "the command on 50 MB, start-up included",
    ("the same as a command, start-up included (50 MB)",),
    WABBIT,
    behind="Python and NumPy start first; give many files to one call, or use a larger one",
)
SAME_ACCURACY = Row(
    "training to the same accuracy, made rows",
    (TO_ACCURACY.format("made rows"),),
    LIBLINEAR,
)
SMALL_ACCURACY = Row(
    "the same on a1a and rcv1_small",
    (TO_ACCURACY.format("a1a"), TO_ACCURACY.format("rcv1_small")),
    LIBLINEAR,
    behind="its dual steps need few passes over some thousand rows; both take milliseconds, "
    "or take LIBLINEAR",
)
MNIST_KERNEL = Row(
    "kernel machine, 12,000 rows of MNIST, polynomial", (MACHINE.format("MNIST, poly"),), "LIBSVM"
)
FEW_FEATURES = Row(
    "kernel machine, 16 features (pendigits, letter)",
    tuple(
        MACHINE.format(of)
        for of in ("pendigits, rbf", "pendigits, poly", "letter, rbf", "letter, poly")
    ),
    "LIBSVM",
    behind="it ends at the optimum; take more epochs, or `SVC`",
)
OVERVIEW = (
    SPARSE,
    DENSE,
    DICTS,
    PARSING,
    FILE,
    SMALL_COMMAND,
    SAME_ACCURACY,
    SMALL_ACCURACY,
    MNIST_KERNEL,
    FEW_FEATURES,
)
MEMORY = (
    SPARSE,
    Row(
        "one epoch, sparse, 20 classes and 100",
        tuple(f"one shuffled sparse epoch, {n} classes" for n in (20, 100)),
        LEARN,
    ),
    DENSE,
    SMALL,
    WHOLE,
    SAME_ACCURACY,
    SMALL_ACCURACY,
)
SINGLE = (ONE_ROW, DICTS)
FILES = (
    PARSING,
    Row(
        "CSV to rows, 200,000 × 20",
        ("reading a table (200,000 × 20): CSV",),
        PYARROW,
    ),
    Row(
        "Parquet to rows, 200,000 × 20",
        ("reading a table (200,000 × 20): Parquet",),
        PYARROW,
        behind="it keeps columns, and a learner needs rows; Arrow files are read 1.5 times as fast",
    ),
    FILE,
    SMALL_COMMAND,
)
HARD = (
    MNIST_KERNEL,
    FEW_FEATURES,
    Row(
        "a proof that two classes are separable, 9 sets",
        ("a separator of the widest margin, proven",),
        HIGHS,
        "HiGHS' answer is in floating point, without a proof",
    ),
    Row(
        "a proof that they are not, 13 sets",
        ("that there is no separator, proven",),
        HIGHS,
    ),
)
STARTS = tuple(
    Row(f"`{what}`", (f"start of `{name}`",), NUMPY)
    for what, name in (
        ("rosenblatt --help", "rosenblatt --help"),
        ("rosenblatt train", "rosenblatt train, CSV"),
        ("rosenblatt validate", "rosenblatt validate, CSV"),
    )
)
TABLES = {
    "README.md": (OVERVIEW,),
    "docs/benchmarks.md": (MEMORY, SINGLE, FILES, HARD, STARTS),
}
"""The tables of each page, in their order."""


def table(rows: tuple[Row, ...], findings: Findings) -> str:
    """Return the table of those rows that have figures."""
    texts = []
    for row in rows:
        found = [findings[work, row.peer] for work in row.lines if (work, row.peer) in findings]
        if found:
            peer = SHORT.get(row.peer, row.peer.split()[0])
            cells = [row.work, peer, gain(found), notes(row, peer, found, findings)]
            texts.append("| " + " | ".join(cells) + " |\n")
    return HEADER + "".join(texts)


def gain(found: list[Finding]) -> str:
    """Return the ratio, or the range of several, in bold if a peer may be faster."""
    ends = min(line.quoted for line in found), max(line.quoted for line in found)
    text = "–".join(dict.fromkeys(map(figure, ends)))
    return f"**{text}**" if any(line.is_behind for line in found) else text


def notes(row: Row, peer: str, found: list[Finding], findings: Findings) -> str:
    """Return where the peer is ahead, why, and what else there is to say."""
    slower = [line for line in found if line.is_behind]
    worse = [line for line in found if line.is_less_accurate]
    words, right = [], ""
    if len(found) == 1 and found[0].accuracy is not None:
        ours, theirs = (f"{100 * share:.1f} %" for share in found[0].accuracy)
        right = f" ({theirs} to {ours})" if worse else f"{ours} right to {theirs}"
    for what, lines in (("faster", slower), ("more accurate" + right, worse)):
        if lines:
            words.append(f"{peer} is {what}{' on some' * (len(lines) < len(found))}")
    if words and row.behind:
        words = [f"{' and '.join(words)}: {row.behind}"]
    words += [right] * bool(right and not worse)
    if all(key in findings for key in row.further):
        words += [row.note.format(*(gain([findings[key]]) for key in row.further))] * bool(row.note)
    return "; ".join(words)


def figures(runs: kept.Runs) -> Findings:
    """Return the last figures of all lines."""
    return {line.key: line for line in kept.lines(runs)}


def write(runs: kept.Runs) -> None:
    """Write all figures, and their tables into the pages."""
    kept.PAGE.write_text(kept.page(runs), "utf-8")
    for name in TABLES:
        page = ROOT / name
        page.write_text(with_tables(name, page.read_text("utf-8"), figures(runs)), "utf-8")


def with_tables(name: str, page: str, findings: Findings) -> str:
    """Return the text of a page with its tables of these figures.

    Raises
    ------
    ValueError
        The page has more or fewer tables.
    """
    tables, texts = TABLES[name], TABLE.split(page)
    if len(texts) != len(tables) + 1:
        raise ValueError(f"{name} has {len(texts) - 1} tables of figures, not {len(tables)}.")
    pairs = zip(texts, [*(table(rows, findings) for rows in tables), ""], strict=True)
    return "".join(text + own for text, own in pairs)


if __name__ == "__main__":
    write(kept.load())
