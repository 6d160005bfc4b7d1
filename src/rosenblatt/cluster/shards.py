"""Shards of rows of any kind that a cluster can read, and calls for each of them.

Of Dask arrays and DataFrames a block, or a partition, is a shard; delayed batches and files are
put together.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
from dask.delayed import Delayed, delayed
from distributed import Future

from rosenblatt.cluster import tasks
from rosenblatt.cluster.executors.calls import Call, Executor, task
from rosenblatt.cluster.executors.on_dask import DaskExecutor
from rosenblatt.cluster.reading import FitReading, check_reading, read_options
from rosenblatt.cluster.sources import Shards, list_new_shards, list_shards
from rosenblatt.cluster.tables import check_columns, joint_names
from rosenblatt.streams.core.access import SourceNames
from rosenblatt.streams.io.remote import is_url
from rosenblatt.streams.registry.sklearn_sets import PREFIX
from rosenblatt.utils.arrays import Matrix
from rosenblatt.utils.words import count, listing


def is_frame(X: object) -> bool:
    """Return True for a Dask DataFrame or Series."""
    is_lazy = isinstance(X, Delayed)  # it seems to have any attribute
    return not is_lazy and hasattr(X, "to_dask_array") and hasattr(X, "npartitions")


def is_collection(X: object) -> bool:
    """Return True for a Dask array or DataFrame."""
    return isinstance(X, da.Array) or is_frame(X)


def is_delayed(X: object) -> bool:
    """Return True for a list of delayed batches."""
    return isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(x, Delayed) for x in X)


def shards_of_delayed(batches: Any, shards: int | None, interleave: bool) -> Shards:
    """Return delayed batches ``(X, y)`` or ``(X, y, weight)`` as shards, each of one or several.

    With ``interleave`` they are dealt to the shards in turn.

    Raises
    ------
    ValueError
        There are fewer batches than shards.
    """
    k = len(batches) if shards is None else shards
    if k > len(batches):
        raise ValueError(f"shards must be at most the {len(batches)} delayed batches; got {k}.")
    numbers = np.arange(len(batches))
    parts = [numbers[s::k] for s in range(k)] if interleave else np.array_split(numbers, k)
    rows = [[batches[i] for i in part] for part in parts]
    to = "…" if interleave else "to"
    names = [
        f"batch {part[0]}" if len(part) == 1 else f"batches {part[0]} {to} {part[-1]}"
        for part in parts
    ]
    return Shards(names, rows)


def shards_of_collection(
    executor: Executor,
    X: Matrix,
    y: object,
    weight: object,
    shards: int | None,
    interleave: bool,
) -> Shards:
    """Return a Dask array or DataFrame, with its labels, as shards.

    Parameters
    ----------
    executor : Executor
        A Dask cluster.
    X : Dask array or DataFrame of shape (n, d)
    y : Dask array, Series or DataFrame column of shape (n,), or an array
    weight : the same, or None
    shards : int or None
        None: each block or partition is a shard. Else the rows are cut into shards of equal size,
        which needs their number: of a DataFrame it is counted.
    interleave : bool
        Shard s of k has the rows s, s + k, s + 2k, …, and not consecutive ones.

    Raises
    ------
    ValueError
        The rows of X, y and the weights do not agree, a column is no number, or there are fewer
        rows than shards.
    """
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead.")
    feature_names, empty = None, X
    if is_frame(X):
        feature_names, empty = [str(name) for name in X.columns], X._meta
        check_columns(empty)
    dtype = np.asarray(empty).dtype if is_frame(X) else X.dtype
    columns = [X, y] if weight is None else [X, y, weight]
    if is_frame(X) and any(hasattr(column, "iloc") and not is_frame(column) for column in columns):
        raise ValueError(
            "y or sample_weight is a pandas object beside a Dask DataFrame, whose rows may be in "
            "another order: give columns of the DataFrame, or dask.dataframe.from_pandas of it."
        )
    rows: list[Any]
    if interleave:
        shards = shards or (X.npartitions if is_frame(X) else len(X.chunks[0]))
    if all(map(is_frame, columns)) and shards is None:
        kind, rows = "partition", _joined(columns)
        labels = [part[1] for part in rows]
    else:
        if shards is not None or not all(map(is_collection, columns)):
            frames = [column for column in columns if is_frame(column)]
            if len(frames) > 1:  # their indexes are compared
                arrays = iter(_arrays(executor, frames))
                columns = [next(arrays) if is_frame(column) else column for column in columns]
            columns = _cut(columns, shards, interleave)
        blocks = [_blocks(column) for column in _aligned(columns)]
        _check_partitions([len(block) for block in blocks])
        kind = "partition" if is_frame(columns[0]) else "block"
        rows, labels = [tuple(parts) for parts in zip(*blocks, strict=True)], blocks[1]
    return Shards(
        [f"{kind} {i}" for i in range(len(rows))],
        rows,
        feature_names,
        labels=labels,
        features=int(X.shape[1]),
        dtype="float32" if dtype == np.float32 else "float64",
    )


def _joined(frames: list[Any]) -> list[Any]:
    """Return the partitions of frames as delayed tuples.

    Dask reads them together: alone, it would put partitions of few columns together.
    """
    _check_partitions([frame.npartitions for frame in frames])
    joined = frames[0].map_partitions(
        tasks.join,
        *frames[1:],
        meta=frames[0]._meta,
        enforce_metadata=False,
        align_dataframes=False,
    )
    optimized = joined.optimize(fuse=False).expr
    _check_partitions([part.npartitions for part in optimized.dependencies()])
    return list(joined.to_delayed())


def _check_partitions(numbers: list[int]) -> None:
    """Refuse collections whose numbers of partitions differ."""
    if len(set(numbers)) > 1:
        raise ValueError(
            "X, y and sample_weight must have the same partitions; they have "
            f"{', '.join(map(str, numbers))}. Give columns of one DataFrame, or arrays with the "
            "same chunks. Dask puts partitions of few columns together when it reads files: "
            "FRAME.persist(), before columns are taken, keeps them apart."
        )


def _arrays(executor: Executor, frames: list[Any]) -> list[object]:
    """Return frames as arrays with known chunks; indexes of partitions are compared."""
    parts = _joined(frames)
    named = [(f"partition {i}", part) for i, part in enumerate(parts)]
    sizes = [task(tasks.count_rows, name, part, shard=name) for name, part in named]
    lengths = executor.compute(sizes)
    from_delayed: Any = da.from_delayed
    concatenate: Any = da.concatenate
    arrays = []
    for j, frame in enumerate(frames):
        meta = np.asarray(frame._meta)
        shapes = [(n, *meta.shape[1:]) for n in lengths]
        blocks = [
            from_delayed(part[j].to_numpy(), shape, meta.dtype)
            for part, shape in zip(parts, shapes, strict=True)
        ]
        arrays.append(concatenate(blocks))
    return arrays


def _blocks(column: Any) -> list[object]:
    """Return the blocks or partitions of a collection, delayed."""
    if is_frame(column):
        return list(column.to_delayed())
    if column.ndim == 2:
        column = column.rechunk({1: -1})
    return list(column.to_delayed().ravel())


def _cut(columns: list[object], shards: int | None, interleave: bool) -> list[object]:
    """Return collections as arrays with chunks of equal size, as ``numpy.array_split`` cuts them.

    Without a number of shards, with the chunks of X. With ``interleave`` the rows s, s + shards, …
    are brought together first.
    """
    arrays = [_as_array(column) for column in columns]
    lengths = [array.shape[0] for array in arrays]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")
    n, chunks = lengths[0], arrays[0].chunks[0]
    if shards is not None:
        if shards > n:
            raise ValueError(f"shards must be at most the {count(n, 'row')}; got {shards}.")
        chunks = tuple(len(part) for part in np.array_split(np.arange(n), shards))
        if interleave:
            concatenate: Any = da.concatenate
            arrays = [concatenate([one[s::shards] for s in range(shards)]) for one in arrays]
    return [array.rechunk({0: chunks}) for array in arrays]


def _as_array(column: Any) -> Any:
    """Return a Dask array with known numbers of rows."""
    if is_frame(column):
        return column.to_dask_array(lengths=True)
    if not isinstance(column, da.Array):
        return da.from_array(np.asarray(column))  # type: ignore[no-untyped-call]
    if any(np.isnan(size) for size in column.chunks[0]):
        column = column.compute_chunk_sizes()  # type: ignore[no-untyped-call]
    return column


def _aligned(columns: list[Any]) -> list[object]:
    """Return collections in the same chunks of rows, where their sizes are known."""
    first = columns[0]
    if not all(isinstance(column, da.Array) for column in columns):
        return columns
    sizes = [column.chunks[0] for column in columns]
    if any(np.isnan(size) for one in sizes for size in one):
        return columns
    if len({sum(one) for one in sizes}) > 1:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[sum(one) for one in sizes]}"
        )
    return [first, *(column.rechunk({0: first.chunks[0]}) for column in columns[1:])]


def delayed_model(model: object) -> object:
    """Return a model as one key of a graph, so that it travels once to each worker."""
    return delayed(model, traverse=False)


def is_sources(X: object) -> bool:
    """Return True for a path, or a list of paths."""
    names = X if isinstance(X, list | tuple) else [X]
    return len(names) > 0 and all(isinstance(name, str | os.PathLike) for name in names)


def shards_of(
    executor: Executor,
    X: object,
    y: object,
    weight: object,
    shards: int | None,
    reading: dict[str, object],
    fit: FitReading | None = None,
    interleave: bool = False,
) -> Shards:
    """Return the shards of rows of any kind that the executor can read.

    After a fit, files are read as in the fit; ``reading`` has the options that are given.
    """
    if reading and not is_sources(X):
        raise TypeError(f"{', '.join(reading)}: options of reading go with names of files.")
    if (is_collection(X) or is_delayed(X)) and not isinstance(executor, DaskExecutor):
        raise TypeError(
            "Dask collections and delayed batches need a distributed.Client; joblib and Ray read "
            "names of files."
        )
    if is_collection(X):
        if y is None:
            raise ValueError("y is missing: the labels of the rows are needed.")
        return shards_of_collection(executor, X, y, weight, shards, interleave)
    if not (is_delayed(X) or is_sources(X)):
        raise TypeError(_advice(X))
    if y is not None or weight is not None:
        raise ValueError(
            "y and sample_weight go with a Dask array or DataFrame; files and delayed batches "
            "have their own: a delayed batch is a tuple (X, y) or (X, y, weight)."
        )
    if is_delayed(X):
        return shards_of_delayed(X, shards, interleave)
    options, sources = read_options(reading), SourceNames(absolute_paths(X))
    if options.storage_options is not None:
        reading = reading | {"storage_options": options.storage_options}  # no log shows these
    if fit is not None:
        check_reading(reading, fit)
        listing_task = task(list_new_shards, sources, shards, reading, fit, interleave)
    else:
        listing_task = task(list_shards, sources, shards, options, interleave)
    listed: Shards = executor.compute([listing_task])[0]
    if options.on_bad_row == "skip":
        _warn_of_bad_rows(executor, listed)
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


def _warn_of_bad_rows(executor: Executor, shards: Shards) -> None:
    """Count the rows that are skipped, as they cannot be read, and warn of them."""
    numbers = executor.compute(calls(tasks.count_bad_rows, shards))
    if total := sum(numbers):
        parts = [f"{n:,} in {name}" for name, n in zip(shards.names, numbers, strict=True) if n]
        message = f"skipped {count(total, 'row')} that cannot be read: {listing(parts, 5)}."
        warnings.warn(message, UserWarning, stacklevel=4)


def _advice(X: object) -> str:
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


def calls(function: Callable[..., Any], shards: Shards, *first: object) -> list[Call]:
    """Return a call for each shard."""
    pairs = zip(shards.names, shards.rows, strict=True)
    return [task(function, *first, name, rows, shard=name) for name, rows in pairs]


def read_all(executor: Executor, shards: Shards) -> Shards:
    """Return shards whose rows, and labels, are in the memory of workers."""
    rows = executor.keep(calls(tasks.read_shard, shards))
    labels = shards.labels and [task(tasks.labels_of, batch) for batch in rows]
    return shards._replace(rows=rows, labels=labels)


def survey(executor: Executor, shards: Shards, scale: bool) -> list[tasks.Survey]:
    """Read all labels, and the rows where these tell how they become numbers."""
    executor.announce(f"reading the labels and columns of {count(len(shards.rows), 'shard')} …")
    if shards.features is not None and shards.labels is not None and not scale:
        pairs = zip(shards.names, shards.labels, strict=True)
        return executor.compute(
            [task(tasks.count_labels, name, y, shard=name) for name, y in pairs]
        )
    return executor.compute(calls(tasks.survey_shard, shards, scale))


def names_of_batches(executor: Executor, shards: Shards) -> tuple[str, ...] | None:
    """Return the names of the columns of shards in memory; None where they have none."""
    pairs = zip(shards.names, shards.rows, strict=True)
    names = [task(tasks.names_of, batch, shard=name) for name, batch in pairs]
    return joint_names(executor.compute(names))


def mean_score(executor: Executor, shards: Shards, model: Any, names: list[str] | None) -> float:
    """Return the share of rows, or of their weight, whose label is predicted.

    Raises
    ------
    ValueError
        No row has a label that is a class, there is no row, or tables have other columns than
        ``names``.
    """
    scores = executor.compute(calls(tasks.score_shard, shards, task(tasks.keep, model), names))
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
