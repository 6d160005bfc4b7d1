"""Runs of the engine as plain Python, or compiled, whatever the size of the work."""

import inspect
from contextlib import contextmanager
from unittest.mock import patch

import pytest

from rosenblatt.engine import jit


@contextmanager
def plain_python():
    """Run everything as plain Python, also what is compiled already."""
    with patch.object(jit, "DISABLED", True):
        yield


@contextmanager
def compiled_code():
    """Compile everything, however small the work is."""
    with patch.object(jit, "DISABLED", False), patch.object(jit, "CALL_LIMIT", 0.0):
        yield


MODES = {"compiled": compiled_code, "plain": plain_python}


def combinations(compiled, plain):
    """Parametrise a test by ``mode`` and ``name``: to compile a rule costs seconds."""
    pairs = [("compiled", name) for name in compiled] + [("plain", name) for name in plain]
    return pytest.mark.parametrize(("mode", "name"), pairs, indirect=["mode"])


def in_both(call):
    """The results of ``call()`` as plain Python, and compiled."""
    with plain_python():
        plain = call()
    with compiled_code():
        return plain, call()


def compiled_subroutine(function):
    """A subroutine of the engine, compiled, that Python can call."""
    names = ", ".join(inspect.signature(function).parameters)
    namespace = {"function": function}
    exec(f"def call({names}):\n    return function({names})", namespace)
    return jit.load_compiler().dispatcher(namespace["call"], cache=False)
