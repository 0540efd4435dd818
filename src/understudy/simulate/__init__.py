"""Simulate: rehearsals with simulated people, all marked synthetic."""

from understudy.simulate.acting import Actor, Entrance, act
from understudy.simulate.rehearsal import N_AT_ONCE, Company, actor_for, company_from_cast, person_name, rehearse

__all__ = [
    "N_AT_ONCE",
    "Actor",
    "Company",
    "Entrance",
    "act",
    "actor_for",
    "company_from_cast",
    "person_name",
    "rehearse",
]
