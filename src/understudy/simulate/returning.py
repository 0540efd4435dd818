"""Simulated people who come back for a later part: the same persons, in their condition, with a stated probability."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from understudy.conduct import Ledger, Script, assign
from understudy.schema import Cast, Event, seed_from
from understudy.schema.follow_up import DAY_MS, FollowUp
from understudy.simulate.actor import Arrival
from understudy.simulate.rehearsal import actor_for, played, ready_cast, start_of

_USUAL_WINDOW_DAYS = 7.0


class PartOnePerson(NamedTuple):
    """A simulated person who is invited to the later part."""

    participant_id: str
    arrival: int
    """Their number in the earlier part, which makes them who they are."""
    condition: str
    ended_ms: int


class Returning(NamedTuple):
    """Who is invited, and how many of them come."""

    people: Sequence[PartOnePerson]
    follows: FollowUp
    rate: float
    """The probability that an invited person comes back."""


def rehearse_return(script: Script, cast: Cast, returning: Returning, *, seed: int) -> Iterator[list[Event]]:
    """Yield the events of each person who comes back, in order of arrival."""
    ready, ledger = ready_cast(cast), Ledger(script.study)
    arrival = 0
    for person, at_ms in sorted(_who_comes(returning, seed), key=lambda pair: pair[1]):
        condition = person.condition if returning.follows.keeps_condition else None
        assignment = assign(ledger, arrival, condition)
        if assignment is None:
            continue
        newcomer = Arrival(f"synthetic-{arrival:06d}", person.participant_id, at_ms, assignment)
        # Silent people of the first part free their places before the second begins, so nobody waits here.
        ledger.take(start_of(script, newcomer))
        events = played(script, actor_for(script, ready, seed=seed, arrival=person.arrival), newcomer)
        for event in events[1:]:
            ledger.take(event)
        yield events
        arrival += 1


def _who_comes(returning: Returning, seed: int) -> Iterator[tuple[PartOnePerson, int]]:
    follows = returning.follows
    for person in returning.people:
        rng = np.random.default_rng(seed_from(seed, "returns", person.arrival))
        if rng.random() >= returning.rate:
            continue
        opens, closes = follows.window_ms(person.ended_ms)
        last = closes if closes is not None else opens + round(_USUAL_WINDOW_DAYS * DAY_MS)
        yield person, int(rng.integers(opens, max(opens + 1, last)))
