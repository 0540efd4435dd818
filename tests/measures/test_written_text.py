"""Flags of careless texts, and the labels that annotators give."""

import pytest

from understudy.measures import Annotated, AnnotatorLabel, PastedText, RepeatedText, TextLength
from understudy.schema import AnnotationGiven, Event, Interacted, Json, ResponseGiven


def answered(**response: str) -> ResponseGiven:
    plain: Json = {**response}
    return ResponseGiven(session_id="s", seq=2, at_ms=2, step=0, trial_id="t", response=plain, rt_ms=1)


def pasted(question: str) -> Interacted:
    payload: Json = {"question_id": question, "n_chars": 9}
    return Interacted(session_id="s", seq=1, at_ms=1, step=0, trial_id="t", action="pasted", payload=payload)


def label(annotator: str, code: str, seq: int = 1) -> AnnotationGiven:
    return AnnotationGiven(
        session_id="s", seq=seq, at_ms=1, trial_id="t", question_id="judgement", annotator=annotator, code=code
    )


def test_spaces_around_a_text_do_not_count() -> None:
    assert TextLength(question="why").score([answered(why="  Blue. ")], {}) == 5


def test_only_the_field_that_was_pasted_into_is_flagged() -> None:
    events: list[Event] = [pasted("legs_why"), answered(legs_why="a", shape_why="b")]
    assert PastedText(question="legs_why").score(events, {}) == 1
    assert PastedText(question="shape_why").score(events, {}) == 0


@pytest.mark.parametrize(
    ("other", "flag"),
    [
        ("it changes from LEFT to right", 1),
        ("It changes, from left to right!", 1),
        ("It changes from left to right too.", 1),
        ("The background is the same in every column.", 0),
    ],
)
def test_a_text_that_nearly_repeats_another_is_flagged(other: str, flag: int) -> None:
    events = [answered(legs_why="It changes from left to right.", shape_why=other)]
    assert RepeatedText(question="shape_why").score(events, {}) == flag


def test_annotators_are_told_apart_by_name_and_their_last_label_counts() -> None:
    events: list[Event] = [label("b", "exclude"), label("a", "unsure", 2), label("a", "include", 3)]
    labels = [AnnotatorLabel(annotator=k).score(events, {}) for k in (1, 2, 3)]
    assert labels == ["include", "exclude", None]


def test_unsure_and_exclude_are_one_side_of_the_binary_label() -> None:
    scores = [Annotated().score([label("a", code)], {}) for code in ("include", "unsure", "exclude")]
    assert scores == [0.0, 1.0, 1.0]
