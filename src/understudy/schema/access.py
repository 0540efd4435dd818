"""Access: who may start a session, how many start in an hour, and how much people learn about their answers."""

from typing import Literal

from pydantic import Field

from understudy.schema.record import Record


class Access(Record):
    """What keeps people from taking a study again and again until they know its answers."""

    ids: Literal["optional", "required"] = "optional"
    """required: only people whose link carries a recruiter's id may start."""
    links: Literal["open", "listed", "signed"] = "open"
    """open: any id is believed; listed: only ids in the file allowed_ids.txt of the run folder; signed: only links
    that `understudy links` printed. The last two need an id."""
    resume_by_id: bool = Field(
        default=True, exclude_if=lambda resumes: resumes, json_schema_extra={"may_be_absent": True}
    )
    """Whether somebody with nothing but an id may continue with an unfinished session of that id in another browser. They see
    when the session began and where it continues, not what was answered, and can neither stop nor erase it. With false, it continues only in the
    browser in which it began, or by a signed link."""
    new_per_hour: int | None = Field(default=None, ge=1, le=1_000_000)
    """How many people may start in an hour; no limit by default."""
    restart_after_erasing: bool = False
    """Whether people who erased their data may take part again with the same id; those who were screened out never may."""
    results: Literal["shown", "total", "hidden"] = "shown"
    """shown: result pages and pay as designed; total: result pages stay empty, and the end tells the whole pay, not how
    much of it is bonus; hidden: neither results nor bonus are told, and the bonus is paid later."""

    @property
    def needs_id(self) -> bool:
        """Whether people without an id are turned away."""
        return self.ids == "required" or self.links != "open"
