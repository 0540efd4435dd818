"""A whole run with an invertible network: pictures, classifiers and what they show, resumable.

    python -m understudy.training.flow_run --pictures PICTURES --state STATE --out OUT --seconds 540 --resume

Needs torch and NumPy alone, unless a world has to draw the pictures first. OUT gets `results.json`, `grid.png`,
`effects.npz` (for importance with intervals) and the weights in parts.
"""

import argparse
import json
import struct
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from understudy.errors import MaterialsError, UnderstudyError
from understudy.statistics.arrays import Bytes
from understudy.training.export import read_parts, write_parts
from understudy.training.flow_nets import Flow, PictureCnn
from understudy.training.loop import Progress, software_versions
from understudy.training.picture_data import (
    PictureFolder,
    apart,
    levels_to_values,
    world_named,
    write_attributes,
    write_pictures,
)
from understudy.training.picture_models import (
    Effects,
    FlowReport,
    Interpolation,
    accuracy_of,
    effects_on,
    flow_report,
    importance_numbers,
    observer_errors,
)
from understudy.training.picture_training import PictureRun, checkpoint_of, trained_flow, trained_picture_net
from understudy.training.recipes import FlowRecipe, PictureNetRecipe, flow_recipe, picture_net_recipe

# Pictures as PNG files, written without a picture library: machines that only train need none.

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GAP = 8
"""Pixels between the starting pictures and their counterfactuals."""


def png_from_pixels(pixels: Bytes) -> bytes:
    """Return rows of 8-bit RGB pixels as the content of a PNG file."""
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8:
        raise MaterialsError(
            f"The pixels have shape {pixels.shape} and type {pixels.dtype}. Give uint8 values (row, column, 3 channels)."
        )
    height, width, _ = pixels.shape
    # Every line begins with its filter; 0 is none.
    lines = np.hstack([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)])
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)) + _chunk(b"IEND", b"")
    )


def write_grid(path: Path, first: Bytes, rows: Bytes, *, zoom: int = 2) -> None:
    """Write a grid: on the left each starting picture, then its row of counterfactuals."""
    left = np.concatenate(list(first), 0)
    right = np.concatenate([np.concatenate(list(row), 1) for row in rows], 0)
    gap = np.full((len(left), _GAP, 3), 255, np.uint8)
    pixels = np.concatenate([left, gap, right], 1)
    path.write_bytes(png_from_pixels(pixels.repeat(zoom, 0).repeat(zoom, 1)))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


_TIMING = "seconds-per-epoch.json"


@dataclass(frozen=True)
class FlowOrder:
    """What is trained, from what, and where it goes."""

    flow: FlowRecipe
    classifier: PictureNetRecipe
    observer: PictureNetRecipe
    pictures: PictureFolder
    state: Path
    """Checkpoints, which are larger than the results."""
    out: Path
    device: torch.device


def carry_out(order: FlowOrder, *, is_over: Callable[[], bool], say: Callable[[str], None]) -> dict[str, Any]:
    """Train what is not yet trained, measure it, write everything, and return the results."""
    order.state.mkdir(parents=True, exist_ok=True)
    order.out.mkdir(parents=True, exist_ok=True)
    folder, device = order.pictures, order.device
    # Every batch has the same shape, so that trying out kernels pays.
    torch.backends.cudnn.benchmark = device.type == "cuda"
    run = PictureRun(order.state, lambda: False, _telling(say))
    unbiased, held_out = apart(folder.rows("unbiased", device))
    observer = trained_picture_net(order.observer, unbiased, run)
    errors = observer_errors(observer, held_out)
    del unbiased, held_out
    train = folder.rows("train", device)
    classifier = trained_picture_net(order.classifier, train, run)
    timed = replace(run, is_over=is_over, progress=_timing(order, run.progress))
    flow, is_finished = trained_flow(order.flow, train, timed)
    # Products with rounded factors, which graphics cards prefer for convolutions, would make the inverse miss.
    torch.backends.cudnn.allow_tf32 = torch.backends.cudnn.benchmark = False
    nets = {"flow": flow, "classifier": classifier, "observer": observer}
    write_parts(nets, order.out)
    # What is measured is what was stored.
    read_parts(nets, order.out)
    results = _results(order, flow, classifier, observer)
    names = folder.attribute_names
    results["observer_squared_errors"] = dict(zip(names, errors.tolist(), strict=True))
    results["is_finished"] = is_finished
    (order.out / "results.json").write_text(json.dumps(results, indent=1))
    return results


def _results(order: FlowOrder, flow: Flow, classifier: PictureCnn, observer: PictureCnn) -> dict[str, Any]:
    test, names = order.pictures.rows("test", order.device), order.pictures.attribute_names
    by_net = {"flow": effects_on(flow, order.pictures, order.device)}
    by_net["classifier"] = effects_on(classifier, order.pictures, order.device)
    report = flow_report(flow, observer, test, by_net["flow"].logits)
    _write_figures(order.out, report, by_net)
    moved = dict(zip(names, report.numbers.pop("moved"), strict=True))
    return {
        "software": software_versions(),
        "device": order.device.type,
        "seed": order.flow.seed,
        "world": order.pictures.world,
        "recipe": {field.name: getattr(order.flow, field.name) for field in fields(order.flow)},
        "accuracy": {name: accuracy_of(effects.logits, test.labels) for name, effects in by_net.items()},
        "importance": {name: importance_numbers(effects) for name, effects in by_net.items()},
        **report.numbers,
        "moved": moved,
    }


def _write_figures(out: Path, report: FlowReport, by_net: dict[str, Effects]) -> None:
    write_grid(out / "grid.png", report.starts, report.grid)
    arrays: dict[str, Any] = {}
    for net, effects in by_net.items():
        arrays[f"{net}-logits"] = effects.logits
        for kind in ("changed", "moved", "lengths"):
            for name, values in getattr(effects, kind).items():
                arrays[f"{net}-{kind}-{name}"] = values.astype(np.float32)
    np.savez_compressed(out / "effects.npz", **arrays)


def _telling(say: Callable[[str], None]) -> Callable[[Progress, str], None]:
    def told(progress: Progress, more: str) -> None:
        say(f"epoch {progress.epoch} of {progress.n_epochs}: loss {progress.loss:.4f} {more}")

    return told


def _timing(order: FlowOrder, told: Callable[[Progress, str], None]) -> Callable[[Progress, str], None]:
    """Note how long an epoch takes, so that a last run can end its schedule in time."""
    since: list[float] = []

    def noted(progress: Progress, more: str) -> None:
        since.append(time.monotonic())
        if len(since) > 1:
            seconds = (since[-1] - since[0]) / (len(since) - 1)
            (order.state / _TIMING).write_text(json.dumps({"seconds": seconds, "n_done": progress.epoch}))
            more = f"{more}, {seconds:.1f} s an epoch"
        told(progress, more)

    return noted


def ending_in(recipe: FlowRecipe, state: Path, seconds: float) -> FlowRecipe:
    """Return the recipe with as many epochs as end within the time, by the pace of the run before."""
    path = state / _TIMING
    if not path.is_file():
        raise MaterialsError(f"{path} is not there, so the pace is unknown. Run without --final first.")
    pace = json.loads(path.read_text())
    return replace(recipe, n_epochs=int(pace["n_done"]) + max(1, int(seconds / pace["seconds"])))


def with_settings(recipe: FlowRecipe, settings: Sequence[str]) -> FlowRecipe:
    """Return the recipe with NAME=VALUE settings changed; several values are separated by commas."""
    known = {field.name: getattr(recipe, field.name) for field in fields(recipe)}
    for setting in settings:
        name, _, text = setting.partition("=")
        if name not in known or isinstance(known[name], str):
            changeable = ", ".join(key for key, value in known.items() if not isinstance(value, str))
            raise MaterialsError(f"{setting!r} cannot be set. Give NAME=VALUE, with one of these names: {changeable}.")
        try:
            old = known[name]
            value: Any = tuple(int(part) for part in text.split(",")) if isinstance(old, tuple) else type(old)(text)
        except ValueError:
            raise MaterialsError(f"{text!r} is not a value of {name}. It is now {old}.") from None
        recipe = replace(recipe, **{name: value})
    return recipe


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m understudy.training.flow_run", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--state", type=Path, help="folder of checkpoints (default: OUT/state)")
    parser.add_argument("--pictures", type=Path, help="folder of pictures (default: STATE/pictures)")
    parser.add_argument("--world", default="", help="MODULE:NAME that draws what the folder of pictures lacks")
    parser.add_argument("--draw-only", action="store_true", help="draw attributes, and end before rendering")
    parser.add_argument("--n-train", type=int, default=150_000)
    parser.add_argument("--n-test", type=int, default=3_000)
    parser.add_argument("--n-unbiased", type=int, default=40_000)
    parser.add_argument("--seconds", type=float, default=540, help="time for this run, all told")
    parser.add_argument("--reserve", type=float, default=75, help="seconds of it kept for the last epoch and measuring")
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoints")
    parser.add_argument("--final", action="store_true", help="let the schedule end within this run")
    parser.add_argument("--epochs", type=int, help="epochs of the invertible network")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change its recipe")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args(words)


def _order(given: argparse.Namespace, remaining: Callable[[], float]) -> FlowOrder:
    state = given.state or given.out / "state"
    recipe = with_settings(flow_recipe("sixt2022/inn-64"), given.set)
    if given.epochs is not None:
        recipe = replace(recipe, n_epochs=given.epochs)
    if checkpoint_of(recipe, state).is_file() and not given.resume:
        raise MaterialsError(f"{state} has the checkpoint of an earlier run. Add --resume, or name another folder.")
    folder = PictureFolder(given.pictures or state / "pictures")
    if given.world:
        world = world_named(given.world)
        if not folder.has_attributes:
            sizes = {"train": given.n_train, "test": given.n_test, "unbiased": given.n_unbiased}
            write_attributes(world, folder, sizes=sizes)
        if not given.draw_only:
            write_pictures(world, folder, n_pixels=recipe.n_pixels)
    if given.final:
        recipe = ending_in(recipe, state, remaining() - given.reserve)
    observer, classifier = picture_net_recipe("sixt2022/observer-64"), picture_net_recipe("sixt2022/cnn-64")
    return FlowOrder(recipe, classifier, observer, folder, state, given.out, torch.device(given.device))


def main(words: Sequence[str]) -> int:
    """Carry out the command line, and return the exit status."""
    given, start = _arguments(words), time.monotonic()

    def say(text: str) -> None:
        sys.stdout.write(f"{time.monotonic() - start:6.0f} s  {text}\n")
        sys.stdout.flush()

    def remaining() -> float:
        return float(given.seconds) - (time.monotonic() - start)

    try:
        order = _order(given, remaining)
        if given.draw_only:
            say(f"attributes in {order.pictures.path}")
            return 0
        say(f"pictures in {order.pictures.path}; invertible network: {order.flow.n_epochs} epochs")
        results = carry_out(order, is_over=lambda: remaining() < given.reserve, say=say)
    except UnderstudyError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    say(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))


# Counterfactuals of a network that cannot be inverted, drawn by one that can.
#
# The latents of an invertible network describe pictures; the other network's logit is moved along its gradient in them,
# and the inverse draws what that means. Only the pictures come from the invertible network; the evidence does not.

N_STEPS = 40
LARGEST_STEP = 5.0
"""Longest step in latents, where each has a spread of about 1: the gradient holds only nearby."""


def latent_counterfactuals(
    flow: Flow,
    logits_of: Callable[[Tensor], Tensor],
    levels: Tensor,
    targets: Sequence[float],
    *,
    tolerance: float = 0.01,
) -> Interpolation:
    """Return pictures to which another network gives the targets as logits, as near as the steps allow."""
    with torch.no_grad():
        latents = flow(levels_to_values(levels))
    start = [latents.last, *latents.split_off]
    pictures = [_moved(flow, logits_of, start, target, tolerance) for target in targets]
    return Interpolation(torch.stack(pictures, 1), tuple(targets))


def _moved(
    flow: Flow, logits_of: Callable[[Tensor], Tensor], start: list[Tensor], target: float, tolerance: float
) -> Tensor:
    latents = [part.clone() for part in start]
    for _ in range(N_STEPS):
        for part in latents:
            part.requires_grad_()
        picture = flow.inverse(latents[0], latents[1:])
        missing = target - logits_of(picture)
        if float(missing.detach().abs().max()) < tolerance:
            break
        gradients = torch.autograd.grad(missing.sum(), latents)
        latents = _stepped(latents, gradients, missing.detach())
    with torch.no_grad():
        return flow.inverse(latents[0], latents[1:])


def _stepped(latents: list[Tensor], gradients: Sequence[Tensor], missing: Tensor) -> list[Tensor]:
    """Go along the gradient as far as the missing logit asks, but not farther than it can be trusted."""
    squares = torch.stack([gradient.flatten(1).square().sum(1) for gradient in gradients]).sum(0)
    # Newton's step of a function of one number: the gradient is that of what is missing, hence the sign.
    size = -missing / squares.clamp_min(1e-12)
    size = size * (LARGEST_STEP / (size.abs() * squares.sqrt())).clamp(max=1)
    return [
        (part + size.view(-1, *[1] * (part.ndim - 1)) * gradient).detach()
        for part, gradient in zip(latents, gradients, strict=True)
    ]
