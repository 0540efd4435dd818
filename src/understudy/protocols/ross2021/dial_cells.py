"""Rehearse one condition of a study with dials and score each simulated person with each model."""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from understudy.conduct import Script
from understudy.estimate import outcome_rows, variables_from_study
from understudy.prepare import prepare
from understudy.schema import Cast, Study
from understudy.simulate import rehearse
from understudy.tabulate import analysed_sessions, frames_from_sessions

OUTCOMES = ("completion", "error_auc")


class PersonScore(NamedTuple):
    """One simulated person with one model."""

    kind: str
    model: str
    completion: float
    error_auc: float


def one_cell(study: Study, condition: str, *, quota: int | None = None) -> Study:
    """Return the study with only one of its conditions, and the given quota."""
    cell = next(cell for cell in study.cells if cell.name == condition)
    return study.model_copy(update={"conditions": (cell.model_copy(update={"quota": quota}),)})


def cell_scores(study: Study, cast: Cast, *, n_people: int, seed: int) -> list[PersonScore]:
    """Rehearse a study with a cast and return completion and error by person and model."""
    script = _script(study.model_dump_json())
    frames = frames_from_sessions(script, rehearse(script, cast, seed=seed, n_people=n_people))
    analysed = analysed_sessions(frames.sessions)
    kinds = dict(zip(analysed["participant"].astype(str), analysed["cast"].astype(str), strict=True))
    variables = variables_from_study(study)
    outcomes = [
        outcome_rows(
            next(outcome for outcome in study.plan.outcomes if outcome.name == name), frames.trials, variables
        ).rows
        for name in OUTCOMES
    ]
    completion, error = (
        dict(
            zip(
                zip(rows["participant"].astype(str), rows["model"].astype(str), strict=True), rows["value"], strict=True
            )
        )
        for rows in outcomes
    )
    return [
        PersonScore(kinds[person], model, float(completion[person, model]), float(error[person, model]))
        for person, model in completion
        if person in kinds
    ]


@lru_cache(maxsize=32)
def _script(study_json: str) -> Script:
    study = Study.model_validate_json(study_json)
    prepared = prepare(study, Path())
    return Script(study, prepared.materials, prepared.key, prepared.files)
