"""Simulate: rehearsals with simulated people, all marked synthetic."""

from understudy.simulate.rehearsal import rehearse

__all__ = ["rehearse"]
