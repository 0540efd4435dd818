"""Faults: every reason why a study cannot run."""
