"""Models with maps: trained by recipe, and written as a folder with a card and photos."""

import hashlib
import io
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from PIL import Image
from torch import Tensor, nn

from understudy.inference.model_folders import WrittenModel
from understudy.inference.onnx_graphs import Precision, quantized
from understudy.schema.model_cards import MapModelCard, StoredPrototype, TreeNode
from understudy.schema.record import Json
from understudy.sources.heat_maps import region_of_map
from understudy.statistics.arrays import Bytes
from understudy.training.export import Ends, onnx_from_module
from understudy.training.loop import Progress, software_versions
from understudy.training.map_nets import RECEPTIVE_PX, SMALLEST, MapNet, ProtoPNetHead, ProtoTreeHead, squared_distances
from understudy.training.map_pictures import (
    Copies,
    LabelledPictures,
    PictureParts,
    maps_name,
    picture_parts,
    stored_maps,
    write_lists,
)
from understudy.training.map_recipes import MapRecipe, first_recipe, has_body, weights_of
from understudy.training.map_training import (
    MapData,
    MapRun,
    TrainedMapNet,
    accuracy,
    checkpoint_of,
    frozen_part,
    trained_map_net,
)
from understudy.training.protopnet import PatchSource, PictureLevels, Rows, StoredMaps, protopnet_head
from understudy.training.prototree import ReadableTree, paths, tree_head

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
            box=self.recipe.box,
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
        region = region_of_map(maps[place].double().numpy(), *photo.shape[2:], box=self.recipe.box)
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


# A recipe with maps from start to end: pictures, stored features, the body it starts with, training, and the folder.

_CHUNK = 50


@dataclass(frozen=True)
class MapOptions:
    """Where and how a recipe is carried out."""

    out: Path
    """Gets the folder of the model, its weights, and while it learns a checkpoint."""
    data: Path
    precision: Precision = "float32"
    device: str = "cpu"
    max_steps: int | None = None
    on_epoch: Callable[[int], None] = lambda _: None
    """Told how many epochs are done."""


def train_map_model(recipe: MapRecipe, options: MapOptions) -> WrittenModel:
    """Train a network with maps, after the one that it starts from if that is not there, and write its folder."""
    parts = picture_parts(recipe, options.data)
    n_before, body = 0, None
    if recipe.starts_from:
        first = first_recipe(recipe)
        if not has_body(recipe, options.out):
            n_before = first.n_epochs
            _written(first, parts, options, MapRun(options.out, _telling(options, 0)))
        body = torch.load(weights_of(first, options.out), weights_only=True)
    run = MapRun(options.out, _telling(options, n_before), body, options.max_steps)
    return _written(recipe, parts, options, run)


def data_of(recipe: MapRecipe, parts: PictureParts, state: Path, device: str = "cpu") -> MapData:
    """Return pictures, or what the backbone makes of them, on the device that learns."""

    def rows(part: LabelledPictures, name: str) -> Rows:
        labels = torch.from_numpy(part.labels).to(device)
        if not recipe.backbone:
            return PictureLevels(torch.from_numpy(part.pixels).movedim(3, 1).contiguous().to(device), labels)
        path = state / "stored" / maps_name(recipe, name, part.pixels)
        copies = Copies(path, recipe.n_copies if name == "train" else 1, device)
        n_px = part.pixels.shape[1]
        maps = stored_maps(lambda: frozen_part(recipe, n_px), part, copies)
        return StoredMaps(maps.to(device), labels)

    return MapData(rows(parts.train, "train"), rows(parts.test, "test"), parts.labels, parts.train.pixels)


def _written(recipe: MapRecipe, parts: PictureParts, options: MapOptions, run: MapRun) -> WrittenModel:
    data = data_of(recipe, parts, options.out, options.device)
    trained = trained_map_net(recipe, data, run)
    writer = MapModelWriter(options.out / recipe.name, recipe, trained, data)
    content = writer.content(options.precision)
    scores = {**_score(content, parts.test), **trained.scores, "n_cases": {"train": len(parts.train.labels)}}
    scores["n_cases"]["test"] = len(parts.test.labels)
    card = writer.card(Facts(scores, _training(recipe, trained, content), parts.licence))
    writer.write(content, card)
    if parts.lists is not None:
        write_lists(parts.lists, writer.folder)
    torch.save(trained.net.body.state_dict(), weights_of(recipe, options.out))
    checkpoint_of(recipe, options.out).unlink(missing_ok=True)
    n_bytes = sum(path.stat().st_size for path in writer.folder.iterdir())
    return WrittenModel(writer.folder, card, n_bytes)


def _telling(options: MapOptions, n_before: int) -> Callable[[Progress], None]:
    return lambda progress: options.on_epoch(n_before + progress.epoch)


def _score(content: bytes, test: LabelledPictures) -> dict[str, Any]:
    """Return the accuracy of the file itself: what is measured is what was stored."""
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    found = []
    for start in range(0, len(test.labels), _CHUNK):
        pictures = test.pixels[start : start + _CHUNK].transpose(0, 3, 1, 2).astype(np.float32) / 255
        found.append(session.run(["probabilities"], {"pictures": pictures})[0])
    right = accuracy(torch.from_numpy(np.concatenate(found)), torch.from_numpy(test.labels))
    return {"accuracy": {"test": right}}


def _training(recipe: MapRecipe, trained: TrainedMapNet, content: bytes) -> Json:
    settings: Json = json.loads(json.dumps(asdict(recipe)))
    curve: Json = {"curve": [dict(row) for row in trained.curve]}
    return {
        "recipe": settings,
        "software": {**software_versions()},
        "cpu_seconds": round(trained.seconds, 1),
        "gpu_minutes": round(trained.gpu_seconds / 60, 2),
        "n_parameters": sum(parameter.numel() for parameter in trained.net.parameters()),
        "digest": hashlib.sha256(content).hexdigest(),
        **curve,
    }
