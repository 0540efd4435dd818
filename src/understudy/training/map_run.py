"""A recipe with maps from start to end: pictures, stored features, the body it starts with, training, and the folder."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch

from understudy.inference.quantization import Precision
from understudy.inference.shelf import WrittenModel
from understudy.schema.record import Json
from understudy.training.labelled_pictures import LabelledPictures, PictureParts
from understudy.training.loop import Progress
from understudy.training.map_model_export import Facts, MapModelWriter
from understudy.training.map_nets import frozen_part
from understudy.training.map_pictures import picture_parts
from understudy.training.map_recipes import MapRecipe, first_recipe, has_body, weights_of
from understudy.training.map_rows import PictureLevels, Rows, StoredMaps
from understudy.training.map_training import MapData, MapRun, TrainedMapNet, accuracy, checkpoint_of, trained_map_net
from understudy.training.own_photos import write_lists
from understudy.training.software import software_versions
from understudy.training.stored_maps import Copies, maps_name, stored_maps

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
