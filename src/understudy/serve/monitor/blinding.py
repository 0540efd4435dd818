"""Blinding: conditions are called A, B, … until a researcher asks for their names, which the log keeps with the reason."""

from collections.abc import Sequence
from string import ascii_uppercase

import numpy as np

from understudy.schema import Study, seed_from
from understudy.schema.desk_action import DeskAction


def blind_order(study: Study) -> list[str]:
    """Return the conditions in an order that says nothing: the first of the study file is not always A."""
    names = [cell.name for cell in study.cells]
    order = np.random.default_rng(seed_from(study.seed, "blind labels")).permutation(len(names))
    return [names[int(place)] for place in order]


def blind_label(place: int) -> str:
    """Return the label of a condition.

    >>> [blind_label(0), blind_label(25), blind_label(26)]
    ['A', 'Z', 'AA']
    """
    times, letter = divmod(place, len(ascii_uppercase))
    return ascii_uppercase[letter] * (times + 1)


def label_order(label: str) -> tuple[int, str]:
    """Return by what letters are sorted: Z comes before AA."""
    return len(label), label


def desk_labels(study: Study, steering: Sequence[DeskAction], *, has_people: bool) -> dict[str, str]:
    """Return what the desk calls each condition: a letter in a blinded study, until somebody has asked for the names."""
    # Simulated people have no outcomes to be blind to.
    if not study.plan.blinded or not has_people or is_unblinded(steering):
        return {cell.name: cell.name for cell in study.cells}
    return {name: blind_label(place) for place, name in enumerate(blind_order(study))}


def is_unblinded(steering: Sequence[DeskAction]) -> bool:
    """Tell whether somebody has asked for the names."""
    return any(action.action == "unblinded" for action in steering)
