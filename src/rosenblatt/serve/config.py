"""The configuration of a model: parameters of OnlinePerceptron, as JSON."""

from __future__ import annotations

from typing import Any

from rosenblatt.learning.online.estimator import OnlinePerceptron
from rosenblatt.serve.schema import LARGEST, MAX_NAMES
from rosenblatt.theory import rules

PARAMETERS = tuple(OnlinePerceptron._get_param_names())


def new_model(config: dict[str, Any]) -> OnlinePerceptron:
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
    params = {"max_features": MAX_NAMES} | config
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


def config_of(model: OnlinePerceptron) -> dict[str, Any]:
    """Return the configuration of a model: its parameters that are not those of an empty one.

    Examples
    --------
    >>> config_of(OnlinePerceptron(rule=rules.PA1(C=0.5), output="average"))
    {'max_features': None, 'output': 'average', 'rule': {'name': 'pa1', 'C': 0.5}}
    """
    defaults = OnlinePerceptron(max_features=MAX_NAMES).get_params()
    params = model.get_params()
    config = {name: value for name, value in params.items() if value != defaults[name]}
    rule: Any = model.rule
    if not isinstance(rule, str):
        name = next(n for n in rules.NAMES if isinstance(rule, type(rules.by_name(n, 1.0, 0.0))))
        config["rule"] = {"name": name, **rule._asdict()}
    return config


def check_sizes(config: dict[str, Any]) -> None:
    """Refuse numbers with which a step could leave the floating-point range.

    Raises
    ------
    ValueError
        With the parameter.
    """
    rule = config.get("rule")
    for name, value in (config | (rule if isinstance(rule, dict) else {})).items():
        if isinstance(value, int | float) and abs(value) > LARGEST:
            raise ValueError(f"{name} may be {LARGEST:g} at most; got {value!r:.40}.")


def _check_class_weight(weights: dict[str, Any]) -> None:
    """Refuse weights that learning would refuse once their label comes."""
    for label, weight in weights.items():
        is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if not (is_number and 0 <= weight <= LARGEST):
            raise ValueError(
                f"class_weight of {label!r:.80} must lie between 0 and {LARGEST}; got "
                f"{weight!r:.40}."
            )


def _rule(name: Any, **fields: Any) -> Any:
    """Return the rule of a name with fields of its own."""
    if not isinstance(name, str):
        raise ValueError(f"rule needs a name, one of {', '.join(sorted(rules.NAMES))}.")
    rule: Any = rules.by_name(name, 1.0, 0.0)
    if unknown := set(fields) - set(rule._fields):
        fields_of_rule = ", ".join(rule._fields) or "no parameters"
        raise ValueError(f"rule {name!r} has {fields_of_rule}; got {', '.join(sorted(unknown))}.")
    return rules.complete(rule._replace(**fields))
