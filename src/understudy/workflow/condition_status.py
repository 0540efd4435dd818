"""ConditionStatus: the counts of a run by condition, simulated and real people apart."""

from typing import Literal, NamedTuple

from understudy.workflow.run_folder import Run


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
    """Declined, screened out, withdrew or left without a word."""


def status_of(run: Run) -> tuple[ConditionStatus, ...]:
    """Count a run's sessions from the log's own index."""
    study = run.script.study
    with run.open_log() as log:
        sessions = list(log.summaries(study.name))
    kinds = sorted({one.participant_kind for one in sessions}) or ["person"]
    rows = []
    for kind in kinds:
        for cell in study.cells:
            mine = [one for one in sessions if one.condition == cell.name and one.participant_kind == kind]
            kept = [one for one in mine if one.excluded_by is None]
            n_completed = sum(one.outcome == "completed" for one in kept)
            n_active = sum(one.outcome is None for one in kept)
            rows.append(
                ConditionStatus(
                    cell.name, kind, study.quota_of(cell), n_completed, n_active, len(mine) - len(kept),
                    len(kept) - n_completed - n_active,
                )
            )  # fmt: skip
    return tuple(rows)
