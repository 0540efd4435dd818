"""Part agreement: whether a heat map puts its heat on the parts that a model relies on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from understudy.deferred.scipy import stats
from understudy.errors import MaterialsError
from understudy.roles import Floats, Ints, Pixels
from understudy.sources.scenes.creatures.species import PART_IDS, PART_KINDS, PartKind

Reduction: TypeAlias = Literal["sum", "mean"]


class PartAgreement(NamedTuple):
    """The mean rank correlation over pictures, with its interval."""

    correlation: float
    low: float
    high: float
    n_pictures: int
    """Pictures that count: those for which importance differs between parts."""
    per_picture: Floats


@dataclass(frozen=True)
class AgreementSettings:
    """How the interval is made."""

    level: float = 0.95
    n_resamples: int = 2000
    seed: int = 0


def part_scores(
    maps: Floats, masks: Pixels, *, kinds: Sequence[PartKind] = PART_KINDS, reduction: Reduction = "sum"
) -> Floats:
    """Add up (or average) the heat in each part of each picture; returns (n, kinds).

    Maps are (n, rows, columns), and are enlarged to the size of the masks, (n, edge, edge). A sum favours large parts;
    a mean tells how hot a part is whatever its size. A part that cannot be seen scores 0.
    """
    if maps.ndim != 3 or masks.ndim != 3 or len(maps) != len(masks):
        raise MaterialsError(
            f"Heat maps of shape {maps.shape} do not fit masks of shape {masks.shape}. Give one map (rows, columns) for "
            "each mask."
        )
    heat = enlarged(maps, (masks.shape[1], masks.shape[2]))
    inside = np.stack([masks == PART_IDS[kind] for kind in kinds], axis=1)
    total: Floats = np.einsum("nrc,nkrc->nk", heat, inside.astype(np.float64))
    if reduction == "sum":
        return total
    mean: Floats = total / np.maximum(inside.sum(axis=(2, 3)), 1)
    return mean


def enlarged(maps: Floats, size: tuple[int, int]) -> Floats:
    """Enlarge maps to (height, width) by straight lines between the centres of their cells."""
    if maps.shape[1:] == size:
        return np.asarray(maps, dtype=np.float64)
    height, width = size
    return np.stack(
        [
            np.asarray(Image.fromarray(each.astype(np.float32)).resize((width, height), Image.Resampling.BILINEAR))
            for each in maps
        ]
    ).astype(np.float64)


def part_agreement(
    scores: Floats,
    importance: Floats,
    *,
    is_visible: npt.NDArray[np.bool_] | None = None,
    settings: AgreementSettings | None = None,
) -> PartAgreement:
    """Correlate the ranks of part scores and importance within each picture, and average over pictures.

    Both are (n, kinds). Parts that cannot be seen are left out. Pictures are resampled for the interval, not parts,
    because parts of one picture depend on each other. A picture whose scores are all equal counts as 0, since its
    explanation says nothing; one whose importance is the same for all parts has no ranks, and is left out.
    """
    how = settings or AgreementSettings()
    if scores.shape != importance.shape:
        raise MaterialsError(f"Scores of shape {scores.shape} do not fit importance of shape {importance.shape}.")
    shown = np.ones(scores.shape, dtype=bool) if is_visible is None else is_visible
    found = [_rank_correlation(*row) for row in zip(scores, importance, shown, strict=True)]
    values = np.array([value for value in found if value is not None])
    if len(values) < 2:
        raise MaterialsError(
            f"Importance differs between the parts of {len(values)} pictures only. Give at least 2 such pictures."
        )
    rng = np.random.default_rng(how.seed)
    picks: Ints = rng.integers(len(values), size=(how.n_resamples, len(values)))
    low, high = np.quantile(values[picks].mean(axis=1), [(1 - how.level) / 2, (1 + how.level) / 2])
    return PartAgreement(float(values.mean()), float(low), float(high), len(values), values)


def _rank_correlation(scores: Floats, importance: Floats, is_visible: npt.NDArray[np.bool_]) -> float | None:
    """Return Spearman's correlation, with mean ranks for ties."""
    first, second = stats.rankdata(scores[is_visible]), stats.rankdata(importance[is_visible])
    if len(second) < 2 or np.ptp(second) == 0:
        return None
    if np.ptp(first) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])
