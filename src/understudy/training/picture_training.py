"""Training networks for pictures: a recipe carried out, within a time, from where an earlier run stopped."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn

from understudy.training.flow_nets import Flow, FlowShape, Latents, PictureCnn
from understudy.training.loop import (
    Checkpoint,
    Progress,
    Schedule,
    TrainingSteps,
    WarmCosine,
    Watchers,
    adam,
    seeded_by_epoch,
    train,
)
from understudy.training.picture_data import CHUNK, PictureRows, levels_to_values
from understudy.training.recipes import FlowRecipe, PictureNetRecipe, PictureRecipe

# How networks for pictures learn from one batch: an invertible network, and an ordinary one.


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


# Fitting the linear classifier of an invertible network once more, on pictures as they are shown.


@torch.no_grad()
def fit_head(recipe: FlowRecipe, rows: PictureRows, flow: Flow) -> None:
    """Replace the classifier by the best one with a penalty on long weights, for the latents that the flow has now.

    While the flow learns, pictures have noise. People and explanations see them without, where other directions of the
    latents carry the class too. The penalty also keeps logits short, so that rounding a picture moves them less.
    """
    labels = softened(rows.labels[: recipe.n_head_pictures], recipe.label_noise).double()
    latents = torch.cat(
        [flow(levels_to_values(chunk)).last.flatten(1) for chunk in rows.levels[: recipe.n_head_pictures].split(CHUNK)]
    ).double()
    weights = _penalised_fit(latents, labels, recipe.head_penalty)
    flow.head.weight.copy_(weights[:-1].reshape(flow.head.weight.shape))
    flow.head.bias.copy_(weights[-1:])


@torch.enable_grad()
def _penalised_fit(latents: Tensor, labels: Tensor, penalty: float) -> Tensor:
    """Return the weights, and last the intercept, that minimise log loss plus half the penalty times their squares."""
    weights = torch.zeros(latents.shape[1] + 1, dtype=latents.dtype, device=latents.device, requires_grad=True)
    search = torch.optim.LBFGS([weights], max_iter=500, tolerance_grad=1e-9, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        search.zero_grad()
        logits = latents @ weights[:-1] + weights[-1]
        value = nn.functional.binary_cross_entropy_with_logits(logits, labels)
        value = value + penalty / 2 * (weights[:-1] ** 2).sum()
        value.backward()
        return value

    search.step(loss)
    return weights.detach()


@dataclass(frozen=True)
class PictureRun:
    """Where and for how long a recipe is carried out."""

    state: Path
    """The folder of checkpoints."""
    is_over: Callable[[], bool]
    """Asked after each epoch; a run that is over can be resumed."""
    progress: Callable[[Progress, str], None]
    """Told how far a run is, with what else the last step has to say."""


class TrainedFlow(NamedTuple):
    """An invertible network, learned as far as time allowed."""

    flow: Flow
    is_finished: bool


class _TimeIsUp(Exception):
    """Ends the loop after an epoch whose checkpoint is written."""


def flow_from_recipe(recipe: FlowRecipe) -> Flow:
    """Return an invertible network that has not learned yet."""
    shape = FlowShape(recipe.n_pixels, recipe.n_steps, recipe.widths)
    return Flow(shape, torch.Generator().manual_seed(recipe.seed))


def picture_net_from_recipe(recipe: PictureNetRecipe, n_attributes: int) -> PictureCnn:
    """Return an ordinary network that has not learned yet; an observer has one output more than attributes."""
    n_outputs = 1 + (n_attributes if recipe.purpose == "observer" else 0)
    # Layers of torch draw their weights from the generator of torch itself.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        return PictureCnn(recipe.n_pixels, recipe.widths, n_outputs)


def trained_flow(recipe: FlowRecipe, rows: PictureRows, run: PictureRun) -> TrainedFlow:
    """Learn from pictures; the returned net computes in float32."""
    flow = flow_from_recipe(recipe).to(rows.levels.device)
    if not checkpoint_of(recipe, run.state).is_file():
        flow.initialise(_initial_pictures(recipe, rows))
    steps = FlowSteps(recipe, rows, flow)
    flow.compute_in(torch.bfloat16 if rows.levels.is_cuda else torch.float32)

    def told() -> str:
        bits, log_loss, norm = steps.shown.tolist()
        return f"bits per dimension {bits:.3f}, log loss {log_loss:.3f}, gradient {norm:.2f}"

    is_finished = _carry_out(recipe, steps, rows, run, told)
    flow.compute_in(torch.float32)
    fit_head(recipe, rows, flow.eval())
    return TrainedFlow(flow, is_finished)


def trained_picture_net(recipe: PictureNetRecipe, rows: PictureRows, run: PictureRun) -> PictureCnn:
    """Learn the class from pictures, or for an observer all attributes and the class."""
    net = picture_net_from_recipe(recipe, rows.attributes.shape[1]).to(rows.levels.device)
    if recipe.purpose == "observer":
        spread, centre = torch.std_mean(rows.attributes, 0)
        net.centre[:-1], net.spread[:-1] = centre, spread
    _carry_out(recipe, PictureNetSteps(recipe, rows, net), rows, run, lambda: "")
    return net.eval()


def _initial_pictures(recipe: FlowRecipe, rows: PictureRows) -> Tensor:
    """Return the pictures that initialise the actnorms, with noise as while learning."""
    levels = rows.levels[: recipe.n_initial]
    generator = torch.Generator(device=levels.device).manual_seed(recipe.seed)
    between = torch.rand(levels.shape, generator=generator, device=levels.device) - 0.5
    return levels_to_values(levels) + between * (recipe.noise_levels / 256)


def checkpoint_of(recipe: PictureRecipe, state: Path) -> Path:
    """Return the file an unfinished run leaves."""
    return state / f"{recipe.name}.checkpoint"


def _carry_out(
    recipe: PictureRecipe, steps: TrainingSteps, rows: PictureRows, run: PictureRun, told: Callable[[], str]
) -> bool:
    """Run the loop until the last epoch or until time is up, and say whether the last epoch was reached."""
    device = rows.levels.device
    schedule = Schedule(
        name=recipe.name,
        places=torch.arange(len(rows), device=device),
        batch=recipe.batch,
        n_epochs=recipe.n_epochs,
        generator=seeded_by_epoch(recipe.seed, device),
        n_steps=recipe.steps_per_epoch,
    )
    # Rates and weights may change between runs, as when a run had begun to diverge; what makes the net may not.
    shape = {"name": recipe.name, "n_pixels": recipe.n_pixels, "widths": list(recipe.widths), "seed": recipe.seed}
    if isinstance(recipe, FlowRecipe):
        shape["n_steps"] = list(recipe.n_steps)
    checkpoint = Checkpoint(checkpoint_of(recipe, run.state), shape, recipe.n_epochs)

    def after_epoch(progress: Progress) -> None:
        run.progress(progress, told())
        if run.is_over() and progress.epoch < recipe.n_epochs:
            raise _TimeIsUp

    try:
        train(steps, schedule, Watchers(progress=after_epoch, checkpoint=checkpoint))
    except _TimeIsUp:
        return False
    return True
