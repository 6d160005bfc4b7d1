"""Tasks that workers run: pure functions of their arguments.

A lost worker's tasks run again elsewhere, with the same bits. The rows of a shard are, as an
argument, a :class:`rosenblatt.cluster.sources.FileShard`, which the task reads itself; a tuple
(X, y) or (X, y, weight) of arrays or tables, or a list of such tuples; or what :func:`read_shard`
or :func:`prepare_shard` returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple, TypeVar
from zlib import crc32

import numpy as np

from rosenblatt.cluster import tables
from rosenblatt.cluster.memory import memory_kept
from rosenblatt.cluster.preparing.encoding import NO_ENCODING, Encoder, Encoding, join_encodings
from rosenblatt.cluster.reports import Reporter, ShardReport
from rosenblatt.cluster.sources import FileShard
from rosenblatt.cluster.states import PackedState, pack, unpack
from rosenblatt.learning.linear.shards import ShardLearner, ShardRows, needs_all_rows
from rosenblatt.learning.tuning.held_out import RowChoice
from rosenblatt.streams.core.batch import Batch, concat_batches, with_width
from rosenblatt.streams.core.digests import label_digests, row_digests
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.encoding import number_columns
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix, NDArray
from rosenblatt.utils.labels import as_labels
from rosenblatt.utils.matrices import as_matrix, is_sparse
from rosenblatt.utils.words import count

T = TypeVar("T")


class Survey(NamedTuple):
    """What all shards together must agree on.

    Attributes
    ----------
    labels, counts : ndarray
        The distinct labels, and the number of rows with each.
    features : int
    dtype : str
    digest : int
        Of the rows of one shard, or of its labels alone where only these are read.
    names : tuple of str or None
        Of the columns, where rows are tables.
    encoding : Encoding
    """

    labels: Array
    counts: Array
    features: int
    dtype: str
    digest: int = 0
    names: tuple[str, ...] | None = None
    encoding: Encoding = NO_ENCODING

    def balanced_weights(self) -> dict[object, float]:
        """Return n / (K n_c) of each label: ``class_weight="balanced"``.

        Examples
        --------
        >>> Survey(np.array(["no", "yes"]), np.array([3, 1]), 5, "float64").balanced_weights()
        {'no': 0.6666666666666666, 'yes': 2.0}
        """
        weights = self.counts.sum() / (len(self.labels) * self.counts.astype(np.float64))
        return dict(zip(self.labels.tolist(), weights.tolist(), strict=True))


class ShardBatch(NamedTuple):
    """A shard in memory, None without rows; the names of its columns, and which are centred."""

    batch: Batch | None
    names: tuple[str, ...] | None
    centred: Sequence[int] = ()


class Learned(NamedTuple):
    """The state of a shard after an epoch, relative to that before, and its report."""

    state: PackedState
    report: ShardReport


def keep(value: T) -> T:
    """Return a value: the task from which other tasks get it."""
    return value


def join(*columns: object) -> tuple[object, ...]:
    """Return the same partition of X, y and the weights as a tuple."""
    return columns


def count_rows(name: str, rows: tuple[Any, ...]) -> int:
    """Count the rows of a partition, and compare the indexes of its tables."""
    with _working_on(name):
        tables.check_index(rows[0], list(rows[1:]))
    return len(rows[0])


def labels_of(shard: ShardBatch) -> Array:
    """Return the labels of a shard in memory."""
    return np.empty(0, np.int64) if shard.batch is None else shard.batch.y


def read_shard(name: str, rows: object) -> ShardBatch:
    """Read a shard into memory."""
    with _working_on(name):
        batches: list[Batch] = []
        centred: Sequence[int] = ()
        for stream, batch in _read(rows):
            batches.append(batch)
            centred = () if stream is None else number_columns(stream)
        rows_read = concat_batches(batches) if batches else None
        return ShardBatch(rows_read, _column_names(rows), centred)


def part_of(choice: RowChoice, name: str, rows: Any) -> ShardBatch:
    """Read the rows of a shard that are held out, or those that are left, into memory."""
    if isinstance(rows, FileShard):
        return read_shard(name, rows._replace(choice=choice))
    with _working_on(name):
        batches = [batch for batch in choice.of(_batches(rows)) if len(batch.y)]
        rows_read = concat_batches(batches) if batches else None
        return ShardBatch(rows_read, rows.names, rows.centred)


def survey_shard(scale: bool, name: str, rows: object) -> Survey:
    """Count the labels of a shard, and its features; digest its rows, and find their encoding."""
    labels: Array = np.empty(0, np.int64)
    counts: Array = np.empty(0, np.int64)
    features, dtypes, digest = 0, set(), 0
    encoder = Encoder(scale=scale, centred=rows.centred if isinstance(rows, ShardBatch) else ())
    with _working_on(name):
        for stream, batch in _read(rows):
            y, X = _labels(batch), as_matrix(batch.X)
            distinct, numbers = np.unique(y, return_counts=True)
            labels, counts = _add_counts(labels, counts, distinct, numbers)
            features = max(features, batch.X.shape[1])
            dtypes.add(str(getattr(batch.X, "dtype", "float64")))
            digest = crc32(row_digests(Batch(X, y, 0)).data, digest)
            encoder.add(X, stream)
        names = _column_names(rows)
    dtype = "float32" if dtypes == {"float32"} else "float64"
    return Survey(labels, counts, features, dtype, digest, names, encoder.encoding())


def count_bad_rows(name: str, rows: FileShard) -> int:
    """Count the rows of files that cannot be read."""
    with _working_on(name):
        return rows.count_bad_rows()


def count_labels(name: str, y: ArrayLike) -> Survey:
    """Count the labels of a shard alone, and digest them."""
    with _working_on(name):
        y = np.asarray(as_labels(y)).ravel()
        labels, counts = np.unique(y, return_counts=True)
    return Survey(labels, counts, 0, "float64", crc32(label_digests(y).data))


def join_surveys(surveys: Sequence[Survey]) -> Survey:
    """Return the survey of all shards; those without rows have no say."""
    labels: Array = np.empty(0, np.int64)
    counts: Array = np.empty(0, np.int64)
    for one in surveys:
        labels, counts = _add_counts(labels, counts, one.labels, one.counts)
    dtypes = {one.dtype for one in surveys if len(one.labels)}
    features = max((one.features for one in surveys), default=0)
    dtype = "float32" if dtypes == {"float32"} else "float64"
    names = tables.joint_names(one.names for one in surveys)
    encoding = join_encodings([one.encoding for one in surveys])
    return Survey(labels, counts, features, dtype, names=names, encoding=encoding)


def prepare_shard(learner: ShardLearner, name: str, rows: object) -> ShardRows | None:
    """Return the rows of a shard as they are learned; None for no rows."""
    batch = read_shard(name, rows).batch
    if batch is None:
        return None
    with _working_on(name):
        return learner.prepare(batch.X, batch.y, batch.weight)


def learn_shard(
    learner: ShardLearner,
    name: str,
    rows: object,
    seed: int | None,
    epoch: int,
    weights: PackedState,
) -> Learned:
    """Learn an epoch of a shard; return the state relative to the weights it started from."""
    before, reporter = unpack(weights), Reporter(len(learner.classes), rows)
    with _working_on(name):
        if rows is None or isinstance(rows, ShardRows):
            parts = iter([] if rows is None else [rows.aligned()])
        elif needs_all_rows(learner.model):
            prepared = prepare_shard(learner, name, rows)
            parts = iter([] if prepared is None else [prepared])
        else:
            parts = (learner.prepare(one.X, one.y, one.weight) for one in _batches(rows))
        after = learner.learn(reporter.counted(parts), seed, epoch, before)
    updates = int((after.updates - before.updates).sum())
    return Learned(pack(after, before), reporter.report(updates))


def predict_rows(X: Matrix, model: Any, method: str) -> Any:
    """Return predictions of a block of rows; of no rows, none."""
    if X.shape[0] == 0:
        return getattr(model, method)(np.zeros((1, model.n_features_in_)))[:0]
    return getattr(model, method)(X)


def predict_shard(model: Any, names: list[str] | None, method: str, name: str, rows: Any) -> Any:
    """Return the predictions of a shard."""
    with _working_on(name):
        tables.check_names(_column_names(rows), names)
        parts = [getattr(model, method)(_widened(batch.X, model)) for batch in _batches(rows)]
        none = np.empty((0, model.n_features_in_))
        return np.concatenate(parts) if parts else predict_rows(none, model, method)


class ShardScore(NamedTuple):
    """Score of a model on a shard.

    Attributes
    ----------
    right, total : float
        The weight of the rows whose label is predicted, and that of all.
    valid : int
        Number of rows whose label is a class.
    unknown : object
        A label that is no class; None where all are.
    """

    right: float
    total: float
    valid: int
    unknown: object


def score_shard(model: Any, names: list[str] | None, name: str, rows: Any) -> ShardScore:
    """Return the score of a model on a shard."""
    right, total, valid, unknown = 0.0, 0.0, 0, None
    with _working_on(name):
        tables.check_names(_column_names(rows), names)
        for batch in _batches(rows):
            y = _labels(batch)
            weight = np.ones(len(y)) if batch.weight is None else np.asarray(batch.weight)
            right += float(weight[model.predict(_widened(batch.X, model)) == y].sum())
            total += float(weight.sum())
            is_class = _are_classes(y, model.classes_)
            valid += int(is_class.sum())
            unknown = next(iter(y[~is_class].tolist()), unknown)
    return ShardScore(right, total, valid, unknown)


def count_errors(model: Any, name: str, rows: object) -> tuple[int, int]:
    """Return the number of rows whose label is not predicted, and that of all."""
    errors, total = 0, 0
    with _working_on(name):
        for batch in _batches(rows):
            y = _labels(batch)
            errors += int((model.predict(_widened(batch.X, model)) != y).sum())
            total += len(y)
    return errors, total


def _batches(rows: Any) -> Iterator[Batch]:
    """Yield what a shard is made of, without parts that have no rows."""
    return (batch for _, batch in _read(rows))


def _read(rows: Any) -> Iterator[tuple[Stream | None, Batch]]:
    """Yield what a shard is made of, each part with the stream of a file that it is from."""
    parts: Iterator[tuple[Stream | None, Batch]]
    if isinstance(rows, FileShard):
        parts = rows.read()
    elif isinstance(rows, ShardBatch):
        parts = iter([] if rows.batch is None else [(None, rows.batch)])
    elif isinstance(rows, list):
        parts = chain.from_iterable(map(_read, rows))
    elif not (isinstance(rows, tuple) and len(rows) in (2, 3)):
        size = f" of {count(len(rows), 'part')}" if isinstance(rows, tuple) else ""
        raise ValueError(
            f"a batch must be a tuple (X, y) or (X, y, weight); got a {type(rows).__name__}{size}."
        )
    else:
        X, y, *weight = rows
        tables.check_index(X, [y, *weight])
        if tables.is_table(X) and len(X):
            X = tables.table_rows(X)
        elif not hasattr(X, "shape"):  # a list of rows
            X = as_matrix(X)
        parts = iter([(None, Batch(X, y, 0, weight[0] if weight else None))])
    return (part for part in parts if part[1].X.shape[0])


def _column_names(rows: Any) -> tuple[str, ...] | None:
    """Return the names of the columns of a shard, where it has tables."""
    if isinstance(rows, ShardBatch):
        return rows.names
    if isinstance(rows, list):
        return tables.joint_names(map(_column_names, rows))
    return tables.column_names(rows[0]) if isinstance(rows, tuple) else None


def names_of(shard: ShardBatch) -> tuple[str, ...] | None:
    """Return the names of the columns of a shard in memory."""
    return shard.names


def _labels(batch: Batch) -> Array:
    labels = np.asarray(as_labels(batch.y)).ravel()
    if len(labels) != batch.X.shape[0]:
        raise ValueError(f"found {batch.X.shape[0]} rows, but {len(labels)} labels.")
    return labels


def _are_classes(y: Array, classes: Array) -> NDArray[np.bool_]:
    """Return which labels are classes; text is never a number."""
    if (y.dtype.kind in "UO") != (classes.dtype.kind in "UO"):
        return np.zeros(len(y), np.bool_)
    return np.isin(y, classes)


def _widened(X: Matrix, model: Any) -> Matrix:
    """Return sparse rows with the features of a model, which has no weights for later ones."""
    d = model.n_features_in_
    if not is_sparse(X) or X.shape[1] == d:
        return X
    return with_width(X.tocsr(), d)


def _add_counts(labels: Array, counts: Array, more: Array, numbers: Array) -> tuple[Array, Array]:
    """Return the union of labels, with their counts added."""
    if not (len(labels) and len(more)):
        return (labels, counts) if len(labels) else (more, numbers)
    are_texts = {array.dtype.kind in "UO" for array in (labels, more)}
    if len(are_texts) > 1:
        raise ValueError(
            f"y has labels of mixed types: {more[0]!r} in one shard, {labels[0]!r} in another."
        )
    union, codes = np.unique(np.concatenate([labels, more]), return_inverse=True)
    return union, np.bincount(codes, np.concatenate([counts, numbers])).astype(np.int64)


@contextmanager
def _working_on(name: str) -> Iterator[None]:
    """Keep memory from batch to batch, and name the shard in errors that do not name a file."""
    try:
        with memory_kept():
            yield
    except DataError:
        raise
    except (ValueError, TypeError) as error:
        raise DataError(name, str(error)) from error
