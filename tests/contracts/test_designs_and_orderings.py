"""Every registered design and ordering, ours or from another package, keeps these promises."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from understudy import registry
from understudy.roles import Design, Ordering, Place
from understudy.schema import Ref

NEEDED: dict[str, dict[str, Any]] = {"then_target": {"target": "c1", "after": 2}}
VARIANTS = (
    Ref(name="permuted_blocks", params={"n_repeats": 1}),
    Ref(name="urn", params={"n_balls": 3}),
    Ref(name="then_target", params={"target": "c0", "after": 5, "first": "balanced"}),
)
DESIGNS = (*(Ref(name=name, params=NEEDED.get(name, {})) for name in registry.names("designs")), *VARIANTS)
every_design = pytest.mark.parametrize("ref", DESIGNS, ids=lambda ref: "-".join([ref.name, *ref.params]))
every_ordering = pytest.mark.parametrize("name", registry.names("orderings"))


@st.composite
def standings(draw: st.DrawFn) -> list[Place]:
    """Conditions in any state a study can get into; at least one has room."""
    places = []
    for k in range(draw(st.integers(1, 6))):
        quota = draw(st.integers(0, 8))
        n_completed = draw(st.integers(0, quota))
        n_active = draw(st.integers(0, quota - n_completed))
        n_assigned = n_completed + n_active + draw(st.integers(0, 10))
        places.append(Place(f"c{k}", quota, n_completed, n_active, n_assigned))
    assume(any(place.has_room for place in places))
    return places


def design(ref: Ref) -> Design:
    made: Design = registry.create("designs", ref)
    return made


def ordering(name: str) -> Ordering:
    made: Ordering = registry.create("orderings", Ref(name=name))
    return made


@every_design
@given(places=standings(), arrival=st.integers(0, 10_000), seed=st.integers(0, 2**32))
def test_a_design_chooses_only_places_with_room(ref: Ref, places: list[Place], arrival: int, seed: int) -> None:
    chosen = design(ref).assign(arrival, places, np.random.default_rng(seed))
    assert next(place for place in places if place.condition == chosen).has_room


@every_design
@given(places=standings(), seed=st.integers(0, 2**32))
def test_the_same_standing_and_randomness_give_the_same_condition(ref: Ref, places: list[Place], seed: int) -> None:
    first, second = (design(ref).assign(5, places, np.random.default_rng(seed)) for _ in range(2))
    assert first == second


@every_design
def test_a_design_fills_every_place(ref: Ref) -> None:
    held = Counter({f"c{k}": 0 for k in range(3)})
    rng = np.random.default_rng(2)
    for arrival in range(21):
        places = [Place(name, 7, n, 0, n) for name, n in held.items()]
        held[design(ref).assign(arrival, places, rng)] += 1
    assert set(held.values()) == {7}


levels_and_draws = st.integers(1, 6).flatmap(lambda n: st.tuples(st.just("abcdef"[:n]), st.integers(1, n)))


@every_ordering
@given(
    chosen=levels_and_draws,
    held=st.dictionaries(st.permutations("abcdef").map(tuple), st.integers(0, 9), max_size=5),
    seed=st.integers(0, 2**32),
)
def test_an_ordering_gives_the_wanted_number_of_different_levels(
    name: str, chosen: tuple[str, int], held: dict[tuple[str, ...], int], seed: int
) -> None:
    levels, n_drawn = chosen
    order = ordering(name).order(levels, n_drawn, held, np.random.default_rng(seed))
    assert len(order) == len(set(order)) == n_drawn
    assert set(order) <= set(levels)


@every_ordering
@given(chosen=levels_and_draws, seed=st.integers(0, 2**32))
def test_the_same_randomness_gives_the_same_order(name: str, chosen: tuple[str, int], seed: int) -> None:
    first, second = (ordering(name).order(*chosen, {}, np.random.default_rng(seed)) for _ in range(2))
    assert first == second
