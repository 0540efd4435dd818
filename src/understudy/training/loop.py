"""The training loop: seeded, resumable, on a processor or a graphics card; every model is trained by it.

What differs between models is in its `TrainingSteps`: nets, optimisers, and how one batch teaches them.
"""

import math
import platform
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from understudy.errors import MaterialsError, optional

# Checkpoints: what an interrupted run needs to continue as if it had not been interrupted.


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


# CUDA graphs: a training step is captured once on a graphics card and replayed, without launching each kernel again.

N_WARM = 3
"""How often a step runs before it is captured, so that torch has chosen its kernels and its memory."""


def replayed(step: Callable[..., Any], examples: Sequence[Any], changed: Sequence[Any]) -> Callable[..., Any]:
    """Return the step, replayed from a capture where the examples lie on a graphics card; elsewhere the step itself.

    The examples are one full batch; a batch of another length takes the step uncaptured. `changed` are all tensors that
    a step changes: they have their values again when this returns.
    """
    if not examples[0].is_cuda:
        return step
    torch = optional("torch", extra="torch")
    inputs = [example.clone() for example in examples]
    before = [value.clone() for value in changed]
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(N_WARM):
            step(*inputs)
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        outcome = step(*inputs)
    # The capture knows tensors by their place in memory, so that what was learned meanwhile is undone in place.
    for value, old in zip(changed, before, strict=True):
        value.copy_(old)

    def run(*batch: Any) -> Any:
        if len(batch[0]) != len(inputs[0]):
            return step(*batch)
        for captured, value in zip(inputs, batch, strict=True):
            captured.copy_(value)
        graph.replay()
        return outcome

    return run


def changed_by(module: Any, optimisers: Iterable[Any]) -> list[Any]:
    """Return every tensor that a step changes: weights, and what the optimisers remember."""
    changed = [value.data for value in module.state_dict().values()]
    for optimiser in optimisers:
        if not optimiser.state:
            _begin(optimiser)
        changed += [value for memory in optimiser.state.values() for value in memory.values()]
    return changed


def _begin(optimiser: Any) -> None:
    """Let an optimiser make its memory by a step along no gradient, and leave it as blank as before any step."""
    torch = optional("torch", extra="torch")
    for group in optimiser.param_groups:
        for parameter in group["params"]:
            parameter.grad = torch.zeros_like(parameter)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    for memory in optimiser.state.values():
        for value in memory.values():
            value.zero_()


# Early stopping: keep the epoch with the best validation score, and end training when no better one follows.


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


# What every network has that was trained and exported.


@dataclass(frozen=True)
class ExportedNet:
    """A network as an ONNX file, and what it was made with."""

    content: bytes
    provenance: dict[str, Any]
    """Software and epochs, as JSON."""


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


# Learning rates that rise linearly and fall along a cosine, computed where the net learns.
#
# The count of steps is part of the module, so that a captured step follows its rate without the processor, and a resumed
# run continues where it was.


class WarmCosine(nn.Module):
    """The share of the peak rate at each step."""

    n_done: Tensor

    def __init__(self, n_warm: int, n_steps: int) -> None:
        super().__init__()
        self.n_warm, self.n_steps = n_warm, n_steps
        self.register_buffer("n_done", torch.zeros(()))

    def forward(self) -> Tensor:
        """Return the share for this step, between 0 and 1, and count the step."""
        warm = ((self.n_done + 1) / self.n_warm).clamp(max=1)
        cosine = 0.5 * (1 + torch.cos(math.pi * (self.n_done / self.n_steps).clamp(max=1)))
        self.n_done += 1
        return warm * cosine


def falling_rate(optimiser: torch.optim.Optimizer, n_epochs: int) -> torch.optim.lr_scheduler.LRScheduler:
    """Let a rate fall along half a cosine, a step after each epoch."""
    return torch.optim.lr_scheduler.LambdaLR(optimiser, lambda epoch: 0.5 * (1 + math.cos(math.pi * epoch / n_epochs)))


def adam(module: nn.Module, peak: float) -> torch.optim.Adam:
    """Return Adam with its rate in a tensor, which a captured step can change."""
    parameters = list(module.parameters())
    rate = torch.tensor(peak, device=parameters[0].device)
    is_cuda = rate.is_cuda
    # On a processor a rate in a tensor needs the plain implementation.
    return torch.optim.Adam(parameters, lr=rate, foreach=False, fused=is_cuda, capturable=is_cuda)


# Software: the versions that the numbers of a training run depend on.


def software_versions() -> dict[str, str]:
    """Return package -> version."""
    return {"python": platform.python_version(), "torch": str(torch.__version__), "numpy": np.__version__}
