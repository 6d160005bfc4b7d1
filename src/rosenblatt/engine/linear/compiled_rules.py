"""Rules of a user's as C functions, compiled by numba where it is installed (the extra ``jit``).

A loop that calls Python spends most of its time there. numba compiles the methods of a rule to
functions that the loop calls by pointer, without the lock of Python. That takes about a second in
each process, so it is done when as much was spent in calls: the results should not depend on when.
numba's power and NumPy's ``exp`` have other last bits than those of Python, so a rule is compiled
only if its functions give the bits of its methods on a thousand random examples. A result that is
not finite is not believed: the loop calls the method, which may raise.
"""

from __future__ import annotations

import ctypes
import dis
import functools
import importlib.util
import inspect
import itertools
import math
import threading
import warnings
from collections import namedtuple
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from rosenblatt.theory.rule_kinds import chooses_row, kind_of

SAMPLES = 1000
"""Random examples on which compiled functions must give the bits of the methods."""

_functions: dict[type, dict[str, Any] | None] = {}  # of each class; None: it stays plain Python
_lock = threading.Lock()


def compiled(rule: Any) -> dict[str, Any] | None:
    """Return the numbers of a rule and the addresses of its functions, None if there are none."""
    functions = _functions.get(type(rule))
    if functions is None:
        return None
    addresses = {name: f.address for name, f in functions.items()}
    return {"rule": rule, "numbers": tuple(rule) or (0.0,)} | addresses


@functools.cache
def is_installed() -> bool:
    """Return True if numba is installed, and not told to compile nothing."""
    if importlib.util.find_spec("numba") is None:
        return False
    numba: Any = import_module("numba")
    return not numba.config.DISABLE_JIT


def compile_rule(rule: object) -> None:
    """Compile the functions of a rule, or warn that numba cannot."""
    kind = type(rule)
    with _lock:
        if kind in _functions:
            return
        try:
            functions = _compile(rule)
            with np.errstate(all="ignore"):
                _check_bits(rule, functions)
            _functions[kind] = functions
        except Exception as error:  # numba's own, or what it meets in the code
            _functions[kind] = None
            warnings.warn(
                f"numba cannot compile {kind.__qualname__}. It runs as plain Python, which is "
                f"slow: {error}",
                RuntimeWarning,
                stacklevel=2,
            )


def _compile(rule: Any) -> dict[str, object]:
    """Return the functions of a rule, compiled."""
    numba: Any = import_module("numba")
    carray, types = numba.carray, numba.types
    kind = type(rule) if len(rule) else _with_a_field(type(rule))
    _check_raises_nothing(kind)
    _add_methods(kind)
    number, integer, pointer = types.float64, types.int64, types.CPointer(types.float64)
    make = _maker(kind)

    def function(*arguments: Any) -> Callable[[Callable[..., Any]], Any]:
        signature = types.void(pointer, *arguments, pointer)
        compiler: Any = numba.cfunc(signature, error_model="numpy")
        return compiler  # type: ignore[no-any-return]

    @function(number, number)
    def loss(p, score, y, results):  # type: ignore[no-untyped-def]
        results[0] = make(p).loss(score, y)

    if kind_of(rule) == "rescaling":

        @function(*[number] * 4, integer, integer, number)
        def rescale(p, score, y, sqnorm, wsqnorm, t, k, weight, results):  # type: ignore[no-untyped-def]
            rule, pair = make(p), carray(results, 2)
            if weight == 1.0:
                pair[0], pair[1] = rule.rescale(score, y, sqnorm, wsqnorm, t, k)
            else:
                pair[0], pair[1] = rule.weighted_rescale(score, y, sqnorm, wsqnorm, t, k, weight)

        return {"loss": loss, "rescale": rescale}
    if kind_of(rule) == "plain":

        @function(*[number] * 4)
        def step(p, score, y, sqnorm, weight, results):  # type: ignore[no-untyped-def]
            rule = make(p)
            if weight == 1.0:
                results[0] = rule.step(score, y, sqnorm)
            else:
                results[0] = rule.weighted_step(score, y, sqnorm, weight)

        functions = {"loss": loss, "step": step}
        if chooses_row(rule):

            @function(number, number)
            def overlap(p, score, y, results):  # type: ignore[no-untyped-def]
                results[0] = make(p).overlap(score, y)

            functions["overlap"] = overlap
        return functions

    @function(*[number] * 4)
    def confident_step(p, score, y, variance, weight, results):  # type: ignore[no-untyped-def]
        rule, pair = make(p), carray(results, 2)
        if weight == 1.0:
            pair[0], pair[1] = rule.step(score, y, variance)
        else:
            pair[0], pair[1] = rule.weighted_step(score, y, variance, weight)

    @function(number, number)
    def needs_variance(p, score, y, results):  # type: ignore[no-untyped-def]
        results[0] = 1.0 if make(p).needs_variance(score, y) else 0.0

    @function(number, number)
    def rate(p, before, after, results):  # type: ignore[no-untyped-def]
        results[0] = make(p).rate(before, after)

    @function(number, number)
    def shrinkage(p, before, after, results):  # type: ignore[no-untyped-def]
        results[0] = make(p).shrinkage(before, after)

    functions = {"loss": loss, "step": confident_step, "needs_variance": needs_variance}
    return functions | {"rate": rate, "shrinkage": shrinkage}


def _with_a_field(kind: Any) -> type:
    """Return the class of a rule without fields with one: numba has no methods of empty tuples."""
    fields = namedtuple("fields", ["unused"])
    return type(kind.__name__, (fields,), _methods(kind))


def _methods(kind: type) -> dict[str, Any]:
    """Return the methods of a class of rules, without those of every NamedTuple."""
    functions = inspect.getmembers(kind, inspect.isfunction)
    of_every = {"_asdict", "_replace"}
    return {name: f for name, f in functions if name[:2] != "__" and name not in of_every}


def _maker(kind: Any) -> Any:
    """Return a compiled function that makes a rule of its numbers, a pointer."""
    numbers = ", ".join(f"p[{i}]" for i in range(len(kind._fields)))
    namespace: dict[str, object] = {"kind": kind}
    exec(f"def make(p):\n    return kind({numbers})", namespace)
    numba: Any = import_module("numba")
    return numba.njit(namespace["make"])


_added: set[tuple[str, int]] = set()  # names of methods, with their numbers of arguments


def _add_methods(kind: type) -> None:
    """Make the methods of a class callable in compiled code, by their names, for all classes."""
    extending: Any = import_module("numba.extending")
    record = import_module("numba.types").BaseNamedTuple
    for name, method in _methods(kind).items():
        count = method.__code__.co_argcount
        if (name, count) in _added:
            continue
        _added.add((name, count))
        names = ", ".join(f"x{i}" for i in range(count))
        namespace: dict[str, object] = {"name": name}
        exec(f"def find({names}):\n    return getattr(x0.instance_class, name, None)", namespace)
        options = {"jit_options": {"error_model": "numpy"}, "strict": False}  # of any names
        extending.overload_method(record, name, **options)(namespace["find"])


def _check_raises_nothing(kind: type) -> None:
    """Refuse a class with a method that raises: compiled code would print the error, too."""
    for name, method in _methods(kind).items():
        if any(line.opname == "RAISE_VARARGS" for line in dis.get_instructions(method)):
            raise TypeError(f"its method {name} raises an error")


def _check_bits(rule: Any, functions: dict[str, Any]) -> None:
    """Refuse functions that give a finite number where the method gives another, or raises."""
    rng, numbers = np.random.default_rng(0), (ctypes.c_double * max(1, len(rule)))(*rule)
    scores, signs = 4.0 * rng.standard_normal(SAMPLES), rng.choice([-1.0, 1.0], SAMPLES)
    sizes = np.exp(2.0 * rng.standard_normal((SAMPLES, 3)))
    counts, weights = rng.integers(1, 10**6, (SAMPLES, 2)), rng.choice([0.5, 1.0], SAMPLES)
    for i, name in itertools.product(range(SAMPLES), functions):
        first, second, third = sizes[i]
        seen: tuple[Any, ...] = (scores[i], signs[i])
        if name == "rescale":
            seen = (*seen, first, second, *counts[i], weights[i])
        elif name == "step":
            seen = (*seen, first, weights[i])
        elif name in ("rate", "shrinkage"):
            seen = second, second + third
        results = (ctypes.c_double * 2)(math.nan, math.nan)
        functions[name].ctypes(numbers, *map(_plain, seen), results)
        try:
            wanted = np.ravel(_called(rule, name, *seen)).astype(np.float64)
        except Exception:
            wanted = np.array([np.nan, np.nan])
        same = np.array_equal(np.array(results[: len(wanted)]), wanted)
        if np.isfinite(results[: len(wanted)]).all() and not same:
            raise ValueError(
                f"its method {name} would have other bits, as of NumPy's exp or a power: "
                f"{results[0]!r}, not {wanted.tolist()[0]!r}"
            )


def _called(rule: object, name: str, *seen: object) -> Any:
    """Return what the method of a rule gives, as the loops call it."""
    if name in ("step", "rescale"):
        *seen, weight = seen  # type: ignore[assignment]
        if weight != 1.0:
            return getattr(rule, f"weighted_{name}")(*seen, weight)
    return getattr(rule, name)(*seen)


def _plain(number: Any) -> Any:
    """Return a number of NumPy as one of Python, for ctypes."""
    return number.item()
