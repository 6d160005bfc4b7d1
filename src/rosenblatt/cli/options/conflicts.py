"""Options of ``train`` and ``validate`` that exclude each other, or have no effect."""

from __future__ import annotations

from collections.abc import Iterator

import click

from rosenblatt.cli.options.kernel import KERNELS_WITH
from rosenblatt.cli.options.learning import LinearOptions
from rosenblatt.cli.options.names import (
    ADDING_RULES,
    BLENDED_RULES,
    OFFERED,
    PERCEPTRON_SCHEMES,
    WITHOUT_RATE,
)
from rosenblatt.cli.options.train import TrainOptions
from rosenblatt.theory.rules import DECLARATIONS


def check_learner_options(options: LinearOptions, *, is_compared: bool = False) -> None:
    """Refuse a rule that needs all rows at once, and options that would have no effect.

    Parameters
    ----------
    options : LinearOptions
    is_compared : bool, default False
        Whether other rules have the same options: then the message says which command compares
        rules that take different ones.

    Raises
    ------
    click.UsageError
        The message names the options.
    """
    _refuse(_learner_problems(options))
    hint = " To compare rules, each with the options that it takes: rosenblatt tune."
    _refuse(f"{problem}{hint * is_compared}" for problem in _rule_problems(options))


def check_train_options(options: TrainOptions) -> None:
    """Refuse options of ``train`` that conflict, or that would have no effect.

    Raises
    ------
    click.UsageError
        The message names the options.
    """
    for problems in (
        _learner_problems,
        _rule_problems,
        _kernel_problems,
        _holdout_problems,
        _cluster_problems,
    ):
        _refuse(problems(options))
    if options.from_model is not None:
        _refuse(_continuation_problems(options))


def check_single_pass(options: TrainOptions) -> None:
    """Refuse options of ``train`` that read a pipe twice.

    Raises
    ------
    click.UsageError
        The message names the options.
    """
    _refuse(_second_passes(options))


def _refuse(problems: Iterator[str]) -> None:
    for problem in problems:
        raise click.UsageError(problem)


def _learner_problems(options: LinearOptions) -> Iterator[str]:
    rule = options.rule
    if rule not in OFFERED:
        yield (
            f"--rule {rule} chooses its row among all rows, and this command learns them as they "
            f"come. In Python: rosenblatt.Perceptron(rule={rule!r}).fit(X, y)."
        )
    if "alpha" in options.on_command_line and options.penalty is None:
        yield "--alpha goes with --penalty: give --penalty l2, l1 or elasticnet, too."


def _rule_problems(options: LinearOptions) -> Iterator[str]:
    rule = options.rule
    if "eta0" in options.on_command_line and rule in WITHOUT_RATE:
        yield (
            f"--eta0 has no effect on --rule {rule}, which has no learning rate: leave it out, or "
            f"give --rule {WITHOUT_RATE[rule]}, whose "
            f"{DECLARATIONS[WITHOUT_RATE[rule]].rate} it is."
        )
    if rule in BLENDED_RULES:
        if options.average:
            yield f"--average does not go with --rule {rule}, a blend of learners: leave it out."
        if options.scale:
            yield f"--scale has no effect on --rule {rule}, which takes columns in any units."
        if options.probabilities and not options.on_command_line.isdisjoint({"rule", "rules"}):
            yield (
                f"--probabilities has no effect on --rule {rule}, whose scores are log odds, so "
                "that its models have probabilities: leave it out."
            )
        if "multi_class" in options.on_command_line:
            yield f"--multi-class has no effect on --rule {rule}, which learns all classes at once."


def _kernel_problems(options: TrainOptions) -> Iterator[str]:
    if options.average and options.vote:
        yield "--average and --vote exclude each other: give one of them."
    for name, is_set in (("average", options.average), ("vote", options.vote)):
        if options.budget and is_set:
            yield f"--budget drops rows that --{name} needs: give one of them."
    if options.expansion and options.penalty:
        yield "--expansion and --penalty exclude each other: a penalty changes the weights, too."
    if options.expansion and options.scale:
        yield "--expansion and --scale exclude each other: the stored rows would be scaled ones."
    if options.kernel_name and options.scale:
        yield "--scale is for the linear learner: scale the columns before a kernel model."
    if options.kernel_name and options.probabilities and (options.average or options.vote):
        name = "--vote" if options.vote else "--average"
        yield f"--probabilities of a kernel model are of its last weights: leave out {name}."
    if options.kernel_name and options.penalty:
        yield "--penalty shrinks weights of features; a kernel model has none: leave it out."
    if options.kernel_name and options.expansion:
        yield "--expansion is for the linear learner; a kernel model always stores its rows."
    scheme, rule = options.budget_scheme, options.rule
    if rule not in ADDING_RULES:
        if options.kernel_name:
            yield f"--rule {rule} does more than add rows, and a kernel model is a sum of rows."
        if options.penalty:
            yield f"--rule {rule} and --penalty exclude each other: it changes weights its own way."
        if options.expansion:
            yield f"--expansion and --rule {rule} exclude each other: w is no sum of rows."
    if options.budget and scheme in PERCEPTRON_SCHEMES and rule != "perceptron":
        yield f"--budget-scheme {scheme} goes with --rule perceptron only; got --rule {rule}."
    kernel = options.kernel_name
    for name, kernels in KERNELS_WITH.items():
        if name in options.on_command_line and kernel not in kernels:
            reason = f"got --kernel {kernel}" if kernel else "--kernel is missing"
            yield f"--{name} goes with --kernel {' or '.join(kernels)}; {reason}."
    if options.budget and kernel is None:
        yield "--budget goes with --kernel: the linear learner stores no rows."
    if "budget_scheme" in options.on_command_line and not options.budget:
        yield "--budget-scheme goes with --budget: give --budget N, too."


def _holdout_problems(options: TrainOptions) -> Iterator[str]:
    if options.sets and options.holdout is None:
        yield "--sets needs held-out rows: give --holdout 0.2, too."
    if options.early_stop is not None and options.holdout is None:
        yield "--early-stop needs held-out rows: give --holdout 0.1, too."
    if options.early_stop is not None and options.epochs == 1:
        yield "--early-stop needs several epochs: give --epochs N, too."


def _cluster_problems(options: TrainOptions) -> Iterator[str]:
    if options.shards is not None and not options.on_cluster:
        yield "--shards goes with --workers or --scheduler."
    if options.interleave and not options.on_cluster:
        yield "--interleave goes with --workers or --scheduler."
    if options.workers is not None and options.scheduler is not None:
        yield "--workers and --scheduler are two clusters: give one."
    if not options.on_cluster:
        return
    name = "--workers" if options.workers is not None else "--scheduler"
    needs_rows = {  # or the steps, in one process
        "--kernel": options.kernel_name is not None,
        "--expansion": options.expansion,
        "--sets": options.sets,
        "--checkpoint-every": options.checkpoint_every is not None,
        "--certify": options.certify,
        "--report": options.report is not None,
        "--on-bad-row skip": options.on_bad_row != "stop",
    }
    for words, is_used in needs_rows.items():
        if is_used:
            yield f"{words} does not go with {name}: rows are in shards."


def _continuation_problems(options: TrainOptions) -> Iterator[str]:
    if options.on_cluster:
        name = "--workers" if options.workers is not None else "--scheduler"
        yield f"--from does not go with {name}: shards begin with a new model."
    if options.certify:
        yield (
            "--certify is about the rows of DATA, and a model of --from has learned others, too: "
            "give rosenblatt certify all of them."
        )
    for name, is_used in (
        ("--resume", options.resume),
        ("--checkpoint-every", options.checkpoint_every is not None),
    ):
        if options.in_place and is_used:
            yield (
                f"{name} writes to another file than MODEL, which is replaced when all is learned: "
                "give -m FILE, too."
            )


def _second_passes(options: TrainOptions) -> Iterator[str]:
    name = "standard input" if options.data == "-" else f"{options.data}, a pipe,"
    if options.certify:
        yield f"--certify reads DATA again, but {name} can be read only once: name a file."
    if options.class_weight == "balanced":
        yield (
            f"--class-weight balanced counts the labels first, but {name} can be read only once: "
            """name a file, or give weights, such as --class-weight '{"spam": 5}'."""
        )
    if options.on_cluster:
        yield (
            f"{name} can be read by one process only: name a file, or leave out --workers and "
            "--scheduler."
        )
    if options.epochs > 1 and not options.shuffle:
        yield (
            f"--epochs {options.epochs} reads DATA repeatedly, but {name} can be read only once: "
            "name a file, or add --shuffle to read all rows into memory."
        )
