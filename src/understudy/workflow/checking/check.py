"""Find everything that would prevent a study from being run or analysed."""

from pathlib import Path

from understudy.errors import UnderstudyError
from understudy.estimate import plan_faults, variables_from_study
from understudy.prepare import Explaining, prepare, study_faults
from understudy.schema import Study, stop_rule

N_TRIED = 1
"""Items per set that a costly explainer is tried on: enough to see that it works, in seconds."""


def declared_faults(study: Study, root: Path) -> list[str]:
    """Return one sentence per fault that can be found without preparing the study, which may take minutes."""
    faults = study_faults(study, root)
    faults.extend(plan_faults(study.plan, variables_from_study(study)))
    faults.extend(stop_rule_faults(study))
    return list(dict.fromkeys(faults))


def stop_rule_faults(study: Study) -> list[str]:
    """Return a sentence for each stop rule that cannot hold."""
    rules = study.plan.stop_rules
    unpaid = [rule for rule in rules if rule.watches == "spent" and study.pay is None]
    return [
        *stop_rule.faults_of(rules),
        *(
            f"The stop rule {rule.rule_id!r} watches money, but the study has no pay; add [pay] or leave it out."
            for rule in unpaid
        ),
    ]


def faults_of(study: Study, root: Path) -> list[str]:
    """Return one sentence per fault; the materials are tried only when everything else is valid."""
    faults = declared_faults(study, root)
    if not faults:
        try:
            prepare(study, root, Explaining(n_tried=N_TRIED))
        except UnderstudyError as error:
            faults.append(str(error))
    return faults
