"""Recorded runs as JSON text: the fields of a `Trace`, written and read exactly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.utils.arrays import Array
from rosenblatt.utils.checks import check_choice, check_float, check_int

FORMAT = "rosenblatt trace"
STEP_FIELDS = {
    "order": "i8",
    "used": "i8",
    "score": "f8",
    "prediction": "i8",
    "label": "i8",
    "mistake": "?",
}
ARRAY_FIELDS = {"X": "f8", "y": "i8", "weights": "f8"}
HEADER_FIELDS = {
    "algorithm": (str,),
    "eta": (int, float),
    "tie": (int,),
    "offset": (int, type(None)),
    "epochs": (int,),
    "converged": (bool,),
}
JSON_KINDS = {"f8": "fi", "i8": "i", "?": "b"}  # array type -> dtype kinds of JSON's numbers


def write_fields(run: Mapping[str, Any]) -> str:
    """Return the fields of a run as text; a number that is not finite is a ValueError."""
    text: dict[str, object] = {"format": FORMAT, "version": 1}
    if run["rates"] is not None:
        text |= {"version": 2, "rates": run["rates"].tolist()}
    text |= {name: run[name] for name in HEADER_FIELDS}
    text |= {name: run[name].tolist() for name in (*ARRAY_FIELDS, *STEP_FIELDS)}
    return json.dumps(text, allow_nan=False)


def read_fields(text: str | bytes) -> dict[str, Any]:
    """Return the fields that `write_fields` wrote; any other text is a ValueError."""
    try:
        fields = json.loads(text)
        if fields["format"] != FORMAT or fields["version"] not in (1, 2):
            raise ValueError(f"format {fields['format']!r}, version {fields['version']!r}")
        return _parse(fields)
    except KeyError as error:
        raise ValueError(f"not a trace that this version wrote: it has no {error}") from None
    except (ValueError, TypeError, IndexError, RecursionError) as error:
        raise ValueError(f"not a trace that this version wrote: {error}") from None


def _parse(fields: dict[str, Any]) -> dict[str, Any]:
    header = {name: fields[name] for name in HEADER_FIELDS}
    for name, kinds in HEADER_FIELDS.items():
        if type(header[name]) not in kinds:
            raise ValueError(f"{name} {header[name]!r}")
    check_float(header["eta"], "eta", above=0.0)
    check_int(header["epochs"], "epochs", minimum=0)
    check_choice(header["offset"], "offset", (None, 0, -1))
    check_choice(header["tie"], "tie", (-1, 0, 1))
    arrays: dict[str, Any] = {
        name: _parse_array(fields[name], name) for name in ARRAY_FIELDS | STEP_FIELDS
    }
    if fields["version"] == 2:
        arrays["rates"] = _parse_array(fields["rates"], "rates")
    _check(arrays, header["offset"])
    return header | arrays


def _check(run: dict[str, Any], offset: int | None) -> None:
    """Refuse arrays that do not belong together."""
    X, weights, rates = run["X"], run["weights"], run.get("rates")
    used = [*run["used"], len(weights) - 1]
    if rates is not None and (rates.shape != (len(weights) - 1,) or (rates == 0.0).any()):
        raise ValueError("rates that are not one number an update")
    if X.ndim != 2 or weights.shape[1:] != X.shape[1:] or X.size <= (offset is not None) * len(X):
        raise ValueError(f"rows of shape {X.shape}, weights of shape {weights.shape}")
    if run["y"].shape != X.shape[:1] or not np.isin(run["y"], (-1, 1)).all():
        raise ValueError("labels that are not one sign a row")
    if offset is not None and (X[:, offset] != 1.0).any():
        raise ValueError("rows without the constant 1")
    if any(run[name].shape != (len(run["order"]),) for name in STEP_FIELDS):
        raise ValueError("columns of different lengths")
    if not np.isin(run["order"], range(len(X))).all():
        raise ValueError("a step with an unknown row")
    if used[0] != 0 or not np.isin(np.diff(used), (0, 1)).all():
        raise ValueError("steps that do not use the weights one after another")
    if not np.isin([run["prediction"], run["label"]], (-1, 0, 1)).all():
        raise ValueError("a prediction or a label that is not -1, 0 or 1")


def _parse_array(raw: object, name: str) -> Array:
    """Return a JSON list as the array of the named field."""
    kind, values = {**ARRAY_FIELDS, **STEP_FIELDS, "rates": "f8"}[name], np.array(raw)
    if values.size and values.dtype.kind not in JSON_KINDS[kind]:
        raise ValueError(f"{name} of {values.dtype} instead of {np.dtype(kind)}")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} is not finite")
    return values.astype(kind)
