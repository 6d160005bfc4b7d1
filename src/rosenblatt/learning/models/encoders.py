"""Encoders of raw rows in model files: alone, or in the notes of the classifier behind them.

The encoder is :class:`rosenblatt.RowEncoder`, which this module does not import. Its notes are
those of :meth:`rosenblatt.streams.Stream.noted`; the names of its columns are those of the
classifier.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from rosenblatt.engine.scaling import widened_moments
from rosenblatt.learning import interface
from rosenblatt.learning.base import BaseLearner
from rosenblatt.learning.models.header import Header, check_fields, json_notes
from rosenblatt.learning.models.scaling_arrays import decode_scaling, encode_scaling
from rosenblatt.learning.scaling import Scaling
from rosenblatt.streams.core.notes import Notes
from rosenblatt.utils.arrays import Array

ENCODER = "RowEncoder"
"""The class of a file without a model: an encoder of raw rows."""

_FIELDS = ("names", "width")


def encode_encoder(
    encoder: Any, notes: Mapping[str, Any] | None
) -> tuple[Header, dict[str, Array]]:
    """Return the header and the arrays of the file of a fitted encoder."""
    names, scaling = encoder.names_, encoder.scaling_
    width = None if scaling is None else len(scaling.moments.mean)
    header: Header = {
        "class": ENCODER,
        "params": {},
        "fitted": {"names": names, "width": width},
        "notes": json_notes({**(notes or {}), **encoder.noted()}),
    }
    return header, encode_scaling(scaling)


def decode_encoder(
    header: Header, tensors: dict[str, Array], class_of: Callable[[str], Any]
) -> Any:
    """Build the encoder of a file.

    Raises
    ------
    ValueError
        The file is inconsistent, or who asks has no use for an encoder.
    """
    check_fields("its fitted", header["fitted"], _FIELDS)
    names, width = header["fitted"]["names"], header["fitted"]["width"]
    texts = [] if names is None else [name for name in names if isinstance(name, str)]
    if names is not None and names != [*dict.fromkeys(texts)]:
        raise ValueError("its names are not distinct texts")
    widths = {array.shape for name, array in tensors.items() if name != "moments.dense"}
    if widths != (set() if width is None else {(width,)}):
        raise ValueError("its arrays do not have one number for each column")
    encoder = class_of(ENCODER).from_notes(header["notes"], names)
    return encoder.with_scaling(decode_scaling(tensors))


def has_learner(model: object) -> bool:
    """Return whether a model is a pipeline, or of a cluster: its file has the learner in it."""
    return hasattr(model, "steps") or hasattr(model, "to_local")


def learner_and_notes(pipeline: Any, notes: Mapping[str, Any] | None) -> tuple[Any, Notes]:
    """Return the classifier of a pipeline for its file, and the notes with those of its encoder.

    Numbers that the encoder scales are scaled by the classifier of the file: it is the same model.
    Of a model of a cluster they are its ``to_local()``, and how it read its files.

    Raises
    ------
    TypeError
        The steps of the pipeline are not an encoder of raw rows and a learner of this library.
    ValueError
        Rows are scaled, and the classifier cannot do so, or does so itself.
    """
    if hasattr(pipeline, "to_local"):
        return pipeline.to_local(), cast("Notes", {**(pipeline.noted() or {}), **(notes or {})})
    steps = [step for _, step in pipeline.steps]
    name = type(pipeline).__name__
    is_ours = len(steps) == 2 and hasattr(steps[0], "noted") and isinstance(steps[1], BaseLearner)
    if not is_ours:
        raise TypeError(
            f"This {name} cannot be saved: a model file has a pipeline of two steps, a RowEncoder "
            "and a classifier of this library."
        )
    encoder, learner = steps
    interface.require_fitted(learner)
    if encoder.scaling_ is not None:
        scales = learner.get_params(deep=False).get("scale", True)
        if scales or encoder.interactions or encoder.bits_ is not None:
            raise ValueError(
                f"This {name} cannot be saved: its encoder scales numbers, which then are hashed, "
                "multiplied, or scaled by the classifier again, or which it cannot scale. Leave "
                "out scale=True in the encoder: Perceptron has such a parameter, and Classifier "
                "needs none."
            )
        learner = _scaling_learner(learner, encoder.scaling_)
    noted = {**getattr(pipeline, "notes", {}), **(notes or {}), **encoder.noted()}
    return learner, cast("Notes", noted)


def _scaling_learner(learner: Any, scaling: Scaling) -> Any:
    """Return the classifier of scaled numbers as one that scales them itself.

    Numbers are the first columns. The others are not scaled: a column without moments is as it is.
    """
    centred = scaling.moments.centred
    moments = widened_moments(scaling.moments, learner.n_features_in_)
    if learner.n_features_in_ > len(centred):  # the rows are sparse
        moments = moments._replace(dense=np.array([False]))
        moments.centred[len(centred) :] = False
    learner = copy.copy(learner).set_params(scale=True)
    learned = interface.learned(learner)._replace(scaling=Scaling(moments), coef=None)
    interface.restore(learner, learned)
    return learner
