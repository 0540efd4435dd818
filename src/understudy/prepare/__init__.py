"""Prepare: compute everything that participants see, and the answer key that they never see."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.prepare.explaining import Explaining
    from understudy.prepare.prepared import Prepared, prepare, read_prepared, write_prepared

__all__ = ["Explaining", "Prepared", "prepare", "read_prepared", "write_prepared"]

defer_names(__name__)
