"""Conversion of a model to arrays and JSON and back, with all checks of a model file's content.

The checks come before compiled code reads an array: types and shapes must agree with the parameters
and each other, and values must be possible results of training.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, TypedDict

import numpy as np

from rosenblatt.engine import blend, state
from rosenblatt.learning import interface
from rosenblatt.learning.base import BaseLearner
from rosenblatt.learning.classifier import BaseClassifier
from rosenblatt.learning.models.dual_arrays import (
    STORAGES,
    ArraySpecs,
    check_dual_values,
    dual_specs,
    encode_dual,
    storage_of,
)
from rosenblatt.learning.models.scaling_arrays import (
    decode_scaling,
    encode_scaling,
    scaling_specs,
)
from rosenblatt.learning.params import check_parameters
from rosenblatt.learning.problem import HISTORY
from rosenblatt.streams.core.notes import Notes
from rosenblatt.theory import kernels, rules
from rosenblatt.theory.declaration import Field
from rosenblatt.theory.rule_kinds import STEPS, is_plain
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.labels import distinct_labels
from rosenblatt.utils.matrices import is_sparse

Header = TypedDict(
    "Header",
    {
        "format": int,
        "rosenblatt": str,
        "class": str,
        "params": dict[str, Any],
        "fitted": dict[str, Any],
        "notes": Notes,
        "sha256": str,
        "seal": str,
        "names": dict[str, Any],
    },
    total=False,
)
"""What a model file says of its arrays, JSON values; names are those of an online model."""


class Description(Header):
    """A header, the type and shape of each array of its file, and the size of the file."""

    tensors: dict[str, dict[str, Any]]
    bytes: int


_FITTED_FIELDS = (
    "classes_",
    "n_features_in_",
    "feature_names_in_",
    "n_iter_",
    "converged_",
    "open",
)
_FITTED_FIELDS_2 = ("rows", "dtype", "gamma_")  # new in format 2
_PARAMS_2 = ("expansion",)  # new in format 2
_PARAMS_3 = ("scale",)  # new in format 3, with the arrays of the scaling
_PARAMS_4 = {"budget_eta": 0.1}  # new in format 4, with the value of older files
_PARAMS_6 = ("probabilities",)  # new in format 6, with the arrays of the calibration
_CLASSES_4 = (
    "Perceptron",
    "AveragedPerceptron",
    "PassiveAggressiveClassifier",
    "Adaline",
    "LMSRegressor",
    "KernelPerceptron",
    "VotedPerceptron",
)
"""The classes that versions of format 4 know; the list is closed."""

_RULES_4 = {
    "ALMA", "AROW", "AdaGrad", "AdaGradLogistic", "AggressiveROMMA", "CW", "CWStdev",
    "FullAROW", "FullCW", "FullCWStdev", "FullSCW1", "FullSCW2", "Hinge", "KT", "LMS",
    "Logistic", "MarginPerceptron", "MinOver", "NAROW", "NormalizedLMS", "OGD", "PA", "PA1",
    "PA2", "Pegasos", "Perceptron", "ROMMA", "Relaxation", "SCW1", "SCW2", "SOP", "ScInOL",
}  # fmt: skip
"""The rules that versions of format 4 know, by their types; the list is closed."""

MODULES = {
    "Perceptron": "linear.learners",
    "AveragedPerceptron": "linear.learners",
    "Classifier": "linear.learners",
    "PassiveAggressiveClassifier": "linear.learners",
    "Adaline": "linear.learners",
    "LMSRegressor": "linear.learners",
    "KernelPerceptron": "kernel.learners",
    "VotedPerceptron": "kernel.learners",
}
"""The classes that a file may name, with their modules, which are imported when one is needed."""

ONLINE = ("OnlinePerceptron", "OnlineClassifier")
"""The classes that a file names besides: those of models with the names of their features."""

_RULES: dict[str, Any] = {rule.__name__: rule for rule in rules.RULES.values()}
_KERNEL_TYPES: dict[str, Any] = {kind.__name__: kind for kind in kernels.KERNELS.values()}
_FLOATS = ("float32", "float64")
_LABEL_DTYPE = re.compile(r"\|b1|\|O|[<>|][iu][1248]|[<>]f[248]|[<>]U\d{1,8}")  # dtype.str
_MAX_LABEL_BYTES = 2**26


def learner_class(name: str) -> type[BaseLearner]:
    """Return one of the classes of :data:`MODULES`.

    Examples
    --------
    >>> learner_class("Adaline")
    <class 'rosenblatt.learning.linear.learners.Adaline'>
    """
    cls: type[BaseLearner] = getattr(import_module(f"rosenblatt.learning.{MODULES[name]}"), name)
    return cls


def model_tensors(model: BaseLearner) -> dict[str, Array]:
    """Arrays of the model's state, expansion and history, by name in the file."""
    own, learned = interface.own_fields(model), interface.learned(model)
    current = learned.state
    blend.refresh(current.W, current.b, current.own)  # equal models have equal files, whoever asked
    arrays = state.arrays_of(state.for_rule(current, own))
    stored = [name for name in stored_fields(model) if name in arrays]
    tensors = {name: np.ascontiguousarray(arrays[name]) for name in stored}
    if "history_" in vars(model):
        for name in HISTORY.names or ():
            tensors[f"history_.{name}"] = np.ascontiguousarray(model.history_[name])
    return tensors | encode_dual(learned.dual) | encode_scaling(learned.scaling)


def stored_fields(model: Any) -> dict[str, Field]:
    """Arrays of the state in a file: those that every state has, and those of the model."""
    return state.FIELDS | interface.own_fields(model)


def format_of(model: Any) -> int:
    """Oldest format whose versions predict and learn on as this one, by class, rule and costs."""
    rule = interface.rule(model)
    is_of_4 = type(model).__name__ in _CLASSES_4 and type(rule).__name__ in _RULES_4
    calibrated = any(getattr(model, name, False) for name in _PARAMS_6)
    if calibrated or not is_of_4 or getattr(model, "costs_", None) is not None:
        return 6
    changed = any(getattr(model, name, old) != old for name, old in _PARAMS_4.items())
    if changed or not is_plain(rule):
        return 4
    return 3 if any(getattr(model, name, False) for name in _PARAMS_3) else 2


def encode_params(model: BaseLearner) -> dict[str, object]:
    """Parameters of a model as JSON values, for the format :func:`format_of`."""
    params = {name: encode_param(name, value) for name, value in model.get_params(False).items()}
    version = format_of(model)
    later = (_PARAMS_3 if version < 3 else ()) + (tuple(_PARAMS_4) if version < 4 else ())
    later += _PARAMS_6 if version < 6 else ()
    return {name: value for name, value in params.items() if name not in later}


def edited_coef(model: Any) -> dict[str, Array]:
    """``coef_`` if it was edited by hand, so that it does not follow from the state."""
    coef: Any = interface.learned(model).coef
    if coef is None:
        return {}
    if is_sparse(coef):
        coef = coef.toarray()
    learned = interface.weights(model)
    if np.array_equal(coef, learned, equal_nan=True):
        return {}
    coef = np.broadcast_to(coef, learned.shape)
    return {"coef_": np.array(coef, coef.dtype if coef.dtype.name in _FLOATS else np.float64)}


def fitted_attributes(model: BaseLearner) -> dict[str, object]:
    """Fitted attributes other than arrays, as JSON values."""
    attributes, learned = vars(model), interface.learned(model)
    names = attributes.get("feature_names_in_")
    return {
        "classes_": _encode_array("classes_", attributes["classes_"])
        if "classes_" in attributes
        else None,
        "n_features_in_": int(attributes["n_features_in_"]),
        "feature_names_in_": None if names is None else [str(name) for name in names],
        "n_iter_": attributes.get("n_iter_"),
        "converged_": attributes.get("converged_"),
        "open": learned.open_classes,
        "rows": storage_of(learned.dual),
        "dtype": None if learned.dtype is None else str(np.dtype(learned.dtype)),
        "gamma_": attributes.get("gamma_"),
    }


def json_notes(notes: object) -> Any:
    """Notes as JSON values, after a round trip."""
    try:
        return json.loads(json.dumps({} if notes is None else notes, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise type(error)(f"notes must be JSON values: {error_text(error)}.") from error


def encode_param(name: str, value: object) -> Any:
    """Encode a parameter as JSON; other types become an object whose key names the type."""
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, np.generic):
        return _encode_array(name, value)
    if isinstance(value, dict):
        return {"dict": [[encode_param(name, k), encode_param(name, v)] for k, v in value.items()]}
    if isinstance(value, np.random.RandomState):
        random = value.get_state(legacy=False)
        if random["bit_generator"] == "MT19937":
            words, position = random["state"]["key"].tolist(), random["state"]["pos"]
            return {"RandomState": [words, position, random["has_gauss"], random["gauss"]]}
    type_name = type(value).__name__
    if isinstance(value, tuple) and _RULES.get(type_name) is type(value):
        fields = zip(_RULES[type_name]._fields, value, strict=True)
        return {"rule": type_name, "fields": {field: encode_param(name, v) for field, v in fields}}
    if _KERNEL_TYPES.get(type_name) is type(value):
        return {
            "kernel": type_name,
            "fields": {k: encode_param(k, v) for k, v in vars(value).items()},
        }
    if name == "kernel":
        raise TypeError(
            f"kernel={value!r} cannot be saved: a model file contains no code, so it cannot hold a "
            "function. Use a kernel of rosenblatt.kernels, or 'precomputed'."
        )
    if any(hasattr(value, method) for method in STEPS):
        raise TypeError(
            f"{name}={value!r} cannot be saved: a model file contains no code, so it cannot hold a "
            "user's own rule. Train with a rule of rosenblatt.rules, or save coef_ and intercept_ "
            "with numpy.savez."
        )
    raise TypeError(
        f"{name}={value!r} cannot be saved. Use None, a boolean, a number, a string, a dict of "
        "these, a rule of rosenblatt.rules, or a numpy.random.RandomState of MT19937."
    )


def _decode_param(value: object) -> Any:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case {"float": "nan" | "inf" | "-inf" as text}:
            return float(text)
        case {"dtype": _, "values": _}:
            return _decode_array(value)[()]
        case {"dict": list(pairs)}:
            return {_decode_param(k): _decode_param(v) for k, v in pairs}
        case {"RandomState": [list(words), int(position), int(has_gauss), float(gauss)]}:
            key = np.array(words, np.uint32)
            if key.shape != (624,) or not 0 <= position <= 624:
                raise ValueError("its random_state is not a state of MT19937")
            random = np.random.RandomState()
            random.set_state(("MT19937", key, position, has_gauss, gauss))
            return random
        case {"rule": str(type_name), "fields": fields} if type_name in _RULES:
            check_fields(f"its rule {type_name}", fields, _RULES[type_name]._fields)
            return _RULES[type_name](**{field: _decode_param(v) for field, v in fields.items()})
        case {"kernel": str(type_name), "fields": fields} if type_name in _KERNEL_TYPES:
            names = [field.name for field in dataclasses.fields(_KERNEL_TYPES[type_name])]
            check_fields(f"its kernel {type_name}", fields, names)
            return _KERNEL_TYPES[type_name](
                **{field: _decode_param(v) for field, v in fields.items()}
            )
    raise ValueError(f"a parameter has the unknown type {value!r:.80}")


def _encode_array(name: str, array: Any) -> dict[str, object]:
    """Encode labels, or a NumPy number, with their type."""
    if not _LABEL_DTYPE.fullmatch(array.dtype.str):
        raise TypeError(
            f"{name} of type {array.dtype} cannot be saved. Use strings, booleans or numbers of at "
            "most 64 bits."
        )
    values = array.tolist()
    plain = not isinstance(values, float) or math.isfinite(values)
    return {"dtype": array.dtype.str, "values": values if plain else repr(values)}


def _decode_array(record: Any) -> Array:
    """Decode labels, or a NumPy number."""
    check_fields("its array of labels", record, ("dtype", "values"))
    dtype, values = record["dtype"], record["values"]
    if not (isinstance(dtype, str) and _LABEL_DTYPE.fullmatch(dtype)):
        raise ValueError(f"its labels have the unknown type {dtype!r:.80}")
    labels = values if isinstance(values, list) else [values]
    if any(isinstance(label, list) for label in labels):  # each would take all bytes of the type
        raise ValueError("its labels are lists")
    if np.dtype(dtype).itemsize * len(labels) > _MAX_LABEL_BYTES:
        raise ValueError(f"its labels take more than {_MAX_LABEL_BYTES} bytes")
    array = np.array(values, dtype)
    decoded = array.tolist()
    are_texts = array.dtype != object or all(isinstance(label, str) for label in array.flat)
    if not (are_texts and values in (decoded, repr(decoded))):
        raise ValueError(f"its labels do not have the type {dtype}: {values!r:.80}")
    return array


def decode_model(
    header: Header, class_of: Callable[[str], type[BaseLearner]] = learner_class
) -> Any:
    """Build the model that a header describes, without its arrays."""
    name = header["class"]
    if not isinstance(name, str) or name not in MODULES:
        raise ValueError(f"its class {name!r:.80} is not one of {', '.join(MODULES)}")
    cls = class_of(name)
    params, fitted = header["params"], header["fitted"]
    if header["format"] < 6:
        params, fitted = _upgrade(cls, header["format"], params, fitted)
    check_fields("its params", params, cls._get_param_names())
    model: Any = cls(**{name: _decode_param(value) for name, value in params.items()})
    _check_fitted(
        fitted,
        isinstance(model, BaseClassifier),
        hasattr(model, "kernel"),
    )
    if fitted["gamma_"] is not None:
        interface.restore_kernel(model, fitted["gamma_"], fitted["dtype"])
    check_parameters(model)
    interface.check_hooks(model)
    for name in ("n_features_in_", "n_iter_", "converged_"):
        if fitted[name] is not None:
            setattr(model, name, fitted[name])
    if fitted["feature_names_in_"] is not None:
        model.feature_names_in_ = np.array(fitted["feature_names_in_"], dtype=object)
    if isinstance(model, BaseClassifier):
        model.classes_ = _decode_array(fitted["classes_"])
        if distinct_labels(model.classes_) != model.classes_.tolist():
            raise ValueError("its classes_ are not sorted, or not unique")
    return model


def _upgrade(cls: Any, version: int, params: Any, fitted: Any) -> tuple[Any, Any]:
    """Add the fields of newer formats to a header of an older format."""
    if isinstance(params, dict):
        new: dict[str, object] = dict.fromkeys(_PARAMS_6, False)
        new |= _PARAMS_4 if version < 4 else {}
        new |= dict.fromkeys(_PARAMS_3 if version < 3 else (), False)
        new |= dict.fromkeys(_PARAMS_2 if version < 2 else (), False)
        params = {name: old for name, old in new.items() if name in cls._get_param_names()} | params
    if isinstance(fitted, dict) and version == 1:
        fitted = dict.fromkeys(_FITTED_FIELDS_2) | fitted
    return params, fitted


# --- checks --------------------------------------------------------------------------------------


def check_fields(subject: str, record: object, names: Iterable[str]) -> None:
    """Refuse a record with missing or unknown fields."""
    if not isinstance(record, dict):
        raise ValueError(f"{subject} must be a JSON object; got {record!r:.80}")
    if record.keys() != set(names):
        missing, unknown = sorted(set(names) - record.keys()), sorted(record.keys() - set(names))
        raise ValueError(f"{subject}: missing {missing}, unknown {unknown}")


def _check_fitted(fitted: Any, is_classifier: bool, is_kernel: bool) -> None:
    check_fields("its fitted attributes", fitted, (*_FITTED_FIELDS, *_FITTED_FIELDS_2))
    d, names = fitted["n_features_in_"], fitted["feature_names_in_"]
    classes_type, open_type = (dict, bool) if is_classifier else (type(None), type(None))
    for name, valid in {
        "classes_": isinstance(fitted["classes_"], classes_type),
        "n_features_in_": type(d) is int and 0 < d <= 2**32,
        "feature_names_in_": names is None
        or (isinstance(names, list) and len(names) == d and set(map(type, names)) == {str}),
        "n_iter_": fitted["n_iter_"] is None or type(fitted["n_iter_"]) is int,
        "converged_": isinstance(fitted["converged_"], bool | None),
        "open": isinstance(fitted["open"], open_type),
        "rows": fitted["rows"] in STORAGES or (fitted["rows"] is None and not is_kernel),
        "dtype": fitted["dtype"] in (_FLOATS if is_kernel else (None,)),
        "gamma_": isinstance(fitted["gamma_"], float if is_kernel else type(None)),
    }.items():
        if not valid:
            raise ValueError(f"its {name} cannot be {fitted[name]!r:.80}")


def check_specs(model: Any, fitted: dict[str, Any], specs: ArraySpecs) -> None:
    """Refuse arrays whose types and shapes do not fit the parameters and each other."""
    d, columns = model.n_features_in_, interface.n_vectors(model)
    is_kernel = hasattr(model, "kernel")
    if is_kernel:  # one weight per support row
        d = max(1, *specs.get("slots.rows", ("", (0,)))[1][:1])
    dtype, shape = specs.get("W", ("nothing", ()))
    if dtype not in _FLOATS[is_kernel:] or shape != (d, state.padded_columns(columns)):
        raise ValueError(
            f"its weights W are {dtype} of shape {shape}; its classes and features need float32 "
            f"or float64 of shape {(d, state.padded_columns(columns))}"
        )
    expected: dict[str, tuple[str, set[tuple[int, ...]]]] = {}
    for name, array in state.arrays_of(interface.empty_state(model, 1, dtype)).items():
        shapes = {array.shape}
        if array.ndim == 2:  # averages and pocket may be present without being used
            rows = state.rows_of(stored_fields(model)[name], d)
            shapes = {(size, array.shape[1]) for size in ({rows} if len(array) else {0, rows})}
        expected[name] = array.dtype.name, shapes
    if "history_.epoch" in specs:
        epochs = specs["history_.epoch"][1][:1]
        expected |= {
            f"history_.{name}": (HISTORY[name].name, {epochs}) for name in HISTORY.names or ()
        }
    if fitted["rows"] is not None:
        expected |= dual_specs(model, fitted["rows"], fitted["dtype"] or dtype, specs)
    if getattr(model, "scale", False):
        expected |= scaling_specs(d)
    if "coef_" in specs:
        edited_dtype = specs["coef_"][0]
        expected["coef_"] = edited_dtype if edited_dtype in _FLOATS else "float64", {(columns, d)}
    check_fields("the list of its arrays", specs, expected)
    for name, (dtype, shapes) in expected.items():
        if specs[name][0] != dtype or specs[name][1] not in shapes:
            raise ValueError(
                f"its array {name} is {specs[name][0]} of shape {specs[name][1]}; its classes, "
                f"features and parameters need {dtype} of shape {' or '.join(map(str, shapes))}"
            )


def check_values(model: Any, fitted: dict[str, Any], tensors: dict[str, Array]) -> None:
    """Refuse values that training cannot produce."""
    valid = {
        name: not (tensors[name] < field.minimum).any() and not np.isnan(tensors[name]).any()
        for name, field in stored_fields(model).items()
        if field.minimum > -math.inf and name in tensors
    }
    valid |= dict.fromkeys(blend.lies(tensors), False)
    valid["scale"] &= bool(np.isfinite(tensors["scale"]).all())
    valid["active"] = not tensors["active"][interface.n_vectors(model) :].any()
    for name, ok in valid.items():
        if not ok:
            raise ValueError(f"its array {name} cannot be {tensors[name]}")
    if fitted["rows"] is not None:
        check_dual_values(model, fitted["rows"], tensors)
    decode_scaling(tensors)


def error_text(error: Exception) -> str:
    """Message of an error, without its full stop."""
    return str(error).removesuffix(".")
