"""Options of ``rosenblatt train``: its values as one record, and groups of its own options."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, NamedTuple

import rich_click as click

from rosenblatt.cli.options.learning import LinearOptions, learning_option
from rosenblatt.cli.options.shared import SourceOptions, add_options

PATIENCE = 5
"""Default of ``--early-stop``: epochs without progress, as ``n_iter_no_change``."""

_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}
_CHANGEABLE = (
    "workers",
    "scheduler",
    "data",
    "path",
    "format",
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
    "shards",
    "class_weight",
    "sample_weight",
    "header",
    "names",
    "separator",
    "decimal",
    "quotes",
    "missing",
    "impute",
)
"""Options that model files of version 0.1 do not note: without them, the files are the same."""

_NOTED_IF_TRUE = ("scale",)
"""Flags of the same kind."""

_holdout = partial(click.option, panel="Learning")
_unattended = partial(click.option, panel="Unattended")


class Interval(NamedTuple):
    """Interval between two checkpoints, in seconds or in examples."""

    seconds: float | None
    examples: int | None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TrainOptions(SourceOptions, LinearOptions):
    """Values of all options and arguments of ``rosenblatt train``."""

    data: str
    path: str
    epochs: int
    shuffle: bool
    seed: int
    expansion: bool
    holdout: float | None
    early_stop: int | None
    checkpoint_every: Interval | None
    resume: bool
    certify: bool
    report: str | None
    quiet: bool
    as_json: bool
    kernel: str | None
    degree: int
    gamma: float | str
    coef0: float
    vote: bool
    budget: int | None
    budget_scheme: str
    workers: int | None
    scheduler: str | None
    shards: int | None

    @property
    def on_cluster(self) -> bool:
        """True where a Dask cluster learns."""
        return self.workers is not None or self.scheduler is not None

    @property
    def kernel_name(self) -> str | None:
        """Name of the kernel; None for the linear learner."""
        return self.kernel or ("linear" if self.vote else None)

    def fixed(self) -> dict[str, Any]:
        """Return the options that must be the same when a run is resumed."""
        names = (field.name for field in fields(self) if field.name not in _CHANGEABLE)
        values = {name: getattr(self, name) for name in names}
        unset = {name for name in _NOTED_IF_SET if values[name] is None}
        unset |= {name for name in _NOTED_IF_TRUE if not values[name]}
        return {name: value for name, value in values.items() if name not in unset}


run_options = add_options(
    learning_option(
        "--epochs",
        type=click.IntRange(min=1),
        metavar="N",
        default=1,
        help="Maximal number of passes over the data. Training ends earlier after an epoch "
        "without updates.",
    ),
    learning_option(
        "--shuffle",
        is_flag=True,
        help="Read all rows into memory and shuffle them for each epoch. Without it, rows "
        "are learned in the order of the data, in constant memory.",
    ),
    learning_option(
        "--seed",
        type=click.IntRange(min=0),
        metavar="N",
        default=0,
        help="Random seed of --shuffle and --holdout; without them nothing is random.",
    ),
    learning_option(
        "--expansion",
        is_flag=True,
        help="Store the rows that caused updates, with their coefficients, for "
        "model.explain in Python.",
    ),
)
"""Options of the epochs and of the order of the rows."""


holdout_options = add_options(
    _holdout(
        "--holdout",
        type=click.FloatRange(1e-6, 1.0, max_open=True),
        metavar="SHARE",
        help="Hold out this share of the rows of each class, chosen at random with --seed. They "
        "are not learned; the error on them is measured after each epoch.",
    ),
    _holdout(
        "--early-stop",
        type=click.IntRange(min=1),
        is_flag=False,
        flag_value=PATIENCE,
        metavar="[N]",
        help="Stop when the error on the held-out rows has not decreased for N epochs (default "
        f"{PATIENCE}), and keep the weights of the best epoch.",
    ),
)
"""Options of the held-out rows and of early stopping."""


def check_holdout_options(ctx: click.Context, options: TrainOptions) -> None:
    """Refuse ``--early-stop`` without ``--holdout`` or with a single epoch.

    Raises
    ------
    click.UsageError
        The message names the missing option.
    """
    if options.early_stop is None:
        return
    if options.holdout is None:
        raise click.UsageError("--early-stop needs held-out rows: give --holdout 0.1, too.", ctx)
    if options.epochs == 1:
        raise click.UsageError("--early-stop needs several epochs: give --epochs N, too.", ctx)


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


checkpoint_options = add_options(
    _unattended(
        "--checkpoint-every",
        type=_parse_interval,
        metavar="T",
        help="Save the model during training: every 30s, 5min or 1h, or after this number of "
        "examples.",
    ),
    _unattended(
        "--resume",
        is_flag=True,
        help="Continue the run that left the model file, or start one if there is no file. "
        "DATA is read from its start; rows may have been appended.",
    ),
)
"""Options of checkpoints and of resumed runs."""


_ADDRESS = re.compile(
    r"([a-z]+://)?[A-Za-z0-9_.-]+:[0-9]{1,5}|[a-z]+://\[[0-9a-fA-F:.]+\]:[0-9]{1,5}"
)


def _check_address(value: str) -> str:
    """Refuse what is no address of a Dask scheduler."""
    if not _ADDRESS.fullmatch(value):
        problem = f"{value!r} is no address of a scheduler, such as tcp://10.0.0.7:8786."
        raise click.BadParameter(problem)
    return value


_cluster = partial(click.option, panel="Cluster")

cluster_options = add_options(
    _cluster(
        "--workers",
        type=click.IntRange(1, 1024),
        metavar="N",
        help="Learn in N processes of this machine, a local Dask cluster: DATA is cut into shards, "
        "whose weights are averaged after each epoch.",
    ),
    _cluster(
        "--scheduler",
        type=_check_address,
        metavar="ADDRESS",
        help="Learn on the Dask cluster with this scheduler, such as tcp://10.0.0.7:8786. Its "
        "workers read DATA.",
    ),
    _cluster(
        "--shards",
        type=click.IntRange(1, 100_000),
        metavar="K",
        help="Cut DATA into K shards, at ends of lines. The model depends on K, and not on the "
        "workers. By default N of --workers; with --scheduler, each file is a shard.",
    ),
)
"""Options of training on a Dask cluster."""

_NOT_ON_CLUSTER: dict[str, Callable[[TrainOptions], bool]] = {
    "--kernel": lambda options: options.kernel_name is not None,
    "--expansion": lambda options: options.expansion,
    "--scale": lambda options: options.scale,
    "--holdout": lambda options: options.holdout is not None,
    "--checkpoint-every": lambda options: options.checkpoint_every is not None,
    "--certify": lambda options: options.certify,
    "--report": lambda options: options.report is not None,
    "--on-bad-row skip": lambda options: options.on_bad_row != "stop",
}
"""Options that need the rows, or the steps, in one process."""


def check_cluster_options(ctx: click.Context, options: TrainOptions) -> None:
    """Refuse options that do not go with a cluster, or only with one.

    Raises
    ------
    click.UsageError
        The message names the options.
    """
    if not options.on_cluster:
        if options.shards is not None:
            raise click.UsageError("--shards goes with --workers or --scheduler.", ctx)
        return
    name = "--workers" if options.workers is not None else "--scheduler"
    if options.workers is not None and options.scheduler is not None:
        raise click.UsageError("--workers and --scheduler are two clusters: give one.", ctx)
    for option, is_used in _NOT_ON_CLUSTER.items():
        if is_used(options):
            raise click.UsageError(f"{option} does not go with {name}: rows are in shards.", ctx)
