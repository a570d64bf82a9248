"""Lanes: 32 numbers that compiled code computes with as one value, in the widest registers that the processor has.

Left to itself, the compiler keeps the sums of a small matrix product in memory and reaches a third of the speed
(docs/experiments/training-speed.md).
"""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic, models, register_model

from planetwars_env.engine.kernel import part

WIDTH = 32
"""Numbers of one value; arrays of lanes have rows of a multiple of this."""
_VECTOR = ir.VectorType(ir.FloatType(), WIDTH)
_FUSED = ("contract",)  # A product and a sum may be rounded once


class _Lanes(types.Type):
    """Type of 32 float32 numbers."""


_LANES = _Lanes("Lanes")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


_operation: Any = intrinsic


def _of_lanes(emit: Any) -> Any:
    """Return the operation of two or three lanes whose code ``emit`` writes."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return emit(builder, *values)

    def of_two(_: Any, a: Any, b: Any) -> Any:
        return _LANES(_LANES, _LANES), generate

    def of_three(_: Any, a: Any, b: Any, c: Any) -> Any:
        return _LANES(_LANES, _LANES, _LANES), generate

    return intrinsic(of_two if emit.__code__.co_argcount == 3 else of_three)


def _constant(value: float) -> Any:
    return ir.Constant(_VECTOR, [value] * WIDTH)


def _spread(builder: Any, number: Any) -> Any:
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), number, ir.IntType(32)(0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH))


def _address(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at], inbounds=True), _VECTOR.as_pointer())


@_operation
def nothing(_: Any) -> Any:
    """Lanes of zeros."""
    return _LANES(), lambda context, builder, signature, values: _constant(0.0)


@_operation
def load(_: Any, array: Any, at: Any) -> Any:
    """Lanes from a contiguous float32 array, from its element ``at`` on, counted over all its axes."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.load(_address(context, builder, signature.args[0], *values), align=4)

    return _LANES(array, types.intp), emit


@_operation
def number(_: Any, array: Any, at: Any) -> Any:
    """One number of a contiguous float32 array."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, values[0]).data
        return builder.load(builder.gep(data, [values[1]], inbounds=True))

    return types.float32(array, types.intp), emit


@_operation
def store(_: Any, array: Any, at: Any, lanes: Any) -> Any:
    """Write lanes to where `load` reads them."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        builder.store(values[2], _address(context, builder, signature.args[0], *values[:2]), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, _LANES), emit


add = _of_lanes(lambda builder, a, b: builder.fadd(a, b, flags=_FUSED))
"""a + b."""
subtract = _of_lanes(lambda builder, a, b: builder.fsub(a, b, flags=_FUSED))
"""a - b."""
larger = _of_lanes(lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b))
"""The larger of a and b."""
where_larger = _of_lanes(lambda builder, a, b, c: builder.select(builder.fcmp_ordered(">", a, b), c, _constant(0.0)))
"""c where a > b, else 0."""
where_equal = _of_lanes(lambda builder, a, b, c: builder.select(builder.fcmp_ordered("==", a, b), c, _constant(0.0)))
"""c where a = b, else 0."""


@_operation
def add_scaled(_: Any, a: Any, number: Any, b: Any) -> Any:
    """a + number * b."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        scaled = builder.fmul(_spread(builder, values[1]), values[2], flags=_FUSED)
        return builder.fadd(values[0], scaled, flags=_FUSED)

    return _LANES(_LANES, types.float32, _LANES), emit


@_operation
def dot(_: Any, a: Any, b: Any) -> Any:
    """The sum of the products, a number."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = ir.FunctionType(ir.FloatType(), [ir.FloatType(), _VECTOR])
        total = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fadd.v{WIDTH}f32")
        return builder.call(total, [ir.FloatType()(0.0), builder.fmul(*values)], fastmath=("reassoc",))

    return types.float32(_LANES, _LANES), emit


@part
def add_product(a, a_at, a_row, a_step, b, b_at, b_step, out, out_at, out_row, rows, terms, width):
    """Add a matrix product to ``rows`` rows of ``out``, each of ``width`` numbers, a multiple of `WIDTH`.

    Row i of ``out`` begins at out_at + i * out_row; term k of the sum is a[a_at + i * a_row + k * a_step] times the row of
    ``b`` at b_at + k * b_step. The steps say whether a matrix is read by rows or by columns.
    """
    # Four rows at a time; where fewer are left the last one is computed several times, from the same numbers.
    for i in range(0, rows, 4):
        i1, i2, i3 = min(i + 1, rows - 1), min(i + 2, rows - 1), min(i + 3, rows - 1)
        a0, a1, a2, a3 = a_at + i * a_row, a_at + i1 * a_row, a_at + i2 * a_row, a_at + i3 * a_row
        o0, o1, o2, o3 = out_at + i * out_row, out_at + i1 * out_row, out_at + i2 * out_row, out_at + i3 * out_row
        for c in range(0, width, WIDTH):
            s0, s1, s2, s3 = load(out, o0 + c), load(out, o1 + c), load(out, o2 + c), load(out, o3 + c)
            for k in range(terms):
                row, step = load(b, b_at + k * b_step + c), k * a_step
                s0 = add_scaled(s0, number(a, a0 + step), row)
                s1 = add_scaled(s1, number(a, a1 + step), row)
                s2 = add_scaled(s2, number(a, a2 + step), row)
                s3 = add_scaled(s3, number(a, a3 + step), row)
            store(out, o0 + c, s0)
            store(out, o1 + c, s1)
            store(out, o2 + c, s2)
            store(out, o3 + c, s3)
