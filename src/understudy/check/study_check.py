"""Checks: everything that prevents a study from being run, from being analysed or from answering its question.

The lists of this file are the table of contents of all checks, in the order in which people read their sentences.
"""

from pathlib import Path

from understudy.check.advice import (
    consent_sentences,
    design_cautions,
    grey_sentences,
    planned_pay_sentences,
    untranslated_sentences,
)
from understudy.check.arms import arm_faults, item_confounds, level_faults, single_items
from understudy.check.design import factor_faults, flow_faults
from understudy.check.entries import annotation_faults, catalogue_faults, recruitment_faults
from understudy.check.items import item_faults, item_file_faults, model_explanation_faults
from understudy.check.measures import measure_faults
from understudy.check.model_facts import dial_sentences
from understudy.check.outcomes import decided_faults, stop_faults, variation_faults
from understudy.errors import UnderstudyError
from understudy.estimate import plan_cautions, plan_faults, variables_from_study
from understudy.prepare import Explaining, prepare
from understudy.prepare.prepared import Prepared
from understudy.schema import Study, plan
from understudy.schema.plan import claim_faults

N_TRIED = 1
"""Items per set that a costly explainer is tried on: enough to see that it works, in seconds."""


def study_faults(study: Study, root: Path) -> list[str]:
    """Return one sentence per fault of everything but the analysis plan; an empty list is a sound study."""
    return [
        *factor_faults(study),
        *item_faults(study),
        *flow_faults(study),
        *model_explanation_faults(study),
        *measure_faults(study),
        *catalogue_faults(study, root),
        *item_file_faults(study, root),
        *recruitment_faults(study),
        *annotation_faults(study),
    ]


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
        *plan.faults_of(rules),
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


def unanswerable(prepared: Prepared) -> list[str]:
    """Return one sentence for each reason why the data could not answer the study's question, whatever people do."""
    faults = [
        *arm_faults(prepared),
        *item_confounds(prepared),
        *single_items(prepared),
        *level_faults(prepared),
        *claim_faults(prepared.study.plan),
        *decided_faults(prepared.study),
        *variation_faults(prepared),
        *stop_faults(prepared.study),
    ]
    return list(dict.fromkeys(faults))


def warnings_of(prepared: Prepared, *, is_ready: bool = False) -> dict[str, list[str]]:
    """Return what does not stop a study, but should be read before anybody takes part, by kind."""
    study = prepared.study
    return {
        "consent": consent_sentences(prepared, is_ready=is_ready),
        "plan": plan_cautions(study.plan, variables_from_study(study)),
        "design": design_cautions(prepared),
        "dials": dial_sentences(prepared),
        "photos": grey_sentences(prepared),
        "pay": planned_pay_sentences(study),
        "language": untranslated_sentences(prepared),
    }
