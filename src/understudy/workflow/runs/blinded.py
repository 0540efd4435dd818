"""Blinded studies: no report and no archive of people before somebody has asked for the names of conditions."""

import shlex

from understudy.errors import UnderstudyError
from understudy.serve.monitor.blinding import is_unblinded
from understudy.workflow.runs.run_folder import Run


def require_unblinded(run: Run) -> None:
    """Raise an error where the plan keeps outcomes closed and nobody has asked for them with a reason yet."""
    study = run.script.study
    if not study.plan.blinded:
        return
    with run.open_log() as log:
        has_people = any(summary.participant_kind == "person" for summary in log.summaries(study.name))
        if has_people and not is_unblinded(log.steering(study.name)):
            raise UnderstudyError(
                f"{study.name} is blinded, and its outcomes are closed. To open them, say why, which the log keeps: "
                f'understudy monitor {shlex.quote(str(run.folder))} --unblind "..."'
            )
