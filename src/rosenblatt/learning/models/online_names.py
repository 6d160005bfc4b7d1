"""Feature names of an online model in a model file, which holds its inner model besides.

The learners of named rows are imported where there is one: most files have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.learning.base import BaseLearner
from rosenblatt.learning.models.header import check_fields

if TYPE_CHECKING:
    from rosenblatt.learning.online.estimator import OnlinePerceptron

FIELDS = ("features", "limit", "ignored")


def encode_names(model: OnlinePerceptron) -> dict[str, object]:
    """Encode the feature names, in the order of their indices, as JSON; None for arrays.

    Raises
    ------
    TypeError
        A name that JSON cannot represent exactly.
    """
    from rosenblatt.learning.online.base import vocabulary

    names = vocabulary(model)
    features = None if names is None else list(names)
    for name in features or ():
        if type(name) not in (str, int):
            raise TypeError(
                f"The feature {name!r:.80} cannot be saved: feature names in a model file must be "
                "strings or integers."
            )
    return {"features": features, "limit": model.max_features, "ignored": model.ignored_}


def learner_and_names(model: object) -> tuple[Any, list[str] | None]:
    """Model that takes numeric rows, and the names of its columns, if any.

    Examples
    --------
    >>> from rosenblatt import OnlinePerceptron
    >>> model = OnlinePerceptron().learn_many([{"a": 1}, {"b": 1}], ["left", "right"])
    >>> learner, names = learner_and_names(model)
    >>> type(learner).__name__, names
    ('Perceptron', ['a', 'b'])
    """
    learner, names = model, vars(model).get("feature_names_in_")
    if not isinstance(model, BaseLearner):
        from rosenblatt.learning.online.base import inner_model
        from rosenblatt.learning.online.estimator import OnlinePerceptron

        if isinstance(model, OnlinePerceptron):
            learner, names = inner_model(model), encode_names(model)["features"]
    return learner, None if names is None else [str(name) for name in names]


def decode_online(
    learner: Any, names: dict[str, Any], kind: str = "OnlinePerceptron"
) -> OnlinePerceptron:
    """Build an OnlinePerceptron, or OnlineClassifier, from its inner model and its feature names.

    Raises
    ------
    ValueError
        Names that do not fit the model, or parameters that its class has not.
    """
    from rosenblatt.learning.online.base import names_limit, restore
    from rosenblatt.learning.online.classifier import OnlineClassifier
    from rosenblatt.learning.online.estimator import OnlinePerceptron
    from rosenblatt.learning.online.features import FeatureEncoder

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
    cls = OnlineClassifier if kind == "OnlineClassifier" else OnlinePerceptron
    for name in ("scale", "expansion"):
        if getattr(learner, name):
            raise ValueError(f"its learner has {name}=True, and an {kind} has not.")
    model, shared = cls(max_features=limit), set(cls._get_param_names())
    for name, value in learner.get_params(False).items():
        if name in shared:
            setattr(model, name, value)
        elif getattr(model, name, value) != value:
            raise ValueError(f"its learner has another {name} than an {kind}.")
    encoder = None if features is None else FeatureEncoder(names_limit(model), features, ignored)
    restore(model, learner, encoder)
    return model
