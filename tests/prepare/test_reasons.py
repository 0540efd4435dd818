"""Why an answer is right stays with the answer key, and is told with the feedback on it."""

from pathlib import Path

from tests.journeys.hive_study import warm_up
from tests.playing import Player, stage, study_of
from understudy.conduct import Script
from understudy.prepare import prepare
from understudy.schema import canonical_json, json_from_record

SOLUTION = "the model followed the branch for green"


def test_reasons_are_not_among_what_may_be_served() -> None:
    prepared = prepare(study_of(*warm_up(), stage("predict")), Path())
    assert SOLUTION not in canonical_json(json_from_record(prepared.materials))
    assert any(SOLUTION in reason for reason in prepared.key.reasons.values())


def test_the_reason_is_told_once_the_exercise_is_answered() -> None:
    prepared = prepare(study_of(*warm_up(), stage("predict")), Path())
    steps = Player(Script(prepared.study, prepared.materials, prepared.key)).finish().steps
    told = [str(step.feedback.get("reason", "")) for step in steps[1:4]]
    assert told[0] == ""
    assert SOLUTION in told[1]
    assert "The fruit was green" in told[2]
