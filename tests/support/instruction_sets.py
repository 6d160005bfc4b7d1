"""Bits of the compiled core by instruction set, of each that this machine has."""

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


RUN = """
import os
import sys
import pytest, scipy.sparse, sklearn.linear_model  # once: they have no part in the core

for name in sys.argv[1].split():
    if not os.fork():
        os.environ["ROSENBLATT_CPU"] = name
        from importlib import import_module

        for function in sys.argv[2:]:
            module, _, function = function.rpartition(".")
            print(name, getattr(import_module(module), function)(), flush=True)
        sys.exit()
    if os.wait()[1]:
        sys.exit(1)
"""


def results(functions):
    """What functions of modules return for each instruction set, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, " ".join(_core.instruction_sets), *functions],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    found = {name: [] for name in _core.instruction_sets}
    for line in done.stdout.splitlines():
        name, result = line.split()
        found[name].append(result)
    return found
