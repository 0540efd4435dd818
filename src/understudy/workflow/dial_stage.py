"""One stage of reconstruction, played by simulated people without a study around it: for calibration."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from understudy.decoding import decoder_from_file, shipped_decoder, shipped_names
from understudy.errors import MaterialsError
from understudy.registry import create
from understudy.roles import Dataset, Measure, Participant, Reaction, Scene, Task
from understudy.schema import Event, Impression, Interacted, Ref, ResponseGiven, Stimulus, Trial, seed_from
from understudy.simulate.scenes import LiveDecoder

N_QUESTIONS = 5
"""Questions with one model, as in the original."""


class Model(NamedTuple):
    """A decoder and the distance that says when it matches."""

    name: str
    distance: str
    folder: Path | None = None
    """Where the decoder lies; None for those that come with understudy."""


class StageScores(NamedTuple):
    """What each simulated person made of a stage."""

    completion: tuple[float, ...]
    error_auc: tuple[float, ...]
    """Summed over the questions of the stage."""


def require_models(models: list[Model]) -> None:
    """Refuse models whose decoders are not there, all at once."""
    absent = [one for one in models if not _is_there(one)]
    if absent:
        where = "with understudy" if absent[0].folder is None else f"in {absent[0].folder}"
        raise MaterialsError(
            f"The decoders {', '.join(one.name for one in absent)} are not {where}. "
            "Train them, or name a folder that holds them as .onnx with a card as .json."
        )


def stage_scores(model: Model, person: Ref, *, n_people: int, seed: int) -> StageScores:
    """Let simulated people work through a stage each, with questions of their own.

    Seeds depend on the person's number only, so that models and strategies meet the same questions.
    """
    participant: Participant = create("participants", person)
    solved: Measure = create("measures", Ref(name="solved"))
    auc: Measure = create("measures", Ref(name="error_auc"))
    completion, areas = [], []
    for number in range(n_people):
        played = list(_played(model, participant, seed_from(seed, "dial_stage", number)))
        completion.append(sum(_number(solved, one) for one in played) / N_QUESTIONS)
        areas.append(sum(_number(auc, one) for one in played))
    return StageScores(tuple(completion), tuple(areas))


def _played(model: Model, participant: Participant, seed: int) -> Iterator[list[Event]]:
    rng = np.random.default_rng(seed_from(seed, "person"))
    scene = _scene(model)
    for n_seen, trial in enumerate(_questions(model, seed)):
        latents = {question.question_id: float(rng.standard_normal()) for question in trial.asks}
        reaction = participant.respond(trial, Impression(latents=latents, n_seen=n_seen), rng, scene)
        if reaction is not None:
            yield _events(trial, reaction)


@lru_cache(maxsize=1024)
def _questions(model: Model, seed: int) -> tuple[Trial, ...]:
    source = {"decoder": model.name} if model.folder is None else {"file": str(model.folder / f"{model.name}.onnx")}
    dataset: Dataset = create(
        "datasets", Ref(name="reconstruction", params={**source, "distance": {"name": model.distance}})
    )
    task: Task = create("tasks", Ref(name="reconstruct"))
    rng = np.random.default_rng(seed_from(seed, "questions"))
    drawn = dataset.draw(N_QUESTIONS, rng)
    if len(drawn.contents) < N_QUESTIONS:
        raise MaterialsError(
            f"Only {len(drawn.contents)} of {N_QUESTIONS} questions with {model.name} start unsolved: nearly everything "
            "it shows is alike. Train it longer."
        )
    stimuli = [Stimulus(stimulus_id=str(k), content=content) for k, content in enumerate(drawn.contents)]
    return tuple(
        Trial(trial_id=str(k), block_id="stage", task="reconstruct", params=draft.params, asks=draft.asks)
        for k, draft in enumerate(task.drafts(stimuli, rng))
    )


def _events(trial: Trial, reaction: Reaction) -> list[Event]:
    events: list[Event] = [
        Interacted(
            session_id="calibration", seq=seq, at_ms=int(one.after_ms), step=0, trial_id=trial.trial_id,
            action=one.action, payload=one.payload,
        )
        for seq, one in enumerate(reaction.interactions, start=1)
    ]  # fmt: skip
    answered = ResponseGiven(
        session_id="calibration", seq=len(events) + 1, at_ms=int(reaction.rt_ms), step=0, trial_id=trial.trial_id,
        response=reaction.response, rt_ms=reaction.rt_ms, active_ms=reaction.active_ms,
    )  # fmt: skip
    return [*events, answered]


def _number(measure: Measure, events: list[Event]) -> float:
    score = measure.score(events, {})
    return score if isinstance(score, float) else 0.0


def _is_there(model: Model) -> bool:
    if model.folder is None:
        return model.name in shipped_names()
    return all((model.folder / f"{model.name}{suffix}").is_file() for suffix in (".onnx", ".json"))


@lru_cache(maxsize=16)
def _scene(model: Model) -> Scene:
    if model.folder is None:
        return LiveDecoder(shipped_decoder(model.name))
    return LiveDecoder(decoder_from_file(model.folder / f"{model.name}.onnx"))
