"""Where a training run stands, in one file that a later run goes on from; loading it runs no code."""

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import torch

from planetwars_env.learn.agent import AgentError
from planetwars_env.replay import write_atomically

CHECKPOINT = "checkpoint.pt"


def save_checkpoint(folder: Path, policy: Any, steps: int, seconds: float, history: dict[str, Any]) -> None:
    """Write checkpoint.pt: weights, the optimiser's state, the generators, steps and seconds so far, the history."""
    kind, keys, position, *_ = np.random.get_state(legacy=True)  # noqa: NPY002 (the one that SB3 shuffles with)
    state = {
        "policy": policy.state_dict(),
        "optimizer": policy.optimizer.state_dict(),
        "torch_random": torch.get_rng_state(),
        "numpy_random": {
            "kind": kind,
            "keys": torch.from_numpy(np.asarray(keys).astype(np.int64)),
            "position": position,
        },
        "steps": steps,
        "seconds": seconds,
        "history": history,
    }
    buffer = io.BytesIO()
    torch.save(state, buffer)
    write_atomically(folder / CHECKPOINT, buffer.getvalue())


def load_checkpoint(folder: Path, policy: Any) -> tuple[int, float, dict[str, Any]]:
    """Put weights, optimiser and generators back; steps, seconds and history so far. AgentError where that cannot be."""
    path = folder / CHECKPOINT
    try:
        state = torch.load(path, weights_only=True)
        policy.load_state_dict(state["policy"])
        policy.optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["torch_random"])
        numpy = state["numpy_random"]
        np.random.set_state((numpy["kind"], numpy["keys"].numpy().astype(np.uint32), numpy["position"], 0, 0.0))  # noqa: NPY002
        return state["steps"], state["seconds"], state["history"]
    except FileNotFoundError as fault:
        raise AgentError(f"nothing to resume: there is no {path}") from fault
    except (OSError, RuntimeError, ValueError, KeyError, EOFError, pickle.UnpicklingError) as fault:
        raise AgentError(f"{path} cannot be resumed from: {fault}") from fault
