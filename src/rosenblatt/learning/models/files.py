"""Model files: save a fitted model, and load it to predict or to continue training.

A model file is a safetensors file. Its arrays are those of ``rosenblatt.engine.state.State``,
padding included, those of an expansion, the columns of ``history_``, and ``coef_`` if it was edited
by hand. Its metadata has one key, ``"rosenblatt"``: a JSON text with the format, the version, the
class, its parameters, the other fitted attributes, notes, and two SHA-256 digests, ``sha256`` of
the arrays and ``seal`` of the rest of the text. Loading runs no code from the file: classes, rules
and kernels are looked up in fixed tables, and header and arrays are checked against each other
before compiled code reads an array. The file of an OnlinePerceptron or OnlineClassifier is that of
its inner model with one more key, the feature names.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as serialized

from rosenblatt import __version__
from rosenblatt.engine import state
from rosenblatt.learning import interface
from rosenblatt.learning.base import BaseLearner, locks_of
from rosenblatt.learning.models.decisions import decide_as_noted, with_decisions
from rosenblatt.learning.models.dual_arrays import ArraySpecs, decode_dual
from rosenblatt.learning.models.encoders import (
    ENCODER,
    decode_encoder,
    encode_encoder,
    has_learner,
    learner_and_notes,
)
from rosenblatt.learning.models.header import (
    MODULES,
    ONLINE,
    Description,
    Header,
    check_fields,
    check_specs,
    check_values,
    decode_model,
    edited_coef,
    encode_params,
    error_text,
    fitted_attributes,
    format_of,
    json_notes,
    learner_class,
    model_tensors,
)
from rosenblatt.learning.models.scaling_arrays import decode_scaling
from rosenblatt.learning.problem import HISTORY
from rosenblatt.streams.core.notes import Notes
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.atomic import atomic_write_bytes
from rosenblatt.utils.checks import is_library_class
from rosenblatt.utils.tables import Columns

__all__ = ["ModelError", "describe", "load", "save"]


Path = str | os.PathLike[str]

FORMAT = 6
"""Newest format that this version reads and writes; older formats are read, too.

Increased with every change that older versions cannot read, such as a new parameter or array. Of a
rule that it does not know, a version since 1.0 says which version wrote the file.
A model is written in the oldest format that can hold it: 2; with ``scale=True`` 3; with a rule that
is not plain, or another ``budget_eta``, 4; with ``probabilities=True``, costs, or a class or rule
that versions of format 4 do not know, 6. An encoder alone has format 5.
"""

_KEY = "rosenblatt"
_ENCODER_FORMAT = 5
_HEADER_FIELDS = ("format", "rosenblatt", "class", "params", "fitted", "notes", "sha256", "seal")
_DTYPES = {"F64": "float64", "F32": "float32", "I64": "int64", "BOOL": "bool"}
_MAX_HEADER_BYTES = 95_000_000  # safetensors refuses headers over 100 MB


class ModelError(ValueError):
    """File that this version cannot load as a model; the message names the file and the fault."""


# --- save, load, describe ------------------------------------------------------------------------


def save(model: object, path: Path, *, notes: Mapping[str, Any] | None = None) -> None:
    """Write ``model`` to ``path`` atomically.

    The file is written next to ``path``, synced to disk and renamed: at any moment ``path`` is the
    complete old file or the complete new one.

    Parameters
    ----------
    model : classifier or regressor of this library, fitted
        Or a ``RowEncoder``, or a pipeline of one and a classifier, such as
        :func:`rosenblatt.load` returns. Of a ``DaskPerceptron`` it is the ``to_local()``.
    path : str or path
    notes : dict, optional
        JSON values to store with the model; :func:`describe` returns them.

    Raises
    ------
    TypeError
        A class of another library, a user's own rule or kernel, or labels that are not numbers,
        booleans or strings: a model file contains no code.
    ValueError
        The model is not fitted, or its parameters were changed to values it was not trained with.
    OSError
        The file cannot be written; an older file at ``path`` is unchanged.

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
    atomic_write_bytes(path, to_bytes(model, notes=notes), "model")


def to_bytes(model: object, *, notes: Mapping[str, Any] | None = None) -> bytes:
    """Return the content of the file that :func:`save` writes, with the same errors."""
    return freeze(model, notes=notes)()


def freeze(model: object, *, notes: Mapping[str, Any] | None = None) -> Callable[[], bytes]:
    """Return a function that computes the content of the file of the model as it is now.

    An online model may learn on in the meantime; other models may not.

    Examples
    --------
    >>> from rosenblatt import OnlinePerceptron
    >>> model = OnlinePerceptron().learn_many([{"a": 1}, {"b": 1}], ["left", "right"])
    >>> content, now = freeze(model), to_bytes(model)
    >>> model = model.learn_one({"a": 1, "b": 1}, "left")
    >>> content() == now, to_bytes(model) == now
    (True, False)
    """
    if isinstance(model, BaseLearner):
        return partial(_content, model, notes, {})
    if has_learner(model):
        return partial(_content, *learner_and_notes(model, notes), {})
    if hasattr(model, "noted"):
        return partial(_encoder_content, model, notes)
    from rosenblatt.learning.models.online_names import encode_names
    from rosenblatt.learning.online.base import inner_model, lock_of
    from rosenblatt.learning.online.estimator import OnlinePerceptron

    name = type(model).__name__
    if isinstance(model, OnlinePerceptron) and name in ONLINE and is_library_class(type(model)):
        with lock_of(model):
            extra = {"class": name, "names": encode_names(model)}
            return partial(_content, inner_model(model), notes, extra)
    return partial(_content, model, notes, {})


def _encoder_content(encoder: object, notes: Mapping[str, Any] | None) -> bytes:
    """Return the content of the file of an encoder of rows."""
    header, tensors = encode_encoder(encoder, notes)
    header |= {
        "format": _ENCODER_FORMAT,
        "rosenblatt": __version__,
        "sha256": _arrays_digest(tensors),
    }
    return serialized(tensors, {_KEY: _header_text(header)})


def _content(learner: Any, notes: Mapping[str, Any] | None, extra: dict[str, Any]) -> bytes:
    """Return the content of a model file."""
    name = extra.get("class", type(learner).__name__)
    if type(learner).__name__ not in MODULES or not is_library_class(type(learner)):
        raise TypeError(
            f"A {name} cannot be saved: a model file contains no code, so its class must be one of "
            f"{', '.join((*MODULES, *ONLINE))}, and not a subclass."
        )
    interface.require_fitted(learner)
    with locks_of(learner).arrays:  # a batch is in the file with all its rows, or not at all
        return _content_now(learner, name, notes, extra)


def _content_now(
    learner: Any, name: str, notes: Mapping[str, Any] | None, extra: dict[str, Any]
) -> bytes:
    header: Header = {
        "format": format_of(learner),
        "rosenblatt": __version__,
        "class": type(learner).__name__,
        "params": encode_params(learner),
        "fitted": fitted_attributes(learner),
        "notes": with_decisions(learner, json_notes(notes)),
    }
    tensors = model_tensors(learner)
    try:  # a saved model must be loadable
        check_specs(decode_model(header), header["fitted"], _specs(tensors))
        check_values(learner, header["fitted"], tensors)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"This {name} cannot be saved: {error_text(error)}. Set the parameters that it was "
            "trained with, or train it again."
        ) from error
    tensors |= edited_coef(learner)
    extended = header | extra | {"sha256": _arrays_digest(tensors)}
    text = _header_text(cast("Header", extended))
    return serialized(tensors, {_KEY: text})


def load(path: Path, class_of: Callable[[str], type[BaseLearner]] = learner_class) -> Any:
    """Load the learner saved at ``path``; :func:`rosenblatt.load` loads the estimator.

    Parameters
    ----------
    path : str or path
    class_of : callable
        Returns the class of a name in a file: a learner by default.

    Raises
    ------
    ModelError, OSError
        As in :func:`rosenblatt.load`.
    """
    return load_with_notes(path, class_of)[0]


def load_with_notes(
    path: Path, class_of: Callable[[str], type[BaseLearner]] = learner_class
) -> tuple[Any, Notes]:
    """Load a learner as :func:`load` does, and the notes of its file; {} if they are no object."""
    with _open_safetensors(path) as file:
        notes = _read_header(file, path)["notes"]
        return _decode(file, path, class_of), notes if isinstance(notes, dict) else {}


def _decode(file: Any, path: Path, class_of: Callable[[str], type[BaseLearner]]) -> Any:
    """Check an open model file and build its model."""
    header = _read_header(file, path)
    if header["class"] == ENCODER:
        if class_of is learner_class:  # the command, or the service
            raise ModelError(
                f"{os.fspath(path)}: has an encoder of raw rows, and no model: save the "
                "pipeline of the encoder and its classifier."
            )
        tensors = {name: file.get_tensor(name) for name in _specs_in(file)}
        if _arrays_digest(tensors) != header["sha256"]:
            raise ValueError("the checksum of its arrays is wrong: some bytes have changed")
        with _of_another_version(header, path):
            return decode_encoder(header, tensors, class_of)
    online = header["class"] in ONLINE
    with _of_another_version(header, path):
        model = decode_model(header | {"class": "Perceptron"} if online else header, class_of)
    fitted = dict.fromkeys(("rows", "dtype")) | header["fitted"]
    check_specs(model, fitted, _specs_in(file))
    tensors = {name: _aligned_copy(file.get_tensor(name)) for name in _specs_in(file)}
    if _arrays_digest(tensors) != header["sha256"]:
        raise ValueError("the checksum of its arrays is wrong: some bytes have changed")
    check_values(model, fitted, tensors)
    storage = fitted["rows"]
    interface.restore(
        model,
        interface.Learned(
            state=state.from_arrays(tensors, interface.own_fields(model)),
            dual=None if storage is None else decode_dual(model, storage, tensors),
            coef=tensors.get("coef_"),
            open_classes=fitted["open"],
            scaling=decode_scaling(tensors),
        ),
    )
    if "history_.epoch" in tensors:
        model.history_ = np.empty(len(tensors["history_.epoch"]), HISTORY).view(Columns)
        for name in HISTORY.names or ():
            model.history_[name] = tensors[f"history_.{name}"]
    decide_as_noted(model, header["notes"])
    if not online:
        return model
    from rosenblatt.learning.models.online_names import decode_online

    return decode_online(model, header["names"], header["class"])


@contextmanager
def _of_another_version(header: Header, path: Path) -> Iterator[None]:
    """Say of which version a file is, if it is another, whose models this one may not know."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if header["rosenblatt"] == __version__:
            raise
        raise ModelError(
            f"{os.fspath(path)}: {error_text(error)}. It was written by rosenblatt "
            f"{_writer(header)}; this is rosenblatt {__version__}: use the version "
            "that wrote it, or save the model again."
        ) from error


def _writer(header: Mapping[str, Any]) -> str:
    """Return the version that wrote a file, whose letters may be anything, for a message."""
    return re.sub(r"[^\w.+-]", "?", str(header.get("rosenblatt"))[:40])


def describe(path: Path) -> Description:
    """Read the header of a model file, without loading the weights.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    dict
        The header (format, rosenblatt, class, params, fitted, notes, sha256, seal) as JSON values;
        ``tensors``, the type and shape of each array; ``bytes``, the size of the file.

    Raises
    ------
    ModelError, OSError
        As in :func:`load`, except for damage inside the arrays.

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
    with _open_safetensors(path) as file:
        specs = sorted(_specs_in(file).items())
        tensors = {name: {"dtype": spec[0], "shape": list(spec[1])} for name, spec in specs}
        size = os.stat(path).st_size
        return Description(**_read_header(file, path), tensors=tensors, bytes=size)


# --- the file ------------------------------------------------------------------------------------


@contextmanager
def _open_safetensors(path: Path) -> Iterator[Any]:
    """Open a model file; errors about its content become a ModelError that names the file."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ValueError("this is a folder or a device")
        with open(path, "rb"):
            pass  # raises the system's error if the file is not readable
        with safe_open(os.fspath(path), framework="np") as file:
            yield file
    except ModelError:
        raise
    except (SafetensorError, ValueError, TypeError, OverflowError, RecursionError) as error:
        prefix = "not a valid safetensors file: " if isinstance(error, SafetensorError) else ""
        raise ModelError(
            f"{os.fspath(path)}: {prefix}{error_text(error)}. The file is damaged or not a model "
            "file: restore it from a backup, or save the model again."
        ) from error


def _read_header(file: Any, path: Path) -> Header:
    metadata = file.metadata() or {}
    if _KEY not in metadata:
        raise ModelError(
            f"{os.fspath(path)}: a safetensors file of another program, without {_KEY!r} in its "
            "metadata. Pass a file written by rosenblatt.save."
        )
    header = json.loads(metadata[_KEY], parse_constant=_parse_finite, parse_float=_parse_finite)
    version = header.get("format") if isinstance(header, dict) else None
    if type(version) is int and version > FORMAT:
        raise ModelError(
            f"{os.fspath(path)}: format {version}, written by rosenblatt "
            f"{_writer(header)}; this is rosenblatt {__version__}, which reads "
            f"formats up to {FORMAT}. Upgrade rosenblatt."
        )
    if type(version) is not int or version < 1:
        raise ValueError(f"its format must be from 1 to {FORMAT}; found {version!r:.80}")
    online = header.get("class") in ONLINE
    check_fields("its header", header, (*_HEADER_FIELDS, "names") if online else _HEADER_FIELDS)
    if header["seal"] != _header_digest(header):
        raise ValueError("the checksum of its header is wrong: some bytes have changed")
    return cast("Header", header)


def _parse_finite(text: str) -> float:
    if not math.isfinite(float(text)):
        raise ValueError(f"its header has the number {text:.40}, which is not valid JSON")
    return float(text)


def _header_text(header: Header) -> str:
    text = json.dumps(header | {"seal": _header_digest(header)}, allow_nan=False)
    if len(json.dumps(text)) > _MAX_HEADER_BYTES:
        raise ValueError(
            f"The names of features and classes, and the notes, take {len(text)} bytes of at most "
            f"{_MAX_HEADER_BYTES} in a model file. Shorten them or leave them out."
        )
    return text


def _header_digest(header: Header) -> str:
    rest = {key: value for key, value in header.items() if key != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _arrays_digest(tensors: dict[str, Array]) -> str:
    digest = hashlib.sha256()
    for name, (dtype, shape) in sorted(_specs(tensors).items()):
        digest.update(f"{name} {dtype} {list(shape)}\n".encode())
        digest.update(tensors[name].data)
    return digest.hexdigest()


def _specs(tensors: dict[str, Array]) -> ArraySpecs:
    return {name: (array.dtype.name, array.shape) for name, array in tensors.items()}


def _specs_in(file: Any) -> ArraySpecs:
    slices = {name: file.get_slice(name) for name in list(file.keys())}
    return {
        name: (_DTYPES.get(array.get_dtype(), array.get_dtype()), tuple(array.get_shape()))
        for name, array in slices.items()
    }


def _aligned_copy(array: Array) -> Array:
    """Copy of an array; matrices start on a cache line, for the loops' speed."""
    if array.ndim != 2:
        return array.copy()
    aligned = state.aligned_zeros((array.shape[0], array.shape[1]), array.dtype)
    aligned[:] = array
    return aligned
