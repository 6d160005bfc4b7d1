"""Compilation by numba: the disk cache, and the methods and functions that compiled loops call.

A rule, a kind of rows and a penalty are ``NamedTuple`` classes with ordinary methods. They are
callable in compiled code, where numba specialises each loop on their *types* and inlines them: one
loop in the source becomes one hand-written loop for every combination (decision record 001). Plain
functions become callable by :func:`add_subroutine`.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import marshal
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
from numba._dynfunc import make_function
from numba.core import types
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.environment import lookup_environment
from numba.core.errors import NumbaError
from numba.core.registry import cpu_target
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, builtin_registry
from numba.extending import models, register_model

from rosenblatt.engine import instructions
from rosenblatt.utils.classes import is_library_class

CompilationError = NumbaError
_STANDARD_LIBRARY = os.path.dirname(inspect.__file__)

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
    result: Any = numba.njit(**{"pipeline_class": _EntryCompiler, **options})(function)
    if cache:
        with suppress(RuntimeError):  # "cannot cache function …: no locator available"
            result._cache = _StampedCache(function, options)
    return result


def subroutine(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a function that compiled functions call, as a part of each of them.

    Parameters
    ----------
    function : callable
    **options
        Options of ``numba.njit``.
    """
    options["pipeline_class"] = _SubroutineCompiler
    return dispatcher(function, cache=False, no_cpython_wrapper=True, **options)


class _EntryCompiler(Compiler):
    """The compiler of a function that Python calls."""

    def compile_extra(self, func: Any) -> Any:
        self.state.library = _EntryLibrary(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


class _EntryLibrary(JITCodeLibrary):
    """Machine code of a function with its subroutines, whose environments are set here."""

    def _finalize_specific(self) -> None:
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            if environment := lookup_environment(variable.name):
                self.codegen.set_env(variable.name, environment)


class _SubroutineCompiler(Compiler):
    """The compiler of a subroutine: the functions that call it optimise its code with theirs."""

    def compile_extra(self, func: Any) -> Any:
        context = self.state.targetctx  # of this compilation alone
        context.get_executable = _not_executable
        self.state.library = _SubroutineLibrary(context.codegen(), func.__qualname__)
        return super().compile_extra(func)


class _SubroutineLibrary(JITCodeLibrary):
    """Code to be linked into callers. There is no machine code of it alone."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


def _not_executable(library: Any, description: Any, environment: Any) -> Any:
    """Return what numba knows a subroutine's code by; it is never called."""
    module, name = description.lookup_module(), description.qualname
    return make_function(module, name, "a subroutine", 0, environment, (library,))


counterparts: dict[Callable[..., Any], Any] = {}
"""What stands for a plain function in compiled code: a dispatcher, or an intrinsic."""


def add_subroutine(function: Callable[..., Any], options: dict[str, Any]) -> None:
    """Make a plain function callable in compiled code.

    Parameters
    ----------
    function : callable
    options : dict
        Options of :func:`subroutine`.
    """
    _add_counterpart(function, subroutine(function, **options))


def _add_counterpart(function: Callable[..., Any], compiled: Any) -> None:
    context = cpu_target.typing_context
    context.insert_global(function, context.resolve_value_type(compiled))
    counterparts[function] = compiled


@contextmanager
def _scipy_linalg_present() -> Iterator[None]:
    """Answer numba's question whether SciPy's BLAS is there, without the import of scipy.linalg.

    numba imports it once to see that it is there, and again before it compiles a call of it.
    rosenblatt depends on SciPy, and calls none of it in compiled code: a tenth of a second less.
    """
    name = "scipy.linalg.cython_blas"
    if name in sys.modules:
        yield
        return
    sys.modules[name] = ModuleType(name)
    try:
        yield
    finally:
        del sys.modules[name]


with _scipy_linalg_present():
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
    ['compiler', 'confidences', 'instructions', 'intrinsics', 'rows']
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


# --- methods of NamedTuples in compiled code -----------------------------------------------------


class _Methods(AttributeTemplate):
    """The methods of a NamedTuple's class, as attributes of its values in compiled code."""

    key = types.BaseNamedTuple

    def generic_resolve(self, record: Any, name: str) -> Any:  # type: ignore[override]
        method = inspect.getattr_static(record.instance_class, name, None)
        if name in record.fields or not isinstance(method, FunctionType):
            return None
        return _BoundMethod(record, _subroutine_of(method, record.instance_class))


class _MethodTemplate(AbstractTemplate):
    """The type of a method: that of its subroutine, called with the NamedTuple first."""

    key = "method of a NamedTuple"
    this: Any  # the type of the NamedTuple
    subroutine: Any

    def generic(self, args: Any, kws: Any) -> Any:
        function = types.Dispatcher(self.subroutine)
        signature = function.get_call_type(self.context, (self.this, *args), kws)
        return signature and signature.as_method()


class _BoundMethod(types.BoundFunction):
    """A method of a NamedTuple; numba looks its machine code up by that of its subroutine."""

    def __init__(self, record: Any, subroutine: Any) -> None:
        members = {"subroutine": staticmethod(subroutine)}  # numba binds dispatchers as methods
        super().__init__(type("_Method", (_MethodTemplate,), members), record)
        self.subroutine = subroutine

    @property
    def key(self) -> Any:
        return self.this, self.subroutine

    def unify(self, typingctx: Any, other: Any) -> None:
        """Return None: a variable cannot stand for one method or another."""

    def get_impl_key(self, sig: Any) -> Any:
        return self.subroutine.get_overload(sig.args)


@functools.cache
def _subroutine_of(method: FunctionType, kind: type) -> Any:
    """Return a method as a subroutine; a method of a user's class may allocate."""
    return subroutine(method, forceinline=True, _nrt=not is_library_class(kind))


# numba asks whether a method has a receiver by its truth: a type without fields must be true, too.
types.BaseNamedTuple.__bool__ = lambda self: True  # type: ignore[attr-defined]
register_model(_BoundMethod)(models.OpaqueModel)
builtin_registry.register_attr(_Methods)
