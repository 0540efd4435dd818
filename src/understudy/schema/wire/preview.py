"""Messages of the preview: which pages each condition has; a page itself is sent as a `State`."""

from understudy.schema.record import Record
from understudy.schema.wire.session import NamedStudy


class PreviewTrial(Record):
    """A page of the same kind with another item, which the previewed session did not meet."""

    trial_id: str
    label: str


class PreviewPage(Record):
    """One page of a condition, in the order in which people meet it."""

    number: int
    """Counts the pages of the condition from 1; the end of the session comes after the last."""
    trial_id: str
    block: str
    task: str
    purpose: str
    label: str
    """What the page says in its title, or the name of its block."""
    position: int
    """Position among the pages of its block, from 0."""
    n_positions: int
    others: tuple[PreviewTrial, ...] = ()
    """Further items of the block, listed at its first page."""


class PreviewPart(Record):
    """A titled stretch of a session, or the whole session where parts have no titles."""

    title: str
    pages: tuple[PreviewPage, ...]


class PreviewCondition(Record):
    """The pages of one condition, and how the session ends that meets them."""

    name: str
    levels: dict[str, str]
    parts: tuple[PreviewPart, ...]
    n_pages: int
    outcome: str
    """How the previewed session ends, such as completed."""


class PreviewContents(NamedStudy):
    """All conditions and pages of a study."""

    conditions: tuple[PreviewCondition, ...]
