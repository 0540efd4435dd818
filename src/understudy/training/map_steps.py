"""How a network with maps learns from one batch. What differs between methods is a `Lesson`."""

from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from understudy.training.map_recipes import MapRecipe
from understudy.training.map_rows import N_DRAWS, Rows
from understudy.training.nets.map_outputs import MapNet
from understudy.training.rates import WarmCosine

_WARM_SHARE = 0.05
"""The share of all steps over which rates rise."""


class Lesson(Protocol):
    """The loss of a method, and what it does to the network besides following gradients."""

    def loss(self, net: MapNet, inputs: Tensor, labels: Tensor) -> Tensor:
        """Return the mean loss of a batch."""

    def after(self, net: MapNet, n_done: int) -> None:
        """Change the network after so many steps."""


class PlainLesson:
    """Cross-entropy with softened labels."""

    def __init__(self, label_smoothing: float) -> None:
        self.label_smoothing = label_smoothing

    def loss(self, net: MapNet, inputs: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy."""
        return nn.functional.cross_entropy(net(inputs).logits, labels, label_smoothing=self.label_smoothing)

    def after(self, net: MapNet, n_done: int) -> None:
        """Change nothing."""


class _Group(NamedTuple):
    parameters: list[nn.Parameter]
    peak: float
    n_frozen: int


class MapNetSteps:
    """Steps of any network with maps: rates that warm up and fall along a cosine, and a body that may learn later."""

    def __init__(self, recipe: MapRecipe, rows: Rows, net: MapNet, lesson: Lesson) -> None:
        self.recipe, self.rows, self.net, self.lesson = recipe, rows, net, lesson
        per_epoch = steps_per_epoch(recipe, rows)
        n_steps = recipe.n_epochs * per_epoch
        self.rate = WarmCosine(max(1, int(_WARM_SHARE * n_steps)), n_steps)
        # Only what learns is part of the module: checkpoints need not repeat the frozen part.
        self.learning = nn.ModuleDict({"body": net.body, "head": net.head})
        self.average = _Average(self.learning, recipe.averaged) if recipe.averaged else None
        parts = {} if self.average is None else {"average": self.average}
        self.module: nn.Module = nn.ModuleDict({**self.learning, "rate": self.rate, **parts})
        self.groups = (
            _Group(list(net.head.parameters()), recipe.head_rate, 0),
            _Group(list(net.body.parameters()), recipe.body_rate, recipe.n_frozen * per_epoch),
        )
        self.optimisers: tuple[torch.optim.Optimizer, ...] = tuple(
            torch.optim.AdamW(group.parameters, lr=0.0, weight_decay=recipe.weight_decay)
            for group in self.groups
            if group.parameters
        )

    def noise(self, n: int, generator: torch.Generator) -> tuple[Tensor, ...]:
        """Draw what changes each picture."""
        return (torch.rand(n, N_DRAWS, generator=generator).to(self.rows.labels.device),)

    def step(self, places: Tensor, *noise: Tensor) -> Tensor:
        """Learn from one batch and return its loss."""
        self._follow_rate()
        for optimiser in self.optimisers:
            optimiser.zero_grad(set_to_none=True)
        loss = self.lesson.loss(self.net, self.rows.changed(places, noise[0]), self.rows.labels[places])
        loss.backward()
        for optimiser in self.optimisers:
            optimiser.step()
        self.lesson.after(self.net, int(self.rate.n_done))
        if self.average is not None:
            self.average.update_parameters(self.learning)
        return loss.detach()

    def settle(self) -> None:
        """Take the averaged weights where the recipe wants them, after the last step."""
        if self.average is not None:
            self.learning.load_state_dict(self.average.module.state_dict())

    def _follow_rate(self) -> None:
        n_done = int(self.rate.n_done)
        share = float(self.rate())
        is_frozen = n_done < self.groups[1].n_frozen
        self.net.body.train(self.recipe.norms_learn and not is_frozen)
        self.net.body.requires_grad_(not is_frozen)
        groups = [group for group in self.groups if group.parameters]
        for group, optimiser in zip(groups, self.optimisers, strict=True):
            for settings in optimiser.param_groups:
                settings["lr"] = group.peak * share


def steps_per_epoch(recipe: MapRecipe, rows: Rows) -> int:
    """Return how many batches show every instance once."""
    return -(-len(rows.labels) // recipe.batch)


class _Average(torch.optim.swa_utils.AveragedModel):
    """A running average of weights and of what is counted besides."""

    def __init__(self, module: nn.Module, decay: float) -> None:
        super().__init__(module, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(decay), use_buffers=True)
