"""Shards of rows of any kind that a cluster can read, and calls for each of them."""

from __future__ import annotations

import os
from typing import Any

from dask.delayed import Delayed
from distributed import Future

from rosenblatt.cluster import tasks
from rosenblatt.cluster.collections import (
    Shards,
    is_collection,
    is_delayed,
    shards_of_collection,
    shards_of_delayed,
)
from rosenblatt.cluster.rounds import compute, submit, task
from rosenblatt.cluster.sources import describe_files, list_shards, read_options


def is_sources(X: Any) -> bool:
    """Return True for a path, or a list of paths."""
    names = X if isinstance(X, list | tuple) else [X]
    return len(names) > 0 and all(isinstance(name, str | os.PathLike) for name in names)


def shards_of(
    client: Any, X: Any, y: Any, weight: Any, shards: int | None, reading: dict[str, Any]
) -> Shards:
    """Return the shards of rows of any kind that is on a cluster."""
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
    options = read_options(reading)
    graph = [task(list_shards, X, shards, options), task(describe_files, X, options)]
    (files, features), (noted, feature_names) = compute(client, graph)
    names = [str(file) for file in files]
    return Shards(names, files, feature_names, features=features, dtype="float64", noted=noted)


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
