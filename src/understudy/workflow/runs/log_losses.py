"""What an event log has lost, in sentences for the report."""

from understudy.record import Log


def losses_in(log: Log) -> tuple[str, ...]:
    """Return a sentence for each loss that was accepted, and one if the log is damaged now."""
    accepted = (
        f"The event log {told.replace('is damaged', 'was damaged', 1)}; the study went on with what was left."
        for told in log.accepted_losses()
    )
    damage = log.damage()
    unreadable = (each.sentence for each in log.unreadable())
    return (*accepted, *(() if damage is None else (f"The event log {damage.told}.",)), *unreadable)
