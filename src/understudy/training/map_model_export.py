"""Writing map models: a folder with an ONNX file, a card, and the photos that prototypes come from."""

import io
from dataclasses import dataclass
from pathlib import Path

import torch
from PIL import Image
from torch import Tensor, nn

from understudy.inference.quantization import Precision, quantized
from understudy.schema.map_model import MapModelCard, StoredPrototype, TreeNode
from understudy.schema.record import Json
from understudy.sources.arrays import Bytes
from understudy.sources.map_regions import region_of_map
from understudy.training.export import Ends, onnx_from_module
from understudy.training.map_recipes import MapRecipe
from understudy.training.map_training import MapData, TrainedMapNet
from understudy.training.nearest_patches import PatchSource
from understudy.training.nets.map_outputs import MapNet
from understudy.training.nets.protopnet import ProtoPNetHead, squared_distances
from understudy.training.nets.prototree import SMALLEST, ProtoTreeHead
from understudy.training.nets.small_cnn import RECEPTIVE_PX
from understudy.training.protopnet_steps import protopnet_head
from understudy.training.prototree_steps import ReadableTree, paths, tree_head

MODEL, CARD = "model.onnx", "card.json"


@dataclass(frozen=True)
class Facts:
    """What a card says besides how to read the outputs."""

    scores: Json
    training: Json
    licence: str


def onnx_from_map_net(net: MapNet, n_px: int, tree: ReadableTree | None = None) -> bytes:
    """Write a network with the outputs `probabilities` and `maps`; those of a tree are read greedily."""
    if isinstance(net.head, ProtoPNetHead | ProtoTreeHead):
        net.head.is_exact = True
    module = _Outputs(net) if tree is None else _GreedyTree(net, tree)
    return onnx_from_module(module, torch.zeros(2, 3, n_px, n_px), Ends("pictures", ("probabilities", "maps")))


@dataclass(frozen=True)
class MapModelWriter:
    """Writes the parts of a map model."""

    folder: Path
    recipe: MapRecipe
    trained: TrainedMapNet
    data: MapData

    def content(self, precision: Precision = "float32") -> bytes:
        """Return the ONNX file."""
        plain = onnx_from_map_net(self.trained.net, self.data.photos.shape[1], self.trained.tree)
        return quantized(plain, precision)

    def card(self, facts: Facts) -> MapModelCard:
        """Return the card."""
        trained, recipe = self.trained, self.recipe
        height, width = self.data.photos.shape[1:3]
        nodes, leaves = self._tree()
        return MapModelCard(
            name=recipe.name,
            method=recipe.method,
            labels=self.data.labels,
            size=(3, height, width),
            receptive_px=recipe.receptive_px or (None if recipe.backbone else RECEPTIVE_PX),
            prototypes=tuple(self._prototype(number) for number in range(len(trained.sources))),
            nodes=nodes,
            leaves=leaves,
            training=facts.training,
            scores=facts.scores,
            licence=facts.licence,
        )

    def write(self, content: bytes, card: MapModelCard) -> None:
        """Write the whole folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for old in self.folder.glob("*.png"):
            old.unlink()
        (self.folder / MODEL).write_bytes(content)
        (self.folder / CARD).write_text(card.model_dump_json(indent=1), encoding="utf-8")
        for source in self.trained.sources:
            path = self.folder / _photo_name(source)
            if not path.is_file():
                path.write_bytes(png_bytes(self.data.photos[source.picture]))

    def _prototype(self, number: int) -> StoredPrototype:
        trained, source = self.trained, self.trained.sources[number]
        photo = torch.from_numpy(self.data.photos[source.picture]).movedim(2, 0)[None].float() / 255
        label, weight = "", 1.0
        if self.recipe.method == "prototypes":
            head = protopnet_head(trained.net)
            own = int(head.prototype_labels[number])
            label, weight = self.data.labels[own], round(float(head.weights.detach()[own, number]), 6)
        with torch.no_grad():
            maps = trained.net.eval().from_pictures(photo).maps[0]
        place = number if trained.tree is None else trained.tree.nodes[number].prototype
        region = region_of_map(maps[place].double().numpy(), photo.shape[2], photo.shape[3])
        return StoredPrototype(
            label=label, source=_photo_name(source), region=region, training_index=source.picture, weight=weight
        )

    def _tree(self) -> tuple[tuple[TreeNode, ...], tuple[tuple[float, ...], ...]]:
        tree = self.trained.tree
        if tree is None:
            return (), ()
        nodes = tuple(
            TreeNode(prototype=number, absent=node.absent, present=node.present)
            for number, node in enumerate(tree.nodes)
        )
        kept = tree_head(self.trained.net).leaves()[list(tree.leaves)]
        return nodes, tuple(tuple(round(share, 6) for share in leaf) for leaf in kept.tolist())


def png_bytes(pixels: Bytes) -> bytes:
    """Return a photo as the content of a small PNG file."""
    written = io.BytesIO()
    Image.fromarray(pixels).save(written, "PNG", optimize=True)
    return written.getvalue()


def _photo_name(source: PatchSource) -> str:
    return f"photo-{source.picture}.png"


class _Outputs(nn.Module):
    """Probabilities and maps of pictures."""

    def __init__(self, net: MapNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        output = self.net.from_pictures(pictures)
        return output.logits.softmax(1), output.maps


class _GreedyTree(nn.Module):
    """A pruned tree: the probabilities of the one leaf that a picture reaches, and the maps of the nodes that were kept."""

    def __init__(self, net: MapNet, tree: ReadableTree) -> None:
        super().__init__()
        head, nodes = tree_head(net), [node.prototype for node in tree.nodes]
        self.net, self.head = net, head
        self.prototypes, self.log_scales = head.prototypes.detach()[nodes], head.log_scales.detach()[nodes]
        self.leaves = head.leaves()[list(tree.leaves)]
        self.wants_present, self.wants_absent = paths(tree)

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        latents = self.head.latents(self.net.body(self.net.frozen(pictures)))
        scales = self.log_scales.exp()[None, :, None, None]
        maps = torch.exp(-scales * (squared_distances(latents, self.prototypes, is_exact=True) + SMALLEST).sqrt())
        is_present = (maps.amax((2, 3)) > 0.5).float()
        n_missed = (1 - is_present) @ self.wants_present.T + is_present @ self.wants_absent.T
        return (n_missed < 0.5).float() @ self.leaves, maps
