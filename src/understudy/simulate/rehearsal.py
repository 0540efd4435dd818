"""Rehearse a study with simulated people until it is full, also those who come back."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from understudy.conduct import Ledger, Script, assign
from understudy.errors import StudyError
from understudy.registry import create
from understudy.schema import Cast, Event, SessionEnded, SessionStarted, Study, seed_from
from understudy.schema.study import DAY_MS, FollowUp
from understudy.simulate.actor import Actor, Arrival, CastRole, play_session

N_AT_ONCE = 32
"""How many simulated people take part at the same time, as on a busy day of recruiting."""
BETWEEN_ARRIVALS_MS = 20_000
MAX_ROUND = 100
"""Longest round of turns; shares that need a longer one are approximated."""
PATIENCE = 20
"""A rehearsal fails after this many arrivals per place."""


class ReadyCast(NamedTuple):
    """A cast with its participants created: the roles and their shares."""

    roles: Sequence[CastRole]
    shares: Sequence[float]
    """Cumulative, from the first role to the last."""
    turns: Sequence[int] = ()
    """Indices of roles in the order of their turns, repeated in each condition; empty where roles are drawn."""


def ready_cast(cast: Cast) -> ReadyCast:
    """Create the simulated people that a cast names."""
    total = sum(member.share for member in cast.members)
    shares = [member.share / total for member in cast.members]
    return ReadyCast(
        [CastRole(m.participant.name, create("participants", m.participant), cast.ability) for m in cast.members],
        np.cumsum(shares).tolist(),
        round_of(shares) if cast.dealing == "in_turn" else (),
    )


def round_of(shares: Sequence[float]) -> tuple[int, ...]:
    """Return the shortest round of indices in which each share is met exactly, evenly spread.

    >>> round_of([0.5, 0.25, 0.25])
    (0, 1, 2, 0)
    """
    n = next(
        (n for n in range(1, MAX_ROUND) if all(abs(n * share - round(n * share)) < 1e-9 for share in shares)), MAX_ROUND
    )
    n_had = [0] * len(shares)
    order = []
    for turn in range(1, n + 1):
        # Largest remainder: the role that lags furthest behind its share comes next.
        role = max(range(len(shares)), key=lambda index: shares[index] * turn - n_had[index])
        n_had[role] += 1
        order.append(role)
    return tuple(order)


def _shares_round(study: Study, cast: ReadyCast) -> bool:
    """Return whether conditions are too small for a round of their own: the kinds at its end would never take part."""
    return max(study.quota_of(cell) for cell in study.cells) < len(cast.turns)


def person_name(arrival: int) -> str:
    """Return the pseudonym of the simulated person with this arrival number."""
    return f"synthetic-person-{arrival:06d}"


def actor_for(script: Script, cast: ReadyCast, *, seed: int, arrival: int, turn: int | None = None) -> Actor:
    """Return the actor for an arrival; the same seed and arrival number always give the same person.

    Where roles take turns, `turn` counts the earlier arrivals in the person's condition, or in all conditions where these
    share a round. Leave it out while the condition is unknown: the role then changes after as many arrivals as there are
    conditions, or with each arrival where they share a round.
    """
    rng = np.random.default_rng(seed_from(seed, "person", arrival))
    index = int(np.searchsorted(cast.shares, rng.random(), side="right").clip(max=len(cast.roles) - 1))
    if cast.turns:
        if turn is None:
            turn = arrival if _shares_round(script.study, cast) else arrival // len(script.study.cells)
        index = cast.turns[turn % len(cast.turns)]
    return Actor(script, cast.roles[index], rng)


def rehearse(script: Script, cast: Cast, *, seed: int, n_people: int | None = None) -> Iterator[list[Event]]:
    """Yield the events of each session, session by session.

    People arrive in waves, and those of one wave hold their places at the same time. The place of a person who leaves
    silently is released after the study's waiting time, before the next wave. The rehearsal ends when the study is
    full, or after `n_people` arrivals.
    """
    ready = ready_cast(cast)
    patience = PATIENCE * sum(place.quota for place in Ledger(script.study).places()) + N_AT_ONCE
    ledger = Ledger(script.study)
    clock_ms = 1_600_000_000_000
    turns: Counter[str] = Counter()
    shares_round = _shares_round(script.study, ready)
    arrival = 0
    while not ledger.is_full and (n_people is None or arrival < n_people):
        if n_people is None and arrival > patience:
            raise StudyError(
                [
                    f"After {arrival} simulated people only {sum(p.n_completed for p in ledger.places())} places are "
                    "filled; nearly everybody is screened out or excluded. Ease the gates and exclusions, or the cast."
                ]
            )
        wave: list[Arrival] = []
        while len(wave) < N_AT_ONCE and (n_people is None or arrival < n_people):
            assignment = assign(ledger, arrival)
            if assignment is None:
                break
            newcomer = Arrival(f"synthetic-{arrival:06d}", person_name(arrival), clock_ms, assignment)
            # The whole wave takes its places before anyone answers, as in a real study.
            ledger.take(start_of(script, newcomer))
            wave.append(newcomer)
            arrival += 1
            clock_ms += BETWEEN_ARRIVALS_MS
        for newcomer in wave:
            whose = "all" if shares_round else newcomer.assignment.condition
            actor = actor_for(script, ready, seed=seed, arrival=newcomer.assignment.arrival, turn=turns[whose])
            turns[whose] += 1
            events = played(script, actor, newcomer)
            for event in events[1:]:
                ledger.take(event)
            yield events
        clock_ms += int(script.study.assignment.release_after_min * 60_000) + 1


def start_of(script: Script, newcomer: Arrival) -> SessionStarted:
    """Return the start of a simulated person's session."""
    return SessionStarted(
        session_id=newcomer.session_id, seq=1, at_ms=newcomer.at_ms, study_name=script.study.name,
        study_digest=script.digest, participant_id=newcomer.participant_id, participant_kind="synthetic",
        assignment=newcomer.assignment,
    )  # fmt: skip


def played(script: Script, actor: Actor, newcomer: Arrival) -> list[Event]:
    """Play a session; one that the person leaves in silence ends after the study's waiting time."""
    events = play_session(script, actor, newcomer)
    if not any(isinstance(event, SessionEnded) for event in events):
        n_own = sum(event.stream == "engine" for event in events)
        silent_ms = int(script.study.assignment.release_after_min * 60_000) + 1
        events.append(
            SessionEnded(
                session_id=newcomer.session_id, seq=n_own + 1, at_ms=events[-1].at_ms + silent_ms, outcome="abandoned",
                reason="No event for longer than the study waits.",
            )
        )  # fmt: skip
    return events


# Simulated people who come back for a later part: the same persons, in their condition, with a stated probability.

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
