"""How a ProtoTree learns (Nauta et al. 2021): its loss, leaves without gradients, pruning, projection, greedy reading."""

import math
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor, nn

from understudy.errors import MaterialsError
from understudy.training.map_rows import Rows
from understudy.training.nearest_patches import PatchSource, move_onto, nearest_patches
from understudy.training.nets.map_outputs import MapNet
from understudy.training.nets.prototree import ProtoTreeHead, reach

_SMALLEST = 1e-9
_N_START = 500
"""Pictures whose patches prototypes start at."""


class ProtoTreeLesson:
    """The likelihood of the mixture of all leaves; leaves are counted and not differentiated."""

    def __init__(self, n_batches: int) -> None:
        self.n_batches = n_batches
        self.seen: tuple[Tensor, Tensor] | None = None

    def loss(self, net: MapNet, inputs: Tensor, labels: Tensor) -> Tensor:
        """Return the mean negative log-likelihood, and remember how leaves were reached."""
        head = tree_head(net)
        reached = reach(head.maps(net.body(inputs)).amax((2, 3)))
        self.seen = (reached.detach(), labels)
        return nn.functional.nll_loss((reached @ head.leaves() + _SMALLEST).log(), labels)

    def after(self, net: MapNet, n_done: int) -> None:
        """Update the leaves by the batch."""
        if self.seen is not None:
            head = tree_head(net)
            update_leaves(head, *self.seen, n_batches=self.n_batches)
            if n_done % self.n_batches == 0:
                head.evidence_before.copy_(head.evidence)


@torch.no_grad()
def update_leaves(head: ProtoTreeHead, reached: Tensor, labels: Tensor, *, n_batches: int) -> None:
    """Replace one batch's share of what the leaves gathered in the epoch before."""
    leaves = head.leaves()
    mixed = reached @ leaves
    credit = nn.functional.one_hot(labels, leaves.shape[1]).float() / (mixed + _SMALLEST)
    kept = (head.evidence - head.evidence_before / n_batches).clamp_min(0)
    head.evidence.copy_(kept + leaves * (reached.T @ credit))


@torch.no_grad()
def start_at_patches(net: MapNet, rows: Rows, generator: torch.Generator) -> None:
    """Start prototypes at random patches, and scale distances so that half of the pictures go each way."""
    head = tree_head(net)
    head.prototypes.copy_(random_patches(net, rows, len(head.prototypes), generator))
    nearest = nearest_patches(net, rows).distances.sqrt().median(0).values
    head.log_scales.copy_((math.log(2) / nearest.clamp_min(0.05)).log())


@torch.no_grad()
def random_patches(net: MapNet, rows: Rows, n: int, generator: torch.Generator) -> Tensor:
    """Return what n random places of some pictures look like to the network: (n, latent dimensions)."""
    net.eval()
    chosen = torch.randperm(len(rows.labels), generator=generator)[:_N_START]
    # In parts: all feature maps at once would take much memory.
    latents = torch.cat([tree_head(net).latents(net.body(rows.plain(part))) for part in chosen.split(100)])
    patches = latents.movedim(1, 3).flatten(0, 2)
    return patches[torch.randint(len(patches), (n,), generator=generator)]


class InnerNode(NamedTuple):
    """A node that was kept. A child is the index of another node, or -1 - k for leaf k."""

    prototype: int
    """Index among the nodes of the full tree."""
    absent: int
    present: int


class ReadableTree(NamedTuple):
    """What is left of a tree after pruning, root first."""

    nodes: tuple[InnerNode, ...]
    leaves: tuple[int, ...]
    """Indices among the leaves of the full tree."""


def prune(head: ProtoTreeHead, min_probability: float) -> ReadableTree:
    """Drop every subtree whose leaves give no class the smallest probability; its sibling takes the place of the parent."""
    is_kept = (head.leaves().amax(1) >= min_probability).tolist()
    if sum(is_kept) < 2:
        raise MaterialsError(
            f"Only {sum(is_kept)} of {len(is_kept)} leaves of the tree give a class a probability of at least "
            f"{min_probability:.3f}, so there would be nothing to decide. Train for more epochs."
        )
    return _flat(_subtree(head, 0, is_kept))


_Subtree: TypeAlias = "int | tuple[int, _Subtree, _Subtree] | None"
"""A leaf, a node with what follows if its prototype is absent and present, or nothing."""


def _subtree(head: ProtoTreeHead, node: int, is_kept: list[bool]) -> _Subtree:
    leaf = node - len(head.prototypes)
    if leaf >= 0:
        return leaf if is_kept[leaf] else None
    absent, present = _subtree(head, 2 * node + 1, is_kept), _subtree(head, 2 * node + 2, is_kept)
    if absent is None or present is None:
        return present if absent is None else absent
    return node, absent, present


def _flat(subtree: _Subtree) -> ReadableTree:
    nodes: list[InnerNode] = []
    leaves: list[int] = []

    def number(part: _Subtree) -> int:
        if not isinstance(part, tuple):
            leaves.append(-1 if part is None else part)
            return -len(leaves)
        here = len(nodes)
        nodes.append(InnerNode(part[0], 0, 0))  # children get their numbers later
        nodes[here] = InnerNode(part[0], number(part[1]), number(part[2]))
        return here

    number(subtree)
    return ReadableTree(tuple(nodes), tuple(leaves))


def project(net: MapNet, rows: Rows) -> list[PatchSource]:
    """Turn every prototype into its nearest patch of any training picture, and return where they are."""
    nearest = nearest_patches(net, rows)
    return move_onto(net, rows, nearest.distances.argmin(0), nearest)


def greedy_leaves(similar: Tensor, tree: ReadableTree, threshold: float = 0.5) -> Tensor:
    """Return the leaf that each picture reaches, from its highest similarity to the prototype of each kept node."""
    is_present = (similar > threshold).float()
    wants_present, wants_absent = (wanted.to(similar.device) for wanted in paths(tree))
    n_met = is_present @ wants_present.T + (1 - is_present) @ wants_absent.T
    # Exactly one leaf has all its conditions met; all others miss at least one.
    n_missed = (wants_present + wants_absent).sum(1) - n_met
    return n_missed.argmin(1)


def paths(tree: ReadableTree) -> tuple[Tensor, Tensor]:
    """Return which prototypes have to be present and which absent on the way to each leaf: both (leaves, nodes)."""
    wants_present = torch.zeros(len(tree.leaves), len(tree.nodes))
    wants_absent = torch.zeros(len(tree.leaves), len(tree.nodes))

    def follow(child: int, present: list[int], absent: list[int]) -> None:
        if child < 0:
            wants_present[-1 - child, present] = 1
            wants_absent[-1 - child, absent] = 1
            return
        node = tree.nodes[child]
        follow(node.absent, present, [*absent, child])
        follow(node.present, [*present, child], absent)

    follow(0 if tree.nodes else -1, [], [])
    return wants_present, wants_absent


def tree_head(net: MapNet) -> ProtoTreeHead:
    """Return the head of a ProtoTree."""
    head = net.head
    if not isinstance(head, ProtoTreeHead):
        raise TypeError(f"The head of a ProtoTree is needed, not {type(head).__name__}.")
    return head
