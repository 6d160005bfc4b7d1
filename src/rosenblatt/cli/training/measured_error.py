"""Error of the model that a run saves: on held-out rows, else in its last epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.cli.display import fmt
from rosenblatt.learning.evaluation.intervals import wilson_interval

if TYPE_CHECKING:
    from rosenblatt.cli.options.train import TrainOptions

HELD_OUT, LAST_EPOCH = "held-out rows", "last epoch"
"""Rows on which an error is measured, as ``--json`` names them."""


class MeasuredError(NamedTuple):
    """Errors of a model on some rows.

    Attributes
    ----------
    rows : {"held-out rows", "last epoch"}
        In an epoch each example is predicted by the latest weights, then learned.
    epoch : int
        The epoch after which, or in which, the rows were predicted.
    errors, examples : int

    Examples
    --------
    >>> MeasuredError("last epoch", 3, 5, 200).error
    0.025
    """

    rows: str
    epoch: int
    errors: int
    examples: int

    @property
    def error(self) -> float:
        """Errors divided by examples."""
        return self.errors / self.examples

    @property
    def is_progressive(self) -> bool:
        """True if this is the progressive error of the first epoch, which was the only one."""
        return self.rows == LAST_EPOCH and self.epoch == 1

    @property
    def low(self) -> float:
        """Lower end of Wilson's 95 % interval."""
        return wilson_interval(self.errors, self.examples)[0]

    def facts(self) -> list[tuple[str, str]]:
        """Return the lines of the summary."""
        counts = f"{self.errors:,} of {fmt.count(self.examples, 'row')}"
        if self.rows == HELD_OUT:
            interval = wilson_interval(self.errors, self.examples)
            return [
                ("held-out error", fmt.error_rate(self.error, *interval)),
                ("", f"{counts}, after epoch {self.epoch:,}: the error of the saved model"),
                ("", "interval of this model; another split (--seed) gives another"),
            ]
        shares = f"{fmt.percent(self.error)} (accuracy {fmt.accuracy(self.error)})"
        return [
            ("last epoch's error", shares),
            ("", f"{counts} in epoch {self.epoch:,}: each was predicted, then learned again"),
        ]


def error_record(error: MeasuredError | None) -> dict[str, Any]:
    """Return the keys of ``--json``; None for an error that is not known.

    Examples
    --------
    >>> error_record(MeasuredError("last epoch", 3, 5, 200))
    {'model_error': 0.025, 'model_errors': 5, 'model_error_rows': 'last epoch'}
    """
    return {
        "model_error": None if error is None else error.error,
        "model_errors": None if error is None else error.errors,
        "model_error_rows": None if error is None else error.rows,
    }


def measure_error(
    held_out: dict[str, Any] | None, last_epoch: tuple[int, int, int] | None, is_sorted: bool
) -> MeasuredError | None:
    """Return the error of the saved model; None if it is not known.

    Parameters
    ----------
    held_out : dict or None
        Counts on held-out rows, as ``--json`` has them.
    last_epoch : (int, int, int) or None
        The last epoch, its errors and its examples.
    is_sorted : bool
        Whether the rows are sorted by label. The errors of an epoch then mean nothing: nearly every
        example has the label of the one before.
    """
    if held_out is not None:
        return MeasuredError(HELD_OUT, held_out["pass"], held_out["errors"], held_out["examples"])
    if last_epoch is None or is_sorted:
        return None
    return MeasuredError(LAST_EPOCH, *last_epoch)


def advice(options: TrainOptions, is_finished: bool) -> str:
    """Return what may lower an error above the baseline: only what was not chosen yet.

    Parameters
    ----------
    options : TrainOptions
    is_finished : bool
        Whether more epochs would change nothing.
    """
    tries, scales = [], ""
    if options.kernel_name is not None:
        scales = "scale the columns"
    elif not (options.scale or options.expansion):
        tries.append("--scale")
    if not (options.average or options.vote or options.budget):
        tries.append("--average")
    if options.rule == "perceptron" and options.kernel_name is None:
        tries.append("--rule pa1")
    if options.epochs > 1 and not options.shuffle:
        tries.append("--shuffle")
    if not is_finished:
        tries.append("more --epochs")
    listed = " or ".join([", ".join(tries[:-1]), tries[-1]] if len(tries) > 1 else tries)
    parts = [scales, f"try {listed}" if tries else ""]
    return (", or ".join(filter(None, parts)) or "the columns may not tell the classes apart") + "."
