"""Files of audits, JSON text: the rows, the corrections and the claims, so that no data is needed.

::

    {"format": "rosenblatt audit", "version": 1, "X": [[1.0, 2.0], ...], "order": [1, 0], ...}

The fields are those of :class:`~rosenblatt.proofs.check.theorem.AuditRecord`. Floats are written so
that they are read exactly. Integers of any length are strings as in files of proofs; a fraction is
one, or two with a stroke between them: ``"1/2"``.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from rosenblatt.proofs import files
from rosenblatt.proofs.check.record import short_repr
from rosenblatt.proofs.check.theorem import AuditRecord, fault
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.atomic import atomic_write_bytes

FORMAT = "rosenblatt audit"
VERSION = 1


def save_audit(audit: AuditRecord, path: files.Path) -> None:
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
    fields = {"format": FORMAT, "version": VERSION} | files.written(audit, _FIELDS)
    atomic_write_bytes(path, f"{files.to_json(fields)}\n".encode(), "audit")


def load_audit(path: files.Path) -> AuditRecord:
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
    return files.read_document(path, _read, "an audit: restore it, or audit the run again")


def is_audit(path: files.Path) -> bool:
    """Return True if the file says that it is an audit; a file that says nothing is not."""
    try:
        document = files.parse_json(files.read_bytes(path))
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("format") == FORMAT


def _read(document: object) -> AuditRecord:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"the file must be an object with the format {FORMAT!r}")
    if type(document.get("version")) is not int or document["version"] != VERSION:
        raise ValueError(f"version must be {VERSION}; found {short_repr(document.get('version'))}")
    body = {key: value for key, value in document.items() if key not in ("format", "version")}
    audit = AuditRecord(**files.read_fields("the file", "", body, _FIELDS))
    if why := fault(audit):
        raise ValueError(why)
    return audit


def _read_rows(name: str, value: object) -> Array:
    """Read a list of lists of numbers, of one length."""
    if not isinstance(value, list) or not value:
        raise ValueError(f"{name} must be a list; found {short_repr(value)}")
    for i, row in enumerate(value):
        if not isinstance(row, list) or len(row) != len(value[0]):
            raise ValueError(f"{name}[{i}] must be a list of one length; found {short_repr(row)}")
    return np.array([files.read_floats(f"{name}[{i}]", row) for i, row in enumerate(value)])


def _read_whole(name: str, value: object) -> int:
    if type(value) is not int:
        raise ValueError(f"{name} must be a whole number; found {short_repr(value)}")
    return value


def _write_fraction(value: Fraction) -> str:
    parts = [value.numerator] + ([value.denominator] if value.denominator != 1 else [])
    return "/".join(map(files.format_integer, parts))


def _read_fraction(name: str, value: object) -> Fraction:
    numbers = files.read_integers(name, value.split("/") if isinstance(value, str) else [value])
    if len(numbers) > 2 or numbers[1:] == (0,):
        raise ValueError(f'{name} must be a whole number or a fraction, "1/2"')
    return Fraction(*numbers)


_INTEGERS = np.ndarray.tolist, files.read_array(np.int64)
_FRACTION = _write_fraction, _read_fraction
_FIELDS: files.Fields = {
    "eta": (files.unchanged, files.read_finite),
    "tie": (files.unchanged, _read_whole),
    "offset": files.optional(files.unchanged, _read_whole),
    "X": (np.ndarray.tolist, _read_rows),
    "y": _INTEGERS,
    "start": (np.ndarray.tolist, files.read_floats),
    "order": _INTEGERS,
    "rows": _INTEGERS,
    "direction": files.optional(files.write_integers, files.read_integers),
    "weights": (files.write_integers, files.read_integers),
    "radius2": _FRACTION,
    "gamma2": _FRACTION,
    "bound": _FRACTION,
    "allowed": (files.format_integer, files.read_integer),
}
