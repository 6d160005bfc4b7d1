"""Runs of the engine by the core, compiled by numba, or as plain Python, whatever the work."""

import inspect
from contextlib import contextmanager
from unittest.mock import patch

import pytest

from rosenblatt.engine import jit
from rosenblatt.engine.linear import core


def without_core():
    """The loops as a rule of a user's takes them."""
    return patch.object(core, "learns", lambda *_: False)


@contextmanager
def plain_python():
    """Run everything as plain Python, also what is compiled already."""
    with patch.object(jit, "DISABLED", True), without_core():
        yield


@contextmanager
def compiled_code():
    """Compile everything by numba, however small the work is."""
    with core_code(), without_core():
        yield


@contextmanager
def core_code():
    """Run what the core has by it, and compile all else."""
    with patch.object(jit, "DISABLED", False), patch.object(jit, "CALL_LIMIT", 0.0):
        yield


MODES = {"core": core_code, "compiled": compiled_code, "plain": plain_python}


def combinations(compiled, plain):
    """Parametrise a test by ``mode`` and ``name``: to compile a rule costs seconds."""
    pairs = [("compiled", name) for name in compiled]
    pairs += [(mode, name) for mode in ("core", "plain") for name in plain]
    return pytest.mark.parametrize(("mode", "name"), pairs, indirect=["mode"])


def in_both(call):
    """The results of ``call()`` as plain Python, and compiled: by numba, if not by the core."""
    with plain_python():
        plain = call()
    with core_code():
        return plain, call()


def compiled_subroutine(function):
    """A subroutine of the engine, compiled, that Python can call."""
    names = ", ".join(inspect.signature(function).parameters)
    namespace = {"function": function}
    exec(f"def call({names}):\n    return function({names})", namespace)
    return jit.load_compiler().dispatcher(namespace["call"], cache=False)
