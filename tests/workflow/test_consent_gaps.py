"""`check` says what people do not read before they agree, and where announcements disagree."""

from pathlib import Path
from typing import Any

import pytest

from tests.playing import stage
from tests.small_studies import RIGHT_OR_WRONG, consent, debrief, two_group_plain
from understudy.check.advice import consent_sentences, facts_to_add, untranslated_sentences
from understudy.prepare import Explaining, prepare
from understudy.protocols import loan_demo, ready_names, ready_study
from understudy.schema import Study

NEEDS_FILES = (
    "hase2020-original",
    "hase2020-tabular-adult",
    "hase2020-text-polarity",
    "ross2021-mnist",
    "ross2021-thinkaloud",
)
"""Ready studies that need published data or trained decoders."""
FULL = {
    "institution": "Institute of Testing",
    "contact": "lab@example.org",
    "ethics": "Approved as 2026-1",
    "storage": "On our server, for ten years.",
    "withdrawal": "Stop at any time.",
}


def sentences(params: dict[str, Any], pay: dict[str, Any] | None, *, seconds: float = 20) -> list[str]:
    """Return what is said of a study of twelve cases with this consent page."""
    agreeing = consent()
    agreeing["task"]["params"] |= params
    flow = [agreeing, stage("predict", seconds=seconds), debrief()]
    return consent_sentences(prepare(Study.model_validate(two_group_plain(flow=flow, pay=pay)), Path()))


def test_a_german_study_is_told_which_texts_people_would_read_in_english() -> None:
    plain = loan_demo().model_dump(mode="json")
    assert untranslated_sentences(prepare(Study.model_validate(plain), Path())) == []
    [sentence] = untranslated_sentences(prepare(Study.model_validate({**plain, "language": "de"}), Path()))
    assert "language is 'de', but people would read English: “" in sentence
    # The ready-made pages are in German already, and a study in German is not warned.
    predict = stage("predict")
    asked = {**RIGHT_OR_WRONG, "prompt": "Was sagt das Modell?"}
    predict["task"]["params"] |= {"questions": [asked], "value_names": {"yes": "ja", "no": "nein"}}
    german = two_group_plain(flow=[consent(), predict, debrief()], language="de")
    assert untranslated_sentences(prepare(Study.model_validate(german), Path())) == []


def test_every_empty_field_is_named_once() -> None:
    (sentence,) = sentences({"contact": "lab@example.org"}, None)
    assert "'contact'" not in sentence
    named = ("institution", "ethics", "storage", "withdrawal", "duration", "pay")
    assert [name for name in named if f"{name} (" in sentence] == list(named)


def test_a_ready_study_cannot_know_who_runs_it() -> None:
    prepared = prepare(loan_demo(), Path())
    assert consent_sentences(prepared, is_ready=True) == []
    assert "contact (whom to ask)" in consent_sentences(prepared)[0]
    assert [fact.partition(" ")[0] for fact in facts_to_add(loan_demo())] == ["institution", "contact", "ethics"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ready_names() if name not in NEEDS_FILES])
def test_ready_studies_pass_their_own_check(name: str) -> None:
    prepared = prepare(ready_study(name), Path(), Explaining(n_tried=1))
    assert consent_sentences(prepared, is_ready=True) == []


@pytest.mark.slow
@pytest.mark.usefixtures("shared_data")
def test_the_original_study_passes_its_own_check_too() -> None:
    prepared = prepare(ready_study("hase2020-original"), Path(), Explaining(n_tried=1))
    assert consent_sentences(prepared, is_ready=True) == []


@pytest.mark.parametrize("text", ["It takes 20 to 25 minutes.", "Etwa 9 Minuten."])
def test_minutes_in_the_text_that_differ_from_those_of_the_pay_are_found(text: str) -> None:
    (sentence,) = sentences({**FULL, "text": text}, {"base": 2, "expected_minutes": 4})
    assert "pay.expected_minutes is 4" in sentence


def test_minutes_that_the_pages_cannot_take_are_found() -> None:
    (sentence,) = sentences({**FULL, "text": "Welcome."}, {"base": 2, "expected_minutes": 30})
    assert "announces 30 minutes, but its pages are expected to take about 4" in sentence


def test_a_condition_that_takes_much_longer_than_announced_is_found() -> None:
    agreeing = consent()
    agreeing["task"]["params"] |= {**FULL, "text": "Welcome."}
    more = {"kind": "screen", "block_id": "more", "purpose": "instructions", "seconds": 240, "when": {"explanation": "shown"},
            "task": {"name": "instructions", "params": {"pages": ["Read on."]}}}  # fmt: skip
    flow = [agreeing, stage("predict", seconds=20), more, debrief()]
    pay = {"base": 2, "expected_minutes": 5}
    found = consent_sentences(prepare(Study.model_validate(two_group_plain(flow=flow, pay=pay)), Path()))
    assert len(found) == 1
    assert (
        "announces 5 minutes, but people in the condition 'shown' are expected to take about 8, for the same"
        in found[0]
    )


def test_a_complete_page_leaves_nothing_to_say() -> None:
    assert sentences({**FULL, "text": "It takes 4 to 5 minutes."}, {"base": 2, "expected_minutes": 4}) == []
