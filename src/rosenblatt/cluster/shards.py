"""Shards of rows of any kind that a cluster can read, and calls for each of them."""

from __future__ import annotations

import os
import warnings
from typing import Any

from dask.delayed import Delayed
from distributed import Future

from rosenblatt.cluster import tasks
from rosenblatt.cluster.collections import (
    Shards,
    delayed_model,
    is_collection,
    is_delayed,
    shards_of_collection,
    shards_of_delayed,
)
from rosenblatt.cluster.reading import FitReading, check_reading, read_options
from rosenblatt.cluster.rounds import compute, submit, task
from rosenblatt.cluster.sources import describe_files, list_new_shards, list_shards
from rosenblatt.cluster.tables import joint_names
from rosenblatt.streams.io.remote import is_url
from rosenblatt.streams.registry.sklearn_sets import PREFIX
from rosenblatt.utils.words import count, listing


def is_sources(X: Any) -> bool:
    """Return True for a path, or a list of paths."""
    names = X if isinstance(X, list | tuple) else [X]
    return len(names) > 0 and all(isinstance(name, str | os.PathLike) for name in names)


def shards_of(
    client: Any,
    X: Any,
    y: Any,
    weight: Any,
    shards: int | None,
    reading: dict[str, Any],
    fit: FitReading | None = None,
) -> Shards:
    """Return the shards of rows of any kind that is on a cluster.

    After a fit, files are read as in the fit; ``reading`` has the options that are given.
    """
    if reading and not is_sources(X):
        raise TypeError(f"{', '.join(reading)}: options of reading go with names of files.")
    if is_collection(X):
        if y is None:
            raise ValueError("y is missing: the labels of the rows are needed.")
        return shards_of_collection(client, X, y, weight, shards)
    if not (is_delayed(X) or is_sources(X)):
        raise TypeError(_advice(X))
    if y is not None or weight is not None:
        raise ValueError(
            "y and sample_weight go with a Dask array or DataFrame; files and delayed batches "
            "have their own: a delayed batch is a tuple (X, y) or (X, y, weight)."
        )
    if is_delayed(X):
        return shards_of_delayed(X, shards)
    options, sources = read_options(reading), absolute_paths(X)
    if fit is not None:
        check_reading(reading, fit)
        new, _ = compute(client, task(list_new_shards, sources, reading, fit))
        listed = Shards([str(file) for file in new], new)
    else:
        graph = [
            task(list_shards, sources, shards, options),
            task(describe_files, sources, options),
        ]
        (files, features), (noted, feature_names) = compute(client, graph)
        names = [str(file) for file in files]
        listed = Shards(
            names, files, feature_names, features=features, dtype="float64", noted=noted
        )
    if options.on_bad_row == "skip":
        _warn_of_bad_rows(client, listed)
    return listed


def absolute_paths(sources: Any) -> list[str]:
    """Return sources with absolute paths: workers may have started in other folders.

    Raises
    ------
    ValueError
        A source is standard input.

    Examples
    --------
    >>> absolute_paths(["/data/day-*.svm", "sklearn:iris", "https://example.org/a.svm"])
    ['/data/day-*.svm', 'sklearn:iris', 'https://example.org/a.svm']
    """
    several = sources if isinstance(sources, list | tuple) else [sources]
    names = [os.fspath(name) for name in several]
    if "-" in names:
        raise ValueError("-: workers cannot read the standard input of this process: name a file.")
    return [
        name if is_url(name) or name.startswith(PREFIX) else os.path.abspath(name) for name in names
    ]


def _warn_of_bad_rows(client: Any, shards: Shards) -> None:
    """Count the rows that are skipped, as they cannot be read, and warn of them."""
    numbers = compute(client, calls(tasks.count_bad_rows, shards))
    if total := sum(numbers):
        parts = [f"{n:,} in {name}" for name, n in zip(shards.names, numbers, strict=True) if n]
        message = f"skipped {count(total, 'row')} that cannot be read: {listing(parts, 5)}."
        warnings.warn(message, UserWarning, stacklevel=4)


def _advice(X: Any) -> str:
    """Return the message on rows that are of no kind that a cluster can read."""
    first = X[0] if isinstance(X, list | tuple) and X else X
    if isinstance(first, Delayed):
        return "X is one Delayed: give a list of them, each a tuple (X, y) or (X, y, weight)."
    if isinstance(first, Future):
        return (
            "X has futures: give a list of Delayed, [dask.delayed(future) for future in futures], "
            "each a tuple (X, y) or (X, y, weight)."
        )
    return (
        "X must be a Dask array or DataFrame, a list of delayed batches, or names of files; got "
        f"{type(X).__name__}. Rows in memory: rosenblatt.Perceptron(shards=k)."
    )


def calls(function: Any, shards: Shards, *first: Any) -> list[Any]:
    """Return a delayed call for each shard."""
    pairs = zip(shards.names, shards.rows, strict=True)
    return [task(function, *first, name, rows) for name, rows in pairs]


def submit_all(client: Any, function: Any, shards: Shards, *first: Any) -> list[Any]:
    """Return the futures of a call for each shard."""
    return list(submit(client, calls(function, shards, *first)))


def read_all(client: Any, shards: Shards) -> Shards:
    """Return shards whose rows, and labels, are in the memory of workers."""
    rows = submit_all(client, tasks.read_shard, shards)
    labels = shards.labels and [task(tasks.labels_of, batch) for batch in rows]
    return shards._replace(rows=rows, labels=labels)


def survey(client: Any, shards: Shards) -> list[tasks.Survey]:
    """Read all labels, and the rows where these tell the number of columns."""
    if shards.features is not None and shards.labels is not None:
        pairs = zip(shards.names, shards.labels, strict=True)
        graph = [task(tasks.count_labels, name, y) for name, y in pairs]
    else:
        graph = calls(tasks.survey_shard, shards)
    surveys: list[tasks.Survey] = compute(client, graph, shards.names)
    return surveys


def names_of_batches(client: Any, shards: Shards) -> tuple[str, ...] | None:
    """Return the names of the columns of shards in memory; None where they have none."""
    return joint_names(compute(client, [task(tasks.names_of, batch) for batch in shards.rows]))


def mean_score(client: Any, shards: Shards, model: Any, names: list[str] | None) -> float:
    """Return the share of rows, or of their weight, whose label is predicted.

    Raises
    ------
    ValueError
        No row has a label that is a class, there is no row, or tables have other columns than
        ``names``.
    """
    graph = calls(tasks.score_shard, shards, delayed_model(model), names)
    scores = compute(client, graph, shards.names)
    unknown = [one.unknown for one in scores if one.unknown is not None]
    if unknown and not any(one.valid for one in scores):
        raise ValueError(
            f"no row has a label that is a class of the model: found {unknown[0]!r}, but the "
            f"classes are {listing(model.classes_.tolist())}. Of files, target= names the column "
            "of labels."
        )
    total = sum(one.total for one in scores)
    if total == 0.0:
        raise ValueError("there are no rows to score, or all weights are 0.")
    return float(sum(one.right for one in scores) / total)
