"""Importance of parts: what a model's answer loses without one, and whether people agree."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from PIL import Image

from understudy.deferred.scipy import stats
from understudy.errors import MaterialsError
from understudy.roles import Floats, Ints, Model, Pixels
from understudy.sources.picture_pools import model_inputs
from understudy.worlds.creature_sets import EDGE, render_creatures
from understudy.worlds.creatures import (
    EXCHANGEABLE,
    PART_IDS,
    PART_KINDS,
    Anatomy,
    Creature,
    PartKind,
    with_part_of,
    without_part,
)

Change: TypeAlias = Literal["remove", "exchange"]
SMALLEST = 1e-7
"""Probabilities are kept this far from 0 and 1, because log odds of single-precision answers would be infinite there."""
_AT_ONCE = 16


@dataclass(frozen=True)
class ImportanceSettings:
    """How parts are changed."""

    change: Change = "remove"
    """Whether a part is removed, or exchanged for each other form in turn, which gives the mean over forms."""
    edge: int = EDGE
    kinds: tuple[PartKind, ...] = ()
    """Which parts; all that can be changed when empty."""
    advance: Callable[[int], None] | None = None
    """Hears how many more creatures are done."""

    @property
    def changed_kinds(self) -> tuple[PartKind, ...]:
        """The parts that are changed."""
        return self.kinds or (PART_KINDS if self.change == "remove" else EXCHANGEABLE)


class PartImportance(NamedTuple):
    """The fall of the explained class's answer for each picture and part; negative where the answer rises."""

    kinds: tuple[PartKind, ...]
    probability: Floats
    """(n, kinds)."""
    log_odds: Floats
    """(n, kinds)."""
    is_visible: npt.NDArray[np.bool_]
    """(n, kinds): whether any pixel shows the part."""
    targets: Ints
    """(n,): the explained classes."""
    masks: Pixels
    """(n, edge, edge): parts of the unchanged creatures."""


def part_importance(
    model: Model,
    creatures: Sequence[Creature],
    *,
    targets: Ints | None = None,
    settings: ImportanceSettings | None = None,
) -> PartImportance:
    """Draw each creature with and without each part, everything else being the same, and ask the model.

    Without targets, each picture is explained for the class that the model predicts.
    """
    how = settings or ImportanceSettings()
    kinds = how.changed_kinds
    if targets is not None and len(targets) != len(creatures):
        raise MaterialsError(
            f"{len(creatures)} creatures have {len(targets)} targets. Give one class for each creature."
        )
    falls: list[Floats] = []
    shown: list[Pixels] = []
    chosen: list[Ints] = []
    for start in range(0, len(creatures), _AT_ONCE):
        batch = creatures[start : start + _AT_ONCE]
        variants = list(_variants(batch, kinds, how.change))
        drawn = render_creatures([*batch, *(other for _, _, other in variants)], edge=how.edge)
        answers = _answers(model, np.stack([each.picture for each in drawn]))
        given = answers[: len(batch)].argmax(axis=1) if targets is None else targets[start : start + len(batch)]
        wanted: Ints = np.asarray(given, dtype=np.int64)
        falls.append(_falls(answers, variants, (wanted, len(kinds))))
        shown.append(np.stack([each.mask for each in drawn[: len(batch)]]))
        chosen.append(wanted)
        if how.advance is not None:
            how.advance(len(batch))
    fall, masks = np.concatenate(falls), np.concatenate(shown)
    is_visible = np.stack([(masks == PART_IDS[kind]).any(axis=(1, 2)) for kind in kinds], axis=1)
    return PartImportance(kinds, fall[..., 0], fall[..., 1], is_visible, np.concatenate(chosen), masks)


_Variant: TypeAlias = tuple[int, int, Creature]
"""The creature that was changed, the column of the part, and what became of it."""


def _variants(creatures: Sequence[Creature], kinds: Sequence[PartKind], change: Change) -> Iterator[_Variant]:
    for position, creature in enumerate(creatures):
        for column, kind in enumerate(kinds):
            if change == "remove":
                yield position, column, without_part(creature, kind)
                continue
            for form in other_forms(creature.anatomy, kind):
                yield position, column, with_part_of(creature, kind, creature.anatomy.model_copy(update={kind: form}))


def other_forms(anatomy: Anatomy, kind: PartKind) -> tuple[str, ...]:
    """Return the forms of a part that this anatomy does not have."""
    if kind not in EXCHANGEABLE:
        raise MaterialsError(f"{kind!r} has one form only. Choose from: {', '.join(EXCHANGEABLE)}.")
    forms: tuple[str, ...] = get_args(Anatomy.model_fields[kind].annotation)
    return tuple(form for form in forms if form != getattr(anatomy, kind))


def _answers(model: Model, pictures: Pixels) -> Floats:
    answers = np.asarray(model.predict(model_inputs(pictures)), dtype=np.float64)
    if answers.shape != (len(pictures), len(model.labels)):
        raise MaterialsError(
            f"The model answered {len(pictures)} pictures with the shape {answers.shape}. "
            f"It must return one probability for each of its {len(model.labels)} labels."
        )
    return answers


def _falls(answers: Floats, variants: Sequence[_Variant], size: tuple[Ints, int]) -> Floats:
    """Return the mean falls of probability and log odds, (creatures, kinds, 2)."""
    wanted, n_kinds = size
    before = _both_scales(answers[np.arange(len(wanted)), wanted])
    total, count = np.zeros((len(wanted), n_kinds, 2)), np.zeros((len(wanted), n_kinds, 1))
    for row, (place, column, _) in enumerate(variants, start=len(wanted)):
        total[place, column] += before[place] - _both_scales(answers[row, wanted[place]])
        count[place, column] += 1
    mean: Floats = total / count
    return mean


def _both_scales(probability: npt.ArrayLike) -> Floats:
    """Return probabilities and their log odds side by side."""
    share = np.clip(np.asarray(probability, dtype=np.float64), SMALLEST, 1 - SMALLEST)
    return np.stack([np.asarray(probability, dtype=np.float64), np.log(share) - np.log1p(-share)], axis=-1)


# Part agreement: whether a heat map puts its heat on the parts that a model relies on.

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
