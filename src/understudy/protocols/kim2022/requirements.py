"""Requirements: what photos and choices a study can be made of, in one sentence for each fault."""

from collections.abc import Iterator
from numbers import Real
from typing import Any

from understudy.errors import StudyError
from understudy.protocols.kim2022.photos import Photos
from understudy.schema import Ref

FEWEST_CLASSES = 4
"""Distinction has four options, and with fewer classes a guess at the prediction is too often right in agreement."""
MOST_SETS = 1000
STARTS = ("blank", "random", "accuracy")


def require_photos(data: Any) -> None:
    """Refuse what is not photos with a model that can be told about."""
    if not isinstance(data, Photos):
        raise StudyError(
            [
                f"data is {_said(data)}, and a study needs photos with a model. Give Photos(dataset=, model=, ...), or "
                "creatures(method) for those that come with understudy."
            ]
        )
    faults = [*_photo_faults(data)]
    if faults:
        raise StudyError(faults)


def require_choices(choices: Any) -> None:
    """Refuse sizes and starts that no study can have; `choices` is a Kim2022."""
    if not all(hasattr(choices, name) for name in ("n_sets", "per_set", "start", "shows_tree", "seed")):
        raise StudyError([f"choices is {_said(choices)}. Give Kim2022(n_sets=, per_set=, ...), or leave it out."])
    faults = [*_choice_faults(choices)]
    if faults:
        raise StudyError(faults)


def _photo_faults(data: Photos) -> Iterator[str]:
    for name in ("dataset", "model"):
        if not isinstance(getattr(data, name), Ref):
            yield f"{name} is {_said(getattr(data, name))}. Name an entry of the catalogue, such as Ref(name=..., params={{...}})."
    if not _is_number(data.accuracy) or not 0 <= data.accuracy <= 100:
        yield f"accuracy is {_said(data.accuracy)}. Give how many per cent of photos the model gets right, from 0 to 100."
    if not _is_count(data.n_classes):
        yield f"n_classes is {_said(data.n_classes)}. Give how many classes the model knows, as a whole number."
    elif data.n_classes < FEWEST_CLASSES:
        yield (
            f"The model knows {data.n_classes} {data.plural}, and these studies need at least {FEWEST_CLASSES}: with fewer, "
            "people are right too often by guessing. Give a model that tells more classes apart."
        )
    if not _is_count(data.most_rows) or data.most_rows < 1:
        yield f"most_rows is {_said(data.most_rows)}. Give how many rows a page may show, 1 or more."


def _choice_faults(choices: Any) -> Iterator[str]:
    if not _is_count(choices.n_sets) or not 1 <= choices.n_sets <= MOST_SETS:
        yield (
            f"n_sets is {_said(choices.n_sets)}. Give how many sets of photos there are, a whole number from 1 to "
            f"{MOST_SETS:,}; the paper has 10."
        )
    if not _is_count(choices.per_set) or choices.per_set < 1:
        yield (
            f"per_set is {_said(choices.per_set)}. Give how many people see each set, a whole number from 1 on; the paper "
            "has 5."
        )
    if choices.start not in STARTS:
        yield f"start is {_said(choices.start)}. Choose where the sliders start: {', '.join(STARTS)}."
    if not isinstance(choices.shows_tree, bool):
        yield f"shows_tree is {_said(choices.shows_tree)}. Choose True or False."
    if not _is_count(choices.seed) or choices.seed < 0:
        yield f"seed is {_said(choices.seed)}. Give a whole number from 0 on."


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _said(value: Any) -> str:
    return repr(value) if isinstance(value, str | int | float | type(None)) else f"a {type(value).__name__}"
