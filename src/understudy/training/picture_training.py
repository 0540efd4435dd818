"""Training networks for pictures: a recipe carried out, within a time, from where an earlier run stopped."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from understudy.training.checkpoints import Checkpoint
from understudy.training.head_fit import fit_head
from understudy.training.loop import Progress, Schedule, TrainingSteps, Watchers, seeded_by_epoch, train
from understudy.training.nets.flow import Flow, FlowShape
from understudy.training.nets.picture_cnn import PictureCnn
from understudy.training.picture_data import PictureRows, levels_to_values
from understudy.training.picture_recipes import FlowRecipe, PictureNetRecipe, PictureRecipe
from understudy.training.picture_steps import FlowSteps, PictureNetSteps


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
