"""The page without a server goes the very way that the engine goes, trial by trial."""

import json
from pathlib import Path

import pytest

from tests.front_end_scripts import npm_run
from tests.playing import CONFIDENCE, QUIZ, page, quiz, rich_study, stage, study_of
from tests.serve.static_walks import recorded
from tests.small_studies import numbered_items
from understudy.schema import Study

SECOND = {**QUIZ, "question_id": "second"}
TENTH = {"kind": "number", "question_id": "tenth", "prompt": "How much is one tenth?"}


def gated_study() -> Study:
    """Gates over sealed answers: two questions at once, one of two, several trials, and tries without limit."""
    both = quiz("both", tries=2, restudy=["method"])
    both["task"]["params"] |= {
        "questions": [QUIZ, SECOND, TENTH],
        "answers": {"quiz": "this", "second": "that", "tenth": 0.1},
    }
    drills = stage("drill", "drills", purpose="practice", gate={"at_least": 0.5, "measure": "right", "tries": 3, "restudy": ["drill_page"]}, feedback="after_stage")  # fmt: skip
    drills["task"]["params"]["questions"] += [CONFIDENCE]
    return study_of(
        page("method"),
        both,
        page("drill_page"),
        drills,
        stage("more", "drills", purpose="practice", gate={"at_least": 0.9, "tries": "unlimited"}, n_items=3, subset="anew"),
        stage("predict", n_items=3, subset="own", together="answer", references=[{"block": "method", "access": "always"}, {"block": "drill"}]),
        name="gated",
        item_sets=[
            {"name": "cases", "n_items": 12, "strata": ["answer"], "dataset": numbered_items(24, answer=["yes", "no"])},
            {"name": "drills", "n_items": 6, "dataset": numbered_items(6, prefix="drill", answer=["yes", "no"])},
        ],
        measures=[{"name": "correct", "measure": "correct"}, {"name": "right", "measure": {"name": "correct", "params": {"question": "guess"}}}],
    )  # fmt: skip


def stopping_study() -> Study:
    """A stop over arithmetic and lists of answers."""
    ages = {"kind": "number", "question_id": "age", "prompt": "How old are you?", "low": 0}
    cues = {"kind": "multiple_choice", "question_id": "cues", "prompt": "Which?", "options": ["a", "b"]}
    asked = {"name": "questionnaire", "params": {"questions": [ages, cues]}}
    rule = "(age / 2 - 1 < 8 and not missing(age)) or 'a' in cues or cues == ['b', 'a']"
    screen = {"kind": "screen", "block_id": "who", "purpose": "check", "task": asked, "stops": [{"rule": rule, "reason": "Young."}]}  # fmt: skip
    return study_of(screen, stage("predict"), name="stopping")


@pytest.mark.parametrize(
    ("study", "reveals"), [(rich_study(), True), (gated_study(), False), (gated_study(), True), (stopping_study(), False)],
    ids=["rich", "sealed", "revealed", "stopping"],
)  # fmt: skip
def test_the_page_walks_as_the_engine_does(tmp_path: Path, study: Study, reveals: bool) -> None:
    walks = recorded(study, n_places=4, n_walks=12, reveals=reveals, seed=1)
    (tmp_path / "walks.json").write_text(json.dumps(walks))
    told = npm_run("walks", "--", str(tmp_path / "walks.json"))
    assert json.loads(told)["nWalks"] == 48


def test_the_recorded_walks_take_every_way_out() -> None:
    walks = recorded(gated_study(), n_places=4, n_walks=12, reveals=False, seed=1)["walks"]
    assert isinstance(walks, list)
    assert {str(walk["outcome"]) for walk in walks} == {"completed", "declined", "screened_out"}  # type: ignore[index, call-overload]
