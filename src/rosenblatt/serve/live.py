"""A model that is served: it predicts, and it learns examples in the order of its log."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self, cast

import numpy as np

from rosenblatt.learning.evaluation.progress import Progress
from rosenblatt.learning.interface import comparable_spreads
from rosenblatt.learning.linear.base import OutOfRangeError
from rosenblatt.learning.models import files
from rosenblatt.learning.models.online_names import decode_online, encode_names
from rosenblatt.learning.online.base import (
    dense_width,
    inner_model,
    lock_of,
    vocabulary,
    weight_vectors,
    weights_at,
)
from rosenblatt.learning.online.estimator import (
    OnlinePerceptron,
    calibrated_probabilities,
    predict_with_scores,
)
from rosenblatt.learning.online.features import as_dict, one_hot
from rosenblatt.serve import schema
from rosenblatt.serve.config import config_of, new_model, read_model
from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.rows import Rows, check_kind, out_of_range, too_many_labels
from rosenblatt.serve.schema import Config, Features, Label
from rosenblatt.serve.store.log import Row
from rosenblatt.serve.store.tables import Snapshot
from rosenblatt.theory import rules
from rosenblatt.theory.rule_kinds import check_features
from rosenblatt.utils.arrays import Array

if TYPE_CHECKING:
    from rosenblatt.learning.online.encoded import HowRead

DRIFT = 0.99
"""Confidence of the alarm that the error has risen."""
BUFFER = 512
"""Predictions that are counted at once."""


class LiveModel:
    """A model and the counts of what it predicted before it learned.

    Attributes
    ----------
    model : OnlinePerceptron
    config : dict
        Its configuration.
    version : int
        The record of the log that it learned last; 0 at first.
    overflow : int or None
        The version whose step left the floating-point range; nothing is learned from then on.
    known_alarms : int or None
        Alarms that are no news, as they came in a replay or were reported; None before an example
        came in the service.
    """

    def __init__(self, model: OnlinePerceptron, config: Config) -> None:
        self.model, self.config, self.version = model, config, 0
        self.overflow: int | None = None
        self.known_alarms: int | None = None
        self._progress = Progress(drift=DRIFT)
        self._accepted: set[tuple[type, type]] = set()  # of features and labels, with names
        self._awaited: set[Label] = set()  # new labels of rows that are being written
        self._writing = 0  # groups of rows that are being written
        self._first: Row | None = None  # of these, where nothing is learned yet: it decides kinds
        self._labels: list[Label] = []  # not yet counted
        self._predicted: list[Label | None] = []

    @classmethod
    def from_config(cls, config: Config) -> LiveModel:
        """Return an untrained model of a configuration."""
        return cls(new_model(config), config)

    @classmethod
    def from_file(cls, data: bytes) -> LiveModel:
        """Return the model of a model file, whose examples here count from 0.

        Its rows are names and numbers, whatever its notes say, to which
        :func:`rosenblatt.serve.encoded.files.read_file` keeps. Where the file does not bound its
        names, it has as many as other models.

        Raises
        ------
        ValueError
            The bytes are no model file of this version, or have a model of another kind.
        """
        model = read_model(data)
        if model.max_features is None:
            names = encode_names(model) | {"limit": schema.MAX_NAMES}
            model = decode_online(inner_model(model), names)
        return cls(model, config_of(model))

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> LiveModel:
        """Return the model of a snapshot, as it was."""
        values = json.loads(snapshot.progress)
        model = read_model(snapshot.file) if snapshot.file else new_model(values["config"])
        return cls(model, values["config"]).counting(snapshot)

    def counting(self, snapshot: Snapshot) -> Self:
        """Return the model with the version and the counts of a snapshot."""
        values = json.loads(snapshot.progress)
        self.version, self._progress = snapshot.version, Progress.from_snapshot(values["progress"])
        return self

    def promoted(self) -> LiveModel:
        """Return the model with counts from 0: a shadow takes the place of the model."""
        live = type(self)(self.model, self.config)
        live.version, live.overflow = self.version, self.overflow
        return live

    def names(self) -> dict[Hashable, int] | None:
        """Return the column of each feature name; None where columns have none."""
        return vocabulary(self.model)

    def may_hold(self, row: Row) -> bool:
        """Return whether the model shares a name or the label with an example, or is dense like it.

        Such a model may have learned it, and another cannot.
        """
        features, label, _ = row
        names = self.names()
        if label in self.model.classes_:
            return True
        if names is None or isinstance(features, list):
            return names is None and isinstance(features, list)
        return any(name in names for name, _ in self.named_values(features))

    def freeze(self) -> Callable[[], Snapshot]:
        """Return a function that computes the snapshot of the model as it is now.

        It may run in another thread while the model learns on. An untrained model has no file.
        """
        version = self.version
        values = {"config": self.config, "progress": self.progress.snapshot(), **self._marks}
        content = self.content() if self.model.classes_ else bytes
        return lambda: Snapshot(version, json.dumps(values).encode(), content())

    _marks: Mapping[str, object] = {}
    """What a snapshot says of the kind of model that it has."""

    def content(self, notes: dict[str, object] | None = None) -> Callable[[], bytes]:
        """Return a function that computes a model file of the model as it is now."""
        return files.freeze(self.model, notes=notes)

    # --- learning --------------------------------------------------------------------------------

    def learn_rows(
        self, rows: Rows, start: int, stop: int, version: int
    ) -> list[bool | RefusedError]:
        """Predict and learn some of the rows, from a version on.

        Returns
        -------
        outcomes : list
            Whether each prediction was right; a refusal where the model cannot learn the row: the
            version counts, the model is unchanged.
        """
        outcomes: list[bool | RefusedError] = []
        while (first := start + len(outcomes)) < stop:
            predicted: list[Label | None] = []
            refusal: RefusedError | None = None
            with lock_of(self.model):  # to an explanation in another thread they change at once
                self.version = version + len(outcomes)
                try:
                    self.check_range()
                    self._learn(rows, first, stop, predicted)
                except RefusedError as error:
                    refusal = error
                except OutOfRangeError:
                    self.overflow = self.version + len(predicted)
                    refusal = out_of_range(self.overflow)
                except (ValueError, TypeError) as error:
                    refusal = RefusedError(422, str(error))
                self.version += len(predicted) - (refusal is None)
            labels = rows.labels[first : first + len(predicted)]
            self._labels += labels
            self._predicted += predicted
            if len(self._labels) >= BUFFER:
                self._count()
            outcomes += [label == guess for label, guess in zip(labels, predicted, strict=True)]
            if refusal is not None:
                outcomes.append(refusal)
        return outcomes

    def _learn(self, rows: Rows, start: int, stop: int, to: list[Label | None]) -> None:
        """Predict some rows and learn them; ``to`` gets the label predicted of each."""
        rows.learn(self.model, start, stop, to)

    def check_range(self) -> None:
        """Refuse any use of weights that left the floating-point range.

        Raises
        ------
        RefusedError
            With the version that did it.
        """
        if self.overflow is not None:
            raise out_of_range(self.overflow)

    def check_size(self, features: Features) -> None:
        """Refuse a row that is over a limit.

        Raises
        ------
        ValueError
            With the limit.
        """
        schema.check_features(features)

    def check(
        self, features: Features, label: Label | None = None, first: Row | None = None
    ) -> None:
        """Refuse a row, or a label, of a kind that the model does not have.

        Where it has learned nothing, ``first`` is the row that decides the kind.

        Raises
        ------
        ValueError
            With the kind.
        RefusedError
            The weights left the floating-point range.
        """
        self.check_range()
        labels, kind = self.model.classes_, (type(features), type(label))
        if labels and kind not in self._accepted:
            dense = dense_width(self.model)
            check_kind(features, label, labels[0], dense)
            if dense is None:
                self._accepted.add(kind)
        if isinstance(features, list) and not labels:
            if not features:
                raise ValueError("a dense row has at least one number.")
            rule = self.model.rule
            rule = rules.by_name(rule, 1.0, 0.0) if isinstance(rule, str) else rule
            check_features(rule, len(features))
        if first is not None and not labels:
            width = len(first[0]) if isinstance(first[0], list) else None
            check_kind(features, label, first[1], width)
        if label is not None and len(labels) > 2:
            self._check_size(features, label, labels)

    def refusals(self, rows: Rows) -> dict[int, RefusedError]:
        """Return which rows the model cannot learn, and why; labels being written count as its own.

        A model that has learned nothing takes rows of any kind, but all of that of the first.
        """
        if self.overflow is not None:
            return dict.fromkeys(range(len(rows)), out_of_range(self.overflow))
        labels, faults = self.model.classes_, dict[int, str]()
        size = len(labels) * len(self.names() or ()) if len(labels) > 2 else 0
        is_large = size > min(schema.MAX_COPIED, schema.MAX_WEIGHTS)
        if is_large or not rows.kinds <= self._accepted:  # else it takes all features
            faults = self._faults(rows)
        own = {*labels, *self._awaited}
        if not faults and own.issuperset(rows.labels):  # as most often
            return {}
        taken = (label for i, label in enumerate(rows.labels) if i not in faults)
        new = [label for label in dict.fromkeys(taken) if label not in own]
        if over := set(new[max(0, schema.MAX_LABELS - len(own)) :]):
            many = {i: too_many_labels(y) for i, y in enumerate(rows.labels) if y in over}
            faults = many | faults
        return {i: RefusedError(422, faults[i]) for i in sorted(faults)}

    def _faults(self, rows: Rows) -> dict[int, str]:
        """Return which rows are of another kind than the model has, or too large for it."""
        faults, first = {}, self._first
        for i in range(len(rows)):
            row = rows[i]
            try:
                self.check(row[0], row[1], first)
                first = first or row
            except ValueError as error:
                faults[i] = str(error)
        return faults

    @contextmanager
    def awaiting(self, rows: Rows) -> Iterator[None]:
        """Count the labels of rows that are being written, and their kind while it has none."""
        new = set(rows.labels).difference(self.model.classes_, self._awaited)
        self._awaited |= new
        self._writing += 1
        if not self.model.classes_:
            self._first = self._first or rows[0]
        try:
            yield
        finally:
            self._awaited -= new
            self._writing -= 1
            if not self._writing:
                self._first = None

    def _check_size(self, features: Features, label: Label, labels: list[Label]) -> None:
        """Refuse a row that would make the model larger than a model may be."""
        names = vocabulary(self.model)
        if (
            names is not None
            and label not in labels
            and len(labels) * len(names) > schema.MAX_COPIED
        ):
            raise ValueError(
                f"the model has {len(labels):,} labels and {len(names):,} feature names, too many "
                f"weights for one more label: {label!r:.80}."
            )
        if names is None or len(labels) * len(names) <= schema.MAX_WEIGHTS:
            return
        if label not in labels or any(name not in names for name, _ in named_values(features)):
            raise ValueError(
                f"the model has {len(labels):,} labels and {len(names):,} feature names, and may "
                f"have {schema.MAX_WEIGHTS:,} weights: it learns no new label and no new name. The "
                "parameter max_features of its config bounds the names."
            )

    # --- predicting ------------------------------------------------------------------------------

    def predict(self, features: Features, *, explain: bool = False) -> schema.Prediction:
        """Return label, scores and margin of a row; the id is left to the caller.

        Raises
        ------
        ValueError, TypeError
            The row is of a kind that the model does not have.
        """
        row = self.named_values(features) if explain else []
        with lock_of(self.model):  # scores and weights of one version, also in another thread
            label, scores = self._scores(features)
            version = self.version
            weights = self._weights(row, label) if explain and len(scores) > 1 else {}
            shares = calibrated_probabilities(self.model, scores)
        contributions = margin = None
        if explain and scores:
            parts = [
                schema.Contribution(name, x, weights.get(name, 0.0) * x + 0.0) for name, x in row
            ]
            contributions = sorted(parts, key=lambda part: -abs(part.contribution))
        if len(scores) > 1:
            others = max(score for other, score in scores.items() if other != label)
            margin = scores[label] - others + 0.0  # no -0.0, which puzzles who reads it
        return schema.Prediction(
            id=None,
            label=label,
            scores={_text(name): score + 0.0 for name, score in scores.items()},
            margin=margin,
            version=version,
            contributions=contributions,
            probabilities=shares and {_text(name): share for name, share in shares.items()},
        )

    def _scores(self, features: Features) -> tuple[Label, dict[Label, float]]:
        """Return the label and the scores of a row."""
        return predict_with_scores(self.model, features)

    def named_values(self, features: Features) -> list[tuple[str, float]]:
        """Return the names and values of a row, as the model reads it."""
        return named_values(features)

    def _weights(self, row: list[tuple[str, float]], label: Label) -> dict[str, float]:
        """Return the weights of a row's features for the score of a label."""
        names = vocabulary(self.model)
        columns = {name: int(name) if names is None else names[name] for name, _ in row
                 if names is None or name in names}  # fmt: skip
        if not columns:
            return {}
        labels = self.model.classes_
        W = weights_at(self.model, np.array(list(columns.values())))
        of_label = W[:, labels.index(label)] if len(labels) > 2 else W[:, 0]
        if len(labels) == 2 and label == labels[0]:  # two labels share one weight vector
            of_label = -of_label
        return dict(zip(columns, of_label.tolist(), strict=True))

    # --- facts -----------------------------------------------------------------------------------

    @property
    def features(self) -> int:
        """Number of features."""
        return len(self.model.feature_names_)

    @property
    def how(self) -> HowRead | None:
        """How the model reads rows, if a model file said so."""
        return None

    def rows(self) -> schema.RowsInfo | None:
        """Return the form of the rows, if a model file said so."""
        return None

    @property
    def progress(self) -> Progress:
        """Counts of the predictions that were made before their example was learned."""
        self._count()
        return self._progress

    @property
    def counted(self) -> Progress:
        """The same as of the last count: up to 512 predictions more wait for the next one."""
        return self._progress

    @property
    def examples(self) -> int:
        """Number of examples learned so far."""
        return self._progress.examples + len(self._labels)

    def heaviest(self, count: int) -> dict[str, list[schema.FeatureWeight]]:
        """Return the features of the largest effects of each label; of two labels, of the second.

        They are those of :meth:`effects`, with their weights.
        """
        return {
            label: [schema.FeatureWeight(name, weight) for name, weight, _ in features]
            for label, features in self.effects(count, self.spreads()).items()
        }

    def effects(
        self, count: int, spreads: Array | None
    ) -> dict[str, list[tuple[str, float, float]]]:
        """Return names, weights and effects of the features that move the scores most.

        An effect is the weight times the spread of the feature's values, since features have units
        of their own; without spreads it is the weight. Sizes decide, and signs are kept; features
        without an effect are left out.
        """
        labels = self.model.classes_
        if len(labels) < 2:
            return {}
        shown = labels[1:] if len(labels) == 2 else labels
        names, hashed = self.model.feature_names_, self.hashed_names()
        factors = 1.0 if spreads is None else spreads[: len(names)]
        largest = {}
        for label, weights in zip(shown, weight_vectors(self.model), strict=True):
            effects = weights[: len(names)] * factors
            sizes = np.abs(effects)
            least = np.partition(sizes, -count)[-count] if 0 < count < len(sizes) else 0.0
            large = np.flatnonzero((sizes >= least) & (sizes > 0.0))  # few: they alone are sorted
            order = large[np.argsort(-sizes[large], kind="stable")][:count]
            largest[_text(label)] = [
                (name, sign * float(weights[j]) + 0.0, sign * float(effects[j]) + 0.0)
                for j in order.tolist()
                for sign, name in [hashed.get(j, (1, str(names[j])))]
            ]
        return largest

    def hashed_names(self) -> Mapping[int, tuple[int, str]]:
        """Return the sign and the name of hashed columns, by their number, as far as known."""
        return {}

    def spreads(self) -> Array | None:
        """Return the spread of each feature, as the rule ``auto`` knows it; else None."""
        if len(self.model.classes_) < 2:
            return None
        spreads = comparable_spreads(inner_model(self.model))
        return None if spreads is None else spreads.values

    def _count(self) -> None:
        """Count the buffered predictions."""
        if self._labels:
            self._progress.add(self._labels, self._predicted)
            self._labels, self._predicted = [], []


def named_values(features: Features) -> list[tuple[str, float]]:
    """Return the names and values of a row, as the model reads it.

    Columns of a dense row are named by their number, and those that are 0 are left out.

    Examples
    --------
    >>> named_values({"size": 3, "colour": "red"}), named_values("a free lunch")
    ([('size', 3.0), ('colour=red', 1.0)], [('free', 1.0), ('lunch', 1.0)])
    """
    if isinstance(features, list):
        return [(str(j), value) for j, value in enumerate(features) if value]
    row = as_dict(cast("Mapping[Hashable, object] | str", features))
    return [(str(name), value) for name, value in one_hot(row).items()]


def _text(label: Label) -> str:
    """Return a label as the key of a JSON object."""
    return str(label).lower() if isinstance(label, bool) else str(label)
