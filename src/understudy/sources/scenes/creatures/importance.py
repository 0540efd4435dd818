"""Part importance: what a model's answer loses when a part of a creature is removed, or exchanged for another form."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from understudy.errors import MaterialsError
from understudy.roles import Floats, Ints, Model, Pixels
from understudy.sources.picture_pools import model_inputs
from understudy.sources.scenes.creatures.creature import Creature, with_part_of, without_part
from understudy.sources.scenes.creatures.sets import EDGE, render_creatures
from understudy.sources.scenes.creatures.species import EXCHANGEABLE, PART_IDS, PART_KINDS, Anatomy, PartKind

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
