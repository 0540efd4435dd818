"""Checkpoints: what an interrupted run needs to continue as if it had not been interrupted."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from understudy.errors import MaterialsError


@dataclass(frozen=True)
class Checkpoint:
    """A file that is written after each epoch."""

    path: Path
    settings: dict[str, Any]
    """All settings that must not change when a run continues."""
    n_epochs: int

    def write(self, module: nn.Module, optimisers: Sequence[torch.optim.Optimizer], *, n_done: int) -> None:
        """Write the state after some epochs, replacing the one before."""
        content = {
            "recipe": self.settings,
            "n_done": n_done,
            "nets": module.state_dict(),
            "optimisers": [optimiser.state_dict() for optimiser in optimisers],
        }
        # Written under another name first, so that an interruption leaves the older state whole.
        part = self.path.with_suffix(".part")
        torch.save(content, part)
        part.replace(self.path)

    def restore(self, module: nn.Module, optimisers: Sequence[torch.optim.Optimizer]) -> int:
        """Restore nets and optimisers from the file, if there is one, and return how many epochs are done."""
        if not self.path.is_file():
            return 0
        content = self._content(next(module.parameters()).device)
        # A longer run may continue a shorter one, so that the number of epochs may differ.
        other = [
            name
            for name, value in self.settings.items()
            if name != "n_epochs" and content["recipe"].get(name, value) != value
        ]
        if other:
            raise MaterialsError(
                f"{self.path} was made with another {', '.join(other)}. Remove it to start over, or give the same "
                "settings."
            )
        if content["n_done"] > self.n_epochs:
            raise MaterialsError(
                f"{self.path} has finished {content['n_done']} epochs, but {self.n_epochs} are wanted. Ask for at least "
                "as many, or remove it to start over."
            )
        module.load_state_dict(content["nets"])
        for optimiser, state in zip(optimisers, content["optimisers"], strict=True):
            optimiser.load_state_dict(state)
        return int(content["n_done"])

    def _content(self, device: torch.device) -> dict[str, Any]:
        try:
            content: dict[str, Any] = torch.load(self.path, map_location=device, weights_only=True)
        except Exception:  # a damaged file may raise anything
            raise MaterialsError(
                f"{self.path} cannot be read as what an earlier run left. Remove it to start over."
            ) from None
        return content
