"""Training loops: every case once a pass, the best pass on validation kept."""

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from understudy.errors import MaterialsError
from understudy.inference.classifier_recipes import Recipe
from understudy.sources.cases import PADDING, Part
from understudy.training.classifiers.nets import Net

CHUNK = 2048


@dataclass(frozen=True)
class Rows:
    """One part of the cases as tensors."""

    inputs: Tensor
    labels: Tensor

    def __len__(self) -> int:
        """Count the cases."""
        return len(self.labels)


@dataclass(frozen=True)
class Progress:
    """How far a stage is."""

    epoch: int
    """Passes finished."""
    n_epochs: int
    loss: float
    validation: float


@dataclass(frozen=True)
class TrainingPhase:
    """What one stage of training adds to the recipe."""

    recipe: Recipe
    loss: Callable[[Net, Tensor, Tensor], Tensor]
    tell: Callable[[Progress], None] | None = None
    push: Callable[[Net], object] | None = None
    """Moves prototypes onto cases whenever a pass would be kept."""


@dataclass(frozen=True)
class Best:
    """The pass that was kept."""

    epoch: int
    """0 for the start."""
    validation: float


def rows_from_part(part: Part) -> Rows:
    """Turn cases into tensors."""
    return Rows(torch.from_numpy(part.inputs).long(), torch.from_numpy(part.labels).long())


def fit(net: Net, stage: TrainingPhase, train: Rows, validation: Rows) -> Best:
    """Learn until patience ends, and leave the net as it was after its best pass.

    The order of cases and what dropout leaves out follow from the seed of the recipe alone.
    """
    recipe = stage.recipe
    torch.manual_seed(recipe.seed)  # dropout knows no other generator
    generator = torch.Generator().manual_seed(recipe.seed)
    optimiser = _optimiser(recipe, net)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda epoch: 1 / (1 + recipe.slowing * epoch))
    # Prototypes start on cases, so that the start can be the best of all.
    best = Best(0, -1.0 if stage.push is None else accuracy(net, validation))
    kept = deepcopy(net.state_dict())
    for epoch in range(1, recipe.n_epochs + 1):
        net.train()
        loss = _one_pass(net, stage, train, optimiser, generator)
        schedule.step()
        share = accuracy(net, validation)
        if share > best.validation and stage.push is not None and epoch > recipe.first_push:
            stage.push(net)
            share = accuracy(net, validation)
        # Before the first push prototypes stand beside the cases, so that no such pass can be kept.
        if share > best.validation and (stage.push is None or epoch > recipe.first_push):
            best, kept = Best(epoch, share), deepcopy(net.state_dict())
        if stage.tell is not None:
            stage.tell(Progress(epoch, recipe.n_epochs, loss, share))
        if epoch - max(best.epoch, recipe.first_push) >= recipe.patience:
            break
    net.load_state_dict(kept)
    net.eval()
    return best


@torch.no_grad()
def accuracy(net: Net, rows: Rows) -> float:
    """Return the share of cases whose label the net finds."""
    net.eval()
    right = 0
    for inputs, labels in _chunks(rows):
        right += int((net(inputs).argmax(1) == labels).sum())
    return right / len(rows)


@torch.no_grad()
def latents_of(net: Net, rows: Rows) -> Tensor:
    """Return the last hidden layer of every case."""
    net.eval()
    return torch.cat([net.latents(inputs) for inputs, _ in _chunks(rows)])


@torch.no_grad()
def rightly_found(net: Net, rows: Rows) -> Rows:
    """Return the cases whose label the net finds."""
    net.eval()
    is_right = torch.cat([net(inputs).argmax(1) == labels for inputs, labels in _chunks(rows)])
    return Rows(rows.inputs[is_right], rows.labels[is_right])


def cross_entropy(net: Net, inputs: Tensor, labels: Tensor) -> Tensor:
    """Return the loss of a plain classifier."""
    return nn.functional.cross_entropy(net(inputs), labels)


def _chunks(rows: Rows) -> Iterable[tuple[Tensor, Tensor]]:
    for start in range(0, len(rows), CHUNK):
        yield _without_padding(rows.inputs[start : start + CHUNK]), rows.labels[start : start + CHUNK]


def _one_pass(
    net: Net, stage: TrainingPhase, train: Rows, optimiser: torch.optim.Optimizer, generator: torch.Generator
) -> float:
    recipe = stage.recipe
    order = torch.randperm(len(train), generator=generator)
    total = 0.0
    for start in range(0, len(train), recipe.batch):
        places = order[start : start + recipe.batch]
        optimiser.zero_grad(set_to_none=True)
        loss = stage.loss(net, _without_padding(train.inputs[places]), train.labels[places])
        loss.backward()
        if recipe.max_gradient is not None:
            nn.utils.clip_grad_norm_(net.parameters(), recipe.max_gradient)
        optimiser.step()
        total += float(loss.detach()) * len(places)
    if not math.isfinite(total):
        raise MaterialsError(f"The loss of {recipe.name} is not finite any more. Try another seed.")
    return total / len(train)


def _without_padding(inputs: Tensor) -> Tensor:
    """Drop the columns that are padding in every row."""
    width = int((inputs != PADDING).any(0).sum())
    return inputs[:, :width]


def _optimiser(recipe: Recipe, net: Net) -> torch.optim.Optimizer:
    places = [one for name, one in net.named_parameters() if name == "head.places"]
    others = [one for name, one in net.named_parameters() if name != "head.places"]
    groups = [{"params": others, "weight_decay": recipe.weight_decay}]
    if places:
        # A prototype is a case and not a weight: shrinking it would only push it off the cases.
        groups.append({"params": places, "weight_decay": 0.0})
    if recipe.method == "adam":
        return torch.optim.Adam(groups, lr=recipe.learning_rate)
    return torch.optim.SGD(groups, lr=recipe.learning_rate, momentum=recipe.momentum)
