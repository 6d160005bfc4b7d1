"""An OnlinePerceptron as a model file keeps it: the learner inside and the names; and back."""

from __future__ import annotations

from typing import Any

from rosenblatt.learning.models.header import check_fields
from rosenblatt.learning.online.encoder import FeatureEncoder
from rosenblatt.learning.online.estimator import OnlinePerceptron

CLASS = "OnlinePerceptron"
"""What the file calls it; everything else in the file is that of the learner inside."""

FIELDS = ("features", "limit", "ignored")


def encode_names(model: OnlinePerceptron) -> dict[str, Any]:
    """The names in the order of their numbers, or None for an array's columns, as JSON.

    Raises
    ------
    TypeError
        A name that JSON does not give back as it was.
    """
    encoder = model._encoder
    features = None if encoder is None else list(encoder.vocabulary)
    for name in features or ():
        if type(name) not in (str, int):
            raise TypeError(
                f"The feature {name!r:.80} cannot be saved: a model file has names that are "
                "strings or whole numbers."
            )
    return {"features": features, "limit": model.max_features, "ignored": model.ignored_}


def learner_and_names(model: Any) -> tuple[Any, list[str] | None]:
    """The learner that takes rows of numbers, and the names of its columns where they have some.

    Examples
    --------
    >>> model = OnlinePerceptron().learn_many([{"a": 1}, {"b": 1}], ["left", "right"])
    >>> learner, names = learner_and_names(model)
    >>> type(learner).__name__, names
    ('Perceptron', ['a', 'b'])
    """
    if isinstance(model, OnlinePerceptron):
        learner, names = model._inner_model(), encode_names(model)["features"]
    else:
        learner, names = model, vars(model).get("feature_names_in_")
    return learner, None if names is None else [str(name) for name in names]


def decode_online(learner: Any, names: dict[str, Any]) -> OnlinePerceptron:
    """The model that goes on with a learner and the names of its features.

    Raises
    ------
    ValueError
        Names that do not fit the learner.
    """
    check_fields("its names", names, FIELDS)
    features, limit, ignored = (names[field] for field in FIELDS)
    if features is not None:
        valid = isinstance(features, list) and all(type(name) in (str, int) for name in features)
        if not valid or not len(set(features)) == len(features) <= learner.n_features_in_:
            raise ValueError(f"its names of features cannot be {features!r:.80}")
    if not (limit is None or (type(limit) is int and limit > 0)):
        raise ValueError(f"its limit of names cannot be {limit!r:.80}")
    if type(ignored) is not int or ignored < 0:
        raise ValueError(f"its number of values left out cannot be {ignored!r:.80}")
    shared = set(OnlinePerceptron._get_param_names()) - {"max_features"}
    params = {name: value for name, value in learner.get_params(False).items() if name in shared}
    model = OnlinePerceptron(**params, max_features=limit)
    model._encoder = None if features is None else FeatureEncoder(limit, features, ignored)
    model._adopt(learner)
    return model
