"""The configuration of a model: parameters of OnlinePerceptron, as JSON."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rosenblatt.learning.linear.learners import Perceptron
from rosenblatt.learning.linear.presets import as_perceptron
from rosenblatt.learning.models import files
from rosenblatt.learning.models.online_names import decode_online, encode_names
from rosenblatt.learning.online.base import dense_width, inner_model, vocabulary, weight_vectors
from rosenblatt.learning.online.classifier import OnlineClassifier
from rosenblatt.learning.online.estimator import OnlinePerceptron
from rosenblatt.serve import schema
from rosenblatt.serve.errors import refusing
from rosenblatt.serve.schema import Config
from rosenblatt.theory import rules
from rosenblatt.theory.rules.auto import NOT_OF_AUTO

LARGEST_WEIGHT = 1e200
"""Of a model file: times the largest row, 10,000 values of 1e30, it is far from overflow."""
PARAMETERS = tuple(OnlinePerceptron().get_params())
RULES = sorted(
    name for name in rules.NAMES if not hasattr(rules.by_name(name, 1.0, 0.0), "overlap")
)
"""Names of the rules that learn rows as they come: the others choose among all of them."""


def new_model(config: Config) -> OnlinePerceptron:
    """Return an untrained model.

    Parameters
    ----------
    config : dict
        Parameters of :class:`rosenblatt.OnlinePerceptron`. ``rule`` is a name, or a dict of a name
        and the rule's own parameters. Without ``max_features`` a model has at most 2²⁰ names.

    Raises
    ------
    ValueError
        A parameter that does not exist, or that is out of its range.

    Examples
    --------
    >>> new_model({"rule": {"name": "pa1", "C": 0.5}, "output": "average"})
    OnlinePerceptron(max_features=1048576, output='average', rule=PA1(C=0.5))
    """
    if unknown := set(config) - set(PARAMETERS):
        raise ValueError(
            f"config has no {', '.join(sorted(unknown))}: it may have {', '.join(PARAMETERS)}."
        )
    params: Config = {"max_features": schema.MAX_NAMES} | config
    if isinstance(params.get("rule"), str) and params["rule"] not in rules.NAMES:
        raise ValueError(f"rule must be one of {', '.join(RULES)}; got {params['rule']!r:.80}.")
    if isinstance(params.get("rule"), dict):
        params["rule"] = _rule(**{"name": None} | params["rule"])
    if isinstance(params.get("class_weight"), dict):
        _check_class_weight(params["class_weight"])
    model = OnlinePerceptron(**params)
    try:  # learning checks what depends on several parameters
        model.clone().learn_many([{"a": 1.0}, {"b": 1.0}], ["no", "yes"])
    except TypeError as error:
        raise ValueError(str(error)) from error
    return model


def with_rule(config: Config) -> Config:
    """Return the configuration of a new model, with its rule.

    Without a rule it is auto, unless a parameter that auto does not have is another than its
    default: then the perceptron, as of configurations that a store has.

    Examples
    --------
    >>> with_rule({"tie": 1}), with_rule({"output": "average"}), with_rule({"output": "last"})
    ({'rule': 'auto', 'tie': 1}, {'output': 'average'}, {'rule': 'auto', 'output': 'last'})
    """
    defaults = OnlinePerceptron().get_params()
    others = [name for name in NOT_OF_AUTO if config.get(name, defaults[name]) != defaults[name]]
    return config if "rule" in config or others else {"rule": "auto"} | config


def config_of(model: OnlinePerceptron) -> Config:
    """Return the configuration of a model: its parameters that are not those of an empty one.

    Examples
    --------
    >>> config_of(OnlinePerceptron(rule=rules.PA1(C=0.5), output="average"))
    {'max_features': None, 'output': 'average', 'rule': {'name': 'pa1', 'C': 0.5}}
    """
    defaults = OnlinePerceptron(max_features=schema.MAX_NAMES).get_params()
    params = model.get_params()
    config = {name: value for name, value in params.items() if value != defaults[name]}
    rule: Any = model.rule
    if not isinstance(rule, str):
        name = next(n for n in rules.NAMES if isinstance(rule, type(rules.by_name(n, 1.0, 0.0))))
        config["rule"] = {"name": name, **rule._asdict()}
    return config


def check_sizes(config: Config) -> None:
    """Refuse numbers with which a step could leave the floating-point range.

    Raises
    ------
    ValueError
        With the parameter.
    """
    rule = config.get("rule")
    for name, value in (config | (rule if isinstance(rule, dict) else {})).items():
        if isinstance(value, int | float) and abs(value) > schema.LARGEST:
            raise ValueError(f"{name} may be {schema.LARGEST:g} at most; got {value!r:.40}.")


def check_config(config: Config) -> None:
    """Refuse a configuration that is not valid.

    Raises
    ------
    RefusedError
        With the parameter.
    """
    with refusing("config: "):
        check_sizes(config)
        new_model(config)


def check_served(model: OnlinePerceptron) -> None:
    """Refuse a model of a file that has what no model has that learned here.

    Raises
    ------
    ValueError
        With the label, or the limit.
    """
    labels, names = model.classes_, vocabulary(model)
    other = [label for label in labels if not isinstance(label, bool | int | str)]
    if other:
        raise ValueError(
            f"the label {other[0]!r:.80} is neither text nor an integer: name the classes so, and "
            "train again."
        )
    check_sizes(config_of(model))
    width = len(names) if names is not None else dense_width(model) or 0
    most = schema.MAX_FEATURES if names is None else max(schema.MAX_NAMES, model.max_features or 0)
    for what, count, limit in [
        ("labels", len(labels), schema.MAX_LABELS),
        ("features", width, most),
        ("weights", weight_vectors(model).size if labels else 0, schema.MAX_WEIGHTS),
        ("characters in a label", _longest(labels), schema.MAX_WORD),
        ("characters in a name", _longest(names or ()), schema.MAX_TEXT),
    ]:
        if count > limit:
            raise ValueError(f"the model has {count:,} {what}, and may have {limit:,}.")
    if labels and not (np.abs(weight_vectors(model)) <= LARGEST_WEIGHT).all():
        raise ValueError(f"weights of the model are larger than {LARGEST_WEIGHT:g}.")


@contextmanager
def path_of(data: bytes) -> Iterator[str]:
    """Give a path of the bytes of a file; errors do not name it.

    Raises
    ------
    ValueError
        What is done within raises it.
    """
    with tempfile.TemporaryFile() as file:  # it has no name: a kill leaves nothing of it
        file.write(data)
        file.seek(0)
        path = f"/dev/fd/{file.fileno()}"
        try:
            yield path
        except ValueError as error:  # without the path, which is nobody's business
            raise ValueError(str(error).removeprefix(f"{path}: ")) from error


def read_model(data: bytes) -> OnlinePerceptron:
    """Return the model of a file's bytes: an OnlinePerceptron, or a linear model made to one.

    Raises
    ------
    ValueError
        The bytes are no model file of this version, or have a model of another kind.
    """
    with path_of(data) as path:
        model = files.load(path)
    if isinstance(model, OnlineClassifier):  # its configuration is that of its inner model
        model = decode_online(inner_model(model), encode_names(model))
    if isinstance(model, OnlinePerceptron):
        return check_finite(model)
    model = served_perceptron(model)
    names = vars(model).pop("feature_names_in_", None)  # further names may come
    features = None if names is None else [str(name) for name in names]
    return check_finite(decode_online(model, {"features": features, "limit": None, "ignored": 0}))


def served_perceptron(learner: object) -> Perceptron:
    """Return the Perceptron that a linear classifier of a file is.

    Raises
    ------
    ValueError
        The service cannot learn on from it, and why.
    """
    name = type(learner).__name__
    try:
        return as_perceptron(learner)
    except ValueError as error:
        raise ValueError(f"the file has a {name}, which cannot learn on here: {error}") from error


def check_finite(model: OnlinePerceptron) -> OnlinePerceptron:
    """Return a model; refuse weights that are not finite."""
    if model.classes_ and not np.isfinite(weight_vectors(model)).all():
        raise ValueError("the weights of the model are not finite.")
    return model


def _longest(names: Iterable[object]) -> int:
    """Return the number of characters of the longest name.

    Examples
    --------
    >>> _longest(["a", "ccc", True, 10]), _longest([])
    (4, 0)
    """
    return max((len(str(name)) for name in names), default=0)


def _check_class_weight(weights: dict[str, Any]) -> None:
    """Refuse weights that learning would refuse once their label comes."""
    for label, weight in weights.items():
        is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if not (is_number and 0 <= weight <= schema.LARGEST):
            raise ValueError(
                f"class_weight of {label!r:.80} must lie between 0 and {schema.LARGEST}; got "
                f"{weight!r:.40}."
            )


def _rule(name: object, **fields: object) -> Any:
    """Return the rule of a name with fields of its own."""
    if name not in rules.NAMES:
        raise ValueError(f"rule needs a name, one of {', '.join(RULES)}; got {name!r:.80}.")
    rule: Any = rules.by_name(name, 1.0, 0.0)
    if unknown := set(fields) - set(rule._fields):
        fields_of_rule = ", ".join(rule._fields) or "no parameters"
        raise ValueError(f"rule {name!r} has {fields_of_rule}; got {', '.join(sorted(unknown))}.")
    return rules.complete(rule._replace(**fields))
