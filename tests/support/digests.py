"""Digests of small runs of everything the engine does, to see whether a change keeps all bits.

``python tests/support/digests.py`` runs them and compares with ``digests.json``; it prints the
names that differ, and exits with 1 if there are any. ``--write`` keeps today's digests instead,
``--list`` prints the names, and further arguments choose the runs whose names begin with them;
``--every N`` takes each N-th of these.

A digest is the SHA-256 of all that a run yields: every field of the state, with type, shape and
bytes, and what it predicts. A run may depend on the machine's libm, on NumPy's exp or on the order
in which its BLAS sums: :data:`PROBES` digests these, and where a probe differs from the one of the
file, the runs that need it are not compared, and counted.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import digest_learners
import digest_proofs
import digest_texts
import numpy as np
import scipy.sparse as sp

from rosenblatt.engine.state import FIELDS, State, arrays_of

FILE = Path(__file__).with_name("digests.json")


class Run(NamedTuple):
    """A run: its name, what it computes, and the probes it needs."""

    name: str
    compute: Callable[[], Any]
    needs: tuple[str, ...] = ()


def runs() -> list[Run]:
    """Return all runs, sorted by name."""
    found = [
        Run(*parts)
        for module in (digest_learners, digest_proofs, digest_texts)
        for parts in module.runs()
    ]
    names = [run.name for run in found]
    assert len(set(names)) == len(names), "two runs have one name"
    return sorted(found)


# --- digests -------------------------------------------------------------------------------------


def digest(value: Any) -> str:
    """Return the digest of a value: the first 16 hexadecimal digits of its SHA-256."""
    total = hashlib.sha256()
    _feed(total, value)
    return total.hexdigest()[:16]


def _feed(total: Any, value: Any) -> None:
    """Add a value with its types; containers with their sizes."""
    if isinstance(value, np.ndarray) and value.dtype.names:
        _feed(total, {name: np.ascontiguousarray(value[name]) for name in value.dtype.names})
    elif isinstance(value, np.ndarray) and value.dtype.hasobject:
        _feed(total, ("objects", value.shape, value.ravel().tolist()))
    elif isinstance(value, np.ndarray):
        total.update(f"array {value.dtype.str} {value.shape};".encode())
        total.update(np.ascontiguousarray(value).tobytes())
    elif sp.issparse(value):
        _feed(total, ("sparse", value.shape, value.data, value.indices, value.indptr))
    elif isinstance(value, np.generic):
        _feed(total, np.asarray(value))
    elif isinstance(value, float):
        total.update(b"float" + struct.pack("<d", value))
    elif isinstance(value, State):
        _feed(total, _as_before(value))
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        _feed(total, dict(zip(value._fields, value, strict=True)))
    elif isinstance(value, tuple | list):
        total.update(f"{len(value)} values;".encode())
        for item in value:
            _feed(total, item)
    elif isinstance(value, Mapping):
        _feed(total, [*value.items()])
    elif value is None or isinstance(value, bool | int | str | bytes):
        total.update(f"{type(value).__name__} {value!r};".encode())
    else:
        raise TypeError(f"no digest of {type(value)}")


def _as_before(state: State) -> dict[str, Any]:
    """Return the arrays in the record that all rules shared once, and those of newer rules."""
    P = len(state.b)
    none = {
        "C": np.zeros((0, P)),
        "cb": np.zeros(P),
        "S": np.zeros((0, P)),
        "norms": np.full(P, -1.0),
        "norm_errors": np.zeros(P),
    }
    arrays = arrays_of(state)
    first, rest = [*FIELDS][:8], [*FIELDS][8:]
    return {name: (none | arrays)[name] for name in (*first, *none, *rest, *arrays)}


# --- what runs need of the machine ---------------------------------------------------------------


def _libm() -> Any:
    numbers = [k / 64 for k in range(-640, 640)]
    return [
        [math.exp(x) for x in numbers],
        [math.log1p(abs(x)) for x in numbers],
        [math.pow(1.0 + abs(x), 0.3) for x in numbers],
        [math.tanh(x) for x in numbers],
        [math.sinh(x) for x in numbers],
    ]


def _numpy_exp() -> Any:
    numbers = np.arange(-640, 640) / 64
    return [f(numbers.astype(kind)) for f in (np.exp, np.tanh) for kind in ("f4", "f8")]


def _blas() -> Any:
    numbers = (np.arange(60 * 41) * 7919 % 1009 / 1009.0).reshape(60, 41)
    return [numbers @ numbers.T, numbers.T @ numbers[:, 0], np.linalg.norm(numbers[:, 1])]


PROBES: dict[str, Callable[[], Any]] = {"libm": _libm, "numpy exp": _numpy_exp, "blas": _blas}
"""What depends on the machine, by name."""


# --- the file ------------------------------------------------------------------------------------


def read() -> dict[str, dict[str, str]]:
    """Return the digests of the file: of the probes, and of the runs."""
    kept: dict[str, dict[str, str]] = json.loads(FILE.read_text())
    return kept


def other_probes() -> set[str]:
    """Return the probes whose digests are not those of the file."""
    kept = read()["probes"]
    return {name for name, probe in PROBES.items() if digest(probe()) != kept.get(name)}


def main(arguments: list[str]) -> int:
    """Compare, write or list; return the exit status."""
    every = 1
    if "--every" in arguments:
        place = arguments.index("--every")
        every = int(arguments[place + 1])
        arguments = arguments[:place] + arguments[place + 2 :]
    prefixes = tuple(word for word in arguments if not word.startswith("--"))
    chosen = [run for run in runs() if run.name.startswith(prefixes or "")][::every]
    if "--list" in arguments:
        print(*(run.name for run in chosen), sep="\n")
        return 0
    warnings.simplefilter("ignore")  # runs of two epochs do not converge
    start = time.perf_counter()
    writes_all = "--write" in arguments and not prefixes and every == 1
    others = set() if writes_all else other_probes()
    results = {run.name: digest(run.compute()) for run in chosen if not others & {*run.needs}}
    seconds = time.perf_counter() - start
    if "--write" in arguments:
        kept = read()
        if writes_all:
            kept = {"probes": {name: digest(probe()) for name, probe in PROBES.items()}, "runs": {}}
        kept["runs"] = dict(sorted((kept["runs"] | results).items()))
        FILE.write_text(json.dumps(kept, indent=0) + "\n")
        print(f"{len(results)} digests written in {seconds:.1f} s.")
        return 0
    kept = read()["runs"]
    different = [name for name, result in results.items() if kept.get(name) != result]
    print(*different, sep="\n", end="\n" if different else "")
    skipped = len(chosen) - len(results)
    reason = f"; {skipped} not compared: {', '.join(sorted(others))} differ here" if skipped else ""
    print(f"{len(results)} runs, {len(different)} differ ({seconds:.1f} s){reason}.")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
