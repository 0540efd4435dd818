"""Rehearsals with simulated people, all marked as synthetic."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.simulate.actor import Actor, Arrival, play_session
    from understudy.simulate.rehearsal import N_AT_ONCE, ReadyCast, actor_for, person_name, ready_cast, rehearse

__all__ = [
    "N_AT_ONCE",
    "Actor",
    "Arrival",
    "ReadyCast",
    "actor_for",
    "person_name",
    "play_session",
    "ready_cast",
    "rehearse",
]

defer_names(__name__)
