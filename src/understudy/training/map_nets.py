"""The network of a recipe with maps, before it has learned."""

from typing import Any

import torch
from torch import Tensor, nn

from understudy.training.map_recipes import MapRecipe, tree_depth
from understudy.training.nets.bag_of_crops import CropFeatures, Crops
from understudy.training.nets.bagnet import BagNet
from understudy.training.nets.efficientnet_lite import N_FEATURES, EfficientNetLite, pretrained
from understudy.training.nets.linear_maps import LinearMaps
from understudy.training.nets.map_outputs import MapNet
from understudy.training.nets.protopnet import ProtoPNetHead
from understudy.training.nets.prototree import ProtoTreeHead
from understudy.training.nets.small_cnn import SmallCnn


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
