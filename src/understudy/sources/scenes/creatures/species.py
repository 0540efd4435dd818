"""Species: which parts a creature has. Species differ in combinations of parts, and no part gives a species away."""

from typing import Literal, TypeAlias, get_args

from understudy.errors import MaterialsError
from understudy.schema import Record

PartKind: TypeAlias = Literal["body", "head", "ears", "snout", "back", "tail", "legs", "coat", "eyes"]
PART_KINDS: tuple[PartKind, ...] = get_args(PartKind)
PART_IDS: dict[PartKind, int] = {kind: number for number, kind in enumerate(PART_KINDS, start=1)}
"""The values of the parts in a mask, the same in every species; 0 is the background."""
EXCHANGEABLE: tuple[PartKind, ...] = PART_KINDS[:-1]
"""All kinds that come in several forms. Eyes are the same everywhere, so a good model has no use for them."""


class Anatomy(Record):
    """The form of each part; the names of the fields are kinds of parts."""

    body: Literal["round", "long"]
    head: Literal["ball", "box"]
    ears: Literal["discs", "spikes", "horns"]
    snout: Literal["bill", "trunk"]
    back: Literal["plates", "wings", "humps"]
    tail: Literal["tuft", "club", "curl"]
    legs: Literal["short", "tall"]
    coat: Literal["spots", "belt"]


def _anatomy(words: str) -> Anatomy:
    return Anatomy.model_validate(dict(zip(EXCHANGEABLE, words.split(), strict=True)))


SPECIES: tuple[Anatomy, ...] = tuple(
    _anatomy(words)
    for words in (
        # Kinds:  body head ears snout back tail legs coat. The two species of a pair differ in one part only.
        "round ball discs  bill  plates tuft short spots",
        "round ball horns  bill  plates tuft short spots",
        "round ball spikes trunk humps  club tall  belt",
        "round ball spikes trunk humps  curl tall  belt",
        "long  ball discs  trunk plates club short belt",
        "long  ball discs  trunk wings  club short belt",
        "long  box  horns  bill  humps  tuft tall  spots",
        "long  box  horns  trunk humps  tuft tall  spots",
        "round box  spikes bill  wings  curl tall  belt",
        "round box  spikes bill  wings  curl short belt",
        "long  box  discs  bill  plates curl tall  spots",
        "long  box  discs  bill  plates curl tall  belt",
        "round ball horns  trunk wings  club short spots",
        "round box  horns  trunk wings  club short spots",
        "round ball spikes bill  humps  tuft tall  spots",
        "long  ball spikes bill  humps  tuft tall  spots",
    )
)
"""In the order of their numbers, from 1."""
MIN_SPECIES, DEFAULT_SPECIES = 2, 12


def species_names(n_species: int = DEFAULT_SPECIES) -> tuple[str, ...]:
    """Return the labels of the first species, which say nothing about them."""
    if not MIN_SPECIES <= n_species <= len(SPECIES):
        raise MaterialsError(f"{n_species} species were asked for. There are {MIN_SPECIES} to {len(SPECIES)}.")
    return tuple(f"species {number}" for number in range(1, n_species + 1))
