"""Find everything that would prevent a study from being run or analysed."""

from pathlib import Path

from understudy.errors import UnderstudyError
from understudy.estimate import plan_faults, variables_from_study
from understudy.prepare import Explaining, prepare, study_faults
from understudy.schema import Study

N_TRIED = 1
"""Items per set that a costly explainer is tried on: enough to see that it works, in seconds."""


def faults_of(study: Study, root: Path) -> list[str]:
    """Return one sentence per fault; the materials are prepared only if there is no other fault."""
    faults = study_faults(study, root)
    faults.extend(plan_faults(study.plan, variables_from_study(study)))
    if not faults:
        try:
            prepare(study, root, Explaining(n_tried=N_TRIED))
        except UnderstudyError as error:
            faults.append(str(error))
    return list(dict.fromkeys(faults))
