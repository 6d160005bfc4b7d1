"""Options of ``rosenblatt train``: its values as one record, and groups of its own options."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import click

from rosenblatt.cli.options.declared import FiniteRange, Options, option
from rosenblatt.cli.options.kernel import KernelOptions
from rosenblatt.cli.options.learning import LinearOptions, RuleOption, build_linear
from rosenblatt.cli.options.predictions import cost_option
from rosenblatt.cli.options.shared import SourceOptions, data_argument, json_option, quiet_option

PATIENCE = 5
"""Default of ``--early-stop``: epochs without progress, as ``n_iter_no_change``."""

_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}
_CHANGEABLE = (
    "workers",
    "scheduler",
    "data",
    "path",
    "format",
    "storage_option",
    "cache",
    "certify",
    "report",
    "bad_rows",
    "quiet",
    "as_json",
    "checkpoint_every",
    "resume",
)
"""Options that may differ when a run is resumed: they have no effect on the model."""

_NOTED_IF_SET = (
    "from_model",
    "shards",
    "class_weight",
    "sample_weight",
    "cost",
    "header",
    "names",
    "separator",
    "decimal",
    "quotes",
    "missing",
    "impute",
)
"""Options that model files of version 0.1 do not note: without them, the files are the same."""

_NOTED_IF_TRUE = ("scale", "probabilities", "sets", "keep", "ignore", "interleave")
"""Flags and lists of the same kind."""


class Interval(NamedTuple):
    """Interval between two checkpoints, in seconds or in examples."""

    seconds: float | None
    examples: int | None


def _parse_interval(value: str) -> Interval:
    """Parse 30s, 5min, 1h, or a number of examples."""
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]+)?) ?(s|min|h)", value)
    if match and float(match[1]) > 0:
        return Interval(float(match[1]) * _SECONDS[match[2]], None)
    if re.fullmatch("[0-9]{1,18}", value) and int(value) > 0:
        return Interval(None, int(value))
    raise click.BadParameter(
        f"{value!r} is no time, such as 30s, 5min or 1h, and no number of examples above 0."
    )


_ADDRESS = re.compile(
    r"([a-z]+://)?[A-Za-z0-9_.-]+:[0-9]{1,5}|[a-z]+://\[[0-9a-fA-F:.]+\]:[0-9]{1,5}"
)


def _check_address(value: str) -> str:
    """Refuse what is no address of a Dask scheduler."""
    if not _ADDRESS.fullmatch(value):
        problem = f"{value!r} is no address of a scheduler, such as tcp://10.0.0.7:8786."
        raise click.BadParameter(problem)
    return value


class RunOptions(Options, panel="Learning"):
    """Epochs, the order of the rows, held-out rows and early stopping."""

    epochs: int = option(
        "--epochs N",
        "Maximal number of passes over the data. Training ends earlier after an epoch "
        "without updates.",
        click.IntRange(min=1),
        default=1,
    )
    shuffle: bool = option(
        "--shuffle",
        "Read all rows into memory and shuffle them for each epoch. Without it, rows "
        "are learned in the order of the data, in constant memory.",
    )
    seed: int = option(
        "--seed N",
        "Random seed of --shuffle and --holdout; without them nothing is random.",
        click.IntRange(min=0),
        default=0,
    )
    expansion: bool = option(
        "--expansion",
        "Store the rows that caused updates, with their coefficients, for model.explain in Python.",
    )
    holdout: float | None = option(
        "--holdout SHARE",
        "Hold out this share of the rows of each class, chosen at random with --seed. They "
        "are not learned; the error on them is measured after each epoch.",
        FiniteRange(1e-6, 1.0, max_open=True),
    )
    early_stop: int | None = option(
        "--early-stop [N]",
        "Stop when the error on the held-out rows has not decreased for N epochs (default "
        f"{PATIENCE}), and keep the weights of the best epoch.",
        click.IntRange(min=1),
        flag_value=PATIENCE,
    )


class DecisionOptions(Options, panel="Learning"):
    """Costs of errors, and sets of labels."""

    cost: tuple[float, float] | None = cost_option("MODEL keeps the costs, and predicts by them.")
    sets: bool = option(
        "--sets",
        "With --holdout and a model with probabilities: keep how probable the labels of the "
        "held-out rows are, so that predict --sets gives sets of labels with a stated coverage.",
    )


class CheckpointOptions(Options, panel="Unattended"):
    """Checkpoints, and runs that go on."""

    checkpoint_every: Interval | None = option(
        "--checkpoint-every T",
        "Save the model during training: every 30s, 5min or 1h, or after this number of examples.",
        _parse_interval,
    )
    resume: bool = option(
        "--resume",
        "Continue the run that left the model file, or start one if there is no file. "
        "DATA is read from its start; rows may have been appended.",
    )
    from_model: str | None = option(
        "--from MODEL",
        "Go on from this model with the new rows of DATA, new categories and labels included. Rule "
        "and options are the model's. Without -m, MODEL itself is replaced when all is learned.",
    )


class ClusterOptions(Options, panel="Cluster"):
    """Training on a Dask cluster."""

    workers: int | None = option(
        "--workers N",
        "Learn in N processes of this machine, a local Dask cluster: DATA is cut into shards, "
        "whose weights are averaged after each epoch.",
        click.IntRange(1, 1024),
    )
    scheduler: str | None = option(
        "--scheduler ADDRESS",
        "Learn on the Dask cluster with this scheduler, such as tcp://10.0.0.7:8786. Its "
        "workers read DATA.",
        _check_address,
    )
    shards: int | None = option(
        "--shards K",
        "Cut DATA into K shards, at ends of lines or between row groups. The model depends on K, "
        "and not on the workers. By default N of --workers; with --scheduler, each file is a "
        "shard.",
        click.IntRange(1, 100_000),
    )
    interleave: bool = option(
        "--interleave",
        "Deal small pieces of DATA to the shards in turn, so that rows in the order of their "
        "labels, or of time, are in all shards alike.",
    )


class TrainOptions(
    ClusterOptions,
    CheckpointOptions,
    KernelOptions,
    DecisionOptions,
    RunOptions,
    SourceOptions,
    LinearOptions,
    RuleOption,
    panel="Output",
):
    """All options and arguments of ``rosenblatt train``."""

    data: str = data_argument()
    path: str = option(
        "-m --model FILE", "Model file. Required, except with --from.", panel="Options"
    )
    in_place = False
    """True if the model that the run goes on from is replaced by the result."""
    certify: bool = option(
        "--certify",
        "Also prove whether the classes are linearly separable. Reads DATA again, into memory.",
    )
    report: str | None = option(
        "--report FILE",
        "Write a self-contained HTML report: error curve, confusion matrix, heaviest weights, "
        "margins, mistake bounds. Reads DATA again.",
    )
    quiet: bool = quiet_option(
        "Print no notes and no progress: of --holdout the error alone, of --certify the verdict."
    )
    as_json: bool = json_option("Print one JSON object to standard output at the end.")

    @property
    def on_cluster(self) -> bool:
        """True where a Dask cluster learns."""
        return self.workers is not None or self.scheduler is not None

    @property
    def kernel_name(self) -> str | None:
        """Name of the kernel; None for the linear learner."""
        return self.kernel or ("linear" if self.vote else None)

    def fixed(self) -> dict[str, object]:
        """Return the options that must be the same when a run is resumed."""
        values = {name: getattr(self, name) for name in self.declared if name not in _CHANGEABLE}
        unset = {name for name in _NOTED_IF_SET if values[name] is None}
        unset |= {name for name in _NOTED_IF_TRUE if not values[name]}
        return {name: value for name, value in values.items() if name not in unset}


def build_learner(options: TrainOptions) -> Any:
    """Return the unfitted estimator of these options."""
    if options.kernel_name is None:
        return build_linear(options).set_params(expansion=options.expansion)
    from rosenblatt.learning.kernel.learners import KernelPerceptron

    return KernelPerceptron(
        options.kernel_name,
        rule=options.rule,
        multi_class=options.multi_class,
        eta0=options.eta0,
        output="vote" if options.vote else "average" if options.average else "last",
        shuffle=False,
        degree=options.degree,
        gamma=options.gamma,
        coef0=options.coef0,
        budget=options.budget,
        budget_scheme=options.budget_scheme,
        probabilities=options.probabilities,
    )
