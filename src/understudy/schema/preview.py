"""Walks for previews: what a simulated person met in each condition, so that every page can be shown as it comes."""

from understudy.schema.events import Event
from understudy.schema.record import Record


class PreviewWalk(Record):
    """The session of one simulated person in one condition; it is in no log."""

    condition: str
    events: tuple[Event, ...]


class PreviewWalks(Record):
    """One walk through each condition of one version of a study."""

    study_digest: str
    walks: tuple[PreviewWalk, ...]
