"""Build planetwars.wasm and its manifest: python -m scripts.release.wasm.build [FOLDER] (`make wasm`).

It needs wasm-ld (Debian: lld) and takes half a minute. FOLDER is planetwars_env/render, where both files are kept.
"""  # the module `target` decides what Numba compiles for, so that it comes before all others

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from scripts.release.wasm import target
from scripts.release.wasm.kernels import KERNELS, argument_types, manifest


def main() -> None:
    """Build both files."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("planetwars_env/render")
    whole: Any = llvm.parse_assembly(f'target triple = "{target.TRIPLE}"')
    for name, kernel in KERNELS.items():
        module = target.compile_kernel(name, getattr(kernel, "py_func", kernel), argument_types(kernel))
        whole.link_in(module, preserve=True)
    for symbol in (*whole.functions, *whole.global_variables):
        if not symbol.is_declaration and symbol.name not in KERNELS:
            symbol.linkage = "internal"  # so that it may be pasted in, or dropped
    machine = target.context.codegen()._tm
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    options.loop_unrolling = False
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(whole, passes)
    with tempfile.TemporaryDirectory() as work:
        made = Path(work, "planetwars.o")
        made.write_bytes(machine.emit_object(whole))
        subprocess.run(
            [
                "wasm-ld", "--no-entry", "--gc-sections", "--strip-all", "--import-undefined", "--initial-memory=1048576",
                "--max-memory=268435456", "--export=__heap_base", *(f"--export={name}" for name in KERNELS),
                "-o", folder / "planetwars.wasm", made,
            ],
            check=True,
        )  # fmt: skip
    (folder / "planetwars.wasm").chmod(0o644)
    linker = subprocess.run(["wasm-ld", "--version"], check=True, capture_output=True, text=True).stdout.strip()
    about = {"built_with": f"llvmlite {llvmlite.__version__}, {linker}", **manifest()}
    (folder / "planetwars.wasm.json").write_text(f"{json.dumps(about, separators=(',', ':'))}\n")


if __name__ == "__main__":
    main()
