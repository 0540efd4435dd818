"""Names of dials: what stands in the fields at the end of a question."""

import json
from typing import Any

from understudy.registry import create
from understudy.schema import Event, Interacted, Ref


def event(action: str, **payload: Any) -> Interacted:
    return Interacted(session_id="s", seq=1, at_ms=1, step=0, trial_id="t", action=action, payload=payload)


def score(name: str, *events: Event) -> float | str | None:
    found: float | str | None = create("measures", Ref(name=name)).score(events, {})
    return found


def labels(*events: Event) -> object:
    return json.loads(str(score("dial_labels", *events)))


BEGUN = event("question_started", labels=["", "slant", ""])


def test_names_of_earlier_questions_still_stand() -> None:
    assert labels(BEGUN) == [None, "slant", None]


def test_the_last_name_of_a_dial_counts() -> None:
    named = (event("labelled", dial=0, label="size"), event("labelled", dial=0, label=" thickness "))
    assert labels(BEGUN, *named) == ["thickness", "slant", None]


def test_a_name_that_was_taken_back_is_empty_and_covers_nothing() -> None:
    taken_back = event("labelled", dial=1, label="")
    assert labels(BEGUN, taken_back) == [None, "", None]
    assert score("label_coverage", BEGUN, taken_back) == 0.0


def test_coverage_is_the_share_of_named_dials() -> None:
    assert score("label_coverage", BEGUN, event("labelled", dial=2, label="loops")) == 2 / 3


def test_a_name_for_a_dial_that_does_not_exist_is_ignored() -> None:
    assert labels(BEGUN, event("labelled", dial=7, label="ghost")) == [None, "slant", None]


def test_a_page_without_fields_for_names_measures_nothing() -> None:
    assert score("label_coverage", event("question_started", kinds=["continuous"])) is None
    assert score("dial_labels", event("question_started", kinds=["continuous"])) is None
