"""``rosenblatt compile``: machine code ahead of time, for images and clusters."""

from __future__ import annotations

import io
import json
import os
import tempfile
import time
from collections.abc import Callable, Hashable
from contextlib import chdir, redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path

import rich_click as click

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.options import shared
from rosenblatt.cli.options.names import RULES

Run = Callable[[str], None]


def _run(name: str, *arguments: str) -> None:
    """Run a command in this process, without its output."""
    command = getattr(import_module(f"rosenblatt.cli.commands.{name}"), name)
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(output):
        command.main(arguments, standalone_mode=False)


def _rule_options(rule: str) -> tuple[str, ...]:
    """Return the options of a rule; least mean squares diverges with a large learning rate."""
    return ("--rule", rule, "--eta0", "1e-9") if rule == "lms" else ("--rule", rule)


def _write_samples() -> None:
    for sample in ("tumours", "flowers", "mail"):
        if not list(Path().glob(f"{sample}.*")):
            _run("sample", sample)


def _learn_file(file: str, rule: str) -> None:
    """Learn from a file, judge the model, and predict."""
    for options in ([], ["--average"], ["--scale"]):
        _run("train", file, "-m", "model", "-q", *_rule_options(rule), *options)
    _run("evaluate", "model", file)
    _run("predict", "model", file)
    _run("validate", file, "-q", *_rule_options(rule))


def _compile_svmlight(rule: str) -> None:
    """Learn two classes and three."""
    _write_samples()
    _run("convert", "flowers.csv", "flowers.svm", "--labels", "setosa,versicolor,virginica")
    for file in ("tumours.svm", "flowers.svm"):
        _learn_file(file, rule)


def _compile_csv(rule: str) -> None:
    """Learn two classes and three."""
    _write_samples()
    _run("convert", "tumours.svm", "tumours.csv")
    for file in ("tumours.csv", "flowers.csv"):
        _learn_file(file, rule)


def _compile_texts(rule: str) -> None:
    _write_samples()
    _learn_file("mail.tsv", rule)


def _compile_vw(rule: str) -> None:
    _write_samples()
    _run("convert", "tumours.svm", "tumours.vw")
    _learn_file("tumours.vw", rule)


def _compile_arrays(rule: str) -> None:
    """Fit dense and sparse rows of two and of three classes, with the last weights and averaged."""
    import numpy as np
    import scipy.sparse as sp

    from rosenblatt.learning.linear.learners import Perceptron

    X = np.random.default_rng(0).standard_normal((60, 4))
    for rows in (X, sp.csr_array(X)):
        for classes in (2, 3):
            for output in ("last", "average"):
                model = Perceptron(rule=rule, output=output, max_iter=2, tol=None)
                model.fit(rows, np.arange(60) % classes).partial_fit(rows, np.arange(60) % classes)


def _compile_online(rule: str) -> None:
    """Learn dicts one by one."""
    from rosenblatt.learning.online.estimator import OnlinePerceptron

    for output in ("last", "average"):
        model = OnlinePerceptron(rule=rule, output=output)
        for i in range(8):
            row: dict[Hashable, float] = {"a": i, "b": 1.0}
            model.learn_one(row, i % 2).predict_one(row)


def _compile_kernel(rule: str) -> None:
    _write_samples()
    for options in (["--kernel", "rbf"], ["--vote"]):
        _run("train", "tumours.svm", "-m", "model", "-q", *_rule_options(rule), *options)
        _run("predict", "model", "tumours.svm")


def _compile_certify(rule: str) -> None:
    _write_samples()
    for file in ("tumours.svm", "flowers.csv"):
        _run("certify", file, "-q")


KINDS: dict[str, Run] = {
    "svmlight": _compile_svmlight,
    "csv": _compile_csv,
    "vw": _compile_vw,
    "texts": _compile_texts,
    "arrays": _compile_arrays,
    "online": _compile_online,
    "kernel": _compile_kernel,
    "certify": _compile_certify,
}
"""Each kind of work, and what compiles it: small runs of that kind."""


@click.command(cls=shared.Command)
@shared.order_panels
@click.argument(
    "kinds",
    nargs=-1,
    type=click.Choice(tuple(KINDS)),
    metavar="[KIND]…",
    help=f"{', '.join(KINDS)}. By default all.",
)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    type=click.Choice(RULES),
    metavar="NAME",
    default=("perceptron",),
    show_default=True,
    help=f"Update rule: {', '.join(RULES)}. Repeatable.",
)
@shared.json_option("Print one JSON object: seconds by kind, and the folder.")
def compile(kinds: tuple[str, ...], rules: tuple[str, ...], as_json: bool) -> None:
    """Compile the loops ahead of time.

    [bold]Examples[/]
        rosenblatt compile
        rosenblatt compile csv online --rule perceptron --rule pa1

    Loops are compiled when there is enough work for them, once on a machine. In an image or on a
    cluster, where every container starts without machine code, this command does it beforehand. The
    environment variable NUMBA_CACHE_DIR names the folder of the machine code; by default it lies
    beside the package, or in a cache folder of the user where that is not writable.
    """
    from rosenblatt.engine import jit

    if cache := os.environ.get("NUMBA_CACHE_DIR"):
        os.environ["NUMBA_CACHE_DIR"] = os.path.abspath(cache)  # the work is done in another folder
    console = terminal.stdout(quiet=as_json)
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder), jit.compile_all():
        for kind in kinds or KINDS:
            start = time.perf_counter()
            for rule in rules:
                KINDS[kind](rule)
            seconds[kind] = time.perf_counter() - start
            console.print(f"{kind:>10}  {fmt.seconds(seconds[kind])}")
    if as_json:
        click.echo(json.dumps({"seconds": seconds, "folder": os.environ.get("NUMBA_CACHE_DIR")}))
