"""Training one network for pictures by its recipe, from a folder of pictures to a file or to weights in parts."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from understudy.sources.arrays import Bytes, Floats
from understudy.training.exported_net import ExportedNet
from understudy.training.flow_assessment import accuracy_of
from understudy.training.loop import Progress
from understudy.training.nets.flow import Flow
from understudy.training.picture_data import CHUNK, PictureFolder, PictureRows, apart, levels_to_values
from understudy.training.picture_export import onnx_from_observer, onnx_from_picture_classifier
from understudy.training.picture_recipes import FlowRecipe, PictureNetRecipe
from understudy.training.picture_training import (
    PictureRun,
    picture_net_from_recipe,
    trained_flow,
    trained_picture_net,
)
from understudy.training.software import software_versions
from understudy.training.weight_parts import read_parts, write_parts


@dataclass(frozen=True)
class PictureOptions:
    """Where a recipe is carried out."""

    pictures: Path
    """The folder of pictures."""
    state: Path
    """Gets the checkpoint, and for an invertible network the folder of its weights."""
    device: str = "cpu"
    progress: Callable[[Progress], None] = lambda _: None


@dataclass(frozen=True)
class TrainedPictureNet(ExportedNet):
    """A network as an ONNX file, and pictures that it did not learn from."""

    attribute_names: tuple[str, ...]
    spreads: tuple[float, ...]
    """Standard deviation of each attribute among the pictures it learned from; for an observer."""
    test_pictures: Bytes
    test_attributes: Floats
    test_labels: Floats


@dataclass(frozen=True)
class TrainedFlowFolder:
    """An invertible network as weights in parts."""

    folder: Path
    provenance: dict[str, Any]
    accuracy: float
    n_test: int


def trained_net_file(recipe: PictureNetRecipe, options: PictureOptions) -> TrainedPictureNet:
    """Train a classifier or an observer, and export it."""
    folder, device = PictureFolder(options.pictures), torch.device(options.device)
    if recipe.purpose == "observer":
        rows, test = apart(folder.rows("unbiased", device))
    else:
        rows, test = folder.rows("train", device), folder.rows("test", device)
    net = trained_picture_net(recipe, rows, _run(options)).cpu()
    is_observer = recipe.purpose == "observer"
    content = (onnx_from_observer if is_observer else onnx_from_picture_classifier)(net, recipe.n_pixels)
    return TrainedPictureNet(
        content,
        _provenance(options),
        folder.attribute_names,
        tuple(net.spread[:-1].double().tolist()) if is_observer else (),
        test.levels.cpu().numpy(),
        test.attributes.double().cpu().numpy(),
        test.labels.double().cpu().numpy(),
    )


def trained_flow_folder(recipe: FlowRecipe, options: PictureOptions) -> TrainedFlowFolder:
    """Train an invertible network, store its weights in parts, and measure what was stored."""
    folder, device = PictureFolder(options.pictures), torch.device(options.device)
    rows = folder.rows("train", device)
    flow = trained_flow(recipe, rows, _run(options)).flow
    out = options.state / recipe.name
    write_parts({"flow": flow}, out)
    read_parts({"flow": flow}, out)
    test = folder.rows("test", device)
    accuracy = accuracy_of(_logits(flow, test), test.labels)
    return TrainedFlowFolder(out, _provenance(options), accuracy, len(test))


@dataclass(frozen=True)
class NetsFromParts:
    """Classifier and observer of a whole run, as ONNX files."""

    classifier: bytes
    observer: bytes
    spreads: tuple[float, ...]


def nets_from_parts(
    folder: Path, classifier: PictureNetRecipe, observer: PictureNetRecipe, n_attributes: int
) -> NetsFromParts:
    """Read what a run of `flow_run` stored, and export both ordinary networks."""
    nets = {
        "classifier": picture_net_from_recipe(classifier, n_attributes),
        "observer": picture_net_from_recipe(observer, n_attributes),
    }
    read_parts(nets, folder)
    return NetsFromParts(
        onnx_from_picture_classifier(nets["classifier"], classifier.n_pixels),
        onnx_from_observer(nets["observer"], observer.n_pixels),
        tuple(nets["observer"].spread[:-1].double().tolist()),
    )


@torch.no_grad()
def _logits(flow: Flow, rows: PictureRows) -> Floats:
    parts = [flow.logits(levels_to_values(chunk)) for chunk in rows.levels.split(CHUNK)]
    return np.asarray(torch.cat(parts).double().cpu().numpy())


def _run(options: PictureOptions) -> PictureRun:
    options.state.mkdir(parents=True, exist_ok=True)
    return PictureRun(options.state, lambda: False, lambda progress, _more: options.progress(progress))


def _provenance(options: PictureOptions) -> dict[str, Any]:
    return {"software": software_versions(), "device": options.device}
