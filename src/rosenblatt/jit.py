"""How plain Python becomes machine code: the hooks, the cache, the prefetch and the lanes.

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
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, overload_method, register_model

F = TypeVar("F", bound=Callable[..., Any])

LANES = 8
"""How many classes are scored side by side: the width of a multi-class weight row's blocks."""


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
    try:
        return numba.njit(**options)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # "cannot cache function …: no locator available"
        return numba.njit(**{**options, "cache": False})(function)  # type: ignore[no-any-return]


def compiled_for(function: F, kinds: tuple[type, ...]) -> F:
    """:func:`compiled` for a loop that is specialised on ``kinds``, with a cache index of its own.

    numba names every class in the index of a cached function, and cannot read the index where one
    of them cannot be imported. With one index for each combination, a rule that only one program
    has never stands in another's way. Classes of ``__main__`` are found again by no other
    process, so loops over them are not cached.

    Parameters
    ----------
    function : callable
    kinds : tuple of type
    """
    function.__qualname__ = ".".join([function.__name__, *map(_short_name, kinds)])
    return compiled(function, cache=all(kind.__module__ != "__main__" for kind in kinds))


def _short_name(kind: type) -> str:
    home = kind.__module__
    if home.startswith("rosenblatt."):
        return kind.__qualname__
    return f"{kind.__qualname__}_{hashlib.sha256(home.encode()).hexdigest()[:12]}"


@cache
def fingerprint(*classes: type) -> str:
    """Digest of the code that a loop inlines: it changes whenever one of the classes does.

    numba's disk cache watches only the file of the loop itself. A loop that keeps this digest in
    a closure cell is compiled anew after an edit of a rule, of the rows or of this module. A class
    whose source file cannot be read (made in a notebook or by ``exec``) counts by its bytecode.

    Parameters
    ----------
    *classes : type
        The NamedTuple classes whose methods are inlined.
    """
    digest = hashlib.sha256(_source(sys.modules[__name__]))
    for cls in classes:
        digest.update(f"{cls.__module__}.{cls.__qualname__}".encode())
        digest.update(_class_code(cls))
    return digest.hexdigest()


def _source(thing: Any) -> bytes:
    return inspect.getsource(thing).encode()


def _class_code(cls: type) -> bytes:
    module = sys.modules.get(cls.__module__)
    if module is not None and cls.__module__ != "__main__":
        try:
            return _source(module)
        except (OSError, TypeError):
            pass
    codes = [f.__code__ for name, f in sorted(vars(cls).items()) if inspect.isfunction(f)]
    return repr([(c.co_code, c.co_consts, c.co_names) for c in codes]).encode()


# --- hooks: methods of NamedTuples in compiled code ----------------------------------------------
# numba matches a hook with the method by the names of the arguments: a misnamed argument of a rule
# is an error when it is compiled, never a silent mix-up. These signatures are the protocol.


def _bare(method: FunctionType) -> FunctionType:
    """``method`` without its annotations, which numba would compare with those of the hook."""
    return FunctionType(method.__code__, method.__globals__, method.__name__)


def _hook(finder: Callable[..., Any]) -> None:
    overload_method(types.BaseNamedTuple, finder.__name__, inline="always")(finder)


def step(self, score, y, sqnorm):  # type: ignore[no-untyped-def]  # rules
    return _bare(self.instance_class.step)


def loss(self, score, y):  # type: ignore[no-untyped-def]  # rules
    return _bare(self.instance_class.loss)


def ahead(self, order, n):  # type: ignore[no-untyped-def]  # rows
    return _bare(self.instance_class.ahead)


def see(self, i, w):  # type: ignore[no-untyped-def]  # rows
    return _bare(self.instance_class.see)


def add(self, i, tau, w):  # type: ignore[no-untyped-def]  # rows
    return _bare(self.instance_class.add)


def sqnorm(self, i):  # type: ignore[no-untyped-def]  # rows
    return _bare(self.instance_class.sqnorm)


def block(self):  # type: ignore[no-untyped-def]  # rows
    return _bare(self.instance_class.block)


def see_one(self, i, W, dots, r):  # type: ignore[no-untyped-def]  # rows
    return _bare(self.instance_class.see_one)


def see_block(self, order, n, W, dots):  # type: ignore[no-untyped-def]  # rows
    return _bare(self.instance_class.see_block)


def add_all(self, i, steps, W):  # type: ignore[no-untyped-def]  # rows
    return _bare(self.instance_class.add_all)


def truncate(self, i, W, Q, k, total, scale, U, area):  # type: ignore[no-untyped-def]  # rows
    return _bare(self.instance_class.truncate)


def decay(self):  # type: ignore[no-untyped-def]  # penalties
    return _bare(self.instance_class.decay)


def truncation(self):  # type: ignore[no-untyped-def]  # penalties
    return _bare(self.instance_class.truncation)


def decide(  # type: ignore[no-untyped-def]  # schemes
    self, scores, label, sqnorm, rule, tie, active, own, rest, taus, losses, mistakes
):
    return _bare(self.instance_class.decide)


for _finder in (
    *(step, loss),
    *(ahead, see, add, sqnorm, block, see_one, see_block, add_all, truncate),
    *(decay, truncation),
    decide,
):
    _hook(_finder)


# --- instructions that Python has no word for ----------------------------------------------------


def _either(plain: Callable[..., Any], instruction: Any) -> Any:
    """``instruction``, or its twin in plain Python where nothing is compiled."""
    return plain if numba.config.DISABLE_JIT else instruction


# --- prefetch ------------------------------------------------------------------------------------

LINE = 64
"""Bytes in a cache line."""


def _plain_prefetch(array: Any, position: int) -> None:
    pass


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch(typing_context, array, position):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        address = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(8).as_pointer())
        i32 = ir.IntType(32)
        function = builder.module.declare_intrinsic(
            "llvm.prefetch",
            [address.type],
            ir.FunctionType(ir.VoidType(), [address.type, i32, i32, i32]),
        )
        read, keep, data_cache = i32(0), i32(3), i32(1)
        builder.call(function, [address, read, keep, data_cache])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


prefetch = _either(_plain_prefetch, _prefetch)
"""``prefetch(array, position)``: ask the memory for the cache line of ``array[position]`` before it
is needed. A hint: it changes no result, reads nothing out of bounds, and plain Python ignores it.
"""


# --- lanes: a few sums side by side --------------------------------------------------------------
# A Lanes value is a short vector of float64 sums, one class a lane, kept in a register. Every lane
# adds in the order of the source, so the result is that of the scalar loop to the last bit, on any
# machine; and because no two lanes ever mix, no fast-math flag is needed.


class _Lanes(types.Type):  # type: ignore[misc]
    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(f"Lanes({width})")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, lanes: _Lanes) -> None:
        super().__init__(manager, lanes, ir.VectorType(ir.DoubleType(), lanes.width))


def _plain_lanes() -> Any:
    return np.zeros(LANES)


def _plain_lanes_twice() -> Any:
    return np.zeros(2 * LANES)


def _plain_muladd(sums: Any, x: Any, W: Any, j: int, k: int) -> Any:
    return sums + (W.dtype.type(x) * W[j, k : k + len(sums)]).astype(np.float64)


def _plain_put(sums: Any, dots: Any, r: int, k: int) -> None:
    dots[r, k : k + len(sums)] = sums


def _plain_move(x: Any, steps: Any, W: Any, j: int, k: int) -> None:
    here = slice(k, k + LANES)
    W[j, here] = W[j, here].astype(np.float64) + float(x) * steps[here]


def _zeros(width: int) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def zeros(typing_context):  # type: ignore[no-untyped-def]
        result = _Lanes(width)

        def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
            return ir.Constant(context.get_value_type(result), [0.0] * width)

        return result(), generate

    return zeros


def _block(context, builder, matrix_type, matrix, j, k, width):  # type: ignore[no-untyped-def]
    """Address of ``matrix[j, k : k + width]`` as one vector, and the alignment it surely has."""
    array = context.make_array(matrix_type)(context, builder, matrix)
    columns = builder.extract_value(array.shape, array.shape.type.count - 1)
    address = builder.gep(array.data, [builder.add(builder.mul(j, columns), k)])
    vector = ir.VectorType(array.data.type.pointee, width)
    return builder.bitcast(address, vector.as_pointer()), matrix_type.dtype.bitwidth // 8


def _spread(builder, value, width):  # type: ignore[no-untyped-def]
    """A vector with ``value`` in every lane."""
    nothing = ir.Constant(ir.VectorType(value.type, width), ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    lanes_of_first = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)
    return builder.shuffle_vector(first, nothing, lanes_of_first)


@intrinsic  # type: ignore[untyped-decorator]
def _muladd(typing_context, sums, x, W, j, k):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        sums_value, x_value, *place = args
        width = signature.args[0].width
        pointer, align = _block(context, builder, signature.args[2], *place, width)
        weights = builder.load(pointer, align=align)
        product = builder.fmul(_spread(builder, x_value, width), weights)
        if product.type != sums_value.type:
            product = builder.fpext(product, sums_value.type)
        return builder.fadd(sums_value, product)

    return sums(sums, W.dtype, W, types.intp, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def _put(typing_context, sums, dots, r, k):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        value, *place = args
        width = signature.args[0].width
        pointer, align = _block(context, builder, signature.args[1], *place, width)
        builder.store(value, pointer, align=align)
        return context.get_dummy_value()

    return types.void(sums, dots, types.intp, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def _move(typing_context, x, steps, W, j, k):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        x_value, step_array, matrix, row, column = args
        zero = ir.Constant(row.type, 0)
        source, align = _block(
            context, builder, signature.args[1], step_array, zero, column, LANES
        )
        x_value = context.cast(builder, x_value, signature.args[0], types.float64)
        moves = builder.fmul(_spread(builder, x_value, LANES), builder.load(source, align=align))
        pointer, align = _block(context, builder, signature.args[2], matrix, row, column, LANES)
        weights = builder.load(pointer, align=align)
        if weights.type == moves.type:
            builder.store(builder.fadd(weights, moves), pointer, align=align)
        else:
            total = builder.fadd(builder.fpext(weights, moves.type), moves)
            builder.store(builder.fptrunc(total, weights.type), pointer, align=align)
        return context.get_dummy_value()

    return types.void(x, steps, W, types.intp, types.intp), generate


lanes = _either(_plain_lanes, _zeros(LANES))
"""``lanes()``: ``LANES`` sums, all zero."""

lanes_twice = _either(_plain_lanes_twice, _zeros(2 * LANES))
"""``lanes_twice()``: ``2 * LANES`` sums, all zero."""

muladd = _either(_plain_muladd, _muladd)
"""``muladd(sums, x, W, j, k)``: ``sums + x * W[j, k : k + width]``, the products in the weights'
type, the sums in float64.
"""

put = _either(_plain_put, _put)
"""``put(sums, dots, r, k)``: ``dots[r, k : k + width] = sums``."""

move = _either(_plain_move, _move)
"""``move(x, steps, W, j, k)``: ``W[j, k : k + LANES] += x * steps[k : k + LANES]``, in float64 and
rounded once.
"""


@compiled
def rounded(value: float, w: Any) -> float:
    """``value`` rounded to the type of the weights ``w``, as a float64."""
    return np.float64(w.dtype.type(value))
