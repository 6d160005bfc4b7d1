"""What ``rosenblatt demo`` shows."""

from __future__ import annotations

import math
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from rosenblatt.cli.demo.runs import PASSES, Fitted, Split, Theorem
from rosenblatt.cli.display import fmt, render
from rosenblatt.cli.display.model_facts import heaviest_weights

if TYPE_CHECKING:
    from rosenblatt.learning.evaluation.progressive import Summary


_SHADES = " ░▒▓█"
_MAX_INTENSITY = 16.0  # the blackest pixel
_LONG_RUN = 5.0  # seconds


def _title(console: Console, text: str) -> None:
    console.print()
    console.print(Rule(Text(text, "bold"), align="left", style="dim"))
    console.print()


def show_digits_intro(console: Console, rows: Split, seed: int) -> None:
    """Say what is learned."""
    _title(console, "Ten digits, written by hand")
    console.print(
        f"sklearn:digits, {fmt.count(len(rows.X), 'image')} of 8 × 8 pixels to learn, "
        f"{len(rows.X_test)} held out (seed {seed}).\n"
        "One pass; every image is predicted before it is learned:\n"
    )


def show_digits(console: Console, rows: Split, fitted: Fitted, summary: Summary) -> None:
    """The held-out error, and who was taken for whom."""
    console.print()
    console.print(f"Then {PASSES} passes, and the average of all weights on the way:\n")
    console.print(render.facts(_error_facts(fitted)))
    console.print()
    table = Table.grid(padding=(0, 4))
    table.add_row(
        render.confusion_table(fitted.confusion.classes, fitted.confusion.matrix()),
        _misread_image(rows, fitted),
    )
    console.print(table)
    console.print(Text("rows: the digit, columns: what it was taken for", "dim"))


def _error_facts(fitted: Fitted) -> list[tuple[str, str]]:
    confusion = fitted.confusion
    missed = f"{confusion.errors} of {confusion.examples}"
    return [
        (
            "held out",
            f"wrong {fmt.error_rate(confusion.error, *confusion.interval)}: {missed}",
        ),
        ("best constant", fmt.baseline(*confusion.constant)),
    ]


def _misread_image(rows: Split, fitted: Fitted) -> Table:
    """The misread image whose digit the model was surest it is not."""
    wrong = np.flatnonzero(fitted.predictions != rows.y_test)
    table = Table.grid()
    if len(wrong) == 0:
        return table
    scores = fitted.model.decision_function(rows.X_test[wrong])
    truth = np.searchsorted(fitted.model.classes_, rows.y_test[wrong])
    worst = wrong[np.argmin(scores[np.arange(len(wrong)), truth] - scores.max(axis=1))]
    table.add_row(Text(f"a {rows.y_test[worst]}, taken for a {fitted.predictions[worst]}:", "bold"))
    table.add_row("")
    for line in picture(rows.X_test[worst].reshape(8, 8)):
        table.add_row(Text(line))
    return table


def picture(pixels: Any) -> list[str]:
    """An image as text, two characters a pixel."""
    steps = np.ceil(pixels / _MAX_INTENSITY * (len(_SHADES) - 1)).astype(int)
    return ["".join(2 * _SHADES[step] for step in row) for row in steps]


def show_tumours(console: Console, rows: Split, fitted: Fitted) -> None:
    """The held-out error, and the features that decide."""
    _title(console, "Tumours, benign or malignant")
    console.print(
        f"sklearn:breast_cancer, {fmt.count(len(rows.X), 'tumour')} to learn from, "
        f"{len(rows.X_test)} held out;\n{len(rows.names)} measurements, scaled to mean 0 and "
        f"deviation 1. {PASSES} passes, averaged:\n"
    )
    console.print(render.facts(_error_facts(fitted)))
    console.print()
    sides = heaviest_weights(fitted.model.coef_[0], rows.names, 0, 4)
    console.print(render.heading("Heaviest features", "left: benign   right: malignant"))
    console.print(render.bars(sides["positive"] + sides["negative"][::-1]))


def show_theorems(console: Console, runs: list[Theorem]) -> None:
    """Novikoff's theorem beside what happened."""
    _title(console, "The theorem at work")
    console.print(
        "Novikoff, 1962: on rows no longer than R, which some unit vector separates with\n"
        "margin γ, the plain perceptron makes at most (R/γ)² mistakes, in any order, in\n"
        "any number of passes. (The offset is one more coordinate, a 1 in every row.)\n"
    )
    table = Table(box=None, pad_edge=False, padding=(0, 4, 0, 0))
    table.add_column("", style="cyan", no_wrap=True)
    for run in runs:
        table.add_column(Text(run.question, "bold"))
    for name, *cells in _theorem_rows(runs):
        table.add_row(name, *cells)
    console.print(table)
    console.print(f"\n{_assumptions(runs)}")


def _theorem_rows(runs: list[Theorem]) -> list[tuple[str, ...]]:
    return [
        ("rows × coordinates", *(f"{run.rows:,} × {run.columns}" for run in runs)),
        ("R, the longest row", *(f"{run.radius:.2f}" for run in runs)),
        ("passes", *(_format_passes(run) for run in runs)),
        ("mistakes made", *(f"{run.mistakes:,}" for run in runs)),
        ("‖w‖ at the end", *(f"{run.norm:.2f}" for run in runs)),
        ("γ at most: ‖w‖ / mistakes", *(f"{run.most:.3g}" for run in runs)),
        ("γ at least: a separator's", *(_format_margin(run.least) for run in runs)),
        ("mistakes at most: (R/γ)²", *(_format_bound(run.bound) for run in runs)),
    ]


def _format_passes(run: Theorem) -> str:
    return f"{run.passes:,}, {'separated' if run.separated else 'not separated'}"


def _format_margin(margin: float | None) -> str:
    return "–" if margin is None else f"{margin:.3g}"


def _format_bound(bound: float | None) -> str:
    return "–" if bound is None else f"{math.floor(bound):,}"


def _assumptions(runs: list[Theorem]) -> str:
    assumptions = "True of every run here: w starts at 0 and moves by ±x, at mistakes only."
    unseparated = [f"“{run.question}”" for run in runs if run.bound is None]
    if not unseparated:
        return f"{assumptions}\nAnd separators were found: the bound holds."
    names = " and ".join(unseparated)
    return f"{assumptions}\nNothing was found that separates {names}: no γ, so no bound."


def show_certificates(console: Console, proofs: dict[str, Any]) -> None:
    """Whether the questions have a separator at all, and what proves it."""
    _title(console, "The certificate")
    console.print(
        "Passes without an end prove nothing. The nearest points of the classes' hulls\n"
        "tell whether a separator exists; exact arithmetic has checked what they tell.\n"
    )
    console.print(
        render.facts([(name, _format_certificate(proof)) for name, proof in proofs.items()])
    )


def _format_certificate(proof: Any) -> str:
    rows = fmt.count(len(proof.rows), "row")
    if proof.status != "separable":
        return f"{proof.status}: {rows} that cancel prove it"
    return f"separable: the widest margin is {proof.margin[0]:.3g}, {rows} fix it"


def show_next_steps(console: Console, path: str, seconds: float) -> None:
    """Where the model is, and what to do with it."""
    _title(console, "What now?")
    once = ", most of it to compile: the next time is faster" if seconds > _LONG_RUN else ""
    console.print(
        f"All this took {fmt.seconds(seconds)}{once}.\nThe model of the digits is in {path}:\n",
        markup=False,
        soft_wrap=True,
    )
    program = "rosenblatt" if shutil.which("rosenblatt") else os.path.relpath(sys.argv[0])
    for command in (
        f"{program} inspect {path} --top 3",
        f"{program} predict {path} sklearn:digits | head",
        f"{program} train sklearn:digits -m mine.rosenblatt --average --epochs 5",
        f"{program} train --help",
    ):
        console.print(Text(f"    {command}", "green"), soft_wrap=True)
    console.print()
