"""Feedback: what people are told about their answers, where a study tells them anything."""

from collections.abc import Sequence

from pydantic import JsonValue

from understudy.conduct.scoring import StepEvents
from understudy.conduct.script import Script
from understudy.roles import AnsweredTrial
from understudy.schema import Json, Rating, ResponseGiven, Trial


def trial_feedback(script: Script, event: ResponseGiven) -> Json:
    """Return whether an answer was right, the right answers, and why they are right; empty if there is no key."""
    key = script.answers.get(event.trial_id)
    if key is None:
        return {}
    # In the order in which they were asked; the key is stored alphabetically.
    asked = (question.question_id for question in script.trials[event.trial_id].asks)
    ordered = {name: key[name] for name in asked if name in key}
    told: Json = {
        "answers": in_words(script.trials[event.trial_id], ordered),
        "is_correct": all(event.response.get(name) == right for name, right in key.items()),
    }
    reason = script.reasons.get(event.trial_id)
    return {**told, "reason": reason} if reason else told


def told_feedback(feedback: Json, results: str) -> Json:
    """Return what a page is told of its feedback: the names of results, but not the results, where a study does not show them."""
    if not feedback or results == "shown":
        return feedback
    measures = feedback.get("measures")
    hidden: Json = {
        "measures": dict.fromkeys(measures) if isinstance(measures, dict) else {},
        "counted": {},
        "results": [],
    }
    return {**feedback, **{name: value for name, value in hidden.items() if name in feedback}}


def in_words(trial: Trial, answers: Json) -> Json:
    """Return answers as the page of a trial calls them: words for points of a scale, names for values."""
    labels = _labels(trial)
    names = trial.params.get("value_names")
    named = names if isinstance(names, dict) else {}

    def told(name: str, value: JsonValue) -> JsonValue:
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= len(labels.get(name, ())):
            return labels[name][value - 1]
        return named.get(value, value) if isinstance(value, str) else value

    return {name: told(name, value) for name, value in answers.items()}


def _labels(trial: Trial) -> dict[str, tuple[str, ...]]:
    return {question.question_id: question.labels for question in trial.asks if isinstance(question, Rating)}


def stage_feedback(script: Script, steps: Sequence[StepEvents]) -> Json:
    """Return how many answers of a stage were right."""
    judged = [step for step in steps if script.scorer.block_score(None, [step]) is not None]
    return {"share_correct": script.scorer.block_score(None, steps), "n_judged": len(judged)}


def answered_trials(script: Script, steps: Sequence[StepEvents]) -> list[AnsweredTrial]:
    """Return the answers of the last try of each block, for pages that tell results."""
    last_try = {step.block_id: step.try_number for step in steps}
    return [
        AnsweredTrial(
            step.block_id,
            event.response,
            script.answers.get(event.trial_id, {}),
            script.truth.get(event.trial_id, {}),
            _labels(script.trials[event.trial_id]),
        )
        for step in steps
        if step.try_number == last_try[step.block_id]
        for event in step.events
        if isinstance(event, ResponseGiven)
    ]
