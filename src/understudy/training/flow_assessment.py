"""Assessment of networks for pictures: what they get right, what moves them, and what their counterfactuals move."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from understudy.sources.arrays import Bytes, Floats
from understudy.training.counterfactuals import interpolated, movements, observed, realised, target_logits
from understudy.training.nets.flow import Flow
from understudy.training.nets.picture_cnn import PictureCnn
from understudy.training.picture_data import CHUNK, PictureFolder, PictureRows, levels_to_values
from understudy.training.picture_steps import bits_per_dimension

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
