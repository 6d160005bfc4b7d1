"""A model that is served with the encoder of its model file: it takes raw rows.

The log keeps the rows as they came. They are encoded where they are predicted or learned, in a
replay alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rosenblatt.learning.models import files
from rosenblatt.learning.online.base import lock_of
from rosenblatt.learning.online.encoded import EncodedPerceptron, HowRead
from rosenblatt.serve import schema
from rosenblatt.serve.config import (
    check_finite,
    config_of,
    new_model,
    path_of,
    served_perceptron,
)
from rosenblatt.serve.encoded.form import RowForm
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.rows import Rows, check_kind
from rosenblatt.serve.schema import Config, Features, Label
from rosenblatt.serve.store.log import Row
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.notes import hashed_columns
from rosenblatt.streams.core.options import DEFAULT_BITS
from rosenblatt.streams.frames.notes import check_notes
from rosenblatt.utils.matrices import is_sparse

MAX_BITS = 20
"""With more, the names of hashed columns take too much memory to be shown."""


class EncodedLive(LiveModel):
    """A live model of raw rows.

    Attributes
    ----------
    model : EncodedPerceptron
    form : RowForm
        What a row is.
    """

    model: EncodedPerceptron
    _marks: Mapping[str, object] = {"encoded": True}

    def __init__(self, model: Any, config: Config) -> None:
        super().__init__(model, config)
        self.form = RowForm.of_notes(model.notes)
        self._names_of_file = hashed_columns(model.notes)

    @classmethod
    def of_file(cls, data: bytes) -> EncodedLive:
        """Return the model of a model file with notes.

        Raises
        ------
        ValueError
            The bytes are no such file of this version, or have a model of another kind.
        """
        with path_of(data) as path:
            learner, notes = files.load(path), files.describe(path)["notes"]
        learner = served_perceptron(learner)
        if learner.expansion:
            raise ValueError("its learner has expansion=True: its support rows would grow here.")
        check_notes(notes)
        if (count := len(notes.get("schema") or ())) > schema.MAX_FEATURES:
            raise ValueError(f"a row may have {schema.MAX_FEATURES:,} columns; got {count:,}.")
        model = EncodedPerceptron.of_file(learner, notes, schema.MAX_NAMES)
        check_finite(model)
        return cls(model, config_of(model))

    @classmethod
    def untrained(cls, config: Config, how: HowRead) -> EncodedLive:
        """Return an untrained model that reads rows as another does."""
        names: list[str] | None = None if how.names is None else []
        params = new_model(config).get_params()
        return cls(EncodedPerceptron.untrained(how._replace(names=names), **params), config)

    # --- facts -----------------------------------------------------------------------------------

    @property
    def how(self) -> HowRead | None:
        """How the model reads rows."""
        return self.model.how

    @property
    def features(self) -> int:
        """Number of features: names, or hashed columns."""
        names = self.names()
        return len(self.model.feature_names_) if names is None else len(names)

    def hashed_names(self) -> Mapping[int, tuple[int, str]]:
        """Return the names that the file notes: of its heaviest columns."""
        return self._names_of_file

    def rows(self) -> schema.RowsInfo:
        """Return the form of the rows."""
        notes, form = self.model.notes, self.form
        return schema.RowsInfo(
            rows=form.rows,
            columns=dict(form.columns),
            impute=notes.get("impute"),
            missing=list(form.missing),
            text=list(notes.get("text") or ()),
            bits=notes.get("bits"),
            interactions=list(form.interactions),
            scale=self.model.scale,
        )

    def may_hold(self, row: Row) -> bool:
        """Return whether the model may have learned an example: hashed names hide everything."""
        features, label, _ = row
        names = self.names()
        if names is None or label in self.model.classes_:
            return True
        try:
            return bool(self.named_values(features))
        except ValueError:  # of another form
            return False

    def content(self, notes: dict[str, object] | None = None) -> Callable[[], bytes]:
        """Return a function that computes a model file of now, with the notes on its rows."""
        return self.model.freeze(notes or {})

    # --- rows ------------------------------------------------------------------------------------

    def _learn(self, rows: Rows, start: int, stop: int, to: list[Label | None]) -> None:
        """Predict and learn the rows up to one of another form, which is refused."""
        good: list[Row] = []
        fault: ValueError | None = None
        for i in range(start, stop):
            features, label, weight = rows[i]
            try:
                self.form.check(features)
            except ValueError as error:
                fault = error
                break
            good.append((self.form.plain(features), label, weight))
        plain: list[Any] = [features for features, _, _ in good]
        labels, weights = [label for _, label, _ in good], [weight for _, _, weight in good]
        self.model.predict_then_learn_rows(plain, labels, weights, to)
        if fault is not None:
            raise fault

    def check_size(self, features: Features) -> None:
        """Refuse a row that is over a limit."""
        self.form.check_size(features)

    def check(
        self, features: Features, label: Label | None = None, first: Row | None = None
    ) -> None:
        """Refuse a row of another form, or a label of another kind, than the model has."""
        self.check_range()
        labels = self.model.classes_
        other = labels[0] if labels else None if first is None else first[1]
        if other is not None:
            check_kind({}, label, other, None)
        self.form.check(features)
        if self.form.is_read_to_be_checked:
            with lock_of(self.model), _of_one_row():
                self.model.matrix([self.form.plain(features)])
        if label is not None and len(labels) > 2 and label not in labels:
            self._check_new_label(label)

    def _check_new_label(self, label: Label) -> None:
        """Refuse a label whose weights would make the model larger than one may be."""
        count, features = len(self.model.classes_), self.features
        if count * features > schema.MAX_COPIED:
            raise ValueError(
                f"the model has {count:,} labels and {features:,} features, too many weights for "
                f"one more label: {label!r:.80}."
            )

    def _scores(self, features: Features) -> tuple[Label, dict[Label, float]]:
        with _of_one_row():
            labels, scores = self.model.predict_raw([self.form.plain(features)])
        return labels[0], scores[0]

    def named_values(self, features: Features) -> list[tuple[str, float]]:
        """Return the names and values of a row; hashed columns have their numbers as names."""
        self.form.check(features)
        with lock_of(self.model), _of_one_row():
            X = self.model.matrix([self.form.plain(features)])
            names = list(self.names() or ())
        columns: Any = range(X.shape[1])
        values = X.data if is_sparse(X) else X[0]
        if is_sparse(X):
            columns = X.indices.tolist()
        entries = [(j, value) for j, value in zip(columns, values.tolist(), strict=True) if value]
        return [(str(names[j] if names else j), value) for j, value in entries]

    def predict(self, features: Features, *, explain: bool = False) -> schema.Prediction:
        """Return label, scores and margin of a row; contributions have the names that were hashed.

        Raises
        ------
        ValueError
            The row is of another form.
        """
        prediction = super().predict(features, explain=explain)
        parts = prediction.contributions
        bits = self.model.notes.get("bits") or DEFAULT_BITS
        if parts and self.names() is None and bits <= MAX_BITS:
            hashed = self.model.hashed_names([self.form.plain(features)])
            names = hashed.of([int(part.feature) for part in parts])
            for part in parts:
                sign, part.feature = names.get(int(part.feature), (1, f"column {part.feature}"))
                part.value *= sign
        return prediction


@contextmanager
def _of_one_row() -> Iterator[None]:
    """Leave the number of a row, which is the only one, out of the message on it."""
    try:
        yield
    except DataError as error:
        raise ValueError(error.problem.replace(", row 0 (from 0)", "")) from error
