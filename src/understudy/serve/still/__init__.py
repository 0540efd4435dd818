"""Still: a study drawn ahead, so that a page without a server can conduct it."""

from understudy.serve.still.drawing import drawn_assignments
from understudy.serve.still.needs import Needs, needs_of
from understudy.serve.still.places import PlaceWriter
from understudy.serve.still.seals import Sealer

__all__ = ["Needs", "PlaceWriter", "Sealer", "drawn_assignments", "needs_of"]
