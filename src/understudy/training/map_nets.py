"""Nets with maps: bags of crops, ProtoPNet, ProtoTree, and what they give.

This is not BagNet: its crops are larger, and the network was trained on whole photos. Like BagNet it is exact: no crop
knows anything of the others, so that the map shows all that the decision rests on.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from understudy.errors import MaterialsError


class Crops(NamedTuple):
    """How a square photo is cut: crops lie around the centres of a regular grid; edge pixels are repeated beyond it."""

    n_px: int
    """Width and height of a crop."""
    grid_px: int
    """Pixels between neighbouring crops, which divides the width of the photo."""
    shown_px: int
    """The size to which a crop is enlarged for the network."""


def cut(pictures: Tensor, crops: Crops) -> Tensor:
    """Return all crops of each picture, row by row: (n, crops, 3, shown_px, shown_px)."""
    before = (crops.n_px - crops.grid_px) // 2
    after = crops.n_px - crops.grid_px - before
    padded = nn.functional.pad(pictures, (before, after, before, after), mode="replicate")
    n_rows = pictures.shape[2] // crops.grid_px
    n_columns = pictures.shape[3] // crops.grid_px
    parts = [
        padded[:, :, top : top + crops.n_px, left : left + crops.n_px]
        for top in range(0, n_rows * crops.grid_px, crops.grid_px)
        for left in range(0, n_columns * crops.grid_px, crops.grid_px)
    ]
    # One resize for all crops: the exporter would otherwise write it down once for each.
    joined = torch.stack(parts, 1).flatten(0, 1)
    size = (crops.shown_px, crops.shown_px)
    enlarged = nn.functional.interpolate(joined, size=size, mode="bilinear", align_corners=False)
    return enlarged.reshape(-1, len(parts), pictures.shape[1], *size)


class CropFeatures(nn.Module):
    """The averaged features of each crop, as feature maps with one place for each crop."""

    def __init__(self, backbone: nn.Module, crops: Crops, n_px: int) -> None:
        super().__init__()
        self.backbone, self.crops = backbone, crops
        self.n_side = n_px // crops.grid_px

    def forward(self, pictures: Tensor) -> Tensor:
        """Return (n, features, rows, columns)."""
        parts = cut(pictures, self.crops)
        features = self.backbone(parts.flatten(0, 1)).mean((2, 3))
        by_place = features.reshape(-1, self.n_side, self.n_side, features.shape[1])
        return by_place.permute(0, 3, 1, 2)


# A small convolutional body for pictures of 96 pixels, whose feature maps keep 12 x 12 places.
#
# A place sees 35 pixels (RECEPTIVE_PX), a third of the picture. With 3 x 3 convolutions throughout it would see 75, and then prototypes
# settle on places next to a part, or in a corner of the background, and people look at patches that show nothing.

RECEPTIVE_PX = 35
_N_BLOCKS = 4
_KERNELS = (3, 3, 3, 1, 3, 3, 1, 1)
"""Two convolutions for each block; the first of each but the last block halves width and height."""


class SmallCnn(nn.Module):
    """Four blocks of two convolutions; each of the first three halves width and height."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        super().__init__()
        if len(widths) != _N_BLOCKS:
            raise MaterialsError(f"The body has {len(widths)} widths. Give {_N_BLOCKS}, one for each block.")
        layers: list[nn.Module] = []
        n_inputs = 3
        for position, kernel in enumerate(_KERNELS):
            width = widths[position // 2]
            halves = position % 2 == 0 and position // 2 < _N_BLOCKS - 1
            layers += unit(n_inputs, width, kernel=kernel, stride=2 if halves else 1)
            n_inputs = width
        self.layers = nn.Sequential(*layers)
        self.n_features = n_inputs

    def forward(self, pictures: Tensor) -> Tensor:
        """Return feature maps of pictures, (n, 3, height, width) from 0 to 1."""
        return self.layers(centred(pictures))


def centred(pictures: Tensor) -> Tensor:
    """Return pictures as numbers around 0, with a spread of about 1."""
    return (pictures - 0.5) * 4


def unit(n_inputs: int, n_outputs: int, *, kernel: int, stride: int = 1) -> list[nn.Module]:
    """Return a convolution, batch normalisation and ReLU."""
    conv = nn.Conv2d(n_inputs, n_outputs, kernel, stride, kernel // 2, bias=False)
    return [conv, nn.BatchNorm2d(n_outputs), nn.ReLU(inplace=True)]


# BagNet (Brendel and Bethge 2019), scaled down: every place of its maps sees one small patch of the picture, and no more.
#
# Only one convolution of a stage is 3 x 3, and it has no padding; all others are 1 x 1. With such a convolution in all four
# stages a place sees 33 pixels, without one in the last stage 17, without one in the last two 9. Differences from the
# original: narrower, fewer blocks, bottlenecks widened by 2 instead of 4, one convolution for two linear ones at the start,
# and the picture is padded once, so that the centres of the patches form a regular grid of 8 pixels over all of it.

GRID_PX = 8
"""Pixels between the centres of neighbouring patches."""
_N_WIDE_STAGES: dict[int, int] = {9: 2, 17: 3, 33: 4}
_EXPANSION = 2


class BagNet(nn.Module):
    """A stem and four stages of bottlenecks."""

    def __init__(self, receptive_px: int, widths: tuple[int, ...], n_blocks: tuple[int, ...]) -> None:
        super().__init__()
        if len(widths) != 4 or len(n_blocks) != 4 or receptive_px not in _N_WIDE_STAGES:
            raise MaterialsError(
                f"A BagNet has 4 stages and sees 9, 17 or 33 pixels, not {len(widths)} widths, {len(n_blocks)} numbers of "
                f"blocks and {receptive_px} pixels."
            )
        self.receptive_px = receptive_px
        stem = widths[0]
        self.stem = nn.Sequential(
            nn.Conv2d(3, stem, 3, bias=False),
            nn.BatchNorm2d(stem),
            nn.ReLU(inplace=True),
        )
        blocks: list[nn.Module] = []
        n_inputs = stem
        for stage, (width, n) in enumerate(zip(widths, n_blocks, strict=True)):
            for number in range(n):
                kernel = 3 if number == 0 and stage < _N_WIDE_STAGES[receptive_px] else 1
                stride = 2 if number == 0 and stage < 3 else 1
                blocks.append(_Bottleneck(n_inputs, width, kernel=kernel, stride=stride))
                n_inputs = width * _EXPANSION
        self.blocks = nn.Sequential(*blocks)
        self.n_features = n_inputs

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the features of each patch; pictures are (n, 3, height, width) from 0 to 1, multiples of 8 pixels."""
        before = (self.receptive_px - GRID_PX) // 2
        after = self.receptive_px - GRID_PX - before
        padded = nn.functional.pad(centred(pictures), (before, after, before, after))
        return self.blocks(self.stem(padded))


class _Bottleneck(nn.Module):
    """Narrow, look around, widen; the shortcut is cropped at the bottom and right to what remains without padding."""

    def __init__(self, n_inputs: int, width: int, *, kernel: int, stride: int) -> None:
        super().__init__()
        n_outputs = width * _EXPANSION
        self.layers = nn.Sequential(
            nn.Conv2d(n_inputs, width, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, width, kernel, stride, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, n_outputs, 1, bias=False),
            nn.BatchNorm2d(n_outputs),
        )
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1 or n_inputs != n_outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(n_inputs, n_outputs, 1, stride, bias=False), nn.BatchNorm2d(n_outputs)
            )

    def forward(self, maps: Tensor) -> Tensor:
        added = self.layers(maps)
        return (added + self.shortcut(maps)[:, :, : added.shape[2], : added.shape[3]]).relu()


# What a network that shows its maps returns, and the network as a whole: a body that makes feature maps, and a head.


class MapOutput(NamedTuple):
    """Scores of a batch, and the maps that they come from."""

    logits: Tensor
    """(n, labels); a softmax makes probabilities of them."""
    maps: Tensor
    """(n, maps, rows, columns)."""


class MapNet(nn.Module):
    """A frozen part, which may be computed once and stored, a body that learns, and a head."""

    def __init__(self, body: nn.Module, head: nn.Module, frozen: nn.Module | None = None) -> None:
        super().__init__()
        self.frozen = nn.Identity() if frozen is None else frozen
        self.body, self.head = body, head

    def forward(self, inputs: Tensor) -> MapOutput:
        """Return scores and maps of what the frozen part returns; pictures themselves if there is none."""
        output: MapOutput = self.head(self.body(inputs))
        return output

    def from_pictures(self, pictures: Tensor) -> MapOutput:
        """Return scores and maps of pictures, (n, 3, height, width) from 0 to 1."""
        return self(self.frozen(pictures))


# A linear head that also shows a map for each class: the average over places and a linear layer can be exchanged.


class LinearMaps(nn.Module):
    """The evidence at each place, and its average.

    Without the bias, the maps are the class activation maps (Zhou et al. 2016), which are what GradCAM computes for such a
    head before its ReLU; with it, they are the logits of patches, whose mean is the logit.
    """

    def __init__(self, n_features: int, n_labels: int, *, has_bias_in_maps: bool) -> None:
        super().__init__()
        self.linear = nn.Linear(n_features, n_labels)
        self.has_bias_in_maps = has_bias_in_maps

    def forward(self, features: Tensor) -> MapOutput:
        """Return logits, and the maps whose means they are (plus the bias, if the maps do not contain it)."""
        weights = self.linear.weight[:, :, None, None]
        if self.has_bias_in_maps:
            maps = nn.functional.conv2d(features, weights, self.linear.bias)
            return MapOutput(maps.mean((2, 3)), maps)
        maps = nn.functional.conv2d(features, weights)
        return MapOutput(maps.mean((2, 3)) + self.linear.bias, maps)


# The head of ProtoPNet (Chen et al. 2019): how similar are places of a picture to patches of training pictures?

_SMALLEST = 1e-4
_OTHERS = -0.5
"""The weight of a prototype for the classes that it does not speak for, before the last layer learns."""


class ProtoPNetHead(nn.Module):
    """Two 1 x 1 convolutions, prototypes of each class, and a linear layer over their similarities."""

    prototype_labels: Tensor
    """The class that each prototype speaks for."""
    is_exact: bool
    """Whether distances are computed without rounding errors, which takes longer."""

    def __init__(self, n_features: int, n_labels: int, *, n_each: int, n_latent: int) -> None:
        super().__init__()
        self.is_exact = False
        self.add_on = nn.Sequential(
            nn.Conv2d(n_features, n_latent, 1), nn.ReLU(), nn.Conv2d(n_latent, n_latent, 1), nn.Sigmoid()
        )
        self.prototypes = nn.Parameter(torch.rand(n_labels * n_each, n_latent))
        self.register_buffer("prototype_labels", torch.arange(n_labels).repeat_interleave(n_each))
        self.weights = nn.Parameter(torch.where(self.is_own(n_labels), 1.0, _OTHERS))

    def is_own(self, n_labels: int) -> Tensor:
        """Tell for each class and prototype whether they belong together."""
        labels = torch.arange(n_labels, device=self.prototype_labels.device)
        return labels[:, None] == self.prototype_labels[None]

    def latents(self, features: Tensor) -> Tensor:
        """Return what is compared with prototypes, at each place."""
        return self.add_on(features)

    def distances(self, latents: Tensor) -> Tensor:
        """Return the squared distance of each place to each prototype."""
        return squared_distances(latents, self.prototypes, is_exact=self.is_exact)

    def similarities(self, distances: Tensor) -> Tensor:
        """Return similarities of squared distances."""
        return torch.log((distances + 1) / (distances + _SMALLEST))

    def forward(self, features: Tensor) -> MapOutput:
        """Return logits, and how similar each place is to each prototype."""
        maps = self.similarities(self.distances(self.latents(features)))
        return MapOutput(maps.amax((2, 3)) @ self.weights.T, maps)

    def keep(self, is_kept: Tensor) -> None:
        """Drop all other prototypes."""
        self.prototypes = nn.Parameter(self.prototypes.detach()[is_kept])
        self.weights = nn.Parameter(self.weights.detach()[:, is_kept])
        self.prototype_labels = self.prototype_labels[is_kept]


def squared_distances(latents: Tensor, prototypes: Tensor, *, is_exact: bool = False) -> Tensor:
    """Return the squared Euclidean distance of each place to each prototype: (n, prototypes, rows, columns)."""
    if is_exact:
        return (latents[:, None] - prototypes[None, :, :, None, None]).square().sum(2)
    # By way of products this is fast, but small distances are lost in the rounding of long vectors.
    products = nn.functional.conv2d(latents, prototypes[:, :, None, None])
    lengths = latents.square().sum(1, keepdim=True)
    return (lengths - 2 * products + prototypes.square().sum(1)[None, :, None, None]).clamp_min(0)


# The head of ProtoTree (Nauta et al. 2021): a soft decision tree that asks whether prototypes are present.
#
# One difference: every node has a scale for its distances, which learns. Without it, distances in 64 and more dimensions
# are so long that exp(-distance) is close to 0 everywhere, and a tree that is read greedily never turns right.

SMALLEST = 1e-8
"""Added to squared distances: the slope of a root is infinite at 0."""


class ProtoTreeHead(nn.Module):
    """A full binary tree, its nodes numbered level by level. Right means present."""

    evidence: Tensor
    """What each leaf has gathered for each class, which learns without gradients."""
    evidence_before: Tensor
    """The same, at the start of the epoch."""
    is_exact: bool
    """Whether distances are computed without rounding errors, which takes longer."""

    def __init__(self, n_features: int, n_labels: int, *, depth: int, n_latent: int) -> None:
        super().__init__()
        self.depth, self.is_exact = depth, False
        self.add_on = nn.Sequential(nn.Conv2d(n_features, n_latent, 1, bias=False), nn.Sigmoid())
        self.prototypes = nn.Parameter(torch.rand(2**depth - 1, n_latent))
        self.log_scales = nn.Parameter(torch.zeros(2**depth - 1))
        self.register_buffer("evidence", torch.zeros(2**depth, n_labels))
        self.register_buffer("evidence_before", torch.zeros(2**depth, n_labels))

    def latents(self, features: Tensor) -> Tensor:
        """Return what is compared with prototypes, at each place."""
        return self.add_on(features)

    def distances(self, latents: Tensor) -> Tensor:
        """Return the squared distance of each place to each prototype."""
        return squared_distances(latents, self.prototypes, is_exact=self.is_exact)

    def similarities(self, distances: Tensor) -> Tensor:
        """Return similarities between 0 and 1 of squared distances."""
        scales = self.log_scales.exp()[None, :, None, None]
        return torch.exp(-scales * (distances + SMALLEST).sqrt())

    def maps(self, features: Tensor) -> Tensor:
        """Return how similar each place is to the prototype of each node."""
        return self.similarities(self.distances(self.latents(features)))

    def forward(self, features: Tensor) -> MapOutput:
        """Return the logarithms of the probabilities, mixed over all leaves, and the maps."""
        maps = self.maps(features)
        mixed = reach(maps.amax((2, 3))) @ self.leaves()
        return MapOutput((mixed + 1e-9).log(), maps)

    def leaves(self) -> Tensor:
        """Return the probability of each class in each leaf."""
        return self.evidence.softmax(1)


def reach(present: Tensor) -> Tensor:
    """Return the probability of reaching each leaf, from the probability at each node of going right."""
    reached = torch.ones(len(present), 1, dtype=present.dtype, device=present.device)
    first = 0
    while first < present.shape[1]:
        level = present[:, first : first + reached.shape[1]]
        first += reached.shape[1]
        reached = torch.stack([reached * (1 - level), reached * level], 2).flatten(1)
    return reached
