"""A model as arrays and JSON, and back: what a model file holds, and what it may hold.

What comes back is checked before compiled code may touch an array: types and shapes against the
parameters and each other, values against what training can leave behind.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rosenblatt.engine import state
from rosenblatt.learning.base import Learner
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.kernel import estimators as kernel_estimators
from rosenblatt.learning.linear import estimators
from rosenblatt.learning.linear.base import LinearLearner
from rosenblatt.learning.linear.regression import LMSRegressor
from rosenblatt.learning.models.dual_arrays import (
    FORMS,
    Kinds,
    check_memory,
    form_of,
    memory_kinds,
    memory_tensors,
)
from rosenblatt.learning.params import check_parameters
from rosenblatt.learning.problem import HISTORY
from rosenblatt.theory import kernels, rules

Array = NDArray[Any]

_FITTED = ("classes_", "n_features_in_", "feature_names_in_", "n_iter_", "converged_", "open")
_EXPANDED = ("rows", "dtype", "gamma_")  # since format 2
_SINCE_2 = ("expansion",)  # parameters
_LEARNERS = (
    estimators.Perceptron,
    estimators.AveragedPerceptron,
    estimators.PassiveAggressiveClassifier,
)
_KERNELS = (kernel_estimators.KernelPerceptron, kernel_estimators.VotedPerceptron)
CLASSES: dict[str, type[Learner]] = {
    cls.__name__: cls for cls in (*_LEARNERS, estimators.Adaline, LMSRegressor, *_KERNELS)
}
_RULES: dict[str, Any] = {
    name: rule
    for name, rule in vars(rules).items()
    if isinstance(rule, type) and issubclass(rule, tuple)
}
_KERNEL_KINDS: dict[str, Any] = {
    name: kind
    for name, kind in vars(kernels).items()
    if isinstance(kind, type) and hasattr(kind, "sees")
}
_FLOATS = ("float32", "float64")
_LABELS = re.compile(r"\|b1|\|O|[<>|][iu][1248]|[<>]f[248]|[<>]U\d{1,8}")  # their dtype.str
_MOST_LABELS = 2**26  # bytes


def tensors_of(model: Learner) -> dict[str, Array]:
    """The arrays of its state, its expansion and its history, by name."""
    tensors = {name: np.ascontiguousarray(a) for name, a in model._state._asdict().items()}
    if "history_" in vars(model):
        for name in HISTORY.names or ():
            tensors[f"history_.{name}"] = np.ascontiguousarray(model.history_[name])
    return tensors | memory_tensors(vars(model).get("_memory"))


def edited(model: Any) -> dict[str, Array]:
    """``coef_`` where it was changed by hand, so that it does not follow from the state."""
    coef: Any = model._coef if isinstance(model, LinearLearner) else None
    if coef is None:
        return {}
    if sp.issparse(coef):
        coef = coef.toarray()
    learned = state.weights(model._state, model._output())[0][:, : model._columns()].T
    if np.array_equal(coef, learned, equal_nan=True):
        return {}
    coef = np.broadcast_to(coef, learned.shape)
    return {"coef_": np.array(coef, coef.dtype if coef.dtype.name in _FLOATS else np.float64)}


def fitted_of(model: Learner) -> dict[str, Any]:
    """What it fitted besides its state, as JSON."""
    has = vars(model)
    names = has.get("feature_names_in_")
    return {
        "classes_": _packed("classes_", has["classes_"]) if "classes_" in has else None,
        "n_features_in_": int(has["n_features_in_"]),
        "feature_names_in_": None if names is None else [str(name) for name in names],
        "n_iter_": has.get("n_iter_"),
        "converged_": has.get("converged_"),
        "open": has.get("_open"),
        "rows": form_of(has.get("_memory")),
        "dtype": str(np.dtype(has["_dtype"])) if "_dtype" in has else None,
        "gamma_": has.get("gamma_"),
    }


def noted(notes: Any) -> Any:
    """The notes as JSON gives them back; an error where JSON cannot hold them."""
    try:
        return json.loads(json.dumps({} if notes is None else notes, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise type(error)(f"notes must be what JSON can hold: {clause(error)}.") from error


def encoded(name: str, value: Any) -> Any:
    """A parameter as JSON; what JSON does not know is an object with a telling key."""
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, np.generic):
        return _packed(name, value)
    if isinstance(value, dict):
        return {"dict": [[encoded(name, k), encoded(name, v)] for k, v in value.items()]}
    if isinstance(value, np.random.RandomState):
        random = value.get_state(legacy=False)
        if random["bit_generator"] == "MT19937":
            words, place = random["state"]["key"].tolist(), random["state"]["pos"]
            return {"RandomState": [words, place, random["has_gauss"], random["gauss"]]}
    kind = type(value).__name__
    if isinstance(value, tuple) and _RULES.get(kind) is type(value):
        fields = zip(_RULES[kind]._fields, value, strict=True)
        return {"rule": kind, "fields": {field: encoded(name, v) for field, v in fields}}
    if _KERNEL_KINDS.get(kind) is type(value):
        return {"kernel": kind, "fields": {k: encoded(k, v) for k, v in vars(value).items()}}
    if name == "kernel":
        raise TypeError(
            f"kernel={value!r} cannot be saved: to load a function would be to run your code, and "
            "a model file runs none. Use a kernel of rosenblatt.kernels, or precomputed."
        )
    if hasattr(value, "step"):
        raise TypeError(
            f"{name}={value!r} cannot be saved: to load a rule of your own would be to run your "
            "code, and a model file runs none. Train with a rule of rosenblatt.rules, or keep "
            "coef_ and intercept_ alone, with numpy.savez."
        )
    raise TypeError(
        f"{name}={value!r} cannot be saved. Use None, a boolean, a number, a string, a dict of "
        "these, a rule of rosenblatt.rules or a numpy.random.RandomState of MT19937."
    )


def _decoded(value: Any) -> Any:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case {"float": "nan" | "inf" | "-inf" as text}:
            return float(text)
        case {"dtype": _, "values": _}:
            return _unpacked(value)[()]
        case {"dict": list(pairs)}:
            return {_decoded(k): _decoded(v) for k, v in pairs}
        case {"RandomState": [list(words), int(place), int(has_gauss), float(gauss)]}:
            key = np.array(words, np.uint32)
            if key.shape != (624,) or not 0 <= place <= 624:
                raise ValueError("its random_state is not one of MT19937")
            random = np.random.RandomState()
            random.set_state(("MT19937", key, place, has_gauss, gauss))
            return random
        case {"rule": str(kind), "fields": fields} if kind in _RULES:
            check_fields(f"its rule {kind}", fields, _RULES[kind]._fields)
            return _RULES[kind](**{field: _decoded(v) for field, v in fields.items()})
        case {"kernel": str(kind), "fields": fields} if kind in _KERNEL_KINDS:
            names = [field.name for field in dataclasses.fields(_KERNEL_KINDS[kind])]
            check_fields(f"its kernel {kind}", fields, names)
            return _KERNEL_KINDS[kind](**{field: _decoded(v) for field, v in fields.items()})
    raise ValueError(f"it has a parameter of an unknown kind, {value!r:.80}")


def _packed(name: str, array: Any) -> dict[str, Any]:
    """Labels, or one number of NumPy's, with their type."""
    if not _LABELS.fullmatch(array.dtype.str):
        raise TypeError(
            f"{name} of type {array.dtype} cannot be saved. Use strings, booleans or numbers of at "
            "most 64 bits."
        )
    values = array.tolist()
    plain = not isinstance(values, float) or math.isfinite(values)
    return {"dtype": array.dtype.str, "values": values if plain else repr(values)}


def _unpacked(packed: Any) -> Array:
    check_fields("its array of labels", packed, ("dtype", "values"))
    dtype, values = packed["dtype"], packed["values"]
    if not (isinstance(dtype, str) and _LABELS.fullmatch(dtype)):
        raise ValueError(f"its labels are of an unknown type, {dtype!r:.80}")
    if np.dtype(dtype).itemsize * (len(values) if isinstance(values, list) else 1) > _MOST_LABELS:
        raise ValueError(f"its labels take more than {_MOST_LABELS} bytes")
    array = np.array(values, dtype)
    back = array.tolist()
    texts = array.dtype != object or all(isinstance(label, str) for label in array.flat)
    if not (texts and values in (back, repr(back))):
        raise ValueError(f"its labels are not of their type {dtype}: {values!r:.80}")
    return array


def revived(header: dict[str, Any]) -> Any:
    """The model that the header tells of: everything but its arrays."""
    cls = CLASSES.get(header["class"])
    if cls is None:
        raise ValueError(f"its class {header['class']!r:.80} is none of {', '.join(CLASSES)}")
    params, fitted = header["params"], header["fitted"]
    if header["format"] == 1:
        params, fitted = _completed(cls, params, fitted)
    check_fields("its params", params, cls._get_param_names())
    model: Any = cls(**{name: _decoded(value) for name, value in params.items()})
    _check_fitted(
        fitted, isinstance(model, Classifier), isinstance(model, kernel_estimators.KernelPerceptron)
    )
    if fitted["gamma_"] is not None:
        model.gamma_, model._dtype = fitted["gamma_"], np.dtype(fitted["dtype"])
        model._kernel = model._asked()
    _check_meaning(model)
    for name in ("n_features_in_", "n_iter_", "converged_"):
        if fitted[name] is not None:
            setattr(model, name, fitted[name])
    if fitted["feature_names_in_"] is not None:
        model.feature_names_in_ = np.array(fitted["feature_names_in_"], dtype=object)
    if isinstance(model, Classifier):
        model._open = fitted["open"]
        model.classes_ = _unpacked(fitted["classes_"])
        if not np.array_equal(np.unique(model.classes_), model.classes_):
            raise ValueError("its classes_ are not in order, or not all different")
    return model


def _completed(cls: Any, params: Any, fitted: Any) -> tuple[Any, Any]:
    """A header of format 1, with what has come since."""
    if isinstance(params, dict):
        since = [name for name in _SINCE_2 if name in cls._get_param_names()]
        params = dict.fromkeys(since, False) | params
    if isinstance(fitted, dict):
        fitted = dict.fromkeys(_EXPANDED) | fitted
    return params, fitted


# --- what is checked before compiled code may touch an array -------------------------------------


def check_fields(what: str, record: Any, names: Iterable[str]) -> None:
    """Refuse a record that has not exactly these fields."""
    if not isinstance(record, dict):
        raise ValueError(f"{what} should be a JSON object; found {record!r:.80}")
    if record.keys() != set(names):
        lacking, odd = sorted(set(names) - record.keys()), sorted(record.keys() - set(names))
        raise ValueError(f"{what}: missing {lacking}, unknown {odd}")


def _check_meaning(model: Any) -> None:
    """Refuse parameters that mean nothing."""
    check_parameters(model)
    check_random_state(model.random_state)
    for name in ("_rule", "_penalty", "_output", "_gram"):
        if hasattr(model, name):
            getattr(model, name)()
    weight = model.get_params(False).get("class_weight")
    factors = weight.values() if isinstance(weight, dict) else ()
    named = weight is None or weight == "balanced" or isinstance(weight, dict)
    if not (named and all(isinstance(factor, int | float | np.number) for factor in factors)):
        raise ValueError(
            f"class_weight must be a dict of numbers, 'balanced' or None; got {weight!r:.80}"
        )


def _check_fitted(fitted: Any, classifies: bool, by_kernel: bool) -> None:
    check_fields("what it fitted", fitted, (*_FITTED, *_EXPANDED))
    d, names = fitted["n_features_in_"], fitted["feature_names_in_"]
    labels, flag = (dict, bool) if classifies else (type(None), type(None))
    for name, right in {
        "classes_": isinstance(fitted["classes_"], labels),
        "n_features_in_": type(d) is int and d > 0,
        "feature_names_in_": names is None
        or (isinstance(names, list) and len(names) == d and set(map(type, names)) == {str}),
        "n_iter_": fitted["n_iter_"] is None or type(fitted["n_iter_"]) is int,
        "converged_": isinstance(fitted["converged_"], bool | None),
        "open": isinstance(fitted["open"], flag),
        "rows": fitted["rows"] in FORMS or (fitted["rows"] is None and not by_kernel),
        "dtype": fitted["dtype"] in (_FLOATS if by_kernel else (None,)),
        "gamma_": isinstance(fitted["gamma_"], float if by_kernel else type(None)),
    }.items():
        if not right:
            raise ValueError(f"its {name} cannot be {fitted[name]!r:.80}")


def check_kinds(model: Any, fitted: dict[str, Any], kinds: Kinds) -> None:
    """Refuse arrays whose types and shapes do not fit the parameters and each other."""
    d, columns = model.n_features_in_, model._columns()
    by_kernel = isinstance(model, kernel_estimators.KernelPerceptron)
    if by_kernel:  # a weight for every row
        d = max(1, *kinds.get("slots.rows", ("", (0,)))[1][:1])
    dtype, shape = kinds.get("W", ("nothing", ()))
    if dtype not in _FLOATS[by_kernel:] or shape != (d, state.padded(columns)):
        raise ValueError(
            f"its weights W are {dtype} of shape {shape}; its classes and features ask for float32 "
            f"or float64 of shape {(d, state.padded(columns))}"
        )
    right: dict[str, tuple[str, set[tuple[int, ...]]]] = {}
    for name, array in model._empty(np.empty((0, 1), dtype), columns)._asdict().items():
        shapes = {array.shape}
        if array.ndim == 2:  # books that are not asked for may be there all the same
            shapes = {(rows, array.shape[1]) for rows in ({d} if len(array) else {0, d})}
        right[name] = array.dtype.name, shapes
    if "history_.epoch" in kinds:
        epochs = kinds["history_.epoch"][1][:1]
        right |= {
            f"history_.{name}": (HISTORY[name].name, {epochs}) for name in HISTORY.names or ()
        }
    if fitted["rows"] is not None:
        right |= memory_kinds(model, fitted["rows"], fitted["dtype"] or dtype, kinds)
    if "coef_" in kinds:
        edited = kinds["coef_"][0]
        right["coef_"] = edited if edited in _FLOATS else "float64", {(columns, d)}
    check_fields("the list of its arrays", kinds, right)
    for name, (dtype, shapes) in right.items():
        if kinds[name][0] != dtype or kinds[name][1] not in shapes:
            raise ValueError(
                f"its array {name} is {kinds[name][0]} of shape {kinds[name][1]}; its classes, "
                f"features and parameters ask for {dtype} of shape {' or '.join(map(str, shapes))}"
            )


def check_values(model: Any, fitted: dict[str, Any], tensors: dict[str, Array]) -> None:
    """Refuse numbers that no training leaves behind."""
    scale, padding = tensors["scale"], tensors["active"][model._columns() :]
    right = {
        "scale": np.isfinite(scale).all() and scale.min() > 0.0,
        "active": not padding.any(),
        "pocket_errors": tensors["pocket_errors"][0] >= 0.0,
    }
    for name in ("t", "errors", "mistakes", "updates", "run"):
        right[name] = tensors[name].min() >= 0
    for name, fine in right.items():
        if not fine:
            raise ValueError(f"its array {name} cannot be {tensors[name]}")
    if fitted["rows"] is not None:
        check_memory(model, fitted["rows"], tensors)


def clause(error: Exception) -> str:
    """An error's message, to go on from."""
    return str(error).removesuffix(".")
