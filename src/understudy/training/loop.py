"""The training loop: seeded, resumable, on a processor or a graphics card; every model is trained by it.

What differs between models is in its `TrainingSteps`: nets, optimisers, and how one batch teaches them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from understudy.errors import MaterialsError
from understudy.training.checkpoints import Checkpoint
from understudy.training.cuda_graphs import changed_by, replayed
from understudy.training.early_stopping import BestEpoch


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    epoch: int
    """Epochs finished."""
    n_epochs: int
    loss: float
    """The mean over the instances of the last epoch."""
    validation: float | None = None
    """The score on validation data, where training can stop early."""


class TrainingSteps(Protocol):
    """Nets with their optimisers, and how they learn from a batch."""

    module: nn.Module
    """All nets as one module."""
    optimisers: tuple[torch.optim.Optimizer, ...]

    def noise(self, n: int, generator: torch.Generator) -> tuple[Tensor, ...]:
        """Draw the random numbers that a step on n instances needs; a captured step cannot draw them itself."""

    def step(self, places: Tensor, *noise: Tensor) -> Tensor:
        """Learn from the instances with these indices, and return the mean loss."""


@dataclass(frozen=True)
class Schedule:
    """How often a model sees which instances, in what order."""

    name: str
    """The model, for messages."""
    places: Tensor
    """Indices of the training instances in the data, on the training device."""
    batch: int
    n_epochs: int
    generator: Callable[[int], torch.Generator]
    """Epoch, counted from 0 -> the source of its order and noise."""
    n_steps: int | None = None
    """Steps of an epoch. Default: enough to see every instance once."""
    is_captured: bool = True
    """Whether a graphics card replays one captured step, which must then be the same for every batch."""
    rate: torch.optim.lr_scheduler.LRScheduler | None = None
    """Changes the learning rate after each epoch."""


@dataclass(frozen=True)
class Watchers:
    """Callbacks during training."""

    progress: Callable[[Progress], None] | None = None
    checkpoint: Checkpoint | None = None
    best: BestEpoch | None = None
    """Ends training early, and leaves the nets as they were after the best epoch."""


def seeded_by_epoch(seed: int, device: torch.device) -> Callable[[int], torch.Generator]:
    """Return a fresh generator for each epoch, so that a resumed run takes the steps of an uninterrupted one."""
    return lambda epoch: torch.Generator(device=device).manual_seed(seed * 1_000_003 + epoch + 1)


def seeded_once(seed: int) -> Callable[[int], torch.Generator]:
    """Return one generator for all epochs, for runs that cannot be resumed."""
    generator = torch.Generator().manual_seed(seed)
    return lambda _epoch: generator


def train(steps: TrainingSteps, schedule: Schedule, watchers: Watchers) -> None:
    """Train to the last epoch, continuing from a checkpoint that exists and writing one after each epoch.

    On a graphics card a step is captured once and replayed.
    """
    checkpoint, best = watchers.checkpoint, watchers.best
    first = 0 if checkpoint is None else checkpoint.restore(steps.module, steps.optimisers)
    if schedule.rate is not None:
        # The optimiser's own state holds the rate of the next epoch; only the count must follow.
        schedule.rate.last_epoch = first
    step = _captured(steps, schedule)
    for epoch in range(first, schedule.n_epochs):
        steps.module.train()
        loss = _epoch(steps, schedule, step, schedule.generator(epoch))
        if not math.isfinite(loss):
            raise MaterialsError(
                f"The loss of {schedule.name} is not finite ({loss}) after epoch {epoch + 1}. Try another seed."
            )
        if schedule.rate is not None:
            schedule.rate.step()
        score = None if best is None else best.after(epoch + 1)
        if checkpoint is not None:
            checkpoint.write(steps.module, steps.optimisers, n_done=epoch + 1)
        if watchers.progress is not None:
            watchers.progress(Progress(epoch + 1, schedule.n_epochs, loss, score))
        if best is not None and best.is_over(epoch + 1):
            break
    if best is not None:
        best.restore()


def _epoch(steps: TrainingSteps, schedule: Schedule, step: Callable[..., Tensor], generator: torch.Generator) -> float:
    """Run one epoch and return its mean loss."""
    places = schedule.places
    order = torch.randperm(len(places), generator=generator, device=generator.device).to(places.device)
    n_seen = 0
    # Summed on the device: reading each loss would make a graphics card wait for the processor.
    total = torch.zeros((), device=places.device)
    for batch in order.split(schedule.batch)[: schedule.n_steps]:
        total += step(places[batch], *steps.noise(len(batch), generator)) * len(batch)
        n_seen += len(batch)
    return float(total) / n_seen


def _captured(steps: TrainingSteps, schedule: Schedule) -> Callable[..., Tensor]:
    """Return the step itself, or on a graphics card its capture."""
    places = schedule.places[: schedule.batch]
    if not schedule.is_captured or not places.is_cuda or len(places) < schedule.batch:
        return steps.step
    steps.module.train()
    noise = steps.noise(len(places), torch.Generator(device=places.device))
    return replayed(steps.step, (places, *noise), changed_by(steps.module, steps.optimisers))
