"""Training a network with maps: a recipe carried out, then its prototypes moved onto patches and its tree pruned."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from understudy.statistics.arrays import Bytes
from understudy.training import protopnet, prototree
from understudy.training.efficientnet import N_FEATURES, EfficientNetLite, pretrained
from understudy.training.loop import Checkpoint, Progress, Schedule, Watchers, seeded_by_epoch, train
from understudy.training.map_nets import (
    BagNet,
    CropFeatures,
    Crops,
    LinearMaps,
    MapNet,
    ProtoPNetHead,
    ProtoTreeHead,
    SmallCnn,
)
from understudy.training.map_recipes import MapRecipe, tree_depth
from understudy.training.protopnet import (
    Lesson,
    MapNetSteps,
    PatchSource,
    PlainLesson,
    Rows,
    highest_similarities,
    scores_of,
    steps_per_epoch,
)
from understudy.training.prototree import ReadableTree, greedy_leaves, grow_from_patches, tree_head

# The network of a recipe with maps, before it has learned.


def map_net(recipe: MapRecipe, n_labels: int, n_px: int) -> MapNet:
    """Return a network that has not learned yet, except for the weights of its backbone; pictures are n_px wide."""
    # Layers of torch draw their weights from the generator of torch itself.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        if recipe.backbone:
            return _with_backbone(recipe, pretrained(recipe.backbone), n_labels, n_px)
        body = _small_body(recipe)
        net = MapNet(body, _head(recipe, body.n_features, n_labels))
    to: Any = net.to  # whose types do not know memory formats
    to(memory_format=torch.channels_last)
    return net


def _with_backbone(recipe: MapRecipe, backbone: EfficientNetLite, n_labels: int, n_px: int) -> MapNet:
    if recipe.method == "patch_logits":
        crops = Crops(recipe.receptive_px or n_px, recipe.grid_px, recipe.backbone_px)
        frozen = CropFeatures(_Features(backbone), crops, n_px)
        return MapNet(nn.Identity(), _head(recipe, N_FEATURES, n_labels), frozen.eval())
    n_frozen = len(backbone.stages) - recipe.n_tuned
    enlarged = _Enlarged(backbone, recipe.backbone_px, n_frozen).eval()
    if recipe.has_last_layer:
        body = nn.Sequential(*backbone.stages[n_frozen:], backbone.last)
        return MapNet(body, _head(recipe, N_FEATURES, n_labels), enlarged)
    # Features before the last layer differ in size by channel, since no activation follows them.
    return MapNet(nn.BatchNorm2d(backbone.n_before_last), _head(recipe, backbone.n_before_last, n_labels), enlarged)


def frozen_part(recipe: MapRecipe, n_px: int) -> nn.Module:
    """Return what computes the stored feature maps of a recipe with a backbone."""
    return map_net(recipe, 2, n_px).frozen


def _small_body(recipe: MapRecipe) -> SmallCnn | BagNet:
    if recipe.receptive_px is None:
        return SmallCnn(recipe.widths)
    return BagNet(recipe.receptive_px, recipe.widths, recipe.n_blocks)


def _head(recipe: MapRecipe, n_features: int, n_labels: int) -> nn.Module:
    if recipe.method == "prototypes":
        return ProtoPNetHead(n_features, n_labels, n_each=recipe.n_each, n_latent=recipe.n_latent)
    if recipe.method == "tree":
        return ProtoTreeHead(n_features, n_labels, depth=tree_depth(recipe, n_labels), n_latent=recipe.n_latent)
    return LinearMaps(n_features, n_labels, has_bias_in_maps=recipe.method == "patch_logits")


class _Features(nn.Module):
    """The last feature maps of a backbone."""

    def __init__(self, backbone: EfficientNetLite) -> None:
        super().__init__()
        self.backbone = backbone

    def forward(self, pictures: Tensor) -> Tensor:
        return self.backbone.features(pictures)


class _Enlarged(nn.Module):
    """The first stages of a backbone, of pictures enlarged to its size."""

    def __init__(self, backbone: EfficientNetLite, n_px: int, n_stages: int) -> None:
        super().__init__()
        self.backbone, self.n_px, self.n_stages = backbone, n_px, n_stages

    def forward(self, pictures: Tensor) -> Tensor:
        size = (self.n_px, self.n_px)
        enlarged = nn.functional.interpolate(pictures, size=size, mode="bilinear", align_corners=False)
        return self.backbone.first_stages(enlarged, self.n_stages)


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
        start = grow_from_patches if recipe.is_grown else prototree.start_at_patches
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
        return protopnet.ProtoPNetLesson(recipe, data.train, recipe.push_every * per_epoch)
    if recipe.method == "tree":
        return prototree.ProtoTreeLesson(per_epoch)
    return PlainLesson(recipe.label_smoothing)


def _with_patches(net: MapNet, data: MapData, trained: TrainedMapNet, *, is_pruned: bool) -> TrainedMapNet:
    """Push, fit the last layer, prune, fit it again; accuracies on the test part after each."""
    steps = {"learned": accuracy(scores_of(net, data.test), data.test.labels)}

    def measure(name: str) -> None:
        steps[name] = accuracy(scores_of(net, data.test), data.test.labels)

    sources = protopnet.push(net, data.train)
    measure("pushed")
    protopnet.fit_last_layer(net, data.train)
    measure("last_layer")
    is_kept = torch.ones(len(sources), dtype=torch.bool)
    if is_pruned:
        is_kept = protopnet.prune(net, data.train)
        measure("pruned")
        protopnet.fit_last_layer(net, data.train)
        measure("last_layer_again")
    kept = [source for source, stays in zip(sources, is_kept.tolist(), strict=True) if stays]
    counts = {"all": len(sources), "pruned": len(sources) - len(kept), "kept": len(kept)}
    return replace(trained, sources=kept, scores={"accuracy_after": steps, "prototypes": counts})


def _with_readable_tree(net: MapNet, data: MapData, trained: TrainedMapNet) -> TrainedMapNet:
    """Prune and project; accuracies on the test part before and after, of the mixture and of the greedy reading."""
    head, labels = tree_head(net), data.test.labels
    soft = accuracy(scores_of(net, data.test), labels)
    tree = prototree.prune(head, _MIN_TIMES_CHANCE / len(data.labels))
    nodes = torch.tensor([node.prototype for node in tree.nodes], dtype=torch.long)

    def greedy() -> float:
        reached = greedy_leaves(highest_similarities(net, data.test)[:, nodes], tree)
        return accuracy(head.leaves()[list(tree.leaves)][reached], labels)

    before = greedy()
    sources = prototree.project(net, data.train)
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
