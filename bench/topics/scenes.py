"""Scenes: drawing Two4Two pictures, compared with Blender's Cycles in the same run, and many of them into a folder."""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from measured import Bench, Peer, Row, Timing, timed
from understudy.roles import Table
from understudy.worlds.pictures import ManyOptions, render_table
from understudy.worlds.renderer import Rendered, render
from understudy.worlds.sampling import sample
from understudy.worlds.sixt2022 import sixt2022
from understudy.worlds.two4two import Two4Two, posed_corners, two4two_scene

SEED, N_SCENES, SAMPLES = 0, 16, (128, 32, 16, 8)
PYTHON = "UNDERSTUDY_BLENDER_PYTHON"
_SCRIPT = Path(__file__).parents[1] / "peers" / "blender" / "draw_scenes.py"
SIZES = (3_000, 6_000, 60_000)


def scenes_of(n: int) -> list[Two4Two]:
    """Return scenes of the sixt2022 world, as bright as the present Blender draws them."""
    table: Table = sample(sixt2022(), n, SEED)
    names = [*sixt2022().names]
    return [
        Two4Two(**{name: float(row[name]) for name in names}, brightness="blender-5") for _, row in table.iterrows()
    ]


def one_picture(is_quick: bool) -> Row:
    """Measure one picture with its mask and depth, scene and all."""
    params = scenes_of(3 if is_quick else N_SCENES)
    timing = timed(lambda: [render(two4two_scene(scene)) for scene in params], n_repeats=3 if is_quick else 7)
    ours = Timing(timing.best_s / len(params), timing.worst_s / len(params), timing.n_repeats, "cpu")
    peer, reads = _peer(params, ours)
    return Row(
        what="one Two4Two picture of 128 px, with mask", n=len(params), seed=SEED, ours=ours, peer=peer,
        method="CPU time for each picture on one thread, from parameters to bytes; 16 scenes of the sixt2022 world. Cycles: "
        "128 samples as in the original, and one for the mask, CPU time of all its threads.",
        reads=reads, target=">= 250x; >= 100x at the samples where Cycles is as near to its own 128-sample picture",
    )  # fmt: skip


def _peer(params: list[Two4Two], ours: Timing) -> tuple[Peer, str]:
    name, interpreter = "Blender Cycles", _interpreter()
    if interpreter is None:
        note = f"not installed; install bpy for a Python of its own and name that in {PYTHON}"
        return Peer(name, "bpy", None, note), f"{ours.best_s * 1e3:.1f} ms"
    with TemporaryDirectory() as folder:
        (Path(folder) / "scenes.json").write_text(json.dumps([_facts(scene) for scene in params]), encoding="utf-8")
        words = [interpreter, str(_SCRIPT), f"{folder}/scenes.json", folder]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            return Peer(name, "bpy", None, (done.stderr.strip().splitlines() or ["it failed"])[-1][:120]), ""
        told = json.loads((Path(folder) / "seconds.json").read_text(encoding="utf-8"))
        seconds = {key: float(np.median(values)) for key, values in told["seconds"].items()}
        drawn = [render(two4two_scene(scene)) for scene in params]
        reads = _nearness(Path(folder), drawn, seconds, ours.best_s)
    return Peer(name, told["version"], seconds["128"] + seconds["mask"], "128 samples and mask"), reads


def _nearness(folder: Path, drawn: list[Rendered], seconds: dict[str, float], ours_s: float) -> str:
    """Say how near we are to 128 samples, and what the fewest samples that are as near cost Cycles."""
    full = [_pixels(folder / f"{number}_128.png") for number in range(len(drawn))]
    near = float(np.median([_psnr(picture.picture, full[k]) for k, picture in enumerate(drawn)]))
    words = [f"{near:.1f} dB from 128 samples in the median"]
    for samples in sorted(SAMPLES):
        own = [_psnr(_pixels(folder / f"{k}_{samples}.png"), full[k]) for k in range(len(drawn))]
        if samples == SAMPLES[0] or np.median(own) >= near:
            ratio = (seconds[str(samples)] + seconds["mask"]) / ours_s
            words.append(f"Cycles at {samples} samples is as near ({np.median(own):.1f} dB) and takes {ratio:.0f}x")
            break
    return "; ".join(words)


def _pixels(path: Path) -> npt.NDArray[np.uint8]:
    return np.asarray(Image.open(path).convert("RGB"), dtype=np.uint8)


def _psnr(ours: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8]) -> float:
    error = float(((ours.astype(float) - other) ** 2).mean())
    return 99.0 if error == 0 else 10 * float(np.log10(255**2 / error))


def _facts(params: Two4Two) -> dict[str, Any]:
    scene = two4two_scene(params)
    edge = 0.8 + 0.1 * params.shape
    return {
        "corners": posed_corners(params).tolist(),
        "bevel": 0.05 + 0.25 * edge * params.shape,
        "animal_rgb": scene.parts[0].albedo,
        "wall_rgb": scene.backdrop.albedo,
        "wall_x": scene.backdrop.centre[0],
    }


def _interpreter() -> str | None:
    """Return a Python that has bpy."""
    for candidate in filter(None, (os.environ.get(PYTHON), sys.executable)):
        found = shutil.which(candidate)
        if found and subprocess.run([found, "-c", "import bpy"], capture_output=True, check=False).returncode == 0:
            return found
    return None


def many_pictures(n: int, is_quick: bool) -> Row:
    """Measure pictures of a world drawn into a folder on two threads."""
    n = n // 50 if is_quick else n
    world = sixt2022()
    table = sample(world, n, SEED)
    render(two4two_scene(Two4Two()))
    with TemporaryDirectory() as folder:
        timing = timed(
            lambda: render_table(world, table, Path(folder) / "out", options=ManyOptions(n_workers=2)),
            n_repeats=1, clock="wall", n_warm=0,
        )  # fmt: skip
    return Row(
        what=f"render {n:,} pictures of 128 px into a folder", n=n, seed=SEED, ours=timing, peer=None,
        method="Two threads on one machine, once, in a process of its own; shards of 500 pictures.",
        reads=f"{n / timing.best_s:.0f} pictures a second, {_peak_bytes() / 1e6:.0f} MB at most",
        target="linear in time; memory does not grow",
    )  # fmt: skip


def _peak_bytes() -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    return int(found[1]) * 1024 if found else 0


ROWS = (
    Bench("one picture", one_picture),
    *(Bench(f"{n:,} pictures", partial(many_pictures, n), is_slow=n > SIZES[0]) for n in SIZES),
)
