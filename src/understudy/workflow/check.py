"""Check: everything that keeps a study from being carried out or analysed, said before anyone is paid."""

from pathlib import Path

from understudy.errors import UnderstudyError
from understudy.estimate import plan_faults, variables_from_study
from understudy.prepare import Explaining, prepare, study_faults
from understudy.schema import Study

N_TRIED = 1
"""Items of each set that a costly method explains on trial: enough to see that it can, in seconds and not minutes."""


def declared_faults(study: Study, root: Path) -> list[str]:
    """Return one sentence per fault that shows without preparing the study, which may take minutes."""
    faults = study_faults(study, root)
    faults.extend(plan_faults(study.plan, variables_from_study(study)))
    return list(dict.fromkeys(faults))


def faults_of(study: Study, root: Path) -> list[str]:
    """Return one sentence per fault; the materials are tried only when all else is sound."""
    faults = declared_faults(study, root)
    if not faults:
        try:
            prepare(study, root, Explaining(n_tried=N_TRIED))
        except UnderstudyError as error:
            faults.append(str(error))
    return faults
