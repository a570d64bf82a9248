"""Trace of one update of a training run, for Perfetto and TensorBoard."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from planetwars_env.files import replacement_file

TRACE = "update.pt.trace.json"
"""TensorBoard's profiler plugin finds files by the end of this name."""


def profiled(work: Callable[[], Any], path: Path) -> Any:
    """Return the result of ``work``; write a trace of it, with Python's calls and torch's operations, to ``path``.

    Compiled kernels appear as time of the Python function that calls them.
    """
    gpu = [ProfilerActivity.CUDA] if torch.cuda.is_available() else []
    with profile(activities=[ProfilerActivity.CPU, *gpu], with_stack=True) as found:
        result = work()
    with replacement_file(path, TRACE) as draft:
        found.export_chrome_trace(str(draft))
    return result
