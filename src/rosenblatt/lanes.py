"""Instructions that Python has no word for: prefetching, and sums side by side.

A lanes value is a short vector of float64 sums, one class a lane, kept in a register. Every lane
adds in the order of the source, so the result is that of the scalar loop to the last bit, on any
machine; and because no two lanes ever mix, no fast-math flag is needed. Where numba is told to
compile nothing, twins in plain Python stand in, with the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.extending import intrinsic, models, register_model

LANES = 8
"""How many classes are scored side by side: the width of a multi-class weight row's blocks."""


def _either(plain: Callable[..., Any], instruction: Any) -> Any:
    """``instruction``, or its twin in plain Python where nothing is compiled."""
    return plain if config.DISABLE_JIT else instruction  # type: ignore[attr-defined]


# --- prefetch ------------------------------------------------------------------------------------

LINE = 64
"""Bytes in a cache line."""


def _plain_prefetch(array: Any, position: int) -> None:
    pass


@intrinsic
def _prefetch(typing_context, array, position):
    def generate(context, builder, signature, args):
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


class _Lanes(types.Type):
    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(f"Lanes({width})")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
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
    @intrinsic
    def zeros(typing_context):
        result = _Lanes(width)

        def generate(context, builder, signature, args):
            return ir.Constant(context.get_value_type(result), [0.0] * width)

        return result(), generate

    return zeros


def _block(context, builder, matrix_type, place, width):
    """Address of ``matrix[j, k : k + width]``, place = (matrix, j, k), and its sure alignment."""
    matrix, j, k = place
    array = context.make_array(matrix_type)(context, builder, matrix)
    columns = builder.extract_value(array.shape, array.shape.type.count - 1)
    address = builder.gep(array.data, [builder.add(builder.mul(j, columns), k)])
    vector = ir.VectorType(array.data.type.pointee, width)
    return builder.bitcast(address, vector.as_pointer()), matrix_type.dtype.bitwidth // 8


def _spread(builder, value, width):
    """A vector with ``value`` in every lane."""
    nothing = ir.Constant(ir.VectorType(value.type, width), ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    lanes_of_first = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)
    return builder.shuffle_vector(first, nothing, lanes_of_first)


@intrinsic
def _muladd(typing_context, sums, x, W, j, k):
    def generate(context, builder, signature, args):
        sums_value, x_value, *place = args
        width = signature.args[0].width
        pointer, align = _block(context, builder, signature.args[2], place, width)
        weights = builder.load(pointer, align=align)
        product = builder.fmul(_spread(builder, x_value, width), weights)
        if product.type != sums_value.type:
            product = builder.fpext(product, sums_value.type)
        return builder.fadd(sums_value, product)

    return sums(sums, W.dtype, W, types.intp, types.intp), generate


@intrinsic
def _put(typing_context, sums, dots, r, k):
    def generate(context, builder, signature, args):
        value, *place = args
        width = signature.args[0].width
        pointer, align = _block(context, builder, signature.args[1], place, width)
        builder.store(value, pointer, align=align)
        return context.get_dummy_value()

    return types.void(sums, dots, types.intp, types.intp), generate


@intrinsic
def _move(typing_context, x, steps, W, j, k):
    def generate(context, builder, signature, args):
        x_value, step_array, matrix, row, column = args
        zero = ir.Constant(row.type, 0)
        source, align = _block(
            context, builder, signature.args[1], (step_array, zero, column), LANES
        )
        x_value = context.cast(builder, x_value, signature.args[0], types.float64)
        moves = builder.fmul(_spread(builder, x_value, LANES), builder.load(source, align=align))
        pointer, align = _block(context, builder, signature.args[2], (matrix, row, column), LANES)
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
