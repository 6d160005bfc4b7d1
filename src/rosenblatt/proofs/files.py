"""Proof files: certificates as JSON text.

::

    {"format": "rosenblatt proof", "version": 2, "status": "inseparable", "rows": [0, 3], ...}

or, with one certificate per class, ``{"format": …, "version": 2, "classes": [{…}]}``. The fields
are those of :class:`~rosenblatt.proofs.certificate.Certificate`; the table ``_FIELDS`` converts
them. Exact integers are strings: decimal or, from 4,000 digits on, hexadecimal ("0x…"), which
Python reads at any length. A direction has only its numbers that are not 0, by index:
``{"4": "-1"}``. Infinity is null.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Callable, Mapping, Set
from typing import Any, TypeVar

import numpy as np

from rosenblatt.proofs.check.record import Label, Overlap, Record, first_fault, short_repr
from rosenblatt.proofs.check.rows import NUMBERS
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.atomic import atomic_write_bytes

Path = str | os.PathLike[str]
R = TypeVar("R", bound=Record)
T = TypeVar("T")
Write = Callable[[Any], object]
Read = Callable[[str, Any], object]
Fields = dict[str, tuple[Write, Read]]
"""Field -> (its value as JSON, the JSON as its value), in the order of a file."""

FORMAT = "rosenblatt proof"
VERSION = 2
"""The version of the format that is written. Files of version 1 have no field ``numbers``."""

_MAX_DECIMAL_DIGITS = 4_000  # Python converts at most 4,300
MOST_DIGITS = 2**19
"""Of a number in a file, decimal or hexadecimal: to divide longer ones would take minutes."""
_INTEGER = re.compile(rf"-?(0x[0-9a-f]+|[0-9]{{1,{_MAX_DECIMAL_DIGITS}}})")


class ProofError(ValueError):
    """A file without a valid proof; the message names the file, the field and what is expected."""


def save(proof: Record | Mapping[Label, Record], path: Path) -> None:
    """Write a proof to ``path``: the complete file, or no change.

    Parameters
    ----------
    proof : Record or mapping of label to Record
    path : str or path

    Raises
    ------
    ValueError
        The certificate is not well-formed, so it could not be loaded.
    OSError
        The file cannot be written; an earlier file is untouched.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt import certify
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(certify([[1.0], [-1.0]], [1, 0], fit_intercept=False), f"{folder}/proof.json")
    ...     load(f"{folder}/proof.json", Record).coef
    array([1.])
    """
    header = {"format": FORMAT, "version": VERSION}
    if isinstance(proof, Mapping):
        classes = ",\n".join(to_json(_to_fields(one)) for one in proof.values())
        text = f'{to_json(header)[:-2]},\n"classes": [\n{classes}\n]\n}}\n'
    else:
        text = to_json(header | _to_fields(proof)) + "\n"
    atomic_write_bytes(path, text.encode(), "proof")


def load(path: Path, kind: type[R]) -> R | dict[Label, R]:
    """Read the proof saved at ``path``. The file may be from any source.

    No code is run; memory grows with the size of the file. Only the form is checked;
    :meth:`Certificate.verify` checks the proof on the data.

    Parameters
    ----------
    path : str or path
    kind : type
        The class of the certificates, a subclass of :class:`Record`.

    Raises
    ------
    ProofError
        The file is not a proof, or has a field that is unknown, missing, or of another type.
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
    advice = "a proof: restore it, or certify the data again"
    return read_document(path, lambda document: _read_proofs(document, kind), advice)


def to_json(fields: dict[str, object]) -> str:
    """Format an object with one field per line."""
    lines = (f"{json.dumps(key)}: {json.dumps(v, allow_nan=False)}" for key, v in fields.items())
    return "{\n" + ",\n".join(lines) + "\n}"


def _to_fields(proof: Record) -> dict[str, object]:
    if fault := first_fault(proof):
        raise ValueError(f"This certificate cannot be saved: {fault}.")
    return written(proof, _FIELDS)


def written(record: object, fields: Fields) -> dict[str, object]:
    """Return the fields of a record as JSON."""
    return {name: write(getattr(record, name)) for name, (write, _) in fields.items()}


def read_document(path: Path, read: Callable[[Any], T], advice: str) -> T:
    """Return what ``read`` makes of the JSON in a file; a ProofError says what is wrong with it."""
    data = read_bytes(path)
    try:
        return read(parse_json(data))
    except (ValueError, RecursionError) as error:
        message = f"{os.fspath(path)}: {str(error).rstrip('.')}"
        raise ProofError(f"{message}. The file is damaged or is not {advice}.") from error


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file; a folder or a device is a ProofError."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ProofError(f"{os.fspath(path)}: this is a folder or a device. Name a file.")
    with open(path, "rb") as file:
        return file.read()


def parse_json(data: bytes) -> Any:
    """Parse JSON text; fields that are twice there, NaN and infinity are a ValueError."""

    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
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


def _read_proofs(document: object, kind: type[R]) -> R | dict[Label, R]:
    document = check_object("the file", document)
    if document.get("format") != FORMAT:
        raise ValueError(f"format must be {FORMAT!r}; found {short_repr(document.get('format'))}")
    version = document.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise ValueError(f"version must be 1 or {VERSION}; found {short_repr(version)}")
    body = {key: value for key, value in document.items() if key not in ("format", "version")}
    if "classes" not in body:
        return _read_certificate("", body, version, kind)
    check_object("the file", body, {"classes"})
    proofs: dict[Label, R] = {}
    for i, fields in enumerate(_check_list("classes", body["classes"])):
        proof = _read_certificate(f"classes[{i}].", fields, version, kind)
        if proof.positive in proofs:
            raise ValueError(f"classes[{i}].positive is the label of a class before it")
        proofs[proof.positive] = proof
    if not proofs:
        raise ValueError("classes must have one entry or more; found none")
    return proofs


def _read_certificate(prefix: str, fields: object, version: int, kind: type[R]) -> R:
    """Convert the fields; :func:`first_fault` then checks their types, lengths and ranges."""
    where = prefix.rstrip(".") or "the file"
    fields = _NEWER_FIELDS | check_object(where, fields)
    if version == 1:
        check_object(where, fields, _FIELDS.keys() - {"numbers"})
        fields["numbers"] = NUMBERS[0]
    values = read_fields(where, prefix, fields, _FIELDS)
    shape = values["shape"]
    if len(shape) != 2 or type(shape[1]) is not int:
        raise ValueError(f"{prefix}shape must be two whole numbers")
    d = shape[1]
    if len(values["diverging"]) != d:  # the file has d numbers, so that d limits the memory
        raise ValueError(
            f"{prefix}diverging must have one number for each of {short_repr(d)} features"
        )
    if values["direction"] is not None:
        values["direction"] = _dense_direction(prefix, values["direction"], d + 1)
    proof = kind(**values)
    if fault := first_fault(proof):
        raise ValueError(f"{prefix}{fault}")
    return proof


def check_object(name: str, value: object, fields: Set[str] | None = None) -> dict[str, Any]:
    """Return the object; a ValueError if it is none, or has not exactly these fields."""
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be an object; found {short_repr(value)}")
    if fields is not None:
        for key in sorted(fields - value.keys()):
            raise ValueError(f"{name} lacks the field {key!r}")
        for key in sorted(value.keys() - fields):
            raise ValueError(f"{name} has a field {key!r:.60}, which is unknown")
    return value


def read_fields(where: str, prefix: str, value: object, fields: Fields) -> dict[str, Any]:
    """Return the values of the fields of an object, which has all of them and no other."""
    values = check_object(where, value, fields.keys())
    return {name: read(prefix + name, values[name]) for name, (_, read) in fields.items()}


def _check_list(name: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{name} must be a list; found {short_repr(value)}")
    return value


# --- one field: its value as JSON, and the JSON as its value -------------------------------------


def unchanged(value: object) -> object:
    """Write a value that JSON has."""
    return value


def _read_unchanged(name: str, value: object) -> object:
    return value


def _read_tuple(name: str, value: object) -> tuple[object, ...]:
    return tuple(_check_list(name, value))


def _write_label(label: object) -> object:
    """Convert NumPy's scalars to Python's."""
    return label.item() if isinstance(label, np.generic) else label


def _write_float(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _read_float(name: str, value: object) -> float:
    if value is None:
        return math.inf
    return read_finite(name, value)


def read_finite(name: str, value: object) -> float:
    """Read a float, which may be written as a whole number."""
    if type(value) is int and abs(value) > 2**53:
        raise ValueError(f"{name} has a whole number beyond 2**53: write it as a float")
    if type(value) is not float and type(value) is not int:
        raise ValueError(f"{name} must be a number; found {short_repr(value)}")
    return float(value)


def read_floats(name: str, value: object) -> Array:
    """Read a list of floats."""
    numbers = _check_list(name, value)
    try:
        return np.array([read_finite(name, number) for number in numbers])
    except ValueError:  # the place is named only then: an audit has millions of numbers
        for i, number in enumerate(numbers):
            read_finite(f"{name}[{i}]", number)
        raise


def read_array(dtype: type) -> Callable[[str, object], Array]:
    """Return the reader of a list of integers of a type."""
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max

    def read(name: str, value: object) -> Array:
        for i, number in enumerate(_check_list(name, value)):
            if type(number) is not int or not low <= number <= high:
                raise ValueError(f"{name}[{i}] must be a small integer; found {short_repr(number)}")
        return np.array(value, dtype=dtype)

    return read


def format_integer(value: int) -> str:
    """Format an integer as decimal or, if Python refuses its length, as hexadecimal text."""
    if value.bit_length() > 4 * (MOST_DIGITS - 3):  # 4 bits a digit, after "-0x"
        raise ValueError(f"a number has more digits than the {MOST_DIGITS:,} that are read")
    # 3.32 < log2(10), so that a number of so many bits has at most so many digits
    return str(value) if value.bit_length() <= 3.32 * _MAX_DECIMAL_DIGITS else hex(value)


def read_integer(name: str, value: object) -> int:
    """Read an integer in quotes."""
    if type(value) is str and len(value) > MOST_DIGITS:
        raise ValueError(f"{name} has {len(value):,} digits, of {MOST_DIGITS:,} at most")
    if type(value) is not str or not _INTEGER.fullmatch(value):
        raise ValueError(
            f'{name} must be a whole number in quotes, "12" or, beyond {_MAX_DECIMAL_DIGITS} '
            f'digits, "0x1f"; found {short_repr(value)}'
        )
    return int(value, 16 if "x" in value else 10)


def write_integers(values: tuple[int, ...]) -> list[str]:
    """Write integers in quotes."""
    return list(map(format_integer, values))


def read_integers(name: str, value: object) -> tuple[int, ...]:
    """Read a list of integers in quotes."""
    return tuple(read_integer(f"{name}[{i}]", v) for i, v in enumerate(_check_list(name, value)))


def _write_direction(direction: tuple[int, ...]) -> dict[str, str]:
    return {str(j): format_integer(value) for j, value in enumerate(direction) if value}


def _read_direction(name: str, value: object) -> dict[str, int]:
    numbers = check_object(name, value)
    return {key: read_integer(f"{name}[{key!r:.40}]", v) for key, v in numbers.items()}


def _dense_direction(prefix: str, numbers: dict[str, int], size: int) -> tuple[int, ...]:
    indices = {str(j): j for j in range(size)}
    direction = [0] * size
    for key, number in numbers.items():
        if key not in indices:
            raise ValueError(f"{prefix}direction[{key!r:.40}] must be one of 0 to {size - 1}")
        direction[indices[key]] = number
    return tuple(direction)


def optional(write: Write, read: Read) -> tuple[Write, Read]:
    """Let a field be None, null in the file."""
    return (
        lambda value: None if value is None else write(value),
        lambda name, value: None if value is None else read(name, value),
    )


_OVERLAP: Fields = {
    "rows": (np.ndarray.tolist, read_array(np.int64)),
    "weights": (write_integers, read_integers),
    "rest": (format_integer, read_integer),
}
_AS_IT_IS = unchanged, _read_unchanged
_FIELDS: Fields = {
    "status": (str, _read_unchanged),
    "positive": (_write_label, _read_unchanged),
    "negative": (_write_label, _read_unchanged),
    "fit_intercept": _AS_IT_IS,
    "numbers": _AS_IT_IS,
    "shape": (list, _read_tuple),
    "digest": _AS_IT_IS,
    "feature_names": optional(list, _read_tuple),
    "margin": (
        lambda margin: list(map(_write_float, margin)),
        lambda name, value: tuple(_read_float(name, end) for end in _check_list(name, value)),
    ),
    "radius": (_write_float, _read_float),
    "mistakes": _AS_IT_IS,
    "epochs": _AS_IT_IS,
    "converged": _AS_IT_IS,
    "seconds": (_write_float, _read_float),
    "intercept": (float, read_finite),
    "coef": optional(np.ndarray.tolist, read_floats),
    "diverging": (np.ndarray.tolist, read_array(np.int8)),
    "rows": (np.ndarray.tolist, read_array(np.int64)),
    "weights": (write_integers, read_integers),
    "determined": _AS_IT_IS,
    "direction": optional(_write_direction, _read_direction),
    "overlap": optional(
        lambda overlap: written(overlap, _OVERLAP),
        lambda name, value: Overlap(**read_fields(name, f"{name}.", value, _OVERLAP)),
    ),
}

_NEWER_FIELDS = {"determined": False}
"""Fields that older files lack -> their values."""
