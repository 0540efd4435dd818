"""Warnings of a check: what does not stop a study, but should be read before anybody takes part."""

from understudy.estimate import plan_cautions, variables_from_study
from understudy.prepare.answerable.cautions import design_cautions
from understudy.prepare.prepared import Prepared
from understudy.workflow.checking.consent_gaps import consent_sentences
from understudy.workflow.checking.dial_cautions import dial_sentences
from understudy.workflow.checking.grey_photos import grey_sentences
from understudy.workflow.checking.planned_pay import planned_pay_sentences
from understudy.workflow.checking.untranslated import untranslated_sentences


def warnings_of(prepared: Prepared, *, is_ready: bool = False) -> dict[str, list[str]]:
    """Return the sentences of each kind of warning, in the order in which they are read."""
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
