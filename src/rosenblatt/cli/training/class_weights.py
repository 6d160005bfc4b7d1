"""Weights of classes (``--class-weight``): by the labels' own type, or balanced by their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import BadData
from rosenblatt.cli.inputs.data import checked_examples

if TYPE_CHECKING:
    from rosenblatt.streams import Stream
    from rosenblatt.utils.arrays import Array


def note_unused_weights(
    weights: Mapping[str, float], classes: Iterable[object], source: str
) -> None:
    """Print a note on weights whose label no row has."""
    names = [fmt.label(label) for label in classes]
    if unused := [label for label in weights if label not in names]:
        terminal.note(
            f"{source}: no row has the label {fmt.listing(unused)} of --class-weight; the labels "
            f"are {fmt.listing(names)}."
        )


def balanced_weights(stream: Stream, quiet: bool = True) -> dict[str, float]:
    """Return n / (K · n_c) for each label, by its text, from one pass over the rows.

    With these weights, which are those of scikit-learn, each of the K classes has the same total
    weight. Held-out rows count, too. Unless ``quiet``, the weights are printed.

    Raises
    ------
    BadData
        No rows, or a label is a fraction.
    """
    counts: Counter[object] = Counter()
    for batch in checked_examples(stream):
        labels, numbers = np.unique(batch.y, return_counts=True)
        counts.update(dict(zip(labels.tolist(), numbers.tolist(), strict=True)))
    if not counts:
        raise BadData(f"{stream.name}: no rows.")
    share = counts.total() / len(counts)
    weights = {fmt.label(label): share / number for label, number in sorted(counts.items())}
    if not quiet:
        shown = [f"{label} {weight:.3g}" for label, weight in weights.items()]
        terminal.print_line("class weights", fmt.listing(shown), "bold")
    return weights


def typed_weights(weights: Mapping[str, float], labels: Array, source: str) -> dict[Any, float]:
    """Return the weights by labels of the type that the rows have.

    Parameters
    ----------
    weights : mapping
        Weights by the text of the label.
    labels : array
        Labels of the first rows.
    source : str
        Name of DATA in messages.

    Raises
    ------
    BadData
        The labels are numbers, and a weight has another label.

    Examples
    --------
    >>> typed_weights({"1": 5.0, "-1": 0.5}, np.array([-1, 1]), "mail.svm")
    {1: 5.0, -1: 0.5}
    """
    if labels.dtype.kind not in "iuf":
        return dict(weights)
    try:
        numbers = {float(label): weight for label, weight in weights.items()}
    except ValueError as error:
        shown, wrong = fmt.listing(np.unique(labels).tolist(), 5), fmt.listing(list(weights))
        raise BadData(
            f"{source}: the labels are numbers ({shown}), but --class-weight has {wrong}: name the "
            "labels as the data does."
        ) from error
    return {int(x) if x.is_integer() else x: weight for x, weight in numbers.items()}
