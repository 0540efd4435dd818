"""Pay desks: the platform that a run's people are paid through, by the recruiter that its study names."""

from collections.abc import Callable, Mapping
from typing import Any

from understudy.errors import UnderstudyError
from understudy.recruiters import MechanicalTurk, Prolific
from understudy.recruiters.mturk_desk import MTurkDesk, create_hit, mturk_client
from understudy.recruiters.pay_desk import PayDesk
from understudy.registry import create
from understudy.schema import Study
from understudy.workflow.recruiting.prolific import (
    PlatformFile,
    ProlificStudy,
    platform_file,
    prolific_api,
    remember,
    reward_cents,
)
from understudy.workflow.runs.run_folder import Run

Connects = Callable[[MechanicalTurk], Any]
"""Makes a client of Mechanical Turk."""


def is_paid_by_list(study: Study) -> bool:
    """Tell whether people are paid elsewhere, from a list, because their recruiter cannot be asked to."""
    recruiter = create("recruiters", study.recruitment.recruiter) if study.recruitment is not None else None
    return not isinstance(recruiter, Prolific | MechanicalTurk)


def pay_desk_of(run: Run, environment: Mapping[str, str], connects: Connects = mturk_client) -> PayDesk:
    """Return the desk that pays the people of a run, or say how they are paid without one."""
    study = run.script.study
    recruiter = create("recruiters", study.recruitment.recruiter) if study.recruitment is not None else None
    if isinstance(recruiter, Prolific):
        return ProlificStudy(run, prolific_api(environment)).desk()
    if isinstance(recruiter, MechanicalTurk):
        known = platform_file(run.folder)
        if known is None:
            raise UnderstudyError(
                f"{study.name} has no HIT at Mechanical Turk yet; run: understudy recruit hit {run.folder} --address https://..."
            )
        return MTurkDesk(connects(recruiter), known.study_id, reward_cents(study))
    raise UnderstudyError(
        f"{study.name} names no recruiter that understudy can pay through. Write a list with --csv FILE, pay it there, and "
        "confirm it with --paid FILE."
    )


def mechanical_turk_of(study: Study) -> MechanicalTurk:
    """Return how a study is recruited at Mechanical Turk, or raise an error if it is recruited elsewhere."""
    recruiter = create("recruiters", study.recruitment.recruiter) if study.recruitment is not None else None
    if not isinstance(recruiter, MechanicalTurk):
        raise UnderstudyError(
            f'{study.name} is not recruited at Mechanical Turk; write recruiter = "mturk" under recruitment.'
        )
    return recruiter


def created_hit(run: Run, address: str, connects: Connects = mturk_client) -> str:
    """Create the HIT of a study at Mechanical Turk, or return the one that the run remembers."""
    study, recruiter = run.script.study, mechanical_turk_of(run.script.study)
    known = platform_file(run.folder)
    if known is not None:
        return known.study_id
    # The study's version is the token of the request, so that a second one after a crash creates no second HIT.
    hit_id = create_hit(connects(recruiter), study, address)
    remember(run.folder, PlatformFile(study_id=hit_id))
    return hit_id
