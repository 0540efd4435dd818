"""Torch modules: what a user's module must be, and what to give in place of one that cannot be taken."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Floats

_REBUILD = "build its class again and call `load_state_dict`"


class ChannelScale(NamedTuple):
    """The mean and standard deviation of each channel of the pictures that a module learned from."""

    mean: Floats
    std: Floats

    def scaled(self, pictures: Floats) -> Floats:
        """Return (pictures - mean) / std for pictures of the shape (n, channels, height, width)."""
        scaled: Floats = (pictures - self.mean[:, None, None]) / self.std[:, None, None]
        return scaled


def channel_scale(mean: Sequence[float], std: Sequence[float], n_channels: int) -> ChannelScale | None:
    """Return the scale of a module's pictures, or None where it takes them from 0 to 1."""
    if not len(mean) and not len(std):
        return None
    made = ChannelScale(np.asarray(mean, dtype=np.float64), np.asarray(std, dtype=np.float64))
    if made.mean.shape != (n_channels,) or made.std.shape != (n_channels,) or not (made.std > 0).all():
        raise MaterialsError(
            f"`mean` is {[*mean]} and `std` is {[*std]}, but the pictures have {n_channels} channels. "
            "Give both, with one number for each channel, and no `std` that is 0 or less."
        )
    return made


def is_torchscript(module: Any) -> bool:
    """Return whether a module was scripted or traced, without importing torch."""
    return hasattr(module, "state_dict") and hasattr(module, "save_to_buffer")


def way_to_a_module(given: Any) -> str:
    """Return the sentence that says how to get a torch module from what was given."""
    if is_torchscript(given):
        return f"Give the nn.Module that it was made from: {_REBUILD}(scripted.state_dict())."
    if isinstance(given, Mapping):
        return f"These are the weights of a module: {_REBUILD} with them, and give the module (nn.Module)."
    if isinstance(given, str | Path):
        return "Give the nn.Module that it came from."
    return "Give a torch module (nn.Module)."


def require_plain_weights(module: Any) -> None:
    """Refuse weights on a graphics card or of another precision: pictures come as 32-bit floats on the processor."""
    for weight in module.parameters():
        if weight.device.type != "cpu":
            raise MaterialsError(
                f"The torch module is on the device {str(weight.device)!r}, and pictures are on the processor. "
                "Call module.cpu() first."
            )
        if weight.is_floating_point() and weight.dtype.itemsize != 4:
            raise MaterialsError(
                f"The torch module has weights of {weight.dtype}, and pictures come as 32-bit floats. "
                "Call module.float() first."
            )
