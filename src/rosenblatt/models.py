"""Save a model to one file, and load it to go on as if it had never stopped.

A model file is a safetensors file. Its arrays are those of :class:`rosenblatt.state.State`, padding
included, the columns of ``history_``, and ``coef_`` where it was edited by hand. Its metadata has
one key, ``"rosenblatt"``: a JSON text with the format, the version, the class, its parameters, what
else was fitted, notes, and two SHA-256 digests, ``sha256`` of the arrays and ``seal`` of the rest
of the text. Loading runs no code from the file: classes and rules are looked up in fixed tables,
and all is checked against all before compiled code may touch an array.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as serialized
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rosenblatt import __version__, linear, rules, state
from rosenblatt.checks import check_parameters
from rosenblatt.classifier import LinearClassifier
from rosenblatt.learner import LinearLearner
from rosenblatt.training import HISTORY

Array = NDArray[Any]
Kinds = dict[str, tuple[str, tuple[int, ...]]]  # the type and shape of every array
Path = str | os.PathLike[str]

FORMAT = 1
"""The format that this version writes, and the newest that it reads.

One more for every change that an older version cannot read: a new parameter, array or rule too.
"""

_KEY = "rosenblatt"
_HEADER = ("format", "rosenblatt", "class", "params", "fitted", "notes", "sha256", "seal")
_FITTED = ("classes_", "n_features_in_", "feature_names_in_", "n_iter_", "converged_", "open")
_LEARNERS = (linear.Perceptron, linear.AveragedPerceptron, linear.PassiveAggressiveClassifier)
_CLASSES: dict[str, type[LinearLearner]] = {
    cls.__name__: cls for cls in (*_LEARNERS, linear.Adaline, linear.LMSRegressor)
}
_RULES: dict[str, Any] = {
    name: rule
    for name, rule in vars(rules).items()
    if isinstance(rule, type) and issubclass(rule, tuple)
}
_FLOATS = ("float32", "float64")
_DTYPES = {"F64": "float64", "F32": "float32", "I64": "int64", "BOOL": "bool"}
_LABELS = re.compile(r"\|b1|\|O|[<>|][iu][1248]|[<>]f[248]|[<>]U\d{1,8}")  # their dtype.str
_MOST_HEADER = 95_000_000  # bytes; safetensors opens no file with a header over 100 MB
_MOST_LABELS = 2**26  # bytes


class ModelError(ValueError):
    """A file that is no model this version can load: which file, what was found, what to do."""


# --- the three verbs -----------------------------------------------------------------------------


def save(model: LinearLearner, path: Path, *, notes: dict[str, Any] | None = None) -> None:
    """Write ``model`` to ``path``: all of it or, where that fails, nothing.

    The file is written beside ``path``, brought to the disk, then renamed: at any moment ``path``
    is the old file or the new one, whole.

    Parameters
    ----------
    model : estimator of :mod:`rosenblatt.linear`, fitted
    path : str or path
    notes : dict, optional
        Anything of JSON to keep with the model; :func:`describe` gives it back.

    Raises
    ------
    TypeError
        Another class, a rule of your own, labels that are neither numbers, booleans nor strings:
        what has no place in a file that runs no code.
    ValueError
        The model is not fitted, or its parameters were changed to what it was not trained for.
    OSError
        The file cannot be written; what was at ``path`` is untouched.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron().fit([[0.0], [1.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/model.safetensors")
    ...     load(f"{folder}/model.safetensors").predict([[-1.0], [9.0]]).tolist()
    ['no', 'yes']
    """
    name = type(model).__name__
    if _CLASSES.get(name) is not type(model):
        raise TypeError(
            f"A {name} cannot be saved: a model file is loaded without running code of its own, so "
            f"it holds {', '.join(_CLASSES)} and nothing derived from them."
        )
    check_is_fitted(model)
    header = {
        "format": FORMAT,
        "rosenblatt": __version__,
        "class": name,
        "params": {key: _encoded(key, value) for key, value in model.get_params(False).items()},
        "fitted": _fitted(model),
        "notes": _noted(notes),
    }
    tensors = _tensors(model)
    try:  # what is saved can be loaded
        _check_kinds(_revived(header), _kinds(tensors))
        _check_values(model, tensors)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"This {name} cannot be saved: {_clause(error)}. Give it the parameters that it was "
            "trained with, or train it anew."
        ) from error
    tensors |= _edited(model)
    text = _sealed(header | {"sha256": _digest(tensors)})
    _write(os.fspath(path), serialized(tensors, {_KEY: text}))


def load(path: Path) -> Any:
    """The model saved at ``path``: same class, parameters, attributes and bits.

    Training goes on (``partial_fit``, or ``fit`` with ``warm_start``) as if it had never stopped.

    Parameters
    ----------
    path : str or path

    Raises
    ------
    ModelError
        The file is damaged, of another program, of a newer version, or at odds with itself.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron().partial_fit([[0.0], [1.0]], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/model.safetensors")
    ...     load(f"{folder}/model.safetensors").partial_fit([[2.0]], [2]).classes_.tolist()
    [0, 1, 2]
    """
    with _opened(path) as file:
        header = _header(file, path)
        model = _revived(header)
        _check_kinds(model, _kinds_in(file))
        tensors = {name: _placed(file.get_tensor(name)) for name in _kinds_in(file)}
        if _digest(tensors) != header["sha256"]:
            raise ValueError("the checksum of its arrays is wrong: some bytes have changed")
        _check_values(model, tensors)
    model._state = state.State(**{name: tensors[name] for name in state.State._fields})
    model._coef = tensors.get("coef_")
    if "history_.epoch" in tensors:
        model.history_ = np.empty(len(tensors["history_.epoch"]), HISTORY)
        for name in HISTORY.names or ():
            model.history_[name] = tensors[f"history_.{name}"]
    return model


def describe(path: Path) -> dict[str, Any]:
    """What a model file says of itself, without loading the weights.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    dict
        The header (format, rosenblatt, class, params, fitted, notes, sha256, seal), all of it
        JSON; ``tensors``, the type and shape of each array; ``bytes``, the size of the file.

    Raises
    ------
    ModelError, OSError
        As in :func:`load`, which alone finds damage inside the arrays.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt import Perceptron
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    ...     save(model, f"{folder}/model.safetensors", notes={"target": "spam"})
    ...     about = describe(f"{folder}/model.safetensors")
    >>> about["class"], about["notes"], about["tensors"]["W"]
    ('Perceptron', {'target': 'spam'}, {'dtype': 'float64', 'shape': [1, 1]})
    """
    with _opened(path) as file:
        kinds = sorted(_kinds_in(file).items())
        tensors = {name: {"dtype": kind[0], "shape": list(kind[1])} for name, kind in kinds}
        return _header(file, path) | {"tensors": tensors, "bytes": os.stat(path).st_size}


# --- the file ------------------------------------------------------------------------------------


def _write(path: str, data: bytes) -> None:
    target = os.path.realpath(path)  # a link stays a link
    folder = os.path.dirname(target)
    temporary = os.path.join(folder, f".rosenblatt-{secrets.token_hex(8)}.tmp")
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            raise OSError(errno.EISDIR, "a folder or a device is there")
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        raise OSError(
            error.errno,
            f"The model was not saved ({error.strerror}), and what was there is untouched. Name a "
            f"file in a folder that exists, may be written and has {len(data)} bytes of room",
            path,
        ) from error
    finally:
        with suppress(OSError):
            os.unlink(temporary)
    if os.name == "posix":
        _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    """Bring a rename to the disk; some network file systems have no way to."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """The open file; whatever is found wrong inside becomes an error that names it."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ValueError("this is a folder or a device")
        with open(path, "rb"):
            pass  # where it may not be read, the system's own error says so best
        with safe_open(os.fspath(path), framework="np") as file:
            yield file
    except ModelError:
        raise
    except (SafetensorError, ValueError, TypeError, OverflowError, RecursionError) as error:
        what = "this is no whole safetensors file: " if isinstance(error, SafetensorError) else ""
        raise ModelError(
            f"{os.fspath(path)}: {what}{_clause(error)}. The file is damaged or is no model: "
            "restore it from a backup, or save the model again."
        ) from error


def _clause(error: Exception) -> str:
    return str(error).removesuffix(".")


def _header(file: Any, path: Path) -> dict[str, Any]:
    metadata = file.metadata() or {}
    if _KEY not in metadata:
        raise ModelError(
            f"{os.fspath(path)}: a safetensors file of another program, without {_KEY!r} in its "
            "metadata. Name a file that rosenblatt.save has written."
        )
    header = json.loads(metadata[_KEY], parse_constant=_finite, parse_float=_finite)
    number = header.get("format") if isinstance(header, dict) else None
    if type(number) is int and number > FORMAT:
        raise ModelError(
            f"{os.fspath(path)}: format {number}, written by rosenblatt "
            f"{header.get('rosenblatt')!s:.40}; this is rosenblatt {__version__}, which reads "
            f"formats up to {FORMAT}. Upgrade rosenblatt."
        )
    if type(number) is not int or number != FORMAT:
        raise ValueError(f"its format must be {FORMAT}; found {number!r:.80}")
    _check_fields("its header", header, _HEADER)
    if header["seal"] != _seal(header):
        raise ValueError("the checksum of its header is wrong: some bytes have changed")
    return header  # type: ignore[no-any-return]


def _finite(text: str) -> float:
    if not math.isfinite(float(text)):
        raise ValueError(f"its header has the number {text:.40}, which JSON does not know")
    return float(text)


def _sealed(header: dict[str, Any]) -> str:
    text = json.dumps(header | {"seal": _seal(header)}, allow_nan=False)
    if len(json.dumps(text)) > _MOST_HEADER:
        raise ValueError(
            f"The names of features and classes, and the notes, take {len(text)} bytes of at most "
            f"{_MOST_HEADER} in a model file. Shorten them or leave them out."
        )
    return text


def _seal(header: dict[str, Any]) -> str:
    rest = {key: value for key, value in header.items() if key != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _digest(tensors: dict[str, Array]) -> str:
    digest = hashlib.sha256()
    for name, (dtype, shape) in sorted(_kinds(tensors).items()):
        digest.update(f"{name} {dtype} {list(shape)}\n".encode())
        digest.update(tensors[name].data)
    return digest.hexdigest()


def _kinds(tensors: dict[str, Array]) -> Kinds:
    return {name: (array.dtype.name, array.shape) for name, array in tensors.items()}


def _kinds_in(file: Any) -> Kinds:
    parts = {name: file.get_slice(name) for name in list(file.keys())}
    return {
        name: (_DTYPES.get(part.get_dtype(), part.get_dtype()), tuple(part.get_shape()))
        for name, part in parts.items()
    }


def _placed(array: Array) -> Array:
    """A copy in memory of its own; a matrix begins on a cache line, as the loops like it."""
    if array.ndim != 2:
        return array.copy()
    home = state.aligned((array.shape[0], array.shape[1]), array.dtype)
    home[:] = array
    return home


# --- a model as arrays and JSON ------------------------------------------------------------------


def _tensors(model: LinearLearner) -> dict[str, Array]:
    tensors = {name: np.ascontiguousarray(a) for name, a in model._state._asdict().items()}
    if "history_" in vars(model):
        for name in HISTORY.names or ():
            tensors[f"history_.{name}"] = np.ascontiguousarray(model.history_[name])
    return tensors


def _edited(model: LinearLearner) -> dict[str, Array]:
    """``coef_`` where it was changed by hand, so that it does not follow from the state."""
    coef: Any = model._coef
    if coef is None:
        return {}
    if sp.issparse(coef):
        coef = coef.toarray()
    learned = state.weights(model._state, model._output())[0][:, : model._columns()].T
    if np.array_equal(coef, learned, equal_nan=True):
        return {}
    coef = np.broadcast_to(coef, learned.shape)
    return {"coef_": np.array(coef, coef.dtype if coef.dtype.name in _FLOATS else np.float64)}


def _fitted(model: LinearLearner) -> dict[str, Any]:
    has = vars(model)
    names = has.get("feature_names_in_")
    return {
        "classes_": _packed("classes_", has["classes_"]) if "classes_" in has else None,
        "n_features_in_": int(has["n_features_in_"]),
        "feature_names_in_": None if names is None else [str(name) for name in names],
        "n_iter_": has.get("n_iter_"),
        "converged_": has.get("converged_"),
        "open": has.get("_open"),
    }


def _noted(notes: Any) -> Any:
    try:
        return json.loads(json.dumps({} if notes is None else notes, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise type(error)(f"notes must be what JSON can hold: {_clause(error)}.") from error


def _encoded(name: str, value: Any) -> Any:
    """A parameter as JSON; what JSON does not know is an object with a telling key."""
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, np.generic):
        return _packed(name, value)
    if isinstance(value, dict):
        return {"dict": [[_encoded(name, k), _encoded(name, v)] for k, v in value.items()]}
    if isinstance(value, np.random.RandomState):
        random = value.get_state(legacy=False)
        if random["bit_generator"] == "MT19937":
            words, place = random["state"]["key"].tolist(), random["state"]["pos"]
            return {"RandomState": [words, place, random["has_gauss"], random["gauss"]]}
    kind = type(value).__name__
    if isinstance(value, tuple) and _RULES.get(kind) is type(value):
        fields = zip(_RULES[kind]._fields, value, strict=True)
        return {"rule": kind, "fields": {field: _encoded(name, v) for field, v in fields}}
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
            _check_fields(f"its rule {kind}", fields, _RULES[kind]._fields)
            return _RULES[kind](**{field: _decoded(v) for field, v in fields.items()})
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
    _check_fields("its array of labels", packed, ("dtype", "values"))
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


def _revived(header: dict[str, Any]) -> Any:
    """The model that the header tells of: everything but its arrays."""
    cls = _CLASSES.get(header["class"])
    if cls is None:
        raise ValueError(f"its class {header['class']!r:.80} is none of {', '.join(_CLASSES)}")
    _check_fields("its params", header["params"], cls._get_param_names())
    model = cls(**{name: _decoded(value) for name, value in header["params"].items()})
    _check_meaning(model)
    fitted = header["fitted"]
    _check_fitted(fitted, isinstance(model, LinearClassifier))
    for name in ("n_features_in_", "n_iter_", "converged_"):
        if fitted[name] is not None:
            setattr(model, name, fitted[name])
    if fitted["feature_names_in_"] is not None:
        model.feature_names_in_ = np.array(fitted["feature_names_in_"], dtype=object)
    if isinstance(model, LinearClassifier):
        model._open = fitted["open"]
        model.classes_ = _unpacked(fitted["classes_"])
        if not np.array_equal(np.unique(model.classes_), model.classes_):
            raise ValueError("its classes_ are not in order, or not all different")
    return model


# --- what is checked before compiled code may touch an array -------------------------------------


def _check_fields(what: str, record: Any, names: Iterable[str]) -> None:
    if not isinstance(record, dict):
        raise ValueError(f"{what} should be a JSON object; found {record!r:.80}")
    if record.keys() != set(names):
        lacking, odd = sorted(set(names) - record.keys()), sorted(record.keys() - set(names))
        raise ValueError(f"{what}: missing {lacking}, unknown {odd}")


def _check_meaning(model: Any) -> None:
    """Refuse parameters that mean nothing."""
    check_parameters(model)
    check_random_state(model.random_state)
    for meaning in (model._rule, model._penalty, model._output):
        meaning()
    weight = model.get_params(False).get("class_weight")
    factors = weight.values() if isinstance(weight, dict) else ()
    named = weight is None or weight == "balanced" or isinstance(weight, dict)
    if not (named and all(isinstance(factor, int | float | np.number) for factor in factors)):
        raise ValueError(
            f"class_weight must be a dict of numbers, 'balanced' or None; got {weight!r:.80}"
        )


def _check_fitted(fitted: Any, classifies: bool) -> None:
    _check_fields("what it fitted", fitted, _FITTED)
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
    }.items():
        if not right:
            raise ValueError(f"its {name} cannot be {fitted[name]!r:.80}")


def _check_kinds(model: LinearLearner, kinds: Kinds) -> None:
    """Refuse arrays whose types and shapes do not fit the parameters and each other."""
    d, columns = model.n_features_in_, model._columns()
    dtype, shape = kinds.get("W", ("nothing", ()))
    if dtype not in _FLOATS or shape != (d, state.padded(columns)):
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
    if "coef_" in kinds:
        edited = kinds["coef_"][0]
        right["coef_"] = edited if edited in _FLOATS else "float64", {(columns, d)}
    _check_fields("the list of its arrays", kinds, right)
    for name, (dtype, shapes) in right.items():
        if kinds[name][0] != dtype or kinds[name][1] not in shapes:
            raise ValueError(
                f"its array {name} is {kinds[name][0]} of shape {kinds[name][1]}; its classes, "
                f"features and parameters ask for {dtype} of shape {' or '.join(map(str, shapes))}"
            )


def _check_values(model: LinearLearner, tensors: dict[str, Array]) -> None:
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
