"""Factors, conditions, and how arrivals are assigned to them."""

from itertools import product
from typing import Literal

from pydantic import Field

from understudy.schema.record import Name, Record, Ref

Levels = dict[str, str]
"""Factor name -> level name."""


class Factor(Record):
    """A variable of the design: it varies between people, within a person's stages, over items, or over questions."""

    name: Name
    scope: Literal["between", "within", "item", "question"]
    """question: the levels are ids of questions that one page asks, each of which gets its own row of the answers."""
    levels: tuple[str, ...] = Field(min_length=1)
    order: Ref = Ref(name="random_order")
    """Within only: how a person's order of levels is chosen (an entry of orderings)."""
    n_drawn: int | None = Field(default=None, ge=1, le=1000)
    """Within only: how many of the levels one person gets; all by default."""


class Condition(Record):
    """One cell of the between-factors: what a session is assigned to."""

    name: str
    levels: Levels
    quota: int | None = Field(default=None, ge=0, le=1_000_000)


class Binding(Record):
    """Says which data, model or explanation belong to a combination of levels; later bindings win."""

    when: dict[str, str | tuple[str, ...]] = {}
    dataset: Ref | None = None
    model: Ref | None = None
    explainer: Ref | None = None
    model_explainer: Ref | None = None
    """Explains the model as a whole, on the pages of blocks with `explains_model`."""


class AssignmentRule(Record):
    """How arrivals become sessions in conditions."""

    policy: Ref = Ref(name="balanced")
    quota: int = Field(default=20, ge=1, le=1_000_000)
    """Wanted number of completed and not excluded participants in each condition."""
    release_after_min: float = Field(default=120.0, gt=0)
    """An unfinished session without events for this long counts as abandoned and frees its place."""
    blocks_participants_of: tuple[str, ...] = ()
    """Names of other studies whose participants may not take this one."""


class Assignment(Record):
    """What one session was assigned: its condition, its orders, its item lists and its seed."""

    arrival: int
    condition: str
    levels: Levels
    orders: dict[str, tuple[str, ...]] = {}
    lists: dict[str, int] = {}
    seed: int


def crossed_conditions(factors: tuple[Factor, ...]) -> tuple[Condition, ...]:
    """Return every combination of between-levels, named by its levels."""
    between = [factor for factor in factors if factor.scope == "between"]
    if not between:
        return (Condition(name="all", levels={}),)
    return tuple(
        Condition(name="-".join(levels), levels=dict(zip((f.name for f in between), levels, strict=True)))
        for levels in product(*(factor.levels for factor in between))
    )


def matches(when: dict[str, str | tuple[str, ...]], levels: Levels) -> bool:
    """Tell whether levels satisfy every part of a `when`; a factor without a level satisfies nothing."""
    return all(
        levels.get(factor) in (wanted if isinstance(wanted, tuple) else (wanted,)) for factor, wanted in when.items()
    )
