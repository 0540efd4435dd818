"""How networks for pictures learn from one batch: an invertible network, and an ordinary one."""

import math

import torch
from torch import Tensor, nn

from understudy.training.nets.flow import Flow, Latents
from understudy.training.nets.picture_cnn import PictureCnn
from understudy.training.picture_data import PictureRows, levels_to_values
from understudy.training.picture_recipes import FlowRecipe, PictureNetRecipe
from understudy.training.rates import WarmCosine, adam


class FlowSteps:
    """Steps of an invertible network: bits per dimension, plus the weighted cross-entropy of the class."""

    def __init__(self, recipe: FlowRecipe, rows: PictureRows, flow: Flow) -> None:
        self.recipe, self.rows, self.flow = recipe, rows, flow
        self.rate = WarmCosine(recipe.n_warm, recipe.n_epochs * recipe.steps_per_epoch).to(rows.levels.device)
        # Values of the last step, for progress messages: bits per dimension, cross-entropy, norm of the gradient.
        self.shown = torch.zeros(3, device=rows.levels.device)
        self.module: nn.Module = nn.ModuleDict({"net": flow, "rate": self.rate})
        self.optimisers: tuple[torch.optim.Optimizer, ...] = (
            adam(flow.blocks, recipe.learning_rate),
            adam(flow.head, recipe.head_rate),
        )

    def noise(self, n: int, generator: torch.Generator) -> tuple[Tensor, ...]:
        """Draw what fills the steps between grey levels."""
        levels = self.rows.levels
        return (torch.rand((n, *levels.shape[1:]), generator=generator, device=levels.device),)

    def step(self, places: Tensor, *noise: Tensor) -> Tensor:
        """Learn from one batch and return its loss."""
        recipe, (between,) = self.recipe, noise
        self._follow_rate()
        for optimiser in self.optimisers:
            optimiser.zero_grad(set_to_none=True)
        pictures = levels_to_values(self.rows.levels[places]) + (between - 0.5) * (recipe.noise_levels / 256)
        latents = self.flow(pictures)
        bits = bits_per_dimension(latents, recipe.noise_levels).mean()
        labels = softened(self.rows.labels[places], recipe.label_noise)
        log_loss = nn.functional.binary_cross_entropy_with_logits(self.flow.logit(latents.last), labels)
        loss = bits + recipe.class_weight * log_loss
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.flow.blocks.parameters(), recipe.max_gradient)
        # Adam does not care for the size of a gradient, except near its epsilon: the classifier learns its plain loss.
        for parameter in self.flow.head.parameters():
            if parameter.grad is not None:
                parameter.grad.div_(recipe.class_weight)
        for optimiser in self.optimisers:
            optimiser.step()
        self.shown.copy_(torch.stack([bits.detach(), log_loss.detach(), norm]))
        return loss.detach()

    @torch.no_grad()
    def _follow_rate(self) -> None:
        share = self.rate()
        peaks = (self.recipe.learning_rate, self.recipe.head_rate)
        for optimiser, peak in zip(self.optimisers, peaks, strict=True):
            optimiser.param_groups[0]["lr"].copy_(share * peak)


class PictureNetSteps:
    """Steps of an ordinary network: the class alone, or all attributes and the class."""

    def __init__(self, recipe: PictureNetRecipe, rows: PictureRows, net: PictureCnn) -> None:
        self.recipe, self.rows, self.net = recipe, rows, net
        self.rate = WarmCosine(recipe.n_warm, recipe.n_epochs * recipe.steps_per_epoch).to(rows.levels.device)
        self.module: nn.Module = nn.ModuleDict({"net": net, "rate": self.rate})
        self.optimisers: tuple[torch.optim.Optimizer, ...] = (adam(net, recipe.learning_rate),)

    def noise(self, n: int, generator: torch.Generator) -> tuple[Tensor, ...]:
        """Draw nothing."""
        return ()

    def step(self, places: Tensor, *noise: Tensor) -> Tensor:
        """Learn from one batch and return its loss."""
        with torch.no_grad():
            self.optimisers[0].param_groups[0]["lr"].copy_(self.rate() * self.recipe.learning_rate)
        self.optimisers[0].zero_grad(set_to_none=True)
        output = self.net(levels_to_values(self.rows.levels[places]))
        labels = softened(self.rows.labels[places], self.recipe.label_noise)
        loss = nn.functional.binary_cross_entropy_with_logits(output[:, -1], labels)
        if self.recipe.purpose == "observer":
            wanted = (self.rows.attributes[places] - self.net.centre[:-1]) / self.net.spread[:-1]
            # Summed over attributes, as in the paper, but each in units of its own spread.
            loss = loss + ((output[:, :-1] - wanted) ** 2).sum(1).mean()
        loss.backward()
        self.optimisers[0].step()
        return loss.detach()


def bits_per_dimension(latents: Latents, noise_levels: float = 1.0) -> Tensor:
    """Return, per picture, the bits that a grey level costs under a standard normal of all latents.

    Noise wider than one level counts as so much coarser levels: log2(256 / noise_levels) is what even noise would cost.
    """
    maps = [latents.last, *latents.split_off]
    n_dimensions = sum(values[0].numel() for values in maps)
    squares = torch.stack([(values**2).flatten(1).sum(1) for values in maps]).sum(0)
    log_density = latents.log_det - 0.5 * squares - 0.5 * n_dimensions * math.log(2 * math.pi)
    return -log_density / (n_dimensions * math.log(2)) + math.log2(256 / noise_levels)


def softened(labels: Tensor, share: float) -> Tensor:
    """Return labels of which a share counts as a fair coin.

    Cross-entropy is linear in the label, so that this is the mean over coins: the same objective as with labels
    replaced at random, without the noise in its gradient.
    """
    return labels * (1 - share) + share / 2
