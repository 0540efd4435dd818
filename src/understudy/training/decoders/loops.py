"""Training loops: seeded, resumable, on a processor or a graphics card."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from understudy.errors import MaterialsError
from understudy.training.cuda_graphs import changed_by, replayed
from understudy.training.decoders.losses import loss_of_batch
from understudy.training.decoders.nets import Autoencoder
from understudy.training.decoders.recipes import Recipe
from understudy.training.decoders.sources import Material


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    epoch: int
    """Epochs finished."""
    n_epochs: int
    loss: float
    """The mean over the last epoch."""


class Stepper(Protocol):
    """One kind of training step, with its nets and optimisers."""

    whole: nn.Module
    """All nets as one module."""
    optimisers: tuple[torch.optim.Adam, ...]

    def step(self, places: Tensor, noise: Tensor) -> Tensor:
        """Learn from one batch and return its loss."""


class AutoencoderStepper:
    """Steps of an autoencoder, variational or not, or of supervised truth."""

    def __init__(self, recipe: Recipe, material: Material, nets: Autoencoder) -> None:
        self.recipe, self.material, self.nets = recipe, material, nets
        self.whole: nn.Module = nets.modules().to(material.train.device)
        self.optimisers: tuple[torch.optim.Adam, ...] = (adam(recipe, self.whole),)

    def step(self, places: Tensor, noise: Tensor) -> Tensor:
        """Learn from one batch and return its loss."""
        rows, side = self.material.source.batch(places)
        self.optimisers[0].zero_grad(set_to_none=True)
        loss = loss_of_batch(self.recipe, self.nets, rows, side, noise)
        loss.backward()
        self.optimisers[0].step()
        return loss.detach()


def adam(recipe: Recipe, module: torch.nn.Module) -> torch.optim.Adam:
    """Return the optimiser of a recipe."""
    parameters = list(module.parameters())
    is_on_card = parameters[0].is_cuda
    return torch.optim.Adam(
        parameters,
        lr=recipe.learning_rate,
        betas=recipe.betas,
        eps=recipe.epsilon,
        capturable=is_on_card,
        fused=is_on_card,
    )


def train(
    recipe: Recipe,
    stepper: Stepper,
    material: Material,
    *,
    checkpoint: Path | None = None,
    tell: Callable[[Progress], None] | None = None,
    max_steps: int | None = None,
) -> None:
    """Run a recipe to its end, going on from a checkpoint that is there and writing one after each epoch.

    The order of instances and the noise come from a generator seeded by recipe and epoch, so that a resumed run takes
    the steps that an uninterrupted one would have taken. `max_steps` ends every epoch early, for trying out. On a graphics card
    a step is captured once and replayed.
    """
    first = _restored(recipe, stepper, checkpoint, max_steps)
    run = _replayed(recipe, stepper, material)
    for epoch in range(first, recipe.n_epochs):
        loss = _run_epoch(recipe, run, material, epoch=epoch, max_steps=max_steps)
        if not math.isfinite(loss):
            raise MaterialsError(f"The loss of {recipe.name} is {loss} after epoch {epoch + 1}. Try another seed.")
        if checkpoint is not None:
            _write_checkpoint(_settings(recipe, max_steps), stepper, checkpoint, epoch + 1)
        if tell is not None:
            tell(Progress(epoch + 1, recipe.n_epochs, loss))


def _run_epoch(
    recipe: Recipe, run: Callable[[Tensor, Tensor], Tensor], material: Material, *, epoch: int, max_steps: int | None
) -> float:
    device = material.train.device
    generator = torch.Generator(device=device).manual_seed(recipe.seed * 1_000_003 + epoch + 1)
    n = len(material.train)
    n_steps = recipe.steps_per_epoch or math.ceil(n / recipe.batch)
    if max_steps is not None:
        n_steps = min(n_steps, max_steps)
    order = material.train[torch.randperm(n, generator=generator, device=device)]
    draw = torch.rand if recipe.family == "ig" else torch.randn
    total = torch.zeros((), device=device)
    for step in range(n_steps):
        places = order[step * recipe.batch : (step + 1) * recipe.batch]
        noise = draw(len(places), _noise_width(recipe), generator=generator, device=device)
        total += run(places, noise)
    return float(total) / n_steps


def _replayed(recipe: Recipe, stepper: Stepper, material: Material) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the step itself, or on a graphics card its capture."""
    places = material.train[: recipe.batch]
    if not places.is_cuda:
        return stepper.step
    noise = torch.rand(recipe.batch, _noise_width(recipe), device=places.device)
    return replayed(stepper.step, (places, noise), changed_by(stepper.whole, stepper.optimisers))


def _noise_width(recipe: Recipe) -> int:
    return recipe.n_dials + (recipe.n_categories if recipe.family == "ig" else 0)


def _settings(recipe: Recipe, max_steps: int | None) -> dict[str, Any]:
    """Return all that must be the same for the second half of a run as for the first."""
    return {**asdict(recipe), "max_steps": max_steps}


def _write_checkpoint(settings: dict[str, Any], stepper: Stepper, path: Path, n_done: int) -> None:
    content = {
        "recipe": settings,
        "n_done": n_done,
        "nets": stepper.whole.state_dict(),
        "optimisers": [one.state_dict() for one in stepper.optimisers],
    }
    part = path.with_suffix(".part")
    torch.save(content, part)
    part.replace(path)


def _restored(recipe: Recipe, stepper: Stepper, path: Path | None, max_steps: int | None) -> int:
    """Return how many epochs are done already."""
    if path is None or not path.is_file():
        return 0
    content = _content(path, next(stepper.whole.parameters()).device)
    kept, wanted = content["recipe"], _settings(recipe, max_steps)
    other = [name for name in wanted if name != "n_epochs" and kept.get(name) != wanted[name]]
    if other:
        raise MaterialsError(
            f"{path} was made with another {', '.join(other)}. Remove it to start anew, or give the same settings."
        )
    if content["n_done"] > recipe.n_epochs:
        raise MaterialsError(
            f"{path} is {content['n_done']} epochs on, but {recipe.n_epochs} are wanted. Ask for at least as many, or "
            "remove it to start anew."
        )
    stepper.whole.load_state_dict(content["nets"])
    for optimiser, state in zip(stepper.optimisers, content["optimisers"], strict=True):
        optimiser.load_state_dict(state)
    return int(content["n_done"])


def _content(path: Path, device: torch.device) -> dict[str, Any]:
    try:
        content: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
    except Exception:  # reading a spoiled file raises whatever its bytes happen to mean
        raise MaterialsError(f"{path} cannot be read as what an earlier run left. Remove it to start anew.") from None
    return content
