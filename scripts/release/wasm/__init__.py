"""Build of planetwars.wasm: the project's kernels as one WebAssembly module (docs/experiments/wasm.md)."""
