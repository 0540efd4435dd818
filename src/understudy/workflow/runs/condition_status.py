"""The counts of a run by condition, separate for simulated and real people."""

from itertools import product
from typing import Literal, NamedTuple

from understudy.conduct import headcount, session_status
from understudy.serve.monitor.blinding import desk_labels, is_unblinded, label_order
from understudy.workflow.runs.run_folder import Run


class ConditionStatus(NamedTuple):
    """One condition's counts for one kind of participant."""

    condition: str
    kind: Literal["person", "synthetic"]
    quota: int
    n_completed: int
    """Completed and not excluded."""
    n_active: int
    n_excluded: int
    n_left: int
    """Declined, screened out, withdrew or left silently."""


def status_of(run: Run) -> tuple[ConditionStatus, ...]:
    """Return the counts of a run, from the log's summaries."""
    study = run.script.study
    with run.open_log() as log:
        sessions = list(log.summaries(study.name))
    rules = {exclusion.exclusion_id for exclusion in study.exclusions}
    kinds = sorted({session.participant_kind for session in sessions}) or ["person"]
    rows = []
    for kind, cell in product(kinds, study.cells):
        chosen = [
            session for session in sessions if session.condition == cell.name and session.participant_kind == kind
        ]
        counted = headcount(session_status(session.outcome, session.excluded_by, rules) for session in chosen)
        rows.append(
            ConditionStatus(
                condition=cell.name,
                kind=kind,
                quota=study.quota_of(cell),
                n_completed=counted.at["completed"],
                n_active=counted.at["active"],
                n_excluded=counted.n_excluded,
                n_left=counted.n_gone,
            )
        )
    return tuple(rows)


def shown_status(run: Run) -> tuple[ConditionStatus, ...]:
    """Return the counts of a run as anybody may see them: in a blinded study, conditions have the letters of the desk."""
    rows, study = status_of(run), run.script.study
    with run.open_log() as log:
        labels = desk_labels(study, log.steering(study.name), has_people=any(row.kind == "person" for row in rows))
    told = [row._replace(condition=labels[row.condition]) for row in rows]
    if labels == {name: name for name in labels}:
        return tuple(told)
    # In the order of letters: that of the file would tell which is which.
    return tuple(sorted(told, key=lambda row: (row.kind, label_order(row.condition))))


def is_blind(run: Run) -> bool:
    """Return whether nothing may tell conditions apart: in a blinded study, or in a sequential one with looks to come."""
    study = run.script.study
    if study.plan.blinded:
        with run.open_log() as log:
            if not is_unblinded(log.steering(study.name)):
                return True
    sequential = study.plan.sequential
    if sequential is None:
        return False
    return sequential.is_blind(sum(row.n_completed for row in status_of(run) if row.kind == "person"))
