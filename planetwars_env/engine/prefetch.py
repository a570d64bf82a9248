"""Prefetching of rows: a large batch asks for the memory of its next game while it computes the present one."""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic

from planetwars_env.engine.kernel_cache import config

_CACHE_LINE = 64
"""Bytes that a processor fetches at once."""
_FOR_WRITING, _INTO_SECOND_LEVEL, _DATA = (ir.IntType(32)(number) for number in (1, 2, 1))


def _prefetch(_: Any, array: Any, row: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, values[0])
        size, pointer = cgutils.unpack_tuple(builder, view.strides)[0], ir.IntType(8).as_pointer()
        first = builder.add(builder.ptrtoint(view.data, size.type), builder.mul(values[1], size))
        kind = ir.FunctionType(ir.VoidType(), [pointer, *(ir.IntType(32) for _ in range(3))])
        instruction = builder.module.declare_intrinsic("llvm.prefetch", (pointer,), kind)
        with cgutils.for_range_slice(builder, size.type(0), size, size.type(_CACHE_LINE), inc=True) as (offset, _):
            line = builder.inttoptr(builder.add(first, offset), pointer)
            builder.call(instruction, [line, _FOR_WRITING, _INTO_SECOND_LEVEL, _DATA])
        return context.get_dummy_value()

    return types.void(array, types.intp), emit


prefetch: Any = (lambda array, row: None) if config.DISABLE_JIT else intrinsic(_prefetch)
"""Ask for ``array[row]``; nothing but the time changes, and uncompiled code does nothing."""
