"""Play the questions of one condition with dials, and score each simulated person with each model.

Only pages with dials and the rating of difficulty are played, and nothing is logged: a calibration needs hundreds of
sessions and none of their events. Targets, orders and item lists are those that a rehearsal draws.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

from understudy.conduct import Ledger, Script, Step, assign
from understudy.conduct.block_visits import visits_for
from understudy.participants.dials.page import QuickScene
from understudy.prepare import prepare
from understudy.registry import create
from understudy.roles import Interaction, Reaction, mind_of
from understudy.schema import Ability, Ref, SessionStarted, Study, seed_from
from understudy.simulate.impressions import draw_person_effect, impression_of, item_shift
from understudy.simulate.scenes import scene_of
from understudy.workflow.casting import DIALS

DIALS_BLOCK, RATING_BLOCK = "solve_targets", "ease"
ABILITY: Ability = DIALS.ability


class PersonScore(NamedTuple):
    """One simulated person with one model."""

    model: str
    completion: float
    error_auc: float
    """Summed over the questions."""
    difficulty: float


class _Turn(NamedTuple):
    """One page that one person gets."""

    arrival: int
    step: Step


def one_cell(study: Study, condition: str, *, quota: int | None = None) -> Study:
    """Return the study with only one of its conditions, and the given quota."""
    cell = next(cell for cell in study.cells if cell.name == condition)
    return study.model_copy(update={"conditions": (cell.model_copy(update={"quota": quota}),)})


def cell_scores(study: Study, participant: Ref, *, n_people: int, seed: int) -> list[PersonScore]:
    """Play one condition with people of one kind, and return their scores by person and model.

    The random numbers of a page depend on seed, person and page alone (common random numbers): all kinds of people meet
    the same questions with the same luck, so that two of them differ by what they do.
    """
    script = _script(study.model_dump_json())
    mind = mind_of(create("participants", participant))
    played: dict[tuple[int, str], list[Reaction]] = defaultdict(list)
    for arrival, step in _turns(script, n_people):
        if step.position == 0 and step.visit.block.block_id == DIALS_BLOCK:
            mind = mind_of(create("participants", participant))
        trial = step.trial
        person = draw_person_effect(ABILITY, np.random.default_rng(seed_from(seed, "person", arrival)))
        shift = person.shift + item_shift(ABILITY, trial.stimulus_id, script.study.seed)
        rng = np.random.default_rng(seed_from(seed, "page", arrival, trial.trial_id))
        impression = impression_of(step, ABILITY, shift, {}, n_seen=0, rng=rng)
        scene = scene_of(trial, script.files)
        reaction = mind.respond(trial, impression, rng, None if scene is None else QuickScene(scene))
        if reaction is not None:
            played[arrival, step.visit.levels["model"]].append(reaction)
    return [_score(model, reactions) for (_, model), reactions in played.items()]


def _turns(script: Script, n_people: int) -> Iterator[_Turn]:
    """Yield the pages with dials and the ratings of each person, in the order in which they come."""
    ledger = Ledger(script.study)
    for arrival in range(n_people):
        assignment = assign(ledger, arrival)
        if assignment is None:
            return
        ledger.take(
            SessionStarted(
                session_id=f"synthetic-{arrival:06d}", seq=1, at_ms=0, study_name=script.study.name,
                study_digest=script.digest, participant_id=str(arrival), participant_kind="synthetic",
                assignment=assignment,
            )
        )  # fmt: skip
        for visit in visits_for(script.study.flow, assignment):
            if visit.block.block_id in (DIALS_BLOCK, RATING_BLOCK):
                for position, trial_id in enumerate(script.trial_ids(visit, assignment, {})):
                    yield _Turn(arrival, Step(0, script.trials[trial_id], visit, {}, (), position))


def _score(model: str, reactions: list[Reaction]) -> PersonScore:
    questions = [reaction for reaction in reactions if reaction.interactions]
    ratings = [
        float(str(reaction.response["difficulty"])) for reaction in reactions if "difficulty" in reaction.response
    ]
    return PersonScore(
        model,
        fmean(reaction.interactions[-1].payload["outcome"] == "solved" for reaction in questions),
        sum(error_auc(tuple(reaction.interactions)) for reaction in questions),
        fmean(ratings) if ratings else float("nan"),
    )


def error_auc(interactions: tuple[Interaction, ...]) -> float:
    """Return the error AUC of one question, as the measure of that name computes it from a log."""
    shown = [trace.payload for trace in interactions if "sq_err" in trace.payload]
    times_s = np.array([float(str(payload["t_ms"])) / 1000 for payload in shown])
    errors = np.array([float(str(payload["sq_err"])) for payload in shown])
    return float(errors[:-1] @ np.diff(times_s))


# Seven conditions share a seed; more than that fills the memory of workers, which are then replaced with a warning.
@lru_cache(maxsize=8)
def _script(study_json: str) -> Script:
    study = Study.model_validate_json(study_json)
    prepared = prepare(study, Path())
    return Script(study, prepared.materials, prepared.key, prepared.files)
