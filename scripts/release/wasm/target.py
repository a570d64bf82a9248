"""Code generator for wasm32 in Numba's CPU target. Import it before any kernel, in a process that runs none of them.

Numba compiles for the processor that it runs on. Here its libraries are left unoptimised and unloaded, and LLVM's target
wasm32, which the wheel of llvmlite holds, makes one object file of them. Numba's integers stay 64 bits wide, pointers 32.
"""

import os
from typing import Any

os.environ.update(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="", NUMBA_DISABLE_CACHING="1")

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import codegen, compiler, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.np.arrayobj import make_array, populate_array

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals"
"""Of WebAssembly; Chromium, Firefox and Safari have had them since 2023."""
I32 = ir.IntType(32)

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()


class _Library(codegen.CPUCodeLibrary):
    """Code that is linked into its callers, but neither optimised nor loaded."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0


class _Codegen(codegen.CPUCodegen):
    _library_class = _Library

    def _init(self, llvm_module: Any) -> None:
        target = llvm.Target.from_triple(TRIPLE)
        self._tm = target.create_target_machine(opt=3, features=FEATURES, reloc="static")
        self._tm_features = FEATURES
        self._target_data, self._data_layout = self._tm.target_data, str(self._tm.target_data)
        self._loopvect, self._opt_level = False, 0

    def _add_module(self, module: Any) -> None:
        pass

    def _create_empty_module(self, name: str) -> Any:
        module = super()._create_empty_module(name)
        module.triple = TRIPLE
        return module


context: Any = cpu_target.target_context
context._internal_codegen = _Codegen("planetwars")
# Nothing is run, but Numba tells compiled functions apart by their entry points, which must be builtins.
context.get_executable = lambda library, description, environment: [].append


@global_compiler_lock
def compile_kernel(name: str, function: Any, arguments: list[Any]) -> Any:
    """Compile ``function`` for ``arguments``, Numba's types, and an entry ``name`` to it; return both as one LLVM module.

    The entry takes the address of a block of 32-bit slots: of every array its address and lengths, of every number its
    value, in the order of `kernels.parameters`. It returns the kernel's number.
    """
    flags: Any = compiler.Flags()
    flags.error_model, flags.nrt = "numpy", False
    flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    compiled = compiler.compile_extra(cpu_target.typing_context, context, function, arguments, None, flags, {})
    library, kind = context.codegen().create_library(f"entry of {name}"), compiled.signature.return_type
    module = library.create_ir_module(f"entry_{name}")
    returned = ir.VoidType() if kind is types.none else I32
    entry = ir.Function(module, ir.FunctionType(returned, [I32.as_pointer()]), name)
    builder = ir.IRBuilder(entry.append_basic_block())
    slots = _Slots(builder, entry.args[0])
    values = [slots.value_of(argument) for argument in arguments]
    callee = ir.Function(module, context.call_conv.get_function_type(kind, arguments), compiled.fndesc.llvm_func_name)
    status, value = context.call_conv.call_function(builder, callee, kind, arguments, values)
    with builder.if_then(status.is_error, likely=False):
        builder.call(module.declare_intrinsic("llvm.trap", (), ir.FunctionType(ir.VoidType(), [])), [])
    if kind is types.none:
        builder.ret_void()
    else:
        wide = value.type.width
        builder.ret(builder.trunc(value, I32) if wide > 32 else builder.zext(value, I32) if wide < 32 else value)
    library.add_ir_module(module)
    library.add_linking_library(compiled.library)
    library.finalize()
    return library._final_module


class _Slots:
    """The block of 32-bit slots, read from the first to the last."""

    def __init__(self, builder: Any, block: Any) -> None:
        self._builder, self._block, self._at = builder, block, 0

    def value_of(self, kind: Any) -> Any:
        if hasattr(kind, "fields"):
            return context.make_tuple(self._builder, kind, [self.value_of(part) for part in kind.types])
        if isinstance(kind, types.Array):
            return self._array(kind)
        value, width = self._next(), context.get_value_type(kind).width
        if width < 32:
            return self._builder.trunc(value, ir.IntType(width))
        return self._builder.sext(value, ir.IntType(width)) if width > 32 else value

    def _next(self) -> Any:
        self._at += 1
        return self._builder.load(self._builder.gep(self._block, [I32(self._at - 1)]))

    def _array(self, kind: Any) -> Any:
        builder, intp = self._builder, context.get_value_type(types.intp)
        item = context.get_data_type(kind.dtype)
        data = builder.inttoptr(self._next(), item.as_pointer())
        shape = [builder.zext(self._next(), intp) for _ in range(kind.ndim)]
        size = intp(context.get_abi_sizeof(item))
        strides = [size]
        for length in shape[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        array = make_array(kind)(context, builder)
        populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
        return array._getvalue()
