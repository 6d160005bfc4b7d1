"""EncodedPerceptron: an online perceptron of raw rows, read as those of a model file were.

A model file of the command notes how rows became numbers: kinds of columns, missing cells, texts,
hashing, interactions. :class:`rosenblatt.streams.frames.reader.RowReader` reads rows in memory
alike, and this model predicts and learns what it makes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Self, cast

import numpy as np

from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.scoring import products
from rosenblatt.learning import interface
from rosenblatt.learning.linear.base import OutOfRangeError
from rosenblatt.learning.linear.learners import Perceptron
from rosenblatt.learning.models import files
from rosenblatt.learning.online.base import by_label, check_rule, names_limit
from rosenblatt.learning.online.estimator import Label, OnlinePerceptron
from rosenblatt.learning.online.features import FeatureEncoder, as_label_array, as_weight_array
from rosenblatt.streams.core.batch import csr, slice_rows
from rosenblatt.streams.core.hashed_names import HashedNames
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.features.encoding import number_columns
from rosenblatt.streams.frames.notes import notes_on_reading
from rosenblatt.streams.frames.reader import RowReader
from rosenblatt.utils.arrays import Array, Matrix
from rosenblatt.utils.matrices import is_sparse

MAX_WEIGHTS = 2**25
"""Weights of a model, labels times names: with more it learns no new name."""

RawRow = dict[str, Any] | str
"""The cells of a row by the names of their columns, or a text."""


class HowRead(NamedTuple):
    """How the rows of a model are read.

    Attributes
    ----------
    notes : dict
        Those of its file, :meth:`rosenblatt.streams.Stream.noted` among them.
    names : list of str, or None
        Its columns; None where names are hashed.
    scale : bool
        Whether it learns scaled rows.
    """

    notes: Notes
    names: list[str] | None
    scale: bool


def _without_totals(notes: Notes) -> Notes:
    return cast("Notes", {name: note for name, note in notes.items() if name != "totals"})


class EncodedPerceptron(OnlinePerceptron):
    """Online perceptron of raw rows.

    Its scores are those of ``rosenblatt predict`` for the same file and the same rows, to the last
    bit. New categories and keys become names as they come, up to ``max_features``, later ones are
    ignored. A missing number is the mean that the file notes, where it imputes means.

    Parameters
    ----------
    how : HowRead
    **params
        Of :class:`rosenblatt.OnlinePerceptron`.

    Raises
    ------
    ValueError
        The notes are not those of a table, of JSON lines or of texts.

    Examples
    --------
    >>> notes = {"format": "csv", "target": "y", "schema": {"size": "number", "hue": "category"}}
    >>> model = EncodedPerceptron.untrained(HowRead(notes, [], False))
    >>> rows = [{"size": 1.0, "hue": "red"}, {"size": -1.0, "hue": "blue"}]
    >>> model.predict_then_learn_rows(rows, ["stop", "go"], [1.0, 1.0], predicted := [])
    >>> predicted, model.predict_raw([{"size": 2.0, "hue": "red"}])[0], model.feature_names_
    ([None, 'stop'], ['stop'], ['size', 'hue=red', 'hue=blue'])
    """

    _how: HowRead
    _reader: RowReader
    _t_of_file: int | None = None

    @classmethod
    def untrained(cls, how: HowRead, **params: Any) -> Self:
        """Return a model that has learned nothing, of parameters of OnlinePerceptron."""
        model = cls(**params)
        model._how = how._replace(notes=_without_totals(how.notes))
        model._reader = RowReader.from_notes(model._how.notes, how.names or [])
        names = model._reader.names
        if names is not None:
            model._encoder = FeatureEncoder(names_limit(model), names)
        return model

    @classmethod
    def of_file(cls, learner: Perceptron, notes: Notes, max_features: int | None) -> Self:
        """Return the model of a file: its learner goes on here.

        Raises
        ------
        ValueError
            The notes do not fit the learner.
        """
        names = vars(learner).pop("feature_names_in_", None)
        names = None if names is None else list(map(str, names))
        if notes.get("format") == "sklearn" and not notes.get("schema"):
            notes = notes | {"schema": dict.fromkeys(names or (), "number")}
        how = HowRead(notes, names, bool(learner.scale))
        shared = set(cls._get_param_names()) - {"max_features"}
        params = {name: p for name, p in learner.get_params(False).items() if name in shared}
        model = cls.untrained(how, **params, max_features=max_features)
        own = model._reader.names
        width = 1 << (model._reader.noted()["bits"] or 0) if own is None else len(own)
        if own != how.names or width != learner.n_features_in_:
            raise ValueError("its columns are not those of its notes.")
        model._adopt(learner)
        model._how, model._t_of_file = how, int(learner.t_)
        return model

    @property
    def notes(self) -> Notes:
        """The notes of its file.

        Once it has learned more, they are those on reading alone, and lack ``totals``, from which
        running means would go on without the rows since: its own means stay those of the file.
        """
        is_as_in_file = self._model is not None and int(self._model.t_) == self._t_of_file
        notes = self._how.notes
        return notes if is_as_in_file else _without_totals(notes_on_reading(notes))

    @property
    def scale(self) -> bool:
        """Whether it learns scaled rows."""
        return self._how.scale

    @property
    def how(self) -> HowRead:
        """How its rows are read, with its names so far."""
        names = None if self._encoder is None else list(map(str, self._encoder.vocabulary))
        return self._how._replace(notes=self.notes, names=names)

    def freeze(self, notes: Mapping[str, object]) -> Callable[[], bytes]:
        """Return a function that computes a model file of now, with more notes.

        ``rosenblatt predict`` reads it, and :meth:`of_file`.
        """
        with self._lock:
            inner, how = self._inner_model(), self.how
        if how.names is not None:
            inner.feature_names_in_ = np.array(how.names, object)
        return partial(files.to_bytes, inner, notes={**how.notes, **notes})

    # --- rows ------------------------------------------------------------------------------------

    def matrix(self, rows: Sequence[RawRow]) -> Matrix:
        """Return rows with the model's columns, as ``rosenblatt predict`` reads them.

        Raises
        ------
        ValueError
            A row is not of the form of the file's.
        """
        return self._as_wide(self._reader.read(list(rows)))

    def hashed_names(self, rows: Sequence[RawRow]) -> HashedNames:
        """Return the names of the hashed columns of rows.

        Raises
        ------
        ValueError
            As :meth:`matrix`.
        """
        recorder = HashedNames()
        RowReader.from_notes(self._how.notes, [], recorder).read(list(rows))
        return recorder

    def _learned_matrix(self, rows: Sequence[RawRow]) -> Matrix:
        """Return rows with the model's columns, new names among them."""
        encoder = self._encoder
        if encoder is None:
            return self._reader.read(list(rows))
        most = self._most_names()
        if most is not None and len(encoder.vocabulary) >= most:
            return self.matrix(rows)
        X, names = self._reader.learn(list(rows)), self._reader.names or []
        first = len(encoder.vocabulary)
        for name in names[first:most]:  # a name beyond the last one is never a column
            encoder.vocabulary[name] = len(encoder.vocabulary)
        return self._as_wide(X)

    def _most_names(self) -> int | None:
        """Return how many names the model may have; it has so many for good."""
        assert self._encoder is not None
        limit, labels = self._encoder.limit, len(self._labels)
        by_weights = max(len(self._encoder.vocabulary), MAX_WEIGHTS // max(1, labels))
        return by_weights if limit is None else min(limit, by_weights)

    def _as_wide(self, X: Matrix) -> Matrix:
        """Return sparse rows as wide as the weights, without columns that have none."""
        if self._encoder is None or not is_sparse(X):
            return X
        data, indices, indptr = X.data, X.indices, X.indptr
        names = len(self._encoder.vocabulary)
        if X.shape[1] > names:
            kept = indices < names
            indptr = np.concatenate([[0], np.cumsum(kept)])[indptr]
            data, indices = data[kept], indices[kept]
        return self._csr(data, indices, indptr)

    # --- predicting ------------------------------------------------------------------------------

    def predict_raw(self, rows: Sequence[RawRow]) -> tuple[list[Any], list[dict[Any, float]]]:
        """Return the labels of rows and their scores, as ``rosenblatt predict`` does.

        Raises
        ------
        ValueError
            A row is not of the form of the file's.
        """
        with self._lock:
            labels = self._labels
            if not labels:
                return [None] * len(rows), [{} for _ in rows]
            X = self.matrix(rows)
            if len(labels) == 1:
                return labels * len(rows), [{labels[0]: 0.0} for _ in rows]
            scores = self._decision(X)
            predicted = interface.labels_of_scores(self._fitted(), scores).tolist()
        values = scores[:, np.newaxis] if len(labels) == 2 else scores
        by_row = (by_label(row, len(labels)) for row in values.tolist())
        return predicted, [dict(zip(labels, row, strict=True)) for row in by_row]

    def _decision(self, X: Matrix) -> Array:
        """Return ``decision_function(X)``; for a few columns of an average, from their weights."""
        learner = self._fitted()
        is_ready = self.output == "last" or vars(learner).get("_coef") is not None
        if is_ready or self._how.scale or not is_sparse(X) or 8 * len(X.data) > X.shape[1]:
            return np.asarray(learner.decision_function(X))
        columns, places = np.unique(X.indices, return_inverse=True)
        rows = csr(X.data, places.astype(np.int32), X.indptr, len(columns))
        W = np.ascontiguousarray(self._weights_at(columns))
        scores = products(as_rows(rows), W, interface.n_vectors(learner)) + learner.intercept_
        return np.asarray(scores.ravel() if scores.shape[1] == 1 else scores)

    def _weights_at(self, columns: Array) -> Array:
        if self._how.scale:  # the state has those of scaled features
            with self._lock:
                return np.asarray(self._fitted().coef_[:, columns].T)
        return super()._weights_at(columns)

    def _dense_width(self) -> int | None:
        return None  # rows are never lists of numbers

    # --- learning --------------------------------------------------------------------------------

    def predict_then_learn_rows(
        self, rows: Sequence[RawRow], y: list[Label], w: list[float], to: list[Any]
    ) -> None:
        """Predict rows and learn each then, in order; ``to`` gets the labels predicted.

        The bits do not depend on how rows are divided among calls.

        Raises
        ------
        ValueError, TypeError, OutOfRangeError
            The row behind those predicted cannot be learned; those before it were.
        """
        with self._lock:
            at_once = len(rows)
            while (start := len(to)) < len(rows):
                stop = min(self._run(rows, y, start), start + at_once)
                try:
                    X = self._learned_matrix(rows[start:stop])
                    self._learn_rows(X, y[start:stop], w[start:stop], to)
                    self._fitted().converged_ = False  # of these rows alone it would say nothing
                except OutOfRangeError:
                    raise
                except (ValueError, TypeError):
                    if stop - start == 1 or len(to) > start:
                        raise
                    at_once = 1  # those before the row that is refused are learned

    def _run(self, rows: Sequence[RawRow], y: list[Label], start: int) -> int:
        """Return where rows end that are read at once: at a cell of another type, or a label.

        A column is read as its cells are, so that 2.0 beside "oak" is another word than alone; and
        the names that a model may have depend on its labels.
        """
        if self._target(y[start]) is None:
            return start + 1
        types: dict[str, type] = {}
        for stop in range(start, len(rows)):
            if self._target(y[stop]) is None:
                return stop
            row = rows[stop]
            cells = () if isinstance(row, str) else row.items()
            for name, cell in cells:
                if cell is not None and types.setdefault(name, type(cell)) is not type(cell):
                    return stop
        return len(rows)

    def _learn_rows(self, X: Matrix, y: list[Label], w: list[float], to: list[Any]) -> None:
        labels, weights = as_label_array(y), as_weight_array(w, len(y))
        is_known = all(self._target(label) is not None for label in y)
        if is_known and self._model is not None and interface.can_predict_then_learn(self._model):
            model = self._fitted()
            check_rule(model)
            try:
                to += interface.predict_then_learn(model, X, labels, weights, 0, 1)[0]
            except OutOfRangeError as error:
                to += error.predicted
                raise
            return
        for i in range(len(y)):
            row = slice_rows(X, slice(i, i + 1))
            weight = None if weights is None else weights[i : i + 1]
            predicted = None
            if self._labels:
                predicted = self._labels[0]
                if len(self._labels) > 1:
                    (predicted,) = self._fitted().predict(row).tolist()
            self._learn(row, labels[i : i + 1], weight)
            to.append(predicted)

    def _learn(self, X: Matrix, labels: Array, weight: Array | None) -> None:
        if self._model is None and self._how.scale:
            params = self.get_params(deep=False)
            del params["max_features"]
            learner = Perceptron(**params, shuffle=False, scale=True)
            assert self._reader.reader is not None
            interface.centre_columns(learner, number_columns(self._reader.reader.stream))
            self._adopt(learner.partial_fit(X, labels, sample_weight=weight))
            return
        super()._learn(X, labels, weight)
