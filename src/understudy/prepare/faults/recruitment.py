"""Faults of recruitment: what the recruiter needs and the study file does not say."""

from collections.abc import Iterator

from understudy.errors import UnknownName
from understudy.registry import create
from understudy.roles import Recruiter
from understudy.schema import Study


def recruitment_faults(study: Study) -> Iterator[str]:
    """Yield one sentence for each thing that keeps people from being recruited as the study file says."""
    if study.recruitment is None:
        return
    try:
        recruiter: Recruiter = create("recruiters", study.recruitment.recruiter)
    except UnknownName as error:
        yield f"The recruiter: {error}"
        return
    yield from recruiter.missing_from(study)
