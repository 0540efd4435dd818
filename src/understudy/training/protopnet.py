"""Training a ProtoPNet: what it learns from, its steps, and the nearest patches."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from understudy.training.loop import WarmCosine
from understudy.training.map_nets import MapNet, ProtoPNetHead, ProtoTreeHead
from understudy.training.map_recipes import MapRecipe

N_DRAWS = 8
"""Random numbers that change one picture."""


class Rows(Protocol):
    """Instances with their labels."""

    @property
    def labels(self) -> Tensor:
        """The class of each instance."""

    def changed(self, places: Tensor, draws: Tensor) -> Tensor:
        """Return inputs of the network, changed by draws from 0 to 1, (n, N_DRAWS)."""

    def plain(self, places: Tensor) -> Tensor:
        """Return inputs of the network as they are."""


class Changes(NamedTuple):
    """How far pictures are changed while a network learns."""

    zoom: tuple[float, float] = (0.9, 1.05)
    """Smallest and largest share of the width that is shown."""
    turn: float = 0.1
    """Largest turn to either side, in radians."""
    brightness: float = 0.15
    tint: float = 0.05
    is_mirrored: bool = False
    """Whether half of the pictures are mirrored."""


SMALL_CHANGES = Changes()
PHOTO_CHANGES = Changes(zoom=(0.65, 1.05), turn=0.25, brightness=0.2, tint=0.1, is_mirrored=True)


@dataclass(frozen=True)
class PictureLevels:
    """Pictures as grey levels 0 to 255: (n, 3, height, width)."""

    levels: Tensor
    labels: Tensor
    changes: Changes = SMALL_CHANGES

    def changed(self, places: Tensor, draws: Tensor) -> Tensor:
        """Return changed pictures from 0 to 1."""
        return changed_pictures(self.plain(places), draws, self.changes)

    def plain(self, places: Tensor) -> Tensor:
        """Return pictures from 0 to 1."""
        # Convolutions on a processor are faster where the channels of a pixel lie together.
        return (self.levels[places].float() / 255).contiguous(memory_format=torch.channels_last)


@dataclass(frozen=True)
class StoredMaps:
    """Feature maps of a frozen part, for some copies of each picture: (copies, n, features, rows, columns)."""

    maps: Tensor
    labels: Tensor

    def changed(self, places: Tensor, draws: Tensor) -> Tensor:
        """Return the maps of one copy of each picture, drawn by chance."""
        copies = (draws[:, 0] * len(self.maps)).long().clamp(max=len(self.maps) - 1)
        return self.maps[copies, places].float()

    def plain(self, places: Tensor) -> Tensor:
        """Return the maps of the pictures themselves, which are the first copy."""
        return self.maps[0, places].float()


def changed_pictures(pictures: Tensor, draws: Tensor, changes: Changes) -> Tensor:
    """Zoom, turn, shift and mirror pictures, and change their brightness and tint."""
    low, high = changes.zoom
    zoom = low + (high - low) * draws[:, 0]
    angle = (2 * draws[:, 1] - 1) * changes.turn
    mirror = torch.where(draws[:, 2] < (0.5 if changes.is_mirrored else 0.0), -1.0, 1.0)
    # Shown parts stay inside the picture.
    shift = (2 * draws[:, 3:5] - 1) * (1 - zoom).clamp_min(0)[:, None]
    across = torch.stack([zoom * mirror * angle.cos(), -zoom * angle.sin(), shift[:, 0]], 1)
    down = torch.stack([zoom * mirror * angle.sin(), zoom * angle.cos(), shift[:, 1]], 1)
    grid = nn.functional.affine_grid(torch.stack([across, down], 1), list(pictures.shape), align_corners=False)
    moved = nn.functional.grid_sample(pictures, grid, padding_mode="reflection", align_corners=False)
    light = 1 + (2 * draws[:, 5] - 1) * changes.brightness
    tint = (2 * draws[:, 5:8] - 1) * changes.tint
    return (
        (moved * light[:, None, None, None] + tint[:, :, None, None])
        .clamp(0, 1)
        .contiguous(memory_format=torch.channels_last)
    )


# How a network with maps learns from one batch. What differs between methods is a `Lesson`.

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


# Nearest patches: where in the training pictures each prototype finds what is most like it.

CHUNK = 100


class Nearest(NamedTuple):
    """The nearest place of each picture to each prototype: both (pictures, prototypes)."""

    distances: Tensor
    """Squared."""
    places: Tensor
    """Counted row by row."""


class PatchSource(NamedTuple):
    """Where the patch of a prototype comes from."""

    picture: int
    """Position in the training part."""
    row: int
    column: int


@torch.no_grad()
def nearest_patches(net: MapNet, rows: Rows) -> Nearest:
    """Return distances and places for all pictures, unchanged."""
    head = prototype_head(net)
    net.eval()
    distances, places = [], []
    for chunk in _chunks(rows):
        by_place = head.distances(head.latents(net.body(rows.plain(chunk)))).flatten(2)
        nearest = by_place.min(2)
        distances.append(nearest.values)
        places.append(nearest.indices)
    return Nearest(torch.cat(distances), torch.cat(places))


@torch.no_grad()
def move_onto(net: MapNet, rows: Rows, pictures: Tensor, nearest: Nearest) -> list[PatchSource]:
    """Set prototype k to its nearest patch of picture `pictures[k]`, and return where the patches are."""
    head = prototype_head(net)
    net.eval()
    sources = []
    for prototype, picture in enumerate(pictures.tolist()):
        latents = head.latents(net.body(rows.plain(pictures[prototype : prototype + 1])))[0]
        place = int(nearest.places[picture, prototype])
        head.prototypes[prototype] = latents.flatten(1)[:, place]
        sources.append(PatchSource(picture, *divmod(place, latents.shape[2])))
    return sources


@torch.no_grad()
def scores_of(net: MapNet, rows: Rows) -> Tensor:
    """Return the logits of all pictures, unchanged."""
    net.eval()
    return torch.cat([net(rows.plain(chunk)).logits for chunk in _chunks(rows)])


@torch.no_grad()
def highest_similarities(net: MapNet, rows: Rows) -> Tensor:
    """Return how similar each picture is to each prototype, at its most similar place."""
    net.eval()
    return torch.cat([net(rows.plain(chunk)).maps.amax((2, 3)) for chunk in _chunks(rows)])


def prototype_head(net: MapNet) -> ProtoPNetHead | ProtoTreeHead:
    """Return the head of a network with prototypes."""
    head = net.head
    if not isinstance(head, ProtoPNetHead | ProtoTreeHead):
        raise TypeError(f"A head with prototypes is needed, not {type(head).__name__}.")
    return head


def _chunks(rows: Rows) -> Iterator[Tensor]:
    yield from torch.arange(len(rows.labels), device=rows.labels.device).split(CHUNK)


# How a ProtoPNet learns (Chen et al. 2019): its loss, pushing prototypes onto patches, pruning, and the last layer.
#
# One difference: two prototypes of a class never come from the same picture, so that people are not shown it twice.

N_NEAREST, N_OWN = 6, 3
"""A prototype is pruned if fewer than N_OWN of its N_NEAREST patches belong to its class."""
_LAST_ROUNDS, _LAST_RATE, _LAST_L1 = 200, 1e-2, 1e-4
_FAR = 1e9


class ProtoPNetLesson:
    """Cross-entropy, less distance to prototypes of the class, more to others; prototypes are pushed now and then."""

    def __init__(self, recipe: MapRecipe, rows: Rows, push_steps: int) -> None:
        self.recipe, self.rows, self.push_steps = recipe, rows, push_steps

    def loss(self, net: MapNet, inputs: Tensor, labels: Tensor) -> Tensor:
        """Return the mean loss of a batch. The last layer has a stage of its own."""
        head = protopnet_head(net)
        distances = head.distances(head.latents(net.body(inputs))).amin((2, 3))
        logits = head.similarities(distances) @ head.weights.detach().T
        near, far = cluster_and_separation(distances, labels, head)
        loss = nn.functional.cross_entropy(logits, labels)
        return loss + self.recipe.cluster * near - self.recipe.separation * far

    def after(self, net: MapNet, n_done: int) -> None:
        """Push all prototypes every so many steps."""
        if n_done % self.push_steps == 0:
            push(net, self.rows)


def cluster_and_separation(distances: Tensor, labels: Tensor, head: ProtoPNetHead) -> tuple[Tensor, Tensor]:
    """Return the mean smallest distance to a prototype of the class, and to one of any other class."""
    is_own = head.prototype_labels[None] == labels[:, None]
    near = distances.masked_fill(~is_own, _FAR).amin(1).mean()
    far = distances.masked_fill(is_own, _FAR).amin(1).mean()
    return near, far


def push(net: MapNet, rows: Rows) -> list[PatchSource]:
    """Turn every prototype into a patch of a training picture of its class, and return where they are."""
    head, nearest = protopnet_head(net), nearest_patches(net, rows)
    return move_onto(net, rows, _own_pictures(nearest, rows.labels, head.prototype_labels), nearest)


def _own_pictures(nearest: Nearest, labels: Tensor, prototype_labels: Tensor) -> Tensor:
    """Return for each prototype the nearest picture of its class that no other prototype of the class has taken."""
    distances = nearest.distances.masked_fill(labels[:, None] != prototype_labels[None], float("inf"))
    chosen: list[int] = []
    for prototype, label in enumerate(prototype_labels.tolist()):
        left = distances[:, prototype].clone()
        taken = [picture for picture in chosen if int(labels[picture]) == label]
        # With fewer pictures than prototypes of a class, pictures have to be shared.
        if len(taken) < int((labels == label).sum()):
            left[taken] = float("inf")
        chosen.append(int(left.argmin()))
    return torch.tensor(chosen)


def prune(net: MapNet, rows: Rows) -> Tensor:
    """Drop prototypes that are as near to pictures of other classes, and tell which were kept; each class keeps one."""
    head, nearest = protopnet_head(net), nearest_patches(net, rows)
    n_nearest = min(N_NEAREST, len(rows.labels))
    pictures = nearest.distances.topk(n_nearest, 0, largest=False).indices
    n_own = (rows.labels[pictures] == head.prototype_labels[None]).sum(0)
    is_kept = n_own >= min(N_OWN, n_nearest)
    for label in head.prototype_labels.unique().tolist():
        of_label = (head.prototype_labels == label).nonzero().flatten()
        if not bool(is_kept[of_label].any()):
            is_kept[of_label[n_own[of_label].argmax()]] = True
    head.keep(is_kept)
    return is_kept


def fit_last_layer(net: MapNet, rows: Rows) -> None:
    """Fit the weights of similarities, with a penalty on those for other classes."""
    head = protopnet_head(net)
    similar = highest_similarities(net, rows)
    is_other = ~head.is_own(len(head.weights))
    head.weights.requires_grad_(True)
    optimiser = torch.optim.Adam([head.weights], lr=_LAST_RATE)
    for _ in range(_LAST_ROUNDS):
        optimiser.zero_grad(set_to_none=True)
        penalty = (head.weights * is_other).abs().sum()
        loss = nn.functional.cross_entropy(similar @ head.weights.T, rows.labels) + _LAST_L1 * penalty
        loss.backward()
        optimiser.step()


def protopnet_head(net: MapNet) -> ProtoPNetHead:
    """Return the head of a ProtoPNet."""
    head = net.head
    if not isinstance(head, ProtoPNetHead):
        raise TypeError(f"The head of a ProtoPNet is needed, not {type(head).__name__}.")
    return head
