"""Proofs in files: JSON text that a person can read and any program can check.

::

    {"format": "rosenblatt proof", "version": 1, "status": "inseparable", "rows": [0, 3], ...}

or, for one class after another against the rest, ``{"format": …, "version": 1, "classes": [{…}]}``.
The fields are those of :class:`~rosenblatt.proofs.certificate.Certificate`. Exact whole numbers are
strings, decimal or, from 4,000 digits on, hexadecimal ("0x…"), which Python reads however long they
are. A direction names only the numbers that are not 0, by index: ``{"4": "-1"}``. Infinity is null.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.proofs.check.record import Overlap, Record
from rosenblatt.proofs.check.wellformed import first_fault, short_repr
from rosenblatt.utils.atomic import atomic_write_bytes

Array = NDArray[Any]
Path = str | os.PathLike[str]
R = TypeVar("R", bound=Record)

FORMAT = "rosenblatt proof"
VERSION = 1
"""The version that is written, and the only one that is read."""

_MAX_DECIMAL_DIGITS = 4_000  # Python writes and reads at most 4,300
_MAX_CHARACTERS = 10_000_000  # of one number
_INTEGER = re.compile(rf"-?(0x[0-9a-f]+|[0-9]{{1,{_MAX_DECIMAL_DIGITS}}})")


class ProofError(ValueError):
    """A file that holds no proof: which file, which field, what was expected."""


def save(proof: Record | Mapping[Any, Record], path: Path) -> None:
    """Write a proof to ``path``: all of it or, where that fails, nothing.

    Parameters
    ----------
    proof : Record or mapping of label to Record
    path : str or path

    Raises
    ------
    ValueError
        The certificate is not well-formed: it could not be loaded.
    OSError
        The file cannot be written; what was at ``path`` is untouched.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt.proofs.check.wellformed import an_example
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(an_example(), f"{folder}/proof.json")
    ...     load(f"{folder}/proof.json", Record).margin
    (1.0, 1.0)
    """
    header = {"format": FORMAT, "version": VERSION}
    if isinstance(proof, Mapping):
        classes = ",\n".join(_to_json(_to_fields(one)) for one in proof.values())
        text = f'{_to_json(header)[:-2]},\n"classes": [\n{classes}\n]\n}}\n'
    else:
        text = _to_json(header | _to_fields(proof)) + "\n"
    atomic_write_bytes(path, text.encode(), "proof")


def load(path: Path, kind: type[R]) -> R | dict[Any, R]:
    """Read the proof saved at ``path``. Nothing in it is taken on trust, and no code is run.

    Whether the proof is right, :meth:`Certificate.verify` tells.

    Parameters
    ----------
    path : str or path
    kind : type
        The class of the certificates, a subclass of :class:`Record`.

    Raises
    ------
    ProofError
        The file holds no proof, or one with a field too many, missing, or of another kind.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(f"{folder}/proof.json", "w") as file:
    ...         _ = file.write("[]")
    ...     load(f"{folder}/proof.json", Record)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rosenblatt.proofs.files.ProofError: .../proof.json: the file must be an object; found a list...
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ProofError(f"{os.fspath(path)}: this is a folder or a device. Name a file.")
    with open(path, "rb") as file:
        data = file.read()
    try:
        return _read_document(_parse(data), kind)
    except (ValueError, RecursionError) as error:
        raise ProofError(
            f"{os.fspath(path)}: {str(error).rstrip('.')}. The file is damaged or holds no proof: "
            "restore it, or certify the data again."
        ) from error


# --- writing -------------------------------------------------------------------------------------


def _to_json(fields: dict[str, Any]) -> str:
    """One line a field."""
    lines = (f"{json.dumps(key)}: {json.dumps(v, allow_nan=False)}" for key, v in fields.items())
    return "{\n" + ",\n".join(lines) + "\n}"


def _to_fields(proof: Record) -> dict[str, Any]:
    if why := first_fault(proof):
        raise ValueError(f"This certificate cannot be saved: {why}.")
    direction, overlap = proof.direction, proof.overlap
    return {
        "status": str(proof.status),
        "positive": _python_scalar(proof.positive),
        "negative": _python_scalar(proof.negative),
        "fit_intercept": proof.fit_intercept,
        "shape": list(proof.shape),
        "digest": proof.digest,
        "feature_names": None if proof.feature_names is None else list(proof.feature_names),
        "margin": [_finite_or_null(end) for end in proof.margin],
        "radius": _finite_or_null(proof.radius),
        "mistakes": proof.mistakes,
        "epochs": proof.epochs,
        "converged": proof.converged,
        "seconds": _finite_or_null(proof.seconds),
        "intercept": float(proof.intercept),
        "coef": None if proof.coef is None else proof.coef.tolist(),
        "diverging": proof.diverging.tolist(),
        "rows": proof.rows.tolist(),
        "weights": list(map(format_integer, proof.weights)),
        "direction": None
        if direction is None
        else {str(j): format_integer(value) for j, value in enumerate(direction) if value},
        "overlap": None
        if overlap is None
        else {
            "rows": overlap.rows.tolist(),
            "weights": list(map(format_integer, overlap.weights)),
            "rest": format_integer(overlap.rest),
        },
    }


def _python_scalar(label: Any) -> Any:
    """NumPy's scalars as Python's."""
    return label.item() if isinstance(label, np.generic) else label


def _finite_or_null(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def format_integer(value: int) -> str:
    """A whole number as text: decimal, or hexadecimal where Python would refuse its length."""
    return str(value) if value.bit_length() <= 3.32 * _MAX_DECIMAL_DIGITS else hex(value)


# --- reading -------------------------------------------------------------------------------------


def _parse(data: bytes) -> Any:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(items)
        if len(result) < len(items):
            raise ValueError("an object has the same field twice")
        return result

    try:
        return json.loads(
            data.decode(),
            object_pairs_hook=pairs,
            parse_constant=_parse_float,
            parse_float=_parse_float,
        )
    except (ValueError, RecursionError) as error:
        raise ValueError(f"this is no JSON text that can be read ({error})") from error


def _parse_float(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError(f"{text:.40} is no finite number")
    return value


def _read_document(document: Any, kind: type[R]) -> R | dict[Any, R]:
    _check_object("the file", document, None)
    if document.get("format") != FORMAT:
        raise ValueError(f"format must be {FORMAT!r}; found {short_repr(document.get('format'))}")
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        raise ValueError(f"version must be {VERSION}; found {short_repr(version)}")
    body = {key: value for key, value in document.items() if key not in ("format", "version")}
    if "classes" not in body:
        return _read_certificate("", body, kind)
    _check_object("the file", body, {"classes"})
    _check_list("classes", body["classes"])
    proofs: dict[Any, R] = {}
    for i, fields in enumerate(body["classes"]):
        proof = _read_certificate(f"classes[{i}].", fields, kind)
        if proof.positive in proofs:
            raise ValueError(f"classes[{i}].positive is the label of a class before it")
        proofs[proof.positive] = proof
    if not proofs:
        raise ValueError("classes must be some; found none")
    return proofs


def _read_certificate(prefix: str, fields: Any, kind: type[R]) -> R:
    _check_object(prefix.rstrip(".") or "the file", fields, set(_READERS))
    values = {name: read(prefix + name, fields[name]) for name, read in _READERS.items()}
    _, d = values["shape"]
    if len(values["diverging"]) != d:  # so much is in the file: d may be trusted with memory
        raise ValueError(
            f"{prefix}diverging must have one number for each of {short_repr(d)} features"
        )
    if values["direction"] is not None:
        values["direction"] = _dense_direction(prefix, values["direction"], d + 1)
    proof = kind(**values)
    if why := first_fault(proof):
        raise ValueError(f"{prefix}{why}")
    return proof


def _check_object(name: str, value: Any, fields: set[str] | None) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be an object; found {short_repr(value)}")
    if fields is None:
        return
    for key in sorted(fields - value.keys()):
        raise ValueError(f"{name} lacks the field {key!r}")
    for key in sorted(value.keys() - fields):
        raise ValueError(f"{name} has a field {key!r:.60}, which is unknown")


def _check_list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{name} must be a list; found {short_repr(value)}")
    return value


def _reader_of(kind: type, expected: str) -> Callable[[str, Any], Any]:
    def read(name: str, value: Any) -> Any:
        if type(value) is not kind:
            raise ValueError(f"{name} must be {expected}; found {short_repr(value)}")
        return value

    return read


def _read_float(name: str, value: Any) -> float:
    if type(value) is int and abs(value) <= 2**53:
        return float(value)
    if type(value) is not float:
        raise ValueError(f"{name} must be a number; found {short_repr(value)}")
    return value


def _read_float_or_infinity(name: str, value: Any) -> float:
    return math.inf if value is None else _read_float(name, value)


def _read_integer(name: str, value: Any) -> int:
    if type(value) is str and len(value) > _MAX_CHARACTERS:
        raise ValueError(f"{name} has {len(value)} digits, of {_MAX_CHARACTERS} at most")
    if type(value) is not str or not _INTEGER.fullmatch(value):
        raise ValueError(
            f'{name} must be a whole number in quotes, "12" or, beyond {_MAX_DECIMAL_DIGITS} '
            f'digits, "0x1f"; found {short_repr(value)}'
        )
    return int(value, 16 if "x" in value else 10)


def _read_integers(name: str, value: Any) -> tuple[int, ...]:
    return tuple(_read_integer(f"{name}[{i}]", v) for i, v in enumerate(_check_list(name, value)))


def _array_reader(dtype: type) -> Callable[[str, Any], Array]:
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max

    def read(name: str, value: Any) -> Array:
        for i, number in enumerate(_check_list(name, value)):
            if type(number) is not int or not low <= number <= high:
                raise ValueError(f"{name}[{i}] must be a small integer; found {short_repr(number)}")
        return np.array(value, dtype=dtype)

    return read


def _read_shape(name: str, value: Any) -> tuple[int, ...]:
    if len(_check_list(name, value)) != 2:
        raise ValueError(f"{name} must be two whole numbers")
    return tuple(_reader_of(int, "two whole numbers")(name, v) for v in value)


def _read_margin(name: str, value: Any) -> tuple[float, ...]:
    if len(_check_list(name, value)) != 2:
        raise ValueError(f"{name} must be two numbers")
    return tuple(_read_float_or_infinity(name, end) for end in value)


def _read_coef(name: str, value: Any) -> Array | None:
    if value is None:
        return None
    return np.array(
        [_read_float(f"{name}[{j}]", v) for j, v in enumerate(_check_list(name, value))]
    )


def _read_names(name: str, value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    return tuple(
        _reader_of(str, "a string")(f"{name}[{j}]", v)
        for j, v in enumerate(_check_list(name, value))
    )


def _read_direction(name: str, value: Any) -> dict[str, int] | None:
    if value is None:
        return None
    _check_object(name, value, None)
    return {key: _read_integer(f"{name}[{key!r:.40}]", number) for key, number in value.items()}


def _dense_direction(prefix: str, numbers: dict[str, int], size: int) -> tuple[int, ...]:
    indices = {str(j): j for j in range(size)}
    direction = [0] * size
    for key, number in numbers.items():
        if key not in indices:
            raise ValueError(f"{prefix}direction[{key!r:.40}] must be one of 0 to {size - 1}")
        direction[indices[key]] = number
    return tuple(direction)


def _read_overlap(name: str, value: Any) -> Overlap | None:
    if value is None:
        return None
    _check_object(name, value, {"rows", "weights", "rest"})
    return Overlap(
        _array_reader(np.int64)(f"{name}.rows", value["rows"]),
        _read_integers(f"{name}.weights", value["weights"]),
        _read_integer(f"{name}.rest", value["rest"]),
    )


def _read_any(name: str, value: Any) -> Any:
    return value


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "status": _reader_of(str, "a string"),
    "positive": _read_any,
    "negative": _read_any,
    "fit_intercept": _reader_of(bool, "true or false"),
    "shape": _read_shape,
    "digest": _reader_of(str, "a string"),
    "feature_names": _read_names,
    "margin": _read_margin,
    "radius": _read_float_or_infinity,
    "mistakes": _reader_of(int, "a whole number"),
    "epochs": _reader_of(int, "a whole number"),
    "converged": _reader_of(bool, "true or false"),
    "seconds": _read_float_or_infinity,
    "intercept": _read_float,
    "coef": _read_coef,
    "diverging": _array_reader(np.int8),
    "rows": _array_reader(np.int64),
    "weights": _read_integers,
    "direction": _read_direction,
    "overlap": _read_overlap,
}
