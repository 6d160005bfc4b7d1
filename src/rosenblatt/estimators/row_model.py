"""A classifier with the encoder of its raw rows: what :func:`rosenblatt.load` returns.

The command notes in a model file how it read its table. Such a model takes the rows as they are
found: the encoder turns them into the columns that the classifier learned, in their order.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length

from rosenblatt.estimators.encoder import RowEncoder
from rosenblatt.exports.writing import export
from rosenblatt.learning import interface
from rosenblatt.learning.base import changing, locks_of
from rosenblatt.learning.explain import Explanation
from rosenblatt.learning.models import files
from rosenblatt.streams.core.named import with_columns
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.features.labels import EXPECTED_WEIGHT
from rosenblatt.streams.frames.notes import notes_on_reading
from rosenblatt.streams.reopening import reopen
from rosenblatt.utils.arrays import Array, ArrayLike
from rosenblatt.utils.checks import within_float64


def _classifier_has(name: str) -> Callable[[RowModel], bool]:
    return lambda model: hasattr(model.classifier, name)


@contextmanager
def _widened(classifier: Any, names: list[str] | None, width: int) -> Iterator[None]:
    """Give a fitted classifier new columns; forget them if the rows cannot be learned."""
    if not interface.is_fitted(classifier) or width <= classifier.n_features_in_:
        yield
        return
    before = dict(vars(classifier))
    if before.get("_dual") is not None:  # its support rows are widened where they stand
        before["_dual"] = copy.deepcopy(before["_dual"])
    try:
        interface.widen(classifier, width)
        if names is not None:
            classifier.feature_names_in_ = np.array(names, object)
        yield
    except BaseException:
        vars(classifier).clear()
        vars(classifier).update(before)
        raise


def _check_weights(sample_weight: ArrayLike | None) -> None:
    """Refuse negative weights, as of the column of weights of a file."""
    if sample_weight is None:
        return
    with within_float64("sample_weight"):
        weights = np.asarray(sample_weight, np.float64).ravel()
    for row in np.flatnonzero(weights < 0.0).tolist():
        problem = f"sample_weight, row {row:,} (from 0): found {weights[row]:g}"
        raise ValueError(f"{problem}, {EXPECTED_WEIGHT}")


_OF_ROWS = ("n_features_in_", "feature_names_in_")


class RowModel(Pipeline):
    """A classifier that takes raw rows: a scikit-learn pipeline of an encoder and the classifier.

    ``predict(rows)`` is ``classifier.predict(encoder.transform(rows))``, and so are
    ``predict_proba``, ``decision_function`` and ``score``. What the classifier has learned, such as
    ``coef_`` and ``classes_``, is an attribute of the model, too.

    Parameters
    ----------
    steps : list of (name, object)
        A :class:`rosenblatt.RowEncoder` and a classifier of this library.
    transform_input, memory, verbose
        As of :class:`sklearn.pipeline.Pipeline`.

    Attributes
    ----------
    encoder : RowEncoder
    classifier : classifier
        It takes the matrix that the encoder gives.
    notes : dict
        The notes of the model file, :func:`rosenblatt.models.describe`; empty for a model that was
        made in Python.

    Notes
    -----
    Threads may share a model: one that learns waits until the others have predicted.

    Rows are a table of pandas, polars or Arrow, a list of dicts, or one dict; for a model of texts
    a list of texts; or what :meth:`read` returns. A matrix without names is refused where the
    model's columns have names: they could be others, or in another order.

    Examples
    --------
    >>> from rosenblatt import RowEncoder
    >>> from rosenblatt.estimators.linear import Perceptron
    >>> rows = [{"colour": "red"}, {"colour": "green"}] * 2
    >>> model = RowModel([("encoder", RowEncoder()), ("classifier", Perceptron())])
    >>> model = model.fit(rows, ["stop", "go", "stop", "go"])
    >>> model.predict([{"colour": "green"}, {"colour": "red"}]).tolist()
    ['go', 'stop']
    """

    notes: Notes = Notes()

    @classmethod
    def of_file(cls, classifier: Any, notes: Notes) -> Self:
        """Return the model of a file: a classifier, and notes that describe its rows.

        Raises
        ------
        ValueError
            The notes are not those of the classifier's rows.
        """
        names = vars(classifier).get("feature_names_in_")
        names = None if names is None else names.tolist()
        encoder = RowEncoder.from_notes(notes, names)
        width = 1 << (encoder.bits_ or 0) if names is None else len(names)
        if encoder.names_ != names or width != classifier.n_features_in_:
            raise ValueError("its columns are not those of its notes")
        model = cls([("encoder", encoder), ("classifier", classifier)])
        model.notes = notes
        return model

    @property
    def encoder(self) -> RowEncoder:
        """The encoder of raw rows."""
        return self.steps[0][1]  # type: ignore[no-any-return]

    @property
    def classifier(self) -> Any:
        """The classifier of encoded rows."""
        return self.steps[-1][1]

    def __getattr__(self, name: str) -> Any:
        # those of raw rows are the encoder's, which may have none
        is_learned = name.endswith("_") and not name.startswith("_") and name not in _OF_ROWS
        if is_learned and "steps" in vars(self):
            return getattr(self.classifier, name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def partial_fit(
        self,
        rows: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn rows once, in their order; new categories, words and labels are learned, too.

        Parameters
        ----------
        rows : raw rows, or the rows of :meth:`read`
        y : array of shape (n,)
        classes : array, optional
            As of the classifier, in the first call.
        sample_weight : array of shape (n,), optional
            Finite numbers of 0 or more.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A column is missing, a label is new though ``classes`` were given in the first call, a
            weight is negative, or a value cannot be read.
        """
        _check_weights(sample_weight)
        encoder, classifier = self.encoder, self.classifier
        options = {} if sample_weight is None else {"sample_weight": sample_weight}
        with changing(self), encoder.unchanged_on_error():
            X, names = encoder.partial_fit_transform(rows), encoder.names_
            check_consistent_length(X, y, sample_weight)
            with _widened(classifier, names, X.shape[1]):
                classifier.partial_fit(with_columns(X, names), y, classes=classes, **options)
            self.notes = notes_on_reading(self.notes)
        return self

    def fit(self, X: object, y: Any = None, **params: Any) -> Self:
        """Fit the encoder and the classifier anew.

        Errors are those of :meth:`sklearn.pipeline.Pipeline.fit`.

        Parameters
        ----------
        X : raw rows
        y : array of shape (n,)
            The labels.
        **params
            As of :meth:`sklearn.pipeline.Pipeline.fit`.
        """
        with changing(self):
            fitted: Self = super().fit(X, y, **params)
            self.notes = {}
        return fitted

    def read(
        self, source: Any, *, labelled: bool = True, grows: bool = False, **options: Any
    ) -> tuple[Any, Array]:
        """Read a source of rows as the model's own data was read.

        Parameters
        ----------
        source : str, path, or sequence of them
            As of :func:`rosenblatt.streams.open_stream`.
        labelled : bool, default=True
            Whether the rows have labels.
        grows : bool, default=False
            True for rows that :meth:`partial_fit` will learn: new names, such as new categories,
            have columns after those of the model, and running means go on.
        **options
            Of :func:`rosenblatt.streams.open_stream`, where the file is laid out otherwise than the
            model's data: ``separator``, ``target``, …

        Returns
        -------
        rows : matrix of shape (n, d)
            It knows its columns, ``rows.columns``, unless they are hashed: those of the model in
            their order.
        y : array of shape (n,), or None where not ``labelled``

        Raises
        ------
        DataError
            As of :func:`rosenblatt.streams.open_stream`, or a column of the model is missing.
        ValueError
            An option gives other features than the model's.
        """
        stream = reopen(
            self.notes | self.encoder.noted(),
            self.encoder.names_,
            source,
            labelled=labelled,
            classes=self.classifier.classes_ if labelled else None,
            grows=grows,
            **options,
        )
        rows, y = stream.read()
        if grows and "totals" in (after := stream.noted()):
            rows.totals = self.encoder.noted().get("totals", {}), after["totals"]
        return rows, y

    def explain(self, row: Any, label: object = None, top: int = 10) -> Explanation:
        """Explain the score of one raw row by its features, and by training rows.

        Parameters
        ----------
        row : dict, Series, text, or rows of length 1
        label : object, optional
            The label whose score is explained, by default the predicted one.
        top : int ≥ 1, default=10
            Number of features and of rows to list.

        Returns
        -------
        Explanation
            As of the classifier; without ``expansion=True`` there are no training rows.
        """
        with locks_of(self).arrays:
            if getattr(row, "ndim", 2) == 1 and hasattr(row, "to_dict"):
                row = row.to_dict()
            x = self.encoder.transform([row] if isinstance(row, str) else row)
            explanation: Explanation = self.classifier.explain(x, label, top)
        hashed = self.notes.get("names") or {}  # column -> the sign and the name of a hash
        if explanation.features is not None:
            for feature in explanation.features if hashed else ():
                sign, name = hashed.get(str(feature["feature"]), (1, feature["feature"]))
                feature["feature"], feature["weight"] = name, sign * feature["weight"]
                feature["value"] *= sign
        return explanation

    # --- predictions: no other thread learns between the encoder and the classifier --------------

    def predict(self, X: object, **params: Any) -> Any:
        """Return the label of each row.

        Parameters
        ----------
        X : raw rows
        **params
            As of :meth:`sklearn.pipeline.Pipeline.predict`.
        """
        with locks_of(self).arrays:
            return super().predict(X, **params)

    @available_if(_classifier_has("predict_proba"))
    def predict_proba(self, X: object, **params: Any) -> Any:
        """Return the probability of each class, for rules whose scores are log odds."""
        with locks_of(self).arrays:
            return super().predict_proba(X, **params)

    @available_if(_classifier_has("decision_function"))
    def decision_function(self, X: object, **params: Any) -> Any:
        """Return the scores of each row."""
        with locks_of(self).arrays:
            return super().decision_function(X, **params)

    def calibrate_sets(self, X: object, y: ArrayLike) -> Self:
        """Keep how probable the labels of held-out raw rows are, for :meth:`predict_set`.

        As of the classifier.
        """
        with changing(self):
            self.classifier.calibrate_sets(self.encoder.transform(X), y)
        return self

    def predict_set(self, X: object, coverage: float = 0.9) -> Array:
        """Return which labels of ``classes_`` are in the set of each row, as of the classifier."""
        with locks_of(self).arrays:
            sets: Array = self.classifier.predict_set(self.encoder.transform(X), coverage)
        return sets

    def score(self, X: object, y: Any = None, sample_weight: Any = None, **params: Any) -> Any:
        """Return the share of rows whose label is right.

        Parameters
        ----------
        X : raw rows
        y : array of shape (n,)
            The labels.
        sample_weight : array of shape (n,), optional
        **params
            As of :meth:`sklearn.pipeline.Pipeline.score`.
        """
        with locks_of(self).arrays:
            return super().score(X, y, sample_weight, **params)

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        return {name: part for name, part in state.items() if name != "_locks"}

    def save(self, path: Any) -> None:
        """Write the model to a file, which the command and :func:`rosenblatt.load` read.

        Errors are those of :func:`rosenblatt.save`.
        """
        files.save(self, path)

    def export(self, path: Any, to: str | None = None, **options: Any) -> None:
        """Write the model as a file that scores raw rows without this library.

        Errors are those of :func:`rosenblatt.export`.

        Parameters
        ----------
        path, to, **options
            As of :func:`rosenblatt.export`.
        """
        export(self, path, to, **options)
