"""How plain Python becomes machine code: the hooks and the cache.

A rule, a kind of rows and a penalty are ``NamedTuple`` classes with ordinary methods. The hooks
below lift those methods into compiled code, where numba specialises each loop on their *types*
and inlines them: one loop in the source, one hand-written loop for every combination in the
machine (decision record 001). Run with ``NUMBA_DISABLE_JIT=1`` and the same source runs as plain
Python, with the same sums in the same order.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import types
from numba.extending import overload_method

from rosenblatt.engine import intrinsics

F = TypeVar("F", bound=Callable[..., Any])

# --- compiling -----------------------------------------------------------------------------------


def compiled(function: F, **options: Any) -> F:
    """Compile ``function`` with numba: no GIL, cached on disk where a cache can be written.

    numba refuses to cache where no folder is writable (a read-only container, say); the
    function is then compiled anew in every process instead of failing.

    Parameters
    ----------
    function : callable
        A function of scalars, arrays and NamedTuples.
    **options
        Further options of ``numba.njit``.

    Examples
    --------
    >>> double = compiled(lambda x: 2 * x)
    >>> double(21)
    42
    """
    options = {"nogil": True, "cache": True, **options}
    dispatcher: F
    try:
        dispatcher = numba.njit(**options)(function)
    except RuntimeError:  # "cannot cache function …: no locator available"
        dispatcher = numba.njit(**{**options, "cache": False})(function)
    return dispatcher


def compiled_for(function: F, kinds: tuple[type, ...]) -> F:
    """:func:`compiled` for a loop that is specialised on ``kinds``, with a cache index of its own.

    numba names every class in the index of a cached function, and cannot read the index where one
    of them cannot be imported. With one index for each combination, a rule that only one program
    has never stands in another's way. Classes of ``__main__`` are found again by no other
    process, so loops over them are not cached.

    The loop is compiled without reference counts, which cost more than a sparse row's arithmetic:
    it and what it inlines allocate nothing. A rule of somebody else's may allocate: with one, the
    references are counted.

    Parameters
    ----------
    function : callable
    kinds : tuple of type
    """
    function.__qualname__ = ".".join([function.__name__, *map(_short_name, kinds)])
    cached = all(kind.__module__ != "__main__" for kind in kinds)
    return compiled(function, cache=cached, _nrt=not all(map(is_library_class, kinds)))


def entry_point(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """The machine code of a compiled ``function`` for arguments of the types of ``arguments``.

    It takes arguments of exactly these types and does not look at them, which is most of what a
    call on one row costs: 0.5 µs are left of 5 for a record of twenty arrays.

    Parameters
    ----------
    function : callable
        Made by :func:`compiled`; where nothing is compiled, the function itself comes back.
    arguments : tuple
        Arguments.

    Examples
    --------
    >>> double = compiled(lambda x: 2 * x)
    >>> entry_point(double, (21,))(4)
    8
    """
    if not hasattr(function, "typeof_pyval"):
        return function
    code: Callable[..., Any] = function.compile(tuple(map(function.typeof_pyval, arguments)))  # type: ignore[attr-defined]
    return code


def is_library_class(kind: type) -> bool:
    """Whether a class is part of this library."""
    return kind.__module__.startswith("rosenblatt.")


def _short_name(kind: type) -> str:
    if is_library_class(kind):
        return kind.__qualname__
    home = hashlib.sha256(kind.__module__.encode()).hexdigest()[:12]
    return f"{kind.__qualname__}_{home}"


@cache
def fingerprint(*classes: type) -> str:
    """Digest of the code that a loop inlines: it changes whenever one of the classes does.

    numba's disk cache watches only the file of the loop itself. A loop that keeps this digest in
    a closure cell is compiled anew after an edit of a rule, of the rows, of the lanes or of this
    module. A class whose source file cannot be read (made in a notebook or by ``exec``) counts by
    its bytecode.

    Parameters
    ----------
    *classes : type
        The NamedTuple classes whose methods are inlined.
    """
    digest = hashlib.sha256(_source_of(sys.modules[__name__]) + _source_of(intrinsics))
    for cls in classes:
        for ancestor in cls.__mro__:
            if ancestor.__module__ != "builtins":
                digest.update(f"{ancestor.__module__}.{ancestor.__qualname__}".encode())
                digest.update(_class_code(ancestor))
    return digest.hexdigest()


def _source_of(code: Any) -> bytes:
    return inspect.getsource(code).encode()


def _class_code(cls: type) -> bytes:
    module = sys.modules.get(cls.__module__)
    if module is not None and cls.__module__ != "__main__":
        try:
            return _source_of(module)
        except (OSError, TypeError):
            pass
    codes = [f.__code__ for name, f in sorted(vars(cls).items()) if inspect.isfunction(f)]
    return repr([(c.co_code, c.co_consts, c.co_names) for c in codes]).encode()


# --- hooks: methods of NamedTuples in compiled code ----------------------------------------------
# numba matches a hook with the method by the names of the arguments: a misnamed argument of a rule
# is an error when it is compiled, never a silent mix-up. These signatures are the protocol.


def _without_annotations(method: FunctionType) -> FunctionType:
    """``method`` without its annotations, which numba would compare with those of the hook."""
    return FunctionType(method.__code__, method.__globals__, method.__name__)


def _hook(finder: F) -> F:
    """Let compiled code call the method of the finder's name on any NamedTuple, inlined."""
    overload_method(types.BaseNamedTuple, finder.__name__, inline="always")(finder)
    return finder


# Of rules.


@_hook
def step(self, score, y, sqnorm):
    return _without_annotations(self.instance_class.step)


@_hook
def loss(self, score, y):
    return _without_annotations(self.instance_class.loss)


# Of rows.


@_hook
def prefetch(self, order, n):
    return _without_annotations(self.instance_class.prefetch)


@_hook
def dot_sqnorm(self, i, w):
    return _without_annotations(self.instance_class.dot_sqnorm)


@_hook
def axpy(self, i, tau, w):
    return _without_annotations(self.instance_class.axpy)


@_hook
def sqnorm(self, i):
    return _without_annotations(self.instance_class.sqnorm)


@_hook
def dot_block(self, order, n, w, dots):
    return _without_annotations(self.instance_class.dot_block)


@_hook
def dot_block_multi(self, order, n, W, dots):
    return _without_annotations(self.instance_class.dot_block_multi)


@_hook
def axpy_multi(self, i, steps, W):
    return _without_annotations(self.instance_class.axpy_multi)


@_hook
def truncate(self, i, W, Q, k, total, scale, U, area):
    return _without_annotations(self.instance_class.truncate)


# Of penalties.


@_hook
def decay(self):
    return _without_annotations(self.instance_class.decay)


@_hook
def truncation(self):
    return _without_annotations(self.instance_class.truncation)


# Of schemes.


@_hook
def compute_steps(
    self, scores, label, sqnorm, rule, tie, active, own_weight, rest_weight, taus, losses, mistakes
):
    return _without_annotations(self.instance_class.compute_steps)


# Of budgets.


@_hook
def allocate_slot(self, r, taus, block, state, slots, budget_state):
    return _without_annotations(self.instance_class.allocate_slot)


@_hook
def margin_step(self, r, k, y, score, block, slots, budget_state):
    return _without_annotations(self.instance_class.margin_step)


@compiled
def rounded(value: float, w: Any) -> float:
    """``value`` rounded to the type of the weights ``w``, as a float64."""
    return np.float64(w.dtype.type(value))


@compiled
def is_mistake(score: float, y: float, tie: float) -> bool:
    """Whether a score's sign is not that of y; ``tie`` says what zero is, and NaN is wrong."""
    return not (y * score > 0.0 or (score == 0.0 and tie == y))
