"""Make material: choose the creatures that the ready studies show, and put them where studies find them.

A network is seldom wrong, so that most of the creatures it was tested on would never be drawn. Kept are enough right and
wrong ones for ten sets of every method, which fit into the package.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from understudy.errors import MaterialsError
from understudy.models.trained_models import MapModel
from understudy.prepare.items import even_shares, pick_matched
from understudy.roles import Pixels
from understudy.sources.csv_text import csv_text
from understudy.sources.picture_pools import model_inputs
from understudy.sources.pictures import picture_from_pixels

N_RIGHT, N_WRONG = 106, 54
"""Of each method: ten sets of ten right or five wrong photos, the worked examples, and a few to spare."""
AGREED = "agreed.csv"
N_AGREED = 5
"""Right and wrong photos, each, that several networks answer alike."""
_BATCH = 100


class AnsweredPhotos(NamedTuple):
    """What a network says about photos."""

    answers: list[str]
    is_right: list[bool]
    can_fork: list[bool]
    """Whether two decisions of a tree can be left to people; true for networks without a tree."""
    ways: list[str]
    """The fork of a tree and both decisions; for networks without a tree, the answers."""


def write_photos(networks: Sequence[Path], pictures: Pixels, labels: Sequence[str], out: Path) -> int:
    """Write the photos that studies of these networks need to a folder for each label, and return their number.

    Photos that are there already come first, so that another network adds as few as possible.
    """
    chosen = {int(path.stem) for path in out.glob("*/*.png")}
    for folder in networks:
        chosen |= chosen_photos(MapModel(folder=str(folder)), pictures, labels, already=chosen)
    _write(chosen, pictures, labels, out)
    return len(chosen)


def _write(numbers: Collection[int], pictures: Pixels, labels: Sequence[str], out: Path) -> None:
    for number in sorted(numbers):
        path = out / file_of(number, labels)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture_from_pixels(pictures[number]).content)


def file_of(number: int, labels: Sequence[str]) -> str:
    """Return where a photo is, from the folder of photos."""
    return f"{labels[number]}/{number:05}.png"


def chosen_photos(
    model: MapModel, pictures: Pixels, labels: Sequence[str], *, already: Collection[int] = ()
) -> set[int]:
    """Return enough right and wrong photos for all studies of a model, taking those that are chosen already first.

    Mistakes are of as many predicted classes as there are, and each such class has as many right photos as wrong ones,
    so that the prediction does not tell which are wrong.
    """
    said = answered(model, pictures, labels)
    order = sorted(range(len(labels)), key=lambda number: (number not in already, number))
    pairs = _pairs(said, order, N_WRONG)
    right = _spread([number for number in order if said.is_right[number] and said.can_fork[number]], said.ways, N_RIGHT)
    forking = [number for number in order if not said.is_right[number] and said.can_fork[number]][:2]
    n_wrong = len(pairs) or sum(not is_right for is_right in said.is_right)
    for name, n, wanted in (("right", len(right), N_RIGHT), ("wrong", n_wrong, N_WRONG)):
        if n < wanted:
            raise MaterialsError(
                f"{model.card.name!r} has {n} photos that are {name}, but {wanted} are needed. Draw more creatures."
            )
    return {*(number for pair in pairs for number in pair), *right, *forking}


def write_agreed(networks: Sequence[Path], pictures: Pixels, labels: Sequence[str], out: Path) -> int:
    """Write photos that all networks answer alike, half of them right, and a table of them; return their number.

    Arms with different networks can then show the same photos.
    """
    said = [answered(MapModel(folder=str(folder)), pictures, labels) for folder in networks]
    alike = [number for number in range(len(labels)) if len({network.answers[number] for network in said}) == 1]
    chosen = sorted(number for pair in _pairs(said[0], alike, N_AGREED, is_exact=True) for number in pair)
    _write(chosen, pictures, labels, out)
    listed = csv_text(("path", "label"), ((file_of(number, labels), labels[number]) for number in chosen))
    (out.parent / AGREED).write_text(listed, encoding="utf-8")
    return len(chosen)


def answered(model: MapModel, pictures: Pixels, labels: Sequence[str]) -> AnsweredPhotos:
    """Return what a network says about photos."""
    answers: list[str] = []
    forks: list[str] = []
    ways: list[str] = []
    for start in range(0, len(labels), _BATCH):
        inputs = model_inputs(pictures[start : start + _BATCH])
        own = [model.labels[int(k)] for k in model.predict(inputs).argmax(axis=1)]
        facts = model.facts(inputs)
        answers += own
        forks += facts.get("has_fork", ["yes"] * len(inputs))
        ways += facts.get("way_out", own)
    is_right = [answer == label for answer, label in zip(answers, labels, strict=True)]
    return AnsweredPhotos(answers, is_right, [fork == "yes" for fork in forks], ways)


def _pairs(said: AnsweredPhotos, numbers: Sequence[int], n: int, *, is_exact: bool = False) -> list[tuple[int, ...]]:
    """Return n pairs of a right and a wrong photo, of the same answer where there are enough or where they must be."""
    answers = [said.answers[number] for number in numbers]
    matched = pick_matched([said.is_right[number] for number in numbers], answers, 2 * n, (True, False))
    groups = (
        []
        if matched is None
        else [group for group in matched.groups if not is_exact or len({answers[k] for k in group}) == 1]
    )
    return [tuple(numbers[k] for k in group) for group in groups]


def _spread(numbers: Sequence[int], ways: Sequence[str], n: int) -> list[int]:
    """Return n of these photos, of each way about equally many."""
    shares = even_shares(Counter(ways[number] for number in numbers), n)
    seen: Counter[str] = Counter()
    kept = []
    for number in numbers:
        seen[ways[number]] += 1
        if seen[ways[number]] <= shares[ways[number]]:
            kept.append(number)
    return kept
