"""A pool of pictures whose items are hard to find, and what preparing a study from it takes.

Run as `python bench/picture_pool.py N FOLDER`, it prints time, peak memory, pictures read and files published as JSON.
"""

import json
import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from understudy.prepare import prepare, write_prepared
from understudy.registry import register
from understudy.roles import Floats, Pixels
from understudy.schema import Record, Study
from understudy.sources.picture_pools import ArrayPool

EDGE, N_ITEMS, LABELS = 128, 10, ("even", "odd")


class Cost(NamedTuple):
    """What preparing took."""

    seconds: float
    peak_bytes: int
    n_read: int
    n_files: int


class ParityOfAPixel(Record):
    """Says whether the first byte of a picture is odd, so that its mistakes are known."""

    labels: tuple[str, ...] = LABELS

    def predict(self, inputs: Floats) -> Floats:
        """Return one probability for each label."""
        is_odd = np.round(inputs[:, 0, 0, 0] * 255) % 2
        return np.column_stack([1 - is_odd, is_odd])


def write_pool(folder: Path, n: int, *, edge: int = EDGE) -> None:
    """Write n pictures that differ in their first bytes and are black elsewhere, which takes little of the disk.

    Labels are such that the model is wrong about five pictures, so that a balanced set needs all of the pool.
    """
    folder.mkdir(parents=True, exist_ok=True)
    np.lib.format.open_memmap(folder / "pictures.npy", mode="w+", dtype=np.uint8, shape=(n, edge, edge, 3))
    n_bytes = edge * edge * 3
    numbers = np.arange(n, dtype=np.uint32)
    with (folder / "pictures.npy").open("r+b", buffering=0) as stream:
        # Written and not mapped, because mapped pages would count as memory of this process.
        start = stream.seek(0, os.SEEK_END) - n * n_bytes
        for number in range(n):
            os.pwrite(stream.fileno(), number.to_bytes(3, "little"), start + number * n_bytes)
    labels = (numbers % 2).astype(np.int64)
    wrong = np.random.default_rng(1).permutation(n)[: N_ITEMS // 2]
    labels[wrong] = 1 - labels[wrong]
    np.save(folder / "labels.npy", labels)


def study_of_pool() -> Study:
    """Return a study of ten pictures, balanced over whether the model is right."""
    ask = {"kind": "choice", "question_id": "verdict", "prompt": "Is it right?", "options": ["right", "wrong"]}
    data = {"path": "pictures.npy", "labels": "labels.npy", "label_names": list(LABELS)}
    plain: dict[str, Any] = {
        "name": "pool",
        "title": "A large pool",
        "seed": 1,
        "factors": [{"name": "group", "scope": "between", "levels": ["only"]}],
        "assignment": {"quota": 1},
        "bindings": [{"dataset": {"name": "picture_array", "params": data}, "model": "parity_of_a_pixel"}],
        "item_sets": [{"name": "pictures", "n_items": N_ITEMS, "strata": ["model_is"]}],
        "flow": [
            {
                "kind": "stage",
                "block_id": "judge",
                "items": "pictures",
                "task": {"name": "judge", "params": {"questions": [ask], "keys": {"verdict": "model_is"}}},
            }
        ],
        "measures": [{"name": "spotted", "measure": "correct"}],
        "plan": {"outcomes": [{"name": "accuracy", "measure": "spotted"}], "hypotheses": []},
    }
    return Study.model_validate(plain)


def cost_of_preparing(folder: Path) -> Cost:
    """Prepare the study of the pool in a folder, and count."""
    n_read = 0
    read_as_ever = ArrayPool.read

    def counted(self: ArrayPool, indices: Sequence[int]) -> Pixels:
        nonlocal n_read
        n_read += len(indices)
        return read_as_ever(self, indices)

    ArrayPool.read = counted  # type: ignore[method-assign]
    try:
        start = time.perf_counter()
        write_prepared(prepare(study_of_pool(), folder), folder / "out")
        seconds = time.perf_counter() - start
    finally:
        ArrayPool.read = read_as_ever  # type: ignore[method-assign]
    n_files = sum(1 for _ in (folder / "out" / "public" / "assets").iterdir())
    return Cost(seconds, _peak_bytes(), n_read, n_files)


def _peak_bytes() -> int:
    """Return the most memory this process ever had resident; unlike getrusage, without that of its parent."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) * 1024 if found else 0


if __name__ == "__main__":
    # Only here, so that importing this module for its constants does not add a model to the catalogue.
    register("models", "parity_of_a_pixel")(ParityOfAPixel)
    place = Path(sys.argv[2])
    write_pool(place, int(sys.argv[1]))
    sys.stdout.write(json.dumps(cost_of_preparing(place)._asdict()))
