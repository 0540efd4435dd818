"""Simulate: rehearsals with simulated people, all marked synthetic."""

from understudy.simulate.acting import Entrance, Role, act
from understudy.simulate.rehearsal import Company, company_from_cast, person_rng, rehearse, role_drawn

__all__ = ["Company", "Entrance", "Role", "act", "company_from_cast", "person_rng", "rehearse", "role_drawn"]
