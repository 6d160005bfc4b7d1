"""When the functions of the engine are compiled: not before their work is worth it.

Everything in the engine is plain Python, and compiled code of the same source gives the same bits.
Compiling takes seconds, so a function runs as plain Python while its work is small: toy data, a
short file, the first rows of a stream. numba is imported when something is compiled, not before.

Two decorators mark the functions. :func:`compiled` is for those that Python calls,
:func:`subroutine` for those that compiled functions call. :mod:`rosenblatt.engine.compiler` turns
both into machine code.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np

from rosenblatt.utils.classes import is_importable, is_library_class, short_name

F = TypeVar("F", bound=Callable[..., Any])

CALL_LIMIT = 0.3
"""Seconds: a call that would take longer as plain Python is compiled. 0: every call is."""

TOTAL_LIMIT = 1.0
"""Seconds that a function may spend as plain Python on arguments of the same types."""

_CACHED, _IMPORTED = 0.3, 0.1  # factors of both limits where machine code is on disk; see _patience

DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
"""Whether everything runs as plain Python."""

compile_seconds = [0.0]
"""Seconds that this process has spent on compiling, and on loading from the disk cache."""

NOTICE_SECONDS = float(os.environ.get("ROSENBLATT_NOTICE_SECONDS", "1"))
"""Seconds of compiling one function after which the logger "rosenblatt" says what it is."""

_STEP = 1e-6  # seconds that plain Python takes for an elementary step: a few operations on numbers


def clock() -> float:
    """Return the seconds of a clock that stands still while something is compiled."""
    return time.perf_counter() - compile_seconds[0]


class Compiled:
    """A function that runs as plain Python while its work is small, and compiled from then on.

    Parameters
    ----------
    function : callable
        A function of scalars, arrays and NamedTuples.
    work : callable, optional
        ``work(*arguments)`` estimates the number of elementary steps of a call, each about a
        microsecond of plain Python. Default: the number of elements of all arrays.
    plain : callable, optional
        NumPy code with the same bits, to call instead of the function as plain Python.
    cache : bool, default True
        Whether machine code is kept on disk.
    fallback : bool, default False
        Whether the function runs as plain Python, with a warning, if numba cannot compile it.
    **options
        Further options of ``numba.njit``.

    Attributes
    ----------
    py_func : callable
        The function itself.

    Examples
    --------
    >>> double = Compiled(lambda x: 2 * x)
    >>> double(21)
    42
    """

    def __init__(
        self,
        function: Callable[..., Any],
        work: Callable[..., float] | None = None,
        *,
        plain: Callable[..., Any] | None = None,
        cache: bool = True,
        fallback: bool = False,
        **options: Any,
    ) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self._plain = function, plain or function
        self._work = work or element_count
        self._options = {"cache": cache, **options}
        self._seconds: dict[Hashable, float] = {}  # of plain Python, by types of arguments
        self._loaded: set[Hashable] = set()  # types whose machine code is in this process
        self._fallback = fallback
        self._refused = False  # True once numba could not compile it

    def __call__(self, *arguments: Any) -> Any:
        """Call the function, compiled or not."""
        types = _types(arguments)
        if DISABLED or types not in self._loaded:
            if self.is_small(types, self._work(*arguments)):
                return self.interpret(types, arguments)
            self.load(types, arguments)
            if self._refused:
                return self.interpret(types, arguments)
        return self.dispatcher(*arguments)

    def is_small(self, types: Hashable, steps: float) -> bool:
        """Return True if a call of so many steps is to run as plain Python."""
        if DISABLED or self._refused:
            return True
        seconds, factor = steps * _STEP, self._patience()
        if types in self._loaded or seconds >= CALL_LIMIT * factor:
            return False
        return self._seconds.get(types, 0.0) + seconds < TOTAL_LIMIT * factor

    def _patience(self) -> float:
        """Return the factor of the limits: to load costs less than to compile."""
        if not self._is_on_disk:
            return 1.0
        return _IMPORTED if "numba" in sys.modules else _CACHED

    @functools.cached_property
    def _is_on_disk(self) -> bool:
        """True if the disk cache has machine code of the function, for whatever types."""
        if not self._options["cache"]:
            return False
        folder, file = os.path.split(self.py_func.__code__.co_filename)
        return f"{os.path.splitext(file)[0]}.{self.py_func.__qualname__}" in _names_on_disk(folder)

    def interpret(self, types: Hashable, arguments: tuple[Any, ...]) -> Any:
        """Call the function as plain Python, and count the time."""
        start = time.perf_counter()
        try:
            with uninterrupted(), np.errstate(all="ignore"):
                return _as_python(self._plain(*arguments))
        finally:
            seconds = time.perf_counter() - start
            self._seconds[types] = self._seconds.get(types, 0.0) + seconds

    def load(self, types: Hashable, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """Compile the function for these types, or load it from disk; return the machine code.

        The code takes arguments of exactly these types and does not check them; the checks are most
        of what a call on one row costs: 0.5 µs remain of 5 for a record of twenty arrays.
        """
        if types in self._loaded:
            compiled = self.dispatcher.overloads.get(self._signature(arguments))
            if compiled is not None:
                return compiled.entry_point  # type: ignore[no-any-return]
        with _lock:
            start = time.perf_counter()
            seconds = min(NOTICE_SECONDS, threading.TIMEOUT_MAX)
            notice = threading.Timer(seconds, self._log_compilation)
            notice.daemon = True
            try:
                dispatcher = self.dispatcher
                notice.start()
                code = dispatcher.compile(self._signature(arguments))
                self._loaded.add(types)
            except load_compiler().CompilationError as error:
                if not self._fallback:
                    raise
                self._refused = True
                warnings.warn(
                    f"numba cannot compile {self.py_func.__qualname__}. It runs as plain "
                    f"Python, which is slow: {error}",
                    RuntimeWarning,
                    stacklevel=2,
                )
                return lambda *arguments: self.interpret(types, arguments)
            finally:
                notice.cancel()
                compile_seconds[0] += time.perf_counter() - start
        return code  # type: ignore[no-any-return]

    def _signature(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return numba's types of arguments."""
        return tuple(map(self.dispatcher.typeof_pyval, arguments))

    def _log_compilation(self) -> None:
        """Say on standard error, where nobody handles the logger, that compiling takes a while."""
        module = sys.modules[self.py_func.__module__].__doc__ or self.py_func.__module__
        subject = re.split(r"[:.\n]", module, maxsplit=1)[0]
        once = ", once on this machine" if self._options["cache"] else ""
        logging.getLogger("rosenblatt").warning(
            "compiling for some seconds%s: %s (%s).", once, subject, self.py_func.__qualname__
        )

    def __reduce__(self) -> str:
        """Pickle a decorated function by its name, as Python does."""
        return self.py_func.__qualname__

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The function as numba calls it."""
        return load_compiler().dispatcher(self.py_func, **self._options)


def compiled(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Decorate a function that Python calls, see :class:`Compiled`.

    Examples
    --------
    >>> @compiled
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    if function is None:
        return functools.partial(Compiled, **options)
    return Compiled(function, **options)


_subroutines: dict[Callable[..., Any], dict[str, Any]] = {}  # that the compiler does not know yet
_lock = threading.RLock()


def subroutine(function: F, **options: Any) -> F:
    """Mark a function that compiled functions call; return it, as it is.

    Parameters
    ----------
    function : callable
    **options
        Options of ``numba.njit``.

    Examples
    --------
    >>> subroutine(lambda i: i + 1)(1)
    2
    """
    _subroutines[function] = options
    return function


inlined = functools.partial(subroutine, _nrt=False, forceinline=True)
"""Decorator of a part of a loop; it counts no references. Inlined, its results stay in registers; a
call would pass them through memory, which halves the speed of a text parser."""

called = functools.partial(subroutine, _nrt=False)
"""The same for a part that is called."""


@functools.cache
def specialised(
    function: Callable[..., Any],
    kinds: tuple[type, ...],
    work: Callable[..., float] | None = None,
) -> Compiled:
    """:class:`Compiled` for a loop that inlines the methods of ``kinds``.

    numba names every class in the cache index of a function, and cannot read the index where one
    of them cannot be imported. With one index for each combination, a rule that only one program
    has does not disturb the others. Classes of ``__main__`` cannot be imported by another process,
    so loops over them are not cached.

    The loop is compiled without reference counts, which cost more than a sparse row's arithmetic:
    the loop and what it inlines allocate nothing. A rule from outside this library may allocate:
    with one, references are counted. numba may be unable to compile such a rule: then the loop runs
    as plain Python.

    Parameters
    ----------
    function : callable
    kinds : tuple of type
    work : callable, optional
        As for :class:`Compiled`.
    """
    loop = FunctionType(function.__code__, function.__globals__, function.__name__)
    loop.__qualname__ = ".".join([function.__name__, *map(short_name, kinds)])
    importable = all(map(is_importable, kinds))
    counted = not all(map(is_library_class, kinds))
    return Compiled(loop, work, cache=importable, fallback=counted, _nrt=counted)


def entry_point(function: Compiled, arguments: tuple[Any, ...], steps: float) -> Callable[..., Any]:
    """Return ``function`` for arguments of exactly these types, to be called many times.

    Parameters
    ----------
    function : Compiled
    arguments : tuple
        Example arguments.
    steps : float
        Elementary steps of one call, see :class:`Compiled`.

    Examples
    --------
    >>> double = Compiled(lambda x: 2 * x)
    >>> entry_point(double, (21,), 1)(4)
    8
    """
    types = _types(arguments)
    code: Callable[..., Any] | None = None

    def call(*arguments: Any) -> Any:
        nonlocal code
        if code is None:
            if function.is_small(types, steps):
                return function.interpret(types, arguments)
            code = function.load(types, arguments)
        return code(*arguments)

    return call


@contextmanager
def compile_all() -> Iterator[None]:
    """Compile every function at its first call in the block, however small its work."""
    global CALL_LIMIT
    limit, CALL_LIMIT = CALL_LIMIT, 0.0
    try:
        yield
    finally:
        CALL_LIMIT = limit


def element_count(*arguments: Any) -> int:
    """Return the number of elements of all arrays.

    Examples
    --------
    >>> element_count(np.zeros((2, 3)), (np.zeros(4), 1.0))
    10
    """
    count = 0
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            count += argument.size
        elif isinstance(argument, tuple):
            count += element_count(*argument)
    return count


@functools.cache
def _names_on_disk(folder: str) -> set[str]:
    """Return the functions of a folder's modules that numba has cached, as ``module.function``."""
    cache = os.path.join(folder, "__pycache__")
    if root := os.environ.get("NUMBA_CACHE_DIR"):
        digest = hashlib.sha1(folder.encode(), usedforsecurity=False).hexdigest()
        cache = os.path.join(root, f"{os.path.basename(folder)}_{digest}")
    try:
        return {name.rpartition("-")[0] for name in os.listdir(cache) if name.endswith(".nbi")}
    except OSError:
        return set()


def load_compiler() -> ModuleType:
    """Import the compiler, and tell it which plain functions are subroutines."""
    with _lock:
        from rosenblatt.engine import compiler

        for function in list(_subroutines):
            compiler.add_subroutine(function, _subroutines[function])
            del _subroutines[function]
    return compiler


def _types(arguments: tuple[Any, ...]) -> Hashable:
    """Return what machine code depends on: the types of arguments, and of the arrays in them."""
    types: list[Any] = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            types.append((argument.dtype.char, argument.ndim, argument.flags.writeable))
        elif isinstance(argument, tuple):
            types += [type(argument), _types(argument)]
        else:
            types.append(type(argument))
    return tuple(types)


def _as_python(result: Any) -> Any:
    """Return a result of plain Python as compiled code returns it: with Python's numbers."""
    if isinstance(result, np.generic):
        return result.item()
    if isinstance(result, tuple):
        parts = map(_as_python, result)
        return result._make(parts) if hasattr(result, "_make") else tuple(parts)
    return result


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C to the end of the block: as in compiled code, no row is left half learned."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    pressed: list[Any] = []
    signal.signal(signal.SIGINT, lambda *arguments: pressed.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if pressed:
            handler(*pressed[0])
