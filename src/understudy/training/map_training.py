"""Training a network with maps: a recipe carried out, then its prototypes moved onto patches and its tree pruned."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from understudy.sources.arrays import Bytes
from understudy.training import protopnet_steps, prototree_steps
from understudy.training.checkpoints import Checkpoint
from understudy.training.loop import Progress, Schedule, Watchers, seeded_by_epoch, train
from understudy.training.map_nets import map_net
from understudy.training.map_recipes import MapRecipe
from understudy.training.map_rows import Rows
from understudy.training.map_steps import Lesson, MapNetSteps, PlainLesson, steps_per_epoch
from understudy.training.nearest_patches import PatchSource, highest_similarities, scores_of
from understudy.training.nets.map_outputs import MapNet
from understudy.training.prototree_growth import grow_from_patches
from understudy.training.prototree_steps import ReadableTree, greedy_leaves, tree_head

_MIN_TIMES_CHANCE = 1.5
"""A leaf is informative if its likeliest class has this many times the probability of chance."""


@dataclass(frozen=True)
class MapData:
    """Pictures as a network learns from them, and as people see them."""

    train: Rows
    test: Rows
    labels: tuple[str, ...]
    photos: Bytes
    """The training pictures: (n, row, column, channel), grey levels 0 to 255."""


@dataclass(frozen=True)
class MapRun:
    """Where a recipe is carried out."""

    state: Path
    """Gets the checkpoint."""
    progress: Callable[[Progress], None] = lambda _: None
    body: dict[str, Any] | None = None
    """Weights that the body starts with."""
    max_steps: int | None = None
    """Steps after which every epoch ends, for trying out."""


@dataclass(frozen=True)
class TrainedMapNet:
    """A network, and what its card has to say."""

    net: MapNet
    scores: dict[str, Any]
    curve: list[dict[str, float]]
    """Loss and accuracy on the test part after each epoch of this run; nothing was chosen by them."""
    seconds: float
    """Processor time of this run."""
    gpu_seconds: float = 0.0
    """Time of this run on a graphics card, from start to end."""
    sources: list[PatchSource] = field(default_factory=list)
    tree: ReadableTree | None = None


def trained_map_net(recipe: MapRecipe, data: MapData, run: MapRun) -> TrainedMapNet:
    """Learn from the training part, and measure on the test part."""
    begun, begun_outside = time.process_time(), time.perf_counter()
    device = data.train.labels.device
    net = map_net(recipe, len(data.labels), data.photos.shape[1]).to(device)
    if run.body is not None:
        net.body.load_state_dict(run.body)
    if recipe.method == "tree":
        start = grow_from_patches if recipe.is_grown else prototree_steps.start_at_patches
        start(net, data.train, torch.Generator().manual_seed(recipe.seed))
    # Distances are differences of long vectors, which the short numbers of a graphics card would lose.
    with torch.backends.cudnn.flags(allow_tf32=False):
        curve = _learn(recipe, data, net, run)
        trained = TrainedMapNet(net.eval(), {}, curve, 0.0)
        if recipe.method == "prototypes":
            trained = _with_patches(net, data, trained, is_pruned=recipe.is_pruned)
        elif recipe.method == "tree":
            trained = _with_readable_tree(net, data, trained)
    net.cpu()  # where it is written and measured
    gpu_seconds = time.perf_counter() - begun_outside if device.type == "cuda" else 0.0
    return replace(trained, seconds=time.process_time() - begun, gpu_seconds=gpu_seconds)


def checkpoint_of(recipe: MapRecipe, state: Path) -> Path:
    """Return the file an unfinished run leaves."""
    return state / f"{recipe.name}.checkpoint"


def accuracy(logits: Tensor, labels: Tensor) -> float:
    """Return the share of pictures whose likeliest class is right."""
    return round(float((logits.argmax(1) == labels).float().mean()), 6)


def _learn(recipe: MapRecipe, data: MapData, net: MapNet, run: MapRun) -> list[dict[str, float]]:
    steps = MapNetSteps(recipe, data.train, net, _lesson(recipe, data))
    curve: list[dict[str, float]] = []

    def note(progress: Progress) -> None:
        right = accuracy(scores_of(net, data.test), data.test.labels)
        curve.append({"epoch": progress.epoch, "loss": round(progress.loss, 4), "accuracy": right})
        run.progress(replace(progress, validation=right))

    schedule = Schedule(
        name=recipe.name,
        places=torch.arange(len(data.train.labels), device=data.train.labels.device),
        batch=recipe.batch,
        n_epochs=recipe.n_epochs,
        generator=seeded_by_epoch(recipe.seed, torch.device("cpu")),
        n_steps=run.max_steps,
        is_captured=False,  # leaves are updated, prototypes pushed and bodies thawed between steps
    )
    settings = {
        "name": recipe.name,
        "n_epochs": recipe.n_epochs,
        "widths": list(recipe.widths),
        "seed": recipe.seed,
        "classes": [*data.labels],
        "number of pictures": len(data.train.labels),
    }
    run.state.mkdir(parents=True, exist_ok=True)
    checkpoint = Checkpoint(checkpoint_of(recipe, run.state), settings, recipe.n_epochs)
    train(steps, schedule, Watchers(progress=note, checkpoint=checkpoint))
    steps.settle()
    net.requires_grad_(True)
    return curve


def _lesson(recipe: MapRecipe, data: MapData) -> Lesson:
    per_epoch = steps_per_epoch(recipe, data.train)
    if recipe.method == "prototypes":
        return protopnet_steps.ProtoPNetLesson(recipe, data.train, recipe.push_every * per_epoch)
    if recipe.method == "tree":
        return prototree_steps.ProtoTreeLesson(per_epoch)
    return PlainLesson(recipe.label_smoothing)


def _with_patches(net: MapNet, data: MapData, trained: TrainedMapNet, *, is_pruned: bool) -> TrainedMapNet:
    """Push, fit the last layer, prune, fit it again; accuracies on the test part after each."""
    steps = {"learned": accuracy(scores_of(net, data.test), data.test.labels)}

    def measure(name: str) -> None:
        steps[name] = accuracy(scores_of(net, data.test), data.test.labels)

    sources = protopnet_steps.push(net, data.train)
    measure("pushed")
    protopnet_steps.fit_last_layer(net, data.train)
    measure("last_layer")
    is_kept = torch.ones(len(sources), dtype=torch.bool)
    if is_pruned:
        is_kept = protopnet_steps.prune(net, data.train)
        measure("pruned")
        protopnet_steps.fit_last_layer(net, data.train)
        measure("last_layer_again")
    kept = [source for source, stays in zip(sources, is_kept.tolist(), strict=True) if stays]
    counts = {"all": len(sources), "pruned": len(sources) - len(kept), "kept": len(kept)}
    return replace(trained, sources=kept, scores={"accuracy_after": steps, "prototypes": counts})


def _with_readable_tree(net: MapNet, data: MapData, trained: TrainedMapNet) -> TrainedMapNet:
    """Prune and project; accuracies on the test part before and after, of the mixture and of the greedy reading."""
    head, labels = tree_head(net), data.test.labels
    soft = accuracy(scores_of(net, data.test), labels)
    tree = prototree_steps.prune(head, _MIN_TIMES_CHANCE / len(data.labels))
    nodes = torch.tensor([node.prototype for node in tree.nodes], dtype=torch.long)

    def greedy() -> float:
        reached = greedy_leaves(highest_similarities(net, data.test)[:, nodes], tree)
        return accuracy(head.leaves()[list(tree.leaves)][reached], labels)

    before = greedy()
    sources = prototree_steps.project(net, data.train)
    scores = {
        "accuracy_after": {
            "learned": soft,
            "pruned_greedy": before,
            "projected": accuracy(scores_of(net, data.test), labels),
            "projected_greedy": greedy(),
        },
        "nodes": {"all": len(head.prototypes), "kept": len(tree.nodes), "leaves": len(tree.leaves)},
    }
    return replace(trained, sources=[sources[node] for node in nodes.tolist()], tree=tree, scores=scores)
