"""Devices of networks: whether this machine has one, and the way of tensors to it and back."""

import torch
from torch import Tensor

from planetwars_env.engine.state import Array
from planetwars_env.settings import ConfigError


def check_device(where: str, name: str, needed: int | None = None) -> None:
    """Raise ConfigError that begins with ``where`` unless torch finds the device; ``needed``: so many CUDA devices."""
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ConfigError(f'{where} must be "cpu", "cuda" or "cuda:" and a number, not "{name}"') from None
    if device.type == "cpu":
        return
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if (needed or (device.index or 0) + 1) > found:
        right = f'"cpu" or a number below {found}' if found else '"cpu"'
        raise ConfigError(f'{where} is "{name}", but torch finds {found} CUDA devices here: set it to {right}')


def to_device(part: Tensor, device: torch.device) -> Tensor:
    """Return a tensor on ``device``; from the CPU to a GPU it travels through pinned memory, while the GPU computes."""
    if device.type == "cuda" and part.device.type == "cpu":
        return part.pin_memory().to(device, non_blocking=True)
    return part.to(device)


def to_host(part: Tensor) -> Array:
    """Return a tensor of any device as an array."""
    return part.detach().cpu().numpy()
