"""Early stopping: keep the epoch with the best validation score, and end training when no better one follows."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from torch import nn


@dataclass
class BestEpoch:
    """The best state of a module so far."""

    module: nn.Module
    score: Callable[[], float]
    """The validation score of the module as it is; higher is better."""
    patience: int
    """Epochs without a better score after which training ends."""
    project: Callable[[], object] | None = None
    """Moves the module onto allowed states (prototypes onto cases); only such states are kept."""
    first_projection: int = 0
    """Epochs before the first projection, none of which can be kept."""
    epoch: int = field(default=0, init=False)
    """The epoch that was kept; 0 before the first that can be."""
    best_score: float = field(default=-1.0, init=False)
    state: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        """Begin with the initial state, which any epoch that can be kept replaces: what has not learned does not count as a result."""
        self.state = deepcopy(self.module.state_dict())

    def after(self, epoch: int) -> float:
        """Return the score after an epoch, and keep the module if it is the best so far."""
        score = self.score()
        can_be_kept = self.project is None or epoch > self.first_projection
        if score > self.best_score and can_be_kept and self.project is not None:
            self.project()
            # Projection moves the module, so that it may no longer be the best.
            score = self.score()
        if score > self.best_score and can_be_kept:
            self.epoch, self.best_score, self.state = epoch, score, deepcopy(self.module.state_dict())
        return score

    def is_over(self, epoch: int) -> bool:
        """Tell whether patience has ended."""
        return epoch - max(self.epoch, self.first_projection) >= self.patience

    def restore(self) -> None:
        """Put the best state back, ready for use."""
        self.module.load_state_dict(self.state)
        self.module.eval()
