"""Table of all weights of a model as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np

from rosenblatt.cli.display import model_facts
from rosenblatt.cli.inputs.hashed_names import column_names, signed_weights
from rosenblatt.cli.inputs.learned_rows import locate_rows
from rosenblatt.learning import interface
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.atomic import atomic_write

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.models import LoadedModel

KIND = "table of weights"
"""Kind of the file, for messages."""

INTERCEPT = "(intercept)"
"""Name of an intercept in the first column."""

_HEADER = ("feature", "class", "weight")
_SCALED_HEADER = (*_HEADER, "effect")
_KERNEL_HEADER = ("row", "class", "coefficient", "epoch")


def save_weights(loaded: LoadedModel, path: str) -> int:
    """Write the table of :func:`write_weights` to a file atomically; return the number of rows.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    with atomic_write(path, KIND) as file:
        text = io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="")
        rows = write_weights(loaded, text)
        text.detach()  # flushes it; the file stays open
    return rows


def write_weights(loaded: LoadedModel, file: TextIO) -> int:
    """Write all weights that are not zero, and the intercepts, as CSV; return the number of rows.

    The columns are ``feature``, ``class`` and ``weight``. Classes are in the order of the model's;
    of two classes there is the second alone, the class of positive scores. In each class the
    intercept comes first, then the weights by their absolute values, the largest first. Models that
    know the spreads of their columns have a fourth column, ``effect``, the weight times the spread,
    and its absolute values decide the order; an intercept has none. Models of a kernel other than
    the linear one have ``row``, the number of the support row in the data from 0, ``class``,
    ``coefficient``, and ``epoch``, in which the row first caused an update; of a model that
    ``train`` did not make, no epoch.
    """
    spreads = interface.comparable_spreads(loaded.model)
    header: tuple[str, ...]
    lines: list[tuple[object, ...]]
    if spreads is not None:
        header, lines = _SCALED_HEADER, list(_feature_effects(loaded, spreads.values))
    elif model_facts.weight_vectors(loaded.model):
        header, lines = _HEADER, [line[:3] for line in _feature_effects(loaded, 1.0)]
    else:
        header, lines = _KERNEL_HEADER, list(_coefficients(loaded))
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([header, *lines])
    return len(lines)


def check_weights(path: str) -> None:
    """Refuse a file that is no table of weights.

    Raises
    ------
    ValueError
    """
    with Path(path).open(encoding="utf-8") as file:
        line = file.readline(100).rstrip("\n")
    if line not in map(",".join, (_HEADER, _SCALED_HEADER, _KERNEL_HEADER)):
        raise ValueError(f"{path}: is no {KIND}.")


def _feature_effects(
    loaded: LoadedModel, spreads: Array | float
) -> Iterator[tuple[str, str, float, float | str]]:
    """Yield name, class, weight and effect: weight times spread."""
    model, base = loaded.model, loaded.notes.get("index_base") or 0
    names = column_names(loaded)
    vectors = model_facts.weight_vectors(model)
    for (label, raw), intercept in zip(vectors, model_facts.intercepts(model), strict=False):
        yield INTERCEPT, label, intercept, ""
        weights = signed_weights(loaded, raw)
        effects = weights * spreads
        for j in _largest_first(weights, effects):
            name = str(j + base) if names is None else names[j]
            yield name, label, float(weights[j]), float(effects[j])


def _coefficients(loaded: LoadedModel) -> Iterator[tuple[str, str, float, int | str]]:
    model = loaded.model
    located = locate_rows(loaded, model.support_)
    labels, intercepts = model_facts.vector_labels(model), model_facts.intercepts(model)
    for label, coefs, intercept in zip(labels, model.dual_coef_, intercepts, strict=False):
        yield INTERCEPT, label, intercept, ""
        for k in _largest_first(coefs, coefs):
            row, epoch = located[k]
            yield str(row), label, float(coefs[k]), "" if epoch is None else epoch


def _largest_first(weights: Array, effects: Array) -> list[int]:
    """Return the indices of the nonzero weights, those of the largest effects first."""
    nonzero = np.flatnonzero(weights)
    order = np.argsort(-np.abs(effects[nonzero]), kind="stable")
    indices: list[int] = nonzero[order].tolist()
    return indices
