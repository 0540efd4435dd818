"""Faults: every reason why a study cannot run, one sentence each, all at once."""

from pathlib import Path

from understudy.prepare.faults.annotation import annotation_faults
from understudy.prepare.faults.catalogue import catalogue_faults
from understudy.prepare.faults.factors import factor_faults
from understudy.prepare.faults.flow import flow_faults
from understudy.prepare.faults.item_files import item_file_faults
from understudy.prepare.faults.items import item_faults
from understudy.prepare.faults.measures import measure_faults
from understudy.prepare.faults.model_explanations import model_explanation_faults
from understudy.prepare.faults.recruitment import recruitment_faults
from understudy.schema import Study

__all__ = ["study_faults"]


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
