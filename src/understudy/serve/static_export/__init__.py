"""Static export: sessions drawn in advance, so that a page can conduct a study without a server."""

from understudy.serve.static_export.drawing import drawn_assignments
from understudy.serve.static_export.needs import Needs, needs_of
from understudy.serve.static_export.places import PlaceWriter
from understudy.serve.static_export.seals import Sealer

__all__ = ["Needs", "PlaceWriter", "Sealer", "drawn_assignments", "needs_of"]
