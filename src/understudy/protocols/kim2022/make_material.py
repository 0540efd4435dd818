"""Make material: choose the creatures that the ready studies show, and put them where studies find them.

A network is seldom wrong, so that most of the creatures it was tested on would never be drawn. Kept are enough right and
wrong ones for ten sets of every method, which fit into the package.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from understudy.errors import MaterialsError
from understudy.models.map_model import MapModel
from understudy.roles import Pixels
from understudy.sources.picture_pools import model_inputs
from understudy.sources.pictures import picture_from_pixels

N_RIGHT, N_WRONG = 106, 54
"""Of each method: ten sets of ten right or five wrong photos, the worked examples, and a few to spare."""
_BATCH = 100


def write_photos(networks: Sequence[Path], pictures: Pixels, labels: Sequence[str], out: Path) -> int:
    """Write the photos that studies of these networks need to a folder for each label, and return their number.

    Photos that are there already come first, so that another network adds as few as possible.
    """
    chosen = {int(path.stem) for path in out.glob("*/*.png")}
    for folder in networks:
        chosen |= chosen_photos(MapModel(folder=str(folder)), pictures, labels, already=chosen)
    for number in sorted(chosen):
        path = out / labels[number] / f"{number:05}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture_from_pixels(pictures[number]).content)
    return len(chosen)


def chosen_photos(
    model: MapModel, pictures: Pixels, labels: Sequence[str], *, already: Collection[int] = ()
) -> set[int]:
    """Return enough right and wrong photos for all studies of a model, taking those that are chosen already first."""
    order = sorted(range(len(labels)), key=lambda number: (number not in already, number))
    answers: list[str] = []
    forks: list[str] = []
    for start in range(0, len(labels), _BATCH):
        inputs = model_inputs(pictures[start : start + _BATCH])
        answers += [model.labels[int(k)] for k in model.predict(inputs).argmax(axis=1)]
        forks += model.facts(inputs).get("ends_in_fork", ["yes"] * len(inputs))
    is_right = np.array([answer == label for answer, label in zip(answers, labels, strict=True)])
    can_fork = np.array([fork == "yes" for fork in forks])
    groups = {
        "right": [number for number in order if is_right[number] and can_fork[number]][:N_RIGHT],
        "wrong": [number for number in order if not is_right[number]][:N_WRONG],
        "wrong and with two decisions to make": [number for number in order if not is_right[number] and can_fork[number]][:2],
    }  # fmt: skip
    wanted = {"right": N_RIGHT, "wrong": N_WRONG}
    for name, n in wanted.items():
        if len(groups[name]) < n:
            raise MaterialsError(
                f"{model.card.name!r} has {len(groups[name])} photos that are {name}, and {n} are wanted. "
                "Draw more creatures."
            )
    return {number for group in groups.values() for number in group}
