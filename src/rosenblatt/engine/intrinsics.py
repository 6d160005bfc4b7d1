"""LLVM intrinsics: prefetch, unchecked indexing, 64- and 128-bit words, and SIMD lanes.

Each has a twin in plain Python with the same bits, for ``NUMBA_DISABLE_JIT=1``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.extending import intrinsic, models, overload, register_model

LANES = 8
"""Number of classes in one SIMD vector: multi-class weights are padded to a multiple of it."""


def _choose(plain: Callable[..., Any], instruction: Any) -> Any:
    """Return ``instruction``, or its twin in plain Python if nothing is compiled."""
    return plain if config.DISABLE_JIT else instruction  # type: ignore[attr-defined]


# --- prefetch ------------------------------------------------------------------------------------

CACHE_LINE = 64
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


prefetch = _choose(_plain_prefetch, _prefetch)
"""``prefetch(array, position)``: load the cache line of ``array[position]`` into the cache. A hint:
it changes no result, may point out of bounds, and does nothing in plain Python.
"""


# --- at ------------------------------------------------------------------------------------------


def at(array: Any, position: int) -> Any:
    """Return ``array[position]`` for a position that is never negative.

    Compiled ``array[position]`` tests each time for a negative position; in a loop over sparse rows
    the test costs more than the arithmetic.

    Examples
    --------
    >>> at([3, 4], 1)
    4
    """
    return array[position]


@overload(at)
def _at(array, position):
    return lambda array, position: _load(array, position)  # type: ignore[call-arg]


@intrinsic
def _load(typing_context, array, position):
    def generate(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load(builder.gep(data, [args[1]]))

    return array.dtype(array, types.intp), generate


# --- words: eight bytes at once, and their bits --------------------------------------------------
# Integers are the signed 64 bits of compiled code. Where the bits are unsigned (``w`` and
# products), the integers of the twins are not negative.

_I64, _I128 = ir.IntType(64), ir.IntType(128)
_BITS_64 = 2**64 - 1


def _plain_load_int64(text: Any, position: int) -> int:
    return int.from_bytes(text[position : position + 8].tobytes(), "little", signed=True)


def _plain_trailing_zeros(x: int) -> int:
    x &= _BITS_64
    return (x & -x).bit_length() - 1 if x else 64


def _plain_leading_zeros(x: int) -> int:
    return 64 - x.bit_length()


def _plain_multiply_high(w: int, high: Any, low: Any) -> tuple[int, int]:
    upper = w * int(high) + (w * int(low) >> 64)
    return upper >> 64, upper & _BITS_64


def _plain_float_from_bits(bits: int) -> float:
    return float(np.int64(bits).view(np.float64))


@intrinsic
def _load_int64(typing_context, text, position):
    def generate(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        address = builder.bitcast(builder.gep(data, [args[1]]), _I64.as_pointer())
        return builder.load(address, align=1)

    return types.int64(text, types.intp), generate


@intrinsic
def _trailing_zeros(typing_context, x):
    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.IntType(1)(0))

    return types.int64(types.int64), generate


@intrinsic
def _leading_zeros(typing_context, x):
    def generate(context, builder, signature, args):
        return builder.ctlz(args[0], ir.IntType(1)(0))

    return types.int64(types.int64), generate


@intrinsic
def _multiply_high(typing_context, w, high, low):
    def generate(context, builder, signature, args):
        w_wide, high_wide, low_wide = (builder.zext(part, _I128) for part in args)
        carried = builder.lshr(builder.mul(w_wide, low_wide), _I128(64))
        upper = builder.add(builder.mul(w_wide, high_wide), carried)
        halves = [builder.trunc(part, _I64) for part in (builder.lshr(upper, _I128(64)), upper)]
        return context.make_tuple(builder, signature.return_type, halves)

    return types.UniTuple(types.int64, 2)(types.int64, types.uint64, types.uint64), generate


@intrinsic
def _float_from_bits(typing_context, bits):
    def generate(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), generate


load_int64: Callable[[Any, int], int] = _choose(_plain_load_int64, _load_int64)
"""``load_int64(text, position)``: the eight bytes ``text[position : position + 8]`` as one
integer, the first byte lowest. They must all be there.
"""

trailing_zeros: Callable[[int], int] = _choose(_plain_trailing_zeros, _trailing_zeros)
"""``trailing_zeros(x)``: the number of zero bits below the lowest bit that is one, 64 for 0."""

leading_zeros: Callable[[int], int] = _choose(_plain_leading_zeros, _leading_zeros)
"""``leading_zeros(w)``: the number of zero bits above the highest bit that is one, 64 for 0."""

multiply_high: Callable[[int, Any, Any], tuple[int, int]] = _choose(
    _plain_multiply_high, _multiply_high
)
"""``multiply_high(w, high, low)``: the 128 highest of the 192 bits of w · (high · 2⁶⁴ + low),
without signs, in two halves.
"""

float_from_bits: Callable[[int], float] = _choose(_plain_float_from_bits, _float_from_bits)
"""``float_from_bits(bits)``: the float64 that has these bits."""


# --- lanes: several sums at once -----------------------------------------------------------------
# A Lanes value is one to four vectors of float64 sums in registers, one class per lane. Every lane
# adds in the order of the source, so the result is that of the scalar loop to the last bit, on any
# machine; lanes never mix, so no fast-math flag is needed.

_SUMS = ir.VectorType(ir.DoubleType(), LANES)


class _Lanes(types.Type):
    def __init__(self, blocks: int) -> None:
        self.blocks = blocks
        super().__init__(f"Lanes({blocks})")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: _Lanes) -> None:
        super().__init__(manager, kind, ir.ArrayType(_SUMS, kind.blocks))


def _plain_zeros(blocks: int) -> Callable[[], Any]:
    return lambda: np.zeros(blocks * LANES)


def _plain_muladd(sums: Any, x: Any, W: Any, j: int, k: int) -> Any:
    return sums + (W.dtype.type(x) * W[j, k : k + len(sums)]).astype(np.float64)


def _plain_store_lanes(sums: Any, dots: Any, r: int, k: int) -> None:
    dots[r, k : k + len(sums)] = sums


def _plain_axpy_lanes(x: Any, steps: Any, W: Any, j: int, k: int) -> None:
    here = slice(k, k + LANES)
    W[j, here] = W[j, here].astype(np.float64) + float(x) * steps[here]


def _zeros(blocks: int) -> Any:
    @intrinsic
    def zeros(typing_context):
        result = _Lanes(blocks)

        def generate(context, builder, signature, args):
            return ir.Constant(context.get_value_type(result), None)

        return result(), generate

    return zeros


def _block_address(context, builder, matrix_type, matrix, j, k):
    """Return the address of ``matrix[j, k : k + LANES]``, and its guaranteed alignment."""
    array = context.make_array(matrix_type)(context, builder, matrix)
    columns = builder.extract_value(array.shape, array.shape.type.count - 1)
    address = builder.gep(array.data, [builder.add(builder.mul(j, columns), k)])
    vector = ir.VectorType(array.data.type.pointee, LANES)
    return builder.bitcast(address, vector.as_pointer()), matrix_type.dtype.bitwidth // 8


def _broadcast(builder, value):
    """Return a vector with ``value`` in every lane."""
    nothing = ir.Constant(ir.VectorType(value.type, LANES), ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    lanes_of_first = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, nothing, lanes_of_first)


@intrinsic
def _muladd(typing_context, sums, x, W, j, k):
    def generate(context, builder, signature, args):
        total, x_value, *position = args
        pointer, align = _block_address(context, builder, signature.args[2], *position)
        x_everywhere = _broadcast(builder, x_value)
        for block in range(signature.args[0].blocks):
            here = builder.gep(pointer, [ir.IntType(64)(block)])
            term = builder.fmul(x_everywhere, builder.load(here, align=align))
            if term.type != _SUMS:
                term = builder.fpext(term, _SUMS)
            added = builder.fadd(builder.extract_value(total, block), term)
            total = builder.insert_value(total, added, block)
        return total

    return sums(sums, W.dtype, W, types.intp, types.intp), generate


@intrinsic
def _store_lanes(typing_context, sums, dots, r, k):
    def generate(context, builder, signature, args):
        value, *position = args
        pointer, align = _block_address(context, builder, signature.args[1], *position)
        for block in range(signature.args[0].blocks):
            here = builder.gep(pointer, [ir.IntType(64)(block)])
            builder.store(builder.extract_value(value, block), here, align=align)
        return context.get_dummy_value()

    return types.void(sums, dots, types.intp, types.intp), generate


@intrinsic
def _axpy_lanes(typing_context, x, steps, W, j, k):
    def generate(context, builder, signature, args):
        x_value, step_array, matrix, row, column = args
        zero = ir.Constant(row.type, 0)
        source, align = _block_address(
            context, builder, signature.args[1], step_array, zero, column
        )
        x_value = context.cast(builder, x_value, signature.args[0], types.float64)
        products = builder.fmul(_broadcast(builder, x_value), builder.load(source, align=align))
        pointer, align = _block_address(context, builder, signature.args[2], matrix, row, column)
        weights = builder.load(pointer, align=align)
        if weights.type == products.type:
            builder.store(builder.fadd(weights, products), pointer, align=align)
        else:
            total = builder.fadd(builder.fpext(weights, products.type), products)
            builder.store(builder.fptrunc(total, weights.type), pointer, align=align)
        return context.get_dummy_value()

    return types.void(x, steps, W, types.intp, types.intp), generate


zeros_x1 = _choose(_plain_zeros(1), _zeros(1))
"""``zeros_x1()``: ``LANES`` sums, all zero."""

zeros_x2 = _choose(_plain_zeros(2), _zeros(2))
"""``zeros_x2()``: ``2 * LANES`` sums, all zero."""

zeros_x3 = _choose(_plain_zeros(3), _zeros(3))
"""``zeros_x3()``: ``3 * LANES`` sums, all zero."""

zeros_x4 = _choose(_plain_zeros(4), _zeros(4))
"""``zeros_x4()``: ``4 * LANES`` sums, all zero."""

muladd = _choose(_plain_muladd, _muladd)
"""``muladd(sums, x, W, j, k)``: ``sums + x * W[j, k : k + width]``, the products in the weights'
type, the sums in float64.
"""

store_lanes = _choose(_plain_store_lanes, _store_lanes)
"""``store_lanes(sums, dots, r, k)``: ``dots[r, k : k + width] = sums``."""

axpy_lanes = _choose(_plain_axpy_lanes, _axpy_lanes)
"""``axpy_lanes(x, steps, W, j, k)``: ``W[j, k : k + LANES] += x * steps[k : k + LANES]``, in
float64 and rounded once.
"""
