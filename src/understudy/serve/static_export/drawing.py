"""Drawing: assignments made in advance, as if people arrived one after the other and nobody left."""

from understudy.conduct import Ledger, assign
from understudy.errors import StudyError
from understudy.schema import Assignment, SessionStarted


def drawn_assignments(ledger: Ledger, n: int, *, first_arrival: int) -> list[Assignment]:
    """Make n assignments by the study's policy; when every place is taken, start another round.

    The ledger holds earlier sessions, so that the first round fills the cells that lack people.
    """
    dealt: list[Assignment] = []
    for arrival in range(first_arrival, first_arrival + n):
        assignment = assign(ledger, arrival)
        if assignment is None:
            ledger = Ledger(ledger.study)
            assignment = assign(ledger, arrival)
        if assignment is None:
            raise StudyError([f"{ledger.study.name!r} wants nobody in any condition; give a condition a quota."])
        dealt.append(assignment)
        # Counted as started, so that the next assignment is balanced against this one.
        ledger.take(_start(ledger, assignment))
    return dealt


def _start(ledger: Ledger, assignment: Assignment) -> SessionStarted:
    name = f"drawn-{assignment.arrival}"
    return SessionStarted(
        session_id=name, seq=1, at_ms=0, study_name=ledger.study.name, study_digest="", participant_id=name,
        participant_kind="synthetic", assignment=assignment,
    )  # fmt: skip
