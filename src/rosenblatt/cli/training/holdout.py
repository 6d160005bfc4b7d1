"""Rows that are never learned: ``--holdout``, and when they say to stop: ``--early-stop``."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from rosenblatt.cli.display.errors import BadData

if TYPE_CHECKING:
    from rosenblatt.streams import Batch


F = TypeVar("F", bound=Callable[..., Any])

PATIENCE = 5
"""Passes without progress, as scikit-learn's ``n_iter_no_change``."""

_option = partial(click.option, panel="Learning")


def holdout_options(function: F) -> F:
    """How many rows to judge by, and whether to stop by them."""
    for option in (
        _option(
            "--early-stop",
            type=click.IntRange(min=1),
            is_flag=False,
            flag_value=PATIENCE,
            metavar="[N]",
            help="Stop when the error of --holdout has not fallen for N passes, by default "
            f"{PATIENCE}, and keep the weights of the best pass.",
        ),
        _option(
            "--holdout",
            type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
            metavar="SHARE",
            help="Hold out that share of the rows, by the dice of --seed: they are never learned, "
            "but kept in memory, and judge the weights after each pass.",
        ),
    ):
        function = option(function)
    return function


def check_holdout_options(ctx: click.Context, options: dict[str, Any]) -> None:
    """Refuse ``--early-stop`` where there is nothing to stop by, or nothing to stop.

    Raises
    ------
    click.UsageError
        With the reason.
    """
    if options["early_stop"] is None:
        return
    if options["holdout"] is None:
        raise click.UsageError(
            "--early-stop judges by rows held out: give --holdout 0.1, too.", ctx
        )
    if options["epochs"] == 1:
        raise click.UsageError("--early-stop ends the passes early: give --epochs N, too.", ctx)


class HoldoutStream:
    """A stream without some of its rows, which are held in memory.

    Which ones depends on the number of a row alone, not on the batches.

    Parameters
    ----------
    stream : iterable of batches
    name : str
        The source as error messages name it.
    share : float in (0, 1)
    seed : int

    Attributes
    ----------
    rows : list of batches
        What was held out, once all was read.
    """

    def __init__(self, stream: Iterable[Batch], name: str, share: float, seed: int) -> None:
        self.stream, self.name, self.share, self.seed = stream, name, share, seed
        self.rows: list[Batch] = []

    def __iter__(self) -> Iterator[Batch]:
        import numpy as np

        from rosenblatt.streams.core.batch import take_rows

        rng = np.random.default_rng(self.seed)
        held_out, n_learned = [], 0
        for batch in self.stream:
            selected = rng.random(len(batch.y)) < self.share
            if selected.any():
                held_out.append(take_rows(batch, selected, batch.first_row))
            if not selected.all():
                n_learned += 1
                yield take_rows(batch, ~selected, batch.first_row)
        if not (held_out and n_learned):
            raise BadData(
                f"{self.name}: too few rows for --holdout {self.share}: none is left to "
                f"{'judge by' if n_learned else 'learn'}."
            )
        self.rows = held_out


class HoldoutEvaluator:
    """The errors on the held-out rows after each pass, and what follows from them.

    Parameters
    ----------
    holdout : HeldOut
    patience : int or None
        Passes without progress after which to stop; None never stops.
    errors : list of int, default=()
        Of the passes before.
    best : classifier, optional
        The model after the best of them.
    """

    def __init__(
        self,
        holdout: HoldoutStream,
        patience: int | None,
        errors: Iterable[int] = (),
        best: Any = None,
    ) -> None:
        self.holdout, self.patience = holdout, patience
        self.errors, self.best = list(errors), best

    def end_pass(self, model: Any, epoch: int) -> None:
        """Judge the model after a pass."""
        errors = sum(_count_errors(model, batch) for batch in self.holdout.rows)
        del self.errors[epoch - 1 :]
        if self.patience is not None and errors < min(self.errors, default=errors + 1):
            self.best = copy.deepcopy(model)
        self.errors.append(errors)

    @property
    def best_pass(self) -> int:
        """The first pass with the fewest errors."""
        return self.errors.index(min(self.errors)) + 1

    @property
    def should_stop(self) -> bool:
        """Whether there was no progress for too long."""
        return self.patience is not None and len(self.errors) - self.best_pass >= self.patience

    def record(self) -> dict[str, Any] | None:
        """The object of ``--json``: of the best pass where that is kept, else of the last."""
        from rosenblatt.learning.evaluation.intervals import wilson_interval

        if not (self.errors and self.holdout.rows):
            return None
        epoch = len(self.errors) if self.patience is None else self.best_pass
        examples = sum(len(batch.y) for batch in self.holdout.rows)
        errors = self.errors[epoch - 1]
        return {
            "examples": examples,
            "errors": errors,
            "error": errors / examples,
            "interval": list(wilson_interval(errors, examples)),
            "pass": epoch,
        }


def _count_errors(model: Any, batch: Batch) -> int:
    """Rows whose label is not the answer; features never learned weigh nothing."""
    from rosenblatt.streams.core.batch import with_width

    X = with_width(batch.X, model.n_features_in_) if hasattr(batch.X, "indptr") else batch.X
    return int((model.predict(X) != batch.y).sum())
