"""Reasons why a study that runs could still not answer its question, one sentence each."""

from understudy.prepare.answerable.arms import arm_faults
from understudy.prepare.answerable.decided import decided_faults
from understudy.prepare.answerable.items import item_confounds, single_items
from understudy.prepare.answerable.levels import level_faults
from understudy.prepare.answerable.stops import stop_faults
from understudy.prepare.answerable.variation import variation_faults
from understudy.prepare.prepared import Prepared
from understudy.schema.claims import claim_faults

__all__ = ["unanswerable"]


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
