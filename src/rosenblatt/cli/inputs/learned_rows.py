"""Rows of DATA behind the numbered examples of a model that ``train`` made."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rosenblatt.streams.rechunk import shuffled_orders
from rosenblatt.utils.arrays import NDArray

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.models import LoadedModel

Ints = NDArray[np.int64]

NUMBERING = "rows of the data, from 0"
"""Meaning of the row numbers, for headings."""


class LearnedRow(NamedTuple):
    """A row of DATA, and the epoch in which it first caused an update.

    Attributes
    ----------
    row : int
        Number of the row among all rows read, from 0.
    epoch : int or None
        From 1; None for a model that the command did not train on one source.
    """

    row: int
    epoch: int | None


def locate_rows(loaded: LoadedModel, numbers: Ints) -> list[LearnedRow]:
    """Return the rows of DATA of examples that a model numbers in the order of learning.

    The orders of ``--shuffle`` follow from the seed in the notes, which also list the rows that
    ``--holdout`` chose. Without that list, in files of early versions, no epoch is known, and
    neither is it of a model that went on from another (``--from``): its rows are of several files.

    Parameters
    ----------
    loaded : LoadedModel
    numbers : ndarray of int64
        Numbers of examples from 0, counted over all epochs.
    """
    run = loaded.notes.get("run")
    if (
        run is None
        or "from" in loaded.notes
        or (run["options"]["holdout"] and "held_out_rows" not in run)
    ):
        return [LearnedRow(number, None) for number in numbers.tolist()]
    if (length := run["length"]) is None:  # one epoch, not shuffled
        length = max(numbers.max(initial=0) + 1, run["standing"]["rows"])
    epochs, positions = np.divmod(numbers, length)
    rows = positions.copy()
    options = run["options"]
    if options["shuffle"]:
        orders = shuffled_orders(options["seed"], length)
        for epoch in range(int(epochs.max(initial=-1)) + 1):
            order, mask = next(orders), epochs == epoch
            rows[mask] = order[positions[mask]]
    if options["holdout"]:
        n = length + len(run["held_out_rows"])
        held_out = np.asarray(run["held_out_rows"], np.int64)
        held_out = held_out[held_out < n]  # of a whole batch, of which a part may be learned
        rows = np.delete(np.arange(n), held_out)[rows]
    return [
        LearnedRow(row, epoch + 1)
        for row, epoch in zip(rows.tolist(), epochs.tolist(), strict=True)
    ]


def row_names(loaded: LoadedModel) -> list[str]:
    """Return the name of each support row: its number and, of several epochs, the epoch."""
    several = (loaded.notes.get("epochs") or 1) > 1
    return [
        f"{row} (epoch {epoch})" if several and epoch is not None else str(row)
        for row, epoch in locate_rows(loaded, loaded.model.support_)
    ]
