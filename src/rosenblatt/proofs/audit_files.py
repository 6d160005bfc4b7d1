"""Files of audits, JSON text: the rows, the corrections and the claims, so that no data is needed.

::

    {"format": "rosenblatt audit", "version": 1, "X": [[1.0, 2.0], ...], "order": [1, 0], ...}

The fields are those of :class:`~rosenblatt.proofs.check.theorem.AuditRecord`. Floats are written so
that they are read exactly. Integers of any length are strings as in files of proofs; a fraction is
one, or two with a stroke between them: ``"1/2"``.
"""

from __future__ import annotations

import os
import stat
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.proofs.check.record import short_repr
from rosenblatt.proofs.check.theorem import AuditRecord, fault
from rosenblatt.proofs.files import (
    Path,
    ProofError,
    format_integer,
    parse_json,
    read_integers,
    to_json,
)
from rosenblatt.utils.arrays import NDArray
from rosenblatt.utils.atomic import atomic_write_bytes

FORMAT = "rosenblatt audit"
VERSION = 1

_ARRAYS = {"X": "f", "y": "i", "start": "f", "order": "i", "rows": "i"}
_FRACTIONS = ("radius2", "gamma2", "bound")
_FIELDS = {
    *_ARRAYS,
    *_FRACTIONS,
    *("format", "version", "eta", "tie", "offset", "direction", "weights", "allowed"),
}


def save_audit(audit: AuditRecord, path: Path) -> None:
    """Write an audit to ``path``: the complete file, or no change.

    Raises
    ------
    ValueError
        The audit is too large to be read again.
    OSError
        The file cannot be written; an earlier file is untouched.
    """
    if why := fault(audit):
        raise ValueError(f"this audit cannot be saved: {why}")
    fields: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    fields |= {"eta": audit.eta, "tie": audit.tie, "offset": audit.offset}
    fields |= {name: getattr(audit, name).tolist() for name in _ARRAYS}
    direction = audit.direction
    fields["direction"] = None if direction is None else [*map(format_integer, direction)]
    fields["weights"] = [*map(format_integer, audit.weights)]
    for name in _FRACTIONS:
        value: Fraction = getattr(audit, name)
        parts = [value.numerator] + ([value.denominator] if value.denominator != 1 else [])
        fields[name] = "/".join(map(format_integer, parts))
    fields["allowed"] = format_integer(audit.allowed)
    atomic_write_bytes(path, f"{to_json(fields)}\n".encode(), "audit")


def load_audit(path: Path) -> AuditRecord:
    """Read the audit saved at ``path``. The file may be from any source.

    Only the form is checked; :func:`~rosenblatt.proofs.check.theorem.verify_theorem` checks what it
    says.

    Raises
    ------
    ProofError
        The file is not an audit, or has a field that is unknown, missing, or of another type.
    OSError
        The file cannot be read.
    """
    try:
        return _read(parse_json(read_bytes(path)))
    except (ValueError, RecursionError) as error:
        raise ProofError(
            f"{os.fspath(path)}: {str(error).rstrip('.')}. The file is damaged or is not an audit: "
            "restore it, or audit the run again."
        ) from error


def is_audit(path: Path) -> bool:
    """Return True if the file says that it is an audit; a file that says nothing is not."""
    try:
        document = parse_json(read_bytes(path))
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("format") == FORMAT


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file; a folder or a device is a ValueError."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ValueError("this is a folder or a device. Name a file")
    with open(path, "rb") as file:
        return file.read()


def _read(document: Any) -> AuditRecord:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"the file must be an object with the format {FORMAT!r}")
    if type(document.get("version")) is not int or document["version"] != VERSION:
        raise ValueError(f"version must be {VERSION}; found {short_repr(document.get('version'))}")
    for name in sorted(_FIELDS ^ document.keys()):
        unknown = name not in _FIELDS
        raise ValueError(
            f"the file {'has an unknown' if unknown else 'lacks the'} field {name!r:.60}"
        )
    eta, tie, offset = (document[name] for name in ("eta", "tie", "offset"))
    if type(eta) not in (int, float):
        raise ValueError(f"eta must be a number; found {short_repr(eta)}")
    for name, value in (("tie", tie), ("offset", offset)):
        if type(value) is not int and not (name == "offset" and value is None):
            raise ValueError(f"{name} must be a whole number; found {short_repr(value)}")
    read: dict[str, Any] = {
        name: _read_array(name, document[name], kind) for name, kind in _ARRAYS.items()
    }
    read |= {name: _read_fraction(name, document[name]) for name in _FRACTIONS}
    direction, (allowed,) = document["direction"], read_integers("allowed", [document["allowed"]])
    audit = AuditRecord(
        eta=_to_float("eta", eta),
        tie=tie,
        offset=offset,
        direction=None if direction is None else read_integers("direction", direction),
        weights=read_integers("weights", document["weights"]),
        allowed=allowed,
        **read,
    )
    if why := fault(audit):
        raise ValueError(why)
    return audit


def _read_array(name: str, value: Any, kind: str) -> NDArray[Any]:
    """Return a list of numbers, or for X a list of lists of one length, as an array."""
    rows = value if name == "X" else [value]
    if not isinstance(rows, list) or not rows:
        raise ValueError(f"{name} must be a list; found {short_repr(value)}")
    for i, row in enumerate(rows):
        where = f"{name}[{i}]" if name == "X" else name
        if not isinstance(row, list) or len(row) != len(rows[0]):
            raise ValueError(f"{where} must be a list of one length; found {short_repr(row)}")
        for j, number in enumerate(row):
            if type(number) is not int and not (kind == "f" and type(number) is float):
                words = "a number" if kind == "f" else "a whole number"
                raise ValueError(f"{where}[{j}] must be {words}; found {short_repr(number)}")
            if kind == "i" and not -(2**63) <= number < 2**63:
                raise ValueError(
                    f"{where}[{j}] must be a small integer; found {short_repr(number)}"
                )
    if kind == "f":
        rows = [[_to_float(name, number) for number in row] for row in rows]
    array = np.array(rows, np.float64 if kind == "f" else np.int64)
    return array if name == "X" else array[0]


def _to_float(name: str, value: float) -> float:
    if type(value) is int and abs(value) > 2**53:
        raise ValueError(f"{name} has a whole number beyond 2**53: write it as a float")
    return float(value)


def _read_fraction(name: str, value: Any) -> Fraction:
    parts = value.split("/") if isinstance(value, str) else [value]
    numbers = read_integers(name, parts)
    if len(numbers) > 2 or numbers[1:] == (0,):
        raise ValueError(f'{name} must be a whole number or a fraction, "1/2"')
    return Fraction(*numbers)
