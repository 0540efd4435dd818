"""Prepare: from a study to everything a participant can see, and the answer key that nobody can."""

from understudy.prepare.explaining import Explaining
from understudy.prepare.faults import study_faults
from understudy.prepare.folder import read_prepared, write_prepared
from understudy.prepare.prepared import Prepared, prepare

__all__ = ["Explaining", "Prepared", "prepare", "read_prepared", "study_faults", "write_prepared"]
