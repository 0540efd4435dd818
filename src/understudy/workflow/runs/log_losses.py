"""What an event log has lost, in sentences for the report and for `understudy status`."""

from collections.abc import Iterator

from understudy.conduct.copies import copies_in
from understudy.record import Log
from understudy.serve.people.people import People
from understudy.workflow.runs.run_folder import Run


def losses_in(log: Log) -> tuple[str, ...]:
    """Return a sentence for each loss that was accepted, and one if the log is damaged now."""
    accepted = (
        f"The event log {told.replace('is damaged', 'was damaged', 1)}; the study went on with what was left."
        for told in log.accepted_losses()
    )
    damage = log.damage()
    unreadable = (each.sentence for each in log.unreadable())
    return (*accepted, *(() if damage is None else (f"The event log {damage.told}.",)), *unreadable)


def doubts_in(run: Run) -> Iterator[str]:
    """Yield a sentence for each loss, and one for people whose ids are kept though they have no session."""
    with run.open_log() as log:
        yield from losses_in(log)
        yield from copies_in(log.sessions(run.script.study.name, synthetic=False))
    path = run.folder / "people.sqlite"
    n_aside = People(path).n_set_aside() if path.exists() else 0
    if n_aside:
        yield (
            f"{n_aside} {'person has' if n_aside == 1 else 'people have'} an id in {path}, table set_aside, and no session: their "
            "arrival was cut short, or their session was lost. Nobody is deleted there but by an erasure."
        )
