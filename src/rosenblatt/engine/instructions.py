"""The instructions behind :mod:`rosenblatt.engine.intrinsics`, as LLVM code for numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

from rosenblatt.engine import intrinsics
from rosenblatt.engine.intrinsics import LANES

_I64, _I128 = ir.IntType(64), ir.IntType(128)


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


@intrinsic
def _load(typing_context, array, position):
    def generate(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load(builder.gep(data, [args[1]]))

    return array.dtype(array, types.intp), generate


@intrinsic
def _copy_to(typing_context, target, row, source):
    def generate(context, builder, signature, args):
        to = context.make_array(signature.args[0])(context, builder, args[0])
        array = context.make_array(signature.args[2])(context, builder, args[2])
        start = builder.gep(to.data, [builder.mul(args[1], array.nitems)])
        cgutils.raw_memcpy(builder, start, array.data, array.nitems, array.itemsize)
        return context.get_dummy_value()

    return types.void(target, types.intp, source), generate


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


# --- lanes ---------------------------------------------------------------------------------------
# A Lanes value is one to four vectors of float64 sums in registers. Lanes never mix, so no
# fast-math flag is needed.

_SUMS = ir.VectorType(ir.DoubleType(), LANES)


class _Lanes(types.Type):
    def __init__(self, blocks: int) -> None:
        self.blocks = blocks
        super().__init__(f"Lanes({blocks})")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: _Lanes) -> None:
        super().__init__(manager, kind, ir.ArrayType(_SUMS, kind.blocks))


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


def _load_block(context, builder, array_type, array, k):
    """Return ``array[k : k + LANES]`` of a float64 array."""
    data = context.make_array(array_type)(context, builder, array).data
    address = builder.bitcast(builder.gep(data, [k]), _SUMS.as_pointer())
    return builder.load(address, align=array_type.dtype.bitwidth // 8)


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
def _muladd_pairs(typing_context, sums, a, b, j):
    def generate(context, builder, signature, args):
        total, *arrays, position = args
        for block in range(signature.args[0].blocks):
            first = builder.add(position, ir.IntType(64)(block * LANES))
            factors = []
            for kind, array in zip(signature.args[1:3], arrays, strict=True):
                factors.append(_load_block(context, builder, kind, array, first))
            added = builder.fadd(builder.extract_value(total, block), builder.fmul(*factors))
            total = builder.insert_value(total, added, block)
        return total

    if a.dtype != types.float64 or b.dtype != types.float64:
        return None
    return sums(sums, a, b, types.intp), generate


@intrinsic
def _sum_lanes(typing_context, sums):
    def generate(context, builder, signature, args):
        vectors = [
            builder.extract_value(args[0], block) for block in range(signature.args[0].blocks)
        ]
        while len(vectors) > 1:
            half = len(vectors) // 2
            pairs = zip(vectors[:half], vectors[half:], strict=True)
            vectors = [builder.fadd(one, other) for one, other in pairs]
        index = ir.IntType(32)
        lanes = [builder.extract_element(vectors[0], index(lane)) for lane in range(LANES)]
        while len(lanes) > 1:
            half = len(lanes) // 2
            pairs = zip(lanes[:half], lanes[half:], strict=True)
            lanes = [builder.fadd(one, other) for one, other in pairs]
        return lanes[0]

    return types.float64(sums), generate


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
def _load_lanes(typing_context, array, k):
    def generate(context, builder, signature, args):
        nothing = ir.Constant(context.get_value_type(signature.return_type), ir.Undefined)
        return builder.insert_value(nothing, _load_block(context, builder, array, *args), 0)

    if array.dtype != types.float64:
        return None
    return _Lanes(1)(array, types.intp), generate


@intrinsic
def _axpy_lanes(typing_context, x, steps, W, j, k):
    def generate(context, builder, signature, args):
        x_value, step_lanes, *position = args
        x_value = context.cast(builder, x_value, signature.args[0], types.float64)
        steps_value = builder.extract_value(step_lanes, 0)
        products = builder.fmul(_broadcast(builder, x_value), steps_value)
        pointer, align = _block_address(context, builder, signature.args[2], *position)
        weights = builder.load(pointer, align=align)
        if weights.type == products.type:
            builder.store(builder.fadd(weights, products), pointer, align=align)
        else:
            total = builder.fadd(builder.fpext(weights, products.type), products)
            builder.store(builder.fptrunc(total, weights.type), pointer, align=align)
        return context.get_dummy_value()

    return types.void(x, steps, W, types.intp, types.intp), generate


BY_FUNCTION: dict[Callable[..., Any], Any] = {
    intrinsics.at: _load,
    intrinsics.prefetch: _prefetch,
    intrinsics.copy_to: _copy_to,
    intrinsics.load_int64: _load_int64,
    intrinsics.trailing_zeros: _trailing_zeros,
    intrinsics.leading_zeros: _leading_zeros,
    intrinsics.multiply_high: _multiply_high,
    intrinsics.float_from_bits: _float_from_bits,
    intrinsics.zeros_x1: _zeros(1),
    intrinsics.zeros_x2: _zeros(2),
    intrinsics.zeros_x3: _zeros(3),
    intrinsics.zeros_x4: _zeros(4),
    intrinsics.muladd: _muladd,
    intrinsics.muladd_pairs: _muladd_pairs,
    intrinsics.sum_lanes: _sum_lanes,
    intrinsics.store_lanes: _store_lanes,
    intrinsics.load_lanes: _load_lanes,
    intrinsics.axpy_lanes: _axpy_lanes,
}
"""The instruction of each function."""
