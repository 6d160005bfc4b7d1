"""``rosenblatt demo``: a tour on data that scikit-learn ships."""

from __future__ import annotations

import os
import time

import click

from rosenblatt.cli.display import terminal
from rosenblatt.cli.options.declared import Options, command, option
from rosenblatt.cli.options.shared import json_option

FILE = "digits.rosenblatt"
"""The model file that the demo writes."""


class DemoOptions(Options):
    """All options of ``rosenblatt demo``."""

    folder: str = option("--folder DIR", f"Folder for the model file, {FILE}.", default=".")
    seed: int = option(
        "--seed N",
        "Random seed of the train/test split and of the order of the rows.",
        click.IntRange(min=0),
        default=0,
    )
    as_json: bool = json_option("Print one JSON object instead of the tour.")


@command(DemoOptions, "Start", 1)
def demo(options: DemoOptions) -> None:
    """Tour the library on data sets of scikit-learn.

    Examples
    --------
        rosenblatt demo  # a tour
        rosenblatt demo --folder /tmp --seed 1

    The data comes with scikit-learn; nothing is downloaded.
    """
    started = time.perf_counter()
    import numpy as np

    from rosenblatt.cli.demo import tour
    from rosenblatt.cli.display.progress import ProgressTable
    from rosenblatt.cli.inputs.paths import check_model_path
    from rosenblatt.learning.evaluation.progressive import learn
    from rosenblatt.learning.linear.learners import AveragedPerceptron
    from rosenblatt.learning.models import files

    path = os.path.join(options.folder, FILE)
    check_model_path(path, "")
    console = terminal.stdout(quiet=options.as_json)
    console.width = min(console.width, 80)

    digits = tour.load_split("sklearn:digits", options.seed)
    tour.show_digits_intro(console, digits, options.seed)
    with ProgressTable(console) as table:
        summary = learn(AveragedPerceptron(shuffle=False), [digits.batch], 1, table.add)
        table.add(summary.last)
    digit_fit = tour.fit_averaged(digits, options.seed)
    tour.show_digits(console, digits, digit_fit, summary)

    tumours = tour.standardised(tour.load_split("sklearn:breast_cancer", options.seed))
    tumour_fit = tour.fit_averaged(tumours, options.seed)
    tour.show_tumours(console, tumours, tumour_fit)

    theorems = [
        tour.run_theorem("0 or not", digits.X, digits.y == 0, options.seed),
        tour.run_theorem("malignant or not", tumours.X, tumours.y == "malignant", options.seed),
    ]
    tour.show_certificates(console, theorems)
    tour.show_theorems(console, theorems)

    digit_fit.model.feature_names_in_ = np.array(digits.names, dtype=object)
    files.save(digit_fit.model, path, notes={"data": "sklearn:digits", "format": "sklearn"})
    seconds = time.perf_counter() - started
    tour.show_next_steps(console, path, seconds)
    if options.as_json:
        record = {
            "seed": options.seed,
            "digits": {
                "progressive_error": summary.last.error,
                "progressive_interval": [summary.last.low, summary.last.high],
                "held_out": digit_fit.confusion.record(),
            },
            "breast_cancer": {"held_out": tumour_fit.confusion.record()},
            "theorem": [run.record() for run in theorems],
            "certificates": {
                run.question: {
                    "status": run.proof.status,
                    "margin": run.proof.margin,
                    "rows": len(run.proof.rows),
                }
                for run in theorems
            },
            "model": path,
            "seconds": seconds,
        }
        terminal.print_json(record)
