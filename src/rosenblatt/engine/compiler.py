"""Compilation by numba: the disk cache, and the methods and functions that compiled loops call.

A rule, a kind of rows and a penalty are ``NamedTuple`` classes with ordinary methods. The hooks
below make those methods callable in compiled code, where numba specialises each loop on their
*types* and inlines them: one loop in the source becomes one hand-written loop for every combination
(decision record 001). Plain functions become callable by :func:`add_subroutine`.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import marshal
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import CodeType, FunctionType
from typing import Any, TypeVar

import numba
from numba.core import types
from numba.core.caching import FunctionCache
from numba.core.errors import NumbaError
from numba.core.registry import cpu_target
from numba.extending import overload_method

from rosenblatt.engine import instructions
from rosenblatt.utils.classes import is_importable, is_library_class, short_name

CompilationError = NumbaError
_STANDARD_LIBRARY = os.path.dirname(inspect.__file__)
F = TypeVar("F", bound=Callable[..., Any])

# --- compiling -----------------------------------------------------------------------------------


def dispatcher(function: Callable[..., Any], *, cache: bool = True, **options: Any) -> Any:
    """Compile ``function`` with numba: without the GIL, cached on disk where a folder is writable.

    numba refuses to cache where no folder is writable (a read-only container, for example); the
    function is then compiled anew in every process.

    Parameters
    ----------
    function : callable
        A function of scalars, arrays and NamedTuples.
    cache : bool, default True
    **options
        Further options of ``numba.njit``.

    Examples
    --------
    >>> double = dispatcher(lambda x: 2 * x)
    >>> double(21)
    42
    """
    options = {"error_model": "numpy", **options, "nogil": True, "no_cfunc_wrapper": True}
    result: Any = numba.njit(**options)(function)
    if cache:
        with suppress(RuntimeError):  # "cannot cache function …: no locator available"
            result._cache = _StampedCache(function, options)
    return result


counterparts: dict[Callable[..., Any], Any] = {}
"""What stands for a plain function in compiled code: a dispatcher, or an intrinsic."""


def add_subroutine(function: Callable[..., Any], options: dict[str, Any]) -> None:
    """Make a plain function callable in compiled code.

    Parameters
    ----------
    function : callable
    options : dict
        Options of :func:`dispatcher`.
    """
    _add_counterpart(function, dispatcher(function, no_cpython_wrapper=True, **options))


def _add_counterpart(function: Callable[..., Any], compiled: Any) -> None:
    context = cpu_target.typing_context
    context.insert_global(function, context.resolve_value_type(compiled))
    counterparts[function] = compiled


cpu_target.typing_context.refresh()
for _function, _instruction in instructions.BY_FUNCTION.items():
    _add_counterpart(_function, _instruction)


# --- the key of the disk cache -------------------------------------------------------------------
# numba watches only the file of the function itself. Machine code contains the code of other files,
# too: of compiled functions and intrinsics that the function calls, of methods of its arguments. A
# digest of them enters the key, so the function is compiled anew after an edit of any of them.


class _StampedCache(FunctionCache):
    """The disk cache of a function: options and a digest of all inlined code are in its key."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function)
        self._options = repr(sorted(options.items()))

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        classes = _record_classes(getattr(sig, "args", sig))
        key = super()._index_key(sig, codegen)
        return *key, self._options, fingerprint(self._py_func, *classes)


def _record_classes(arguments: Any) -> Iterator[type]:
    """Yield the NamedTuple classes among types of arguments, those of nested fields included."""
    for argument in arguments:
        if isinstance(argument, types.BaseNamedTuple):
            yield argument.instance_class  # type: ignore[attr-defined]
            yield from _record_classes(argument)


def fingerprint(*roots: Any) -> str:
    """Digest of the code that enters the machine code of functions and classes.

    A module counts by its source. If that cannot be read (a class defined in a notebook or by
    ``exec``), its functions count by their bytecode. Global numbers count by their value.
    """
    digest = hashlib.sha256()
    for module in sorted(inlined_modules(*roots)):
        digest.update(module.encode() + _source(module))
    texts = []
    for item in _reached(roots):
        texts.append(f"{item.__module__}.{item.__qualname__}")
        if isinstance(item, FunctionType):
            names = _names_read(item)
            texts += [f"{name}={x!r}" for name, x in names if isinstance(x, int | float)]
            if not _source(item.__module__):
                texts.append(marshal.dumps(item.__code__, 2).hex())
    digest.update(repr(sorted(texts)).encode())
    return digest.hexdigest()


def inlined_modules(*roots: Any) -> set[str]:
    """Names of the modules whose code enters the machine code of functions and classes.

    They follow from the global names that a function reads: functions, intrinsics, and classes with
    their methods. Modules of Python, NumPy and numba are left out; this one always counts.

    Examples
    --------
    >>> from rosenblatt.engine.rows import CSR
    >>> sorted(name.rpartition(".")[2] for name in inlined_modules(CSR))
    ['compiler', 'instructions', 'intrinsics', 'rows']
    """
    return {__name__, *(item.__module__ for item in _reached(roots))}


def _reached(roots: tuple[Any, ...]) -> Iterator[Any]:
    """Yield the functions and classes that ``roots`` reach, themselves included."""
    pending, visited = list(roots), set()
    while pending:
        item = pending.pop()
        item = getattr(item, "py_func", getattr(item, "_defn", item))  # compiled, or an intrinsic
        if not isinstance(item, FunctionType | type) or item in visited or _is_foreign(item):
            continue
        visited.add(item)
        yield item
        pending.append(counterparts.get(item))
        if isinstance(item, type):
            pending += [*item.__mro__, *vars(item).values()]
        else:
            pending += [value for _, value in _names_read(item)]


def _is_foreign(item: Any) -> bool:
    module = item.__module__ or ""
    package = module.partition(".")[0]
    if package in {"", "numpy", "numba", "llvmlite"}:
        return True
    file = getattr(sys.modules.get(module), "__file__", None) or _STANDARD_LIBRARY
    return package in sys.stdlib_module_names and file.startswith(_STANDARD_LIBRARY)


def _names_read(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the global and enclosing names that a function reads, with their values."""
    for code in _codes(function.__code__):
        for name in code.co_names:
            if name in function.__globals__:
                yield name, function.__globals__[name]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a function's bytecode and that of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _source(module: str) -> bytes:
    """Return the source of a module; empty if it cannot be read."""
    if module == "__main__":
        return b""
    try:
        return inspect.getsource(sys.modules[module]).encode()
    except (KeyError, OSError, TypeError):
        return b""


# --- hooks: methods of NamedTuples in compiled code ----------------------------------------------
# These signatures are the protocol. What is inlined by numba is one call; the method itself is
# inlined by LLVM, which is as fast, and compiles once for all loops. No field of a NamedTuple in
# compiled code may have the name of a hook: numba would take it for the method.


def _hook(finder: F) -> F:
    """Make the method of the finder's name callable on any NamedTuple in compiled code, inlined."""
    overload_method(types.BaseNamedTuple, finder.__name__, inline="always")(finder)
    return finder


@functools.cache
def _method(kind: type, name: str, *classes: type, forceinline: bool = True) -> Any:
    """Return a method, compiled apart from the loops that call it, and cached.

    ``classes`` are those of its arguments that may be a user's: they are part of its name in the
    cache, see :func:`rosenblatt.engine.jit.specialised`.
    """
    method, kinds = getattr(kind, name), (kind, *classes)
    function = FunctionType(method.__code__, method.__globals__, name, None, method.__closure__)
    function.__qualname__ = ".".join([*map(short_name, kinds), name])
    options = {
        "cache": all(map(is_importable, kinds)),
        "_nrt": not all(map(is_library_class, kinds)),
    }
    return dispatcher(
        function, forceinline=name != "learn_rows", no_cpython_wrapper=True, **options
    )


# Of rules.


@_hook
def step(self, score, y, sqnorm):
    method = _method(self.instance_class, "step")
    return lambda self, score, y, sqnorm: method(self, score, y, sqnorm)


@_hook
def loss(self, score, y):
    method = _method(self.instance_class, "loss")
    return lambda self, score, y: method(self, score, y)


# Of rows.


@_hook
def prefetch(self, order, n):
    method = _method(self.instance_class, "prefetch")
    return lambda self, order, n: method(self, order, n)


@_hook
def dot_sqnorm(self, i, w):
    method = _method(self.instance_class, "dot_sqnorm")
    return lambda self, i, w: method(self, i, w)


@_hook
def axpy(self, i, tau, w):
    method = _method(self.instance_class, "axpy")
    return lambda self, i, tau, w: method(self, i, tau, w)


@_hook
def sqnorm(self, i):
    method = _method(self.instance_class, "sqnorm")
    return lambda self, i: method(self, i)


@_hook
def dot_block(self, order, n, w, dots):
    method = _method(self.instance_class, "dot_block")
    return lambda self, order, n, w, dots: method(self, order, n, w, dots)


@_hook
def dot_block_multi(self, order, n, W, dots):
    method = _method(self.instance_class, "dot_block_multi")
    return lambda self, order, n, W, dots: method(self, order, n, W, dots)


@_hook
def axpy_multi(self, i, steps, W):
    method = _method(self.instance_class, "axpy_multi")
    return lambda self, i, steps, W: method(self, i, steps, W)


@_hook
def axpy_dot_multi(self, order, n, steps, W, dots):
    method = _method(self.instance_class, "axpy_dot_multi")
    return lambda self, order, n, steps, W, dots: method(self, order, n, steps, W, dots)


@_hook
def truncate(self, i, W, Q, k, total, scale, U, area):
    method = _method(self.instance_class, "truncate")
    return lambda self, i, W, Q, k, total, scale, U, area: method(
        self, i, W, Q, k, total, scale, U, area
    )


# Of loops.


@_hook
def learn_rows(self, rows, y, weight, order, state, spec, penalty, average, pocket, log):
    classes = _record_classes([rows, spec])
    method = _method(self.instance_class, "learn_rows", *classes, forceinline=False)
    return lambda self, rows, y, weight, order, state, spec, penalty, average, pocket, log: method(
        self, rows, y, weight, order, state, spec, penalty, average, pocket, log
    )


# Of penalties.


@_hook
def decay(self):
    method = _method(self.instance_class, "decay")
    return lambda self: method(self)


@_hook
def truncation(self):
    method = _method(self.instance_class, "truncation")
    return lambda self: method(self)


# Of multi-class schemes.


@_hook
def compute_steps(self, example, spec, active, buffers):
    method = _method(self.instance_class, "compute_steps", *_record_classes([spec]))
    return lambda self, example, spec, active, buffers: method(self, example, spec, active, buffers)


# Of budget schemes.


@_hook
def allocate_slot(self, r, taus, run):
    method = _method(self.instance_class, "allocate_slot")
    return lambda self, r, taus, run: method(self, r, taus, run)


@_hook
def margin_step(self, r, y, score, run):
    method = _method(self.instance_class, "margin_step")
    return lambda self, r, y, score, run: method(self, r, y, score, run)
