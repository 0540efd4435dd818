"""How a ProtoPNet learns (Chen et al. 2019): its loss, pushing prototypes onto patches, pruning, and the last layer.

One difference: two prototypes of a class never come from the same picture, so that people are not shown it twice.
"""

import torch
from torch import Tensor, nn

from understudy.training.map_recipes import MapRecipe
from understudy.training.map_rows import Rows
from understudy.training.nearest_patches import (
    Nearest,
    PatchSource,
    highest_similarities,
    move_onto,
    nearest_patches,
)
from understudy.training.nets.map_outputs import MapNet
from understudy.training.nets.protopnet import ProtoPNetHead

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
