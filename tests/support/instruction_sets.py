"""Bits of the compiled core by instruction set: a process for each set that this machine has."""

import functools
import hashlib
import os
import subprocess
import sys

import numpy as np

from rosenblatt import _core


def digest(*arrays):
    """The digest of arrays, numbers and tuples of them."""
    total = hashlib.sha256()
    for array in arrays:
        if isinstance(array, tuple):
            total.update(digest(*array).encode())
        else:
            total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


@functools.cache
def results(module, function):
    """What ``module.function()`` returns, as text, for each instruction set."""
    code = f"import {module}; print({module}.{function}())"
    path = os.pathsep.join(sys.path)
    return {
        name: subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": path, "ROSENBLATT_CPU": name},
        ).stdout.strip()
        for name in _core.instruction_sets
    }
