"""Invertible networks as models: assessed, opened, and turned into counterfactuals.

Along w, the weights of the classifier, the logit changes by |w|² per unit: latents + w (target - logit) / |w|² have the
target as their logit (Sixt et al., 2022). What is split off stays as it was.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from understudy.errors import MaterialsError
from understudy.sources.logit_columns import target_logits
from understudy.statistics.arrays import Bytes, Floats
from understudy.training.export import onnx_from_observer, onnx_from_picture_classifier, read_parts, write_parts
from understudy.training.flow_nets import Flow, PictureCnn
from understudy.training.loop import ExportedNet, Progress, software_versions
from understudy.training.picture_data import (
    CHUNK,
    PictureFolder,
    PictureRows,
    apart,
    levels_to_values,
    values_to_levels,
)
from understudy.training.picture_training import (
    PictureRun,
    bits_per_dimension,
    flow_from_recipe,
    picture_net_from_recipe,
    trained_flow,
    trained_picture_net,
)
from understudy.training.recipes import FlowRecipe, PictureNetRecipe


@dataclass(frozen=True)
class Interpolation:
    """Counterfactuals of some pictures, one for each target."""

    values: Tensor
    """Picture, target, row, column, channel; between -0.5 and 0.5, except where the net leaves that range."""
    targets: tuple[float, ...]

    @property
    def levels(self) -> Tensor:
        """The same as grey levels."""
        return values_to_levels(self.values)


class Deviation(NamedTuple):
    """How far realised logits are from their targets."""

    mean: float
    median: float
    largest: float


class Movement(NamedTuple):
    """How far an attribute, as an observer sees it, moves along one interpolation."""

    mean: float
    deviation: float
    """Standard deviation over pictures."""


@torch.no_grad()
def interpolated(flow: Flow, levels: Tensor, targets: Sequence[float]) -> Interpolation:
    """Return counterfactuals of pictures, given as grey levels, at each target."""
    parts = [_interpolated(flow, chunk, targets) for chunk in levels.split(CHUNK)]
    return Interpolation(torch.cat(parts), tuple(targets))


@torch.no_grad()
def realised_logits(flow: Flow, pictures: Interpolation, *, is_rounded: bool) -> Tensor:
    """Return the logits (picture, target) of the pictures, as numbers or rounded to grey levels."""
    flat = pictures.values.flatten(0, 1)
    given = levels_to_values(values_to_levels(flat)) if is_rounded else flat
    logits = torch.cat([flow.logits(chunk) for chunk in given.split(CHUNK)])
    return logits.unflatten(0, pictures.values.shape[:2])


def realised(flow: Flow, pictures: Interpolation, *, is_rounded: bool) -> Deviation:
    """Compare the logits of the pictures, as numbers or rounded to grey levels, with their targets."""
    logits = realised_logits(flow, pictures, is_rounded=is_rounded)
    error = (logits - torch.tensor(pictures.targets, device=logits.device)).abs()
    return Deviation(float(error.mean()), float(error.median()), float(error.max()))


@torch.no_grad()
def observed(observer: Callable[[Tensor], Tensor], pictures: Interpolation) -> Tensor:
    """Return what an observer reads off the rounded pictures: picture, target, attribute."""
    flat = levels_to_values(pictures.levels.flatten(0, 1))
    seen = torch.cat([observer(chunk) for chunk in flat.split(CHUNK)])
    return seen.unflatten(0, pictures.values.shape[:2])


def movements(seen: Tensor) -> tuple[Movement, ...]:
    """Return for each attribute the largest minus the smallest value along an interpolation, over pictures."""
    span = seen.amax(1) - seen.amin(1)
    return tuple(
        Movement(float(mean), float(deviation))
        for deviation, mean in zip(*torch.std_mean(span.double(), 0), strict=True)
    )


def _interpolated(flow: Flow, levels: Tensor, targets: Sequence[float]) -> Tensor:
    latents = flow(levels_to_values(levels))
    weight = flow.head.weight[0]
    logits = flow.logit(latents.last)
    pictures = []
    for target in targets:
        # Divided in float64: the share of w that is missing would otherwise be the largest error of the logit.
        size = ((target - logits).double() / weight.double().square().sum()).float()
        moved = latents.last + (size[:, None] * weight).view_as(latents.last)
        pictures.append(flow.inverse(moved, latents.split_off))
    return torch.stack(pictures, 1)


# Assessment of networks for pictures: what they get right, what moves them, and what their counterfactuals move.

N_EXPLAINED = 300
"""Pictures whose counterfactuals are measured."""
N_SHOWN = 10
"""Rows of the grid."""
N_ALONG = 9
"""Targets along which an observer looks."""


class Effects(NamedTuple):
    """What logits do when one attribute is redrawn: all that importance needs."""

    logits: Floats
    """Of the test pictures."""
    changed: dict[str, Floats]
    """Attribute -> logits of the pictures in which it was redrawn."""
    moved: dict[str, Floats]
    """Attribute -> how far it moved in each picture."""
    lengths: dict[str, Floats]
    """Attribute -> how far the latents moved; empty where a net has none."""


@dataclass(frozen=True)
class FlowReport:
    """What is known about an invertible network."""

    numbers: dict[str, Any]
    """As JSON."""
    starts: Bytes
    """The pictures that the rows of the grid start from."""
    grid: Bytes
    """Row, column, and the pixels of a counterfactual."""


def effects_on(net: Flow | PictureCnn, folder: PictureFolder, device: torch.device) -> Effects:
    """Collect logits of test pictures and of their clones."""
    test, names = folder.rows("test", device), folder.attribute_names
    logits, latents = _answers(net, test.levels)
    changed, moved, lengths = {}, {}, {}
    for number, name in enumerate(names):
        clones = folder.rows(f"clone-{name}", device)
        changed[name], changed_latents = _answers(net, clones.levels)
        moved[name] = (clones.attributes - test.attributes)[:, number].double().cpu().numpy()
        if latents is not None and changed_latents is not None:
            lengths[name] = (changed_latents - latents).norm(dim=1).double().cpu().numpy()
    return Effects(logits, changed, moved, lengths)


def importance_numbers(effects: Effects) -> dict[str, dict[str, float]]:
    """Return flip rate, median change and explained share of each attribute, for a first look.

    `analyses.kernels.importance` gives the same with intervals; this layer cannot import it.
    """
    table = {}
    for name, changed in effects.changed.items():
        change, moved = changed - effects.logits, effects.moved[name]
        is_constant = np.ptp(change) == 0 or np.ptp(moved) == 0
        table[name] = {
            "flip_rate": float(((changed > 0) != (effects.logits > 0)).mean()),
            "median_change": float(np.median(np.abs(change))),
            "r_squared": 0.0 if is_constant else float(np.corrcoef(change, moved)[0, 1] ** 2),
        }
    return table


def accuracy_of(logits: Floats, labels: Tensor) -> float:
    """Return the share of logits on the side of their label."""
    return float(((logits > 0) == (labels.cpu().numpy() > 0.5)).mean())


@torch.no_grad()
def observer_errors(observer: PictureCnn, rows: PictureRows) -> Floats:
    """Return the mean squared error of each attribute on pictures the observer did not learn from."""
    seen = torch.cat([observer.attributes(levels_to_values(chunk)) for chunk in rows.levels.split(CHUNK)])
    errors: Floats = ((seen - rows.attributes) ** 2).mean(0).double().cpu().numpy()
    return errors


def flow_report(flow: Flow, observer: PictureCnn, test: PictureRows, logits: Floats) -> FlowReport:
    """Measure likelihood, inverse and counterfactuals."""
    levels = test.levels[:N_EXPLAINED]
    targets = target_logits(logits, percentile=99)
    pictures = interpolated(flow, levels, targets)
    along = interpolated(flow, levels, tuple(np.linspace(targets[0], targets[-1], N_ALONG).tolist()))
    shown = _starts(logits[: len(levels)])
    outside = (pictures.values.abs() > 0.5).float().mean()
    numbers = {
        "bits_per_dimension": {str(width): _bits(flow, test.levels, width) for width in (1, 4)},
        "inverse_error": _inverse_error(flow, levels),
        "targets": list(targets),
        "weight_length": float(flow.head.weight.detach().norm()),
        "realised": realised(flow, pictures, is_rounded=False)._asdict(),
        "realised_after_rounding": realised(flow, pictures, is_rounded=True)._asdict(),
        "realised_p90_after_rounding": realised(
            flow, interpolated(flow, levels, target_logits(logits, percentile=90)), is_rounded=True
        )._asdict(),
        "share_of_values_cut_off": float(outside),
        "moved": [movement._asdict() for movement in movements(observed(observer.attributes, along))],
    }
    grid = pictures.levels[torch.from_numpy(shown).to(levels.device)]
    return FlowReport(numbers, levels.cpu().numpy()[shown], grid.cpu().numpy())


@torch.no_grad()
def _answers(net: Flow | PictureCnn, levels: Tensor) -> tuple[Floats, Tensor | None]:
    logits, latents = [], []
    for chunk in levels.split(CHUNK):
        values = levels_to_values(chunk)
        if isinstance(net, Flow):
            last = net(values).last
            latents.append(last.flatten(1))
            logits.append(net.logit(last))
        else:
            logits.append(net.logits(values))
    return torch.cat(logits).double().cpu().numpy(), torch.cat(latents) if latents else None


@torch.no_grad()
def _bits(flow: Flow, levels: Tensor, noise_levels: float) -> float:
    generator = torch.Generator(device=levels.device).manual_seed(0)
    total = 0.0
    for chunk in levels.split(CHUNK):
        between = torch.rand(chunk.shape, generator=generator, device=levels.device) - 0.5
        latents = flow(levels_to_values(chunk) + between * (noise_levels / 256))
        total += float(bits_per_dimension(latents, noise_levels).sum())
    return total / len(levels)


@torch.no_grad()
def _inverse_error(flow: Flow, levels: Tensor) -> float:
    values = levels_to_values(levels)
    latents = flow(values)
    return float((flow.inverse(latents.last, latents.split_off) - values).abs().max())


def _starts(logits: Floats) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return starting pictures evenly from the five fifths of the logits, in turn."""
    fifths = np.array_split(np.argsort(logits), 5)
    return np.array([fifth[row] for row in range(-(-N_SHOWN // 5)) for fifth in fifths if row < len(fifth)])


# An invertible network as a model of pictures: read from its parts, and answering with probabilities and latents.

CARD, RESULTS = "card.json", "results.json"
"""What names the recipe: the card that `understudy train` writes, or the results of a whole run."""


@dataclass(frozen=True)
class FlowModel:
    """An invertible network that answers to pictures as numbers from 0 to 1: (picture, channel, row, column)."""

    flow: Flow
    labels: tuple[str, ...]
    digest: str
    """SHA-256 of its weights."""

    @property
    def n_pixels(self) -> int:
        """Width and height of its pictures."""
        return self.flow.shape.n_pixels

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the two labels."""
        yes = 1 / (1 + np.exp(-self.margins(inputs)))
        return np.column_stack([1 - yes, yes])

    def margins(self, inputs: Floats) -> Floats:
        """Return the evidence for the second label."""
        return self._shown(inputs, self.flow.logit)

    def latents(self, inputs: Floats) -> Floats:
        """Return the latents that the classifier reads."""
        return self._shown(inputs, lambda last: last.flatten(1))

    @torch.no_grad()
    def _shown(self, inputs: Floats, read: Callable[[Tensor], Tensor]) -> Floats:
        n_pixels = self.n_pixels
        if inputs.shape[1:] != (3, n_pixels, n_pixels):
            raise MaterialsError(
                f"The invertible network takes pictures of the shape {(3, n_pixels, n_pixels)}, but was given "
                f"{inputs.shape[1:]}. Give pictures of that size."
            )
        levels = torch.from_numpy(np.rint(inputs * 255).astype(np.uint8)).permute(0, 2, 3, 1)
        parts = [read(self.flow(levels_to_values(chunk)).last) for chunk in levels.split(CHUNK)]
        return torch.cat(parts).double().numpy()


def flow_model_from_folder(folder: Path, labels: tuple[str, ...]) -> FlowModel:
    """Open the network in a folder of parts, with the recipe that its card or its results name."""
    flow = flow_from_recipe(_recipe_in(folder))
    read_parts({"flow": flow}, folder)
    parts = sorted(folder.glob("weights-*.part"), key=lambda path: int(path.stem.removeprefix("weights-")))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()
    return FlowModel(flow.eval(), labels, digest)


def _recipe_in(folder: Path) -> FlowRecipe:
    for name in (CARD, RESULTS):
        path = folder / name
        if path.is_file():
            content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return flow_recipe_from_json(content["training"]["recipe"] if name == CARD else content["recipe"])
    raise MaterialsError(f"{folder} has neither {CARD} nor {RESULTS}, so the shape of the network is unknown.")


def flow_recipe_from_json(plain: dict[str, Any]) -> FlowRecipe:
    """Return the recipe of an invertible network from its settings as JSON."""
    known = {field.name for field in fields(FlowRecipe)}
    settings: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in plain.items() if name in known
    }
    return FlowRecipe(**settings)


# Training one network for pictures by its recipe, from a folder of pictures to a file or to weights in parts.


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
