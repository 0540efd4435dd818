"""Every registered task, ours or from another package, keeps these promises."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from understudy import registry, schema
from understudy.participants.people import effortless_answer
from understudy.roles import Task, keyed_questions

ROOT = Path(__file__).parents[2]
GUESS = {"kind": "choice", "question_id": "guess", "prompt": "?", "options": ["yes", "no"]}
WHY = {"kind": "text", "question_id": "why", "prompt": "Why?"}
# Parameters for tasks that cannot do without, and variants that change what a page shows or asks.
NEEDED: dict[str, dict[str, Any]] = {
    "check_steps": {"further_questions": [GUESS], "keys": {"guess": "answer"}},
    "consent": {"text": "Five minutes."},
    "debrief": {"text": "Thank you."},
    "decide_steps": {"further_questions": [WHY], "reveals": ["label"]},
    "disclosure": {"rules": [{"rule": "share_correct", "block": "main"}], "questions": [WHY]},
    "instructions": {"pages": ["Read this."]},
    "judge": {"questions": [GUESS, WHY], "keys": {"guess": "answer"}, "reveals": ["label"]},
    "microphone": {"text": "Your voice, kept here, heard by us.", "blocks": ["predict"]},
    "questionnaire": {"questions": [GUESS, WHY], "answers": {"guess": "no"}},
    "rate_matches": {"further_questions": [GUESS, WHY], "keys": {"guess": "answer"}, "most_rows": 3},
    "relevance": {
        "attributes": [{"attribute_id": "legs", "name": "the legs"}, {"attribute_id": "shape", "name": "the shape"}],
        "key": {"legs": "relevant"},
    },
    "trade_off": {"accuracy": 81.7, "scenarios": {"low": "Play", "medium": "Work", "high": "Health"}},
    "video": {"asset": "film.webm"},
}
VARIANTS = (
    schema.Ref(name="judge"),
    schema.Ref(name="judge", params={"questions": [GUESS]}),
    schema.Ref(name="questionnaire", params={"questions": [WHY]}),
    *(schema.Ref(name="tree_warm_up", params={"part": part}) for part in ("exercise_2", "result")),
    schema.Ref(name="feedback", params={"measures": ["n_right"]}),
    schema.Ref(name="relevance", params={"attributes": [{"attribute_id": "legs", "name": "the legs"}], "min_chars": 0}),
    *(schema.Ref(name=name, params={"language": "de"}) for name in ("demographics", "nasa_tlx", "seq", "single_dial")),
)
ALL = (*(schema.Ref(name=name, params=NEEDED.get(name, {})) for name in registry.names("tasks")), *VARIANTS)
every = pytest.mark.parametrize("ref", ALL, ids=lambda ref: "-".join([ref.name, *ref.params]))
LIVE: dict[str, Any] = {
    "decoder": {"address": "a.onnx", "card": {"dials": [{"kind": "continuous"}]}},
    "start": [0.5],
    "target": "",
    "distance": "soft_dice",
    "threshold": 0.9,
    "n_options": 0,
    "sets": [],
}
STIMULI = tuple(
    schema.Stimulus(
        stimulus_id=f"i{k}",
        content={"name": f"case {k}", **LIVE},
        truth={
            "answer": "yes" if k % 2 else "no",
            "label": "A",
            "regime": ("low", "medium", "high")[k % 3],
            "decisions": [True, bool(k % 2)],
        },
        strata={"answer": "yes" if k % 2 else "no"},
    )
    for k in range(6)
)
PHOTO = schema.ShownPicture(file=f"{'ab' * 32}.png", width=96, height=96)
AT = {"region": schema.Region(left=0, top=0, width=1, height=1), "source": PHOTO}
AT["source_region"] = AT["region"]


def _step(name: str, **decided: Any) -> schema.TreeStep:
    return schema.TreeStep(row_id=name, **AT, **decided)


# Tasks about rows need an explanation of one form; all others get items without.
EXPLAINED: dict[str, schema.Record] = {
    "rate_matches": schema.PrototypeMatches(
        picture=PHOTO, rows=tuple(schema.PrototypeMatch(row_id=f"r{k}", **AT) for k in range(2))
    ),
    "check_steps": schema.TreePath(
        picture=PHOTO, steps=tuple(_step(f"s{k}", similarity=0.7, is_present=True) for k in range(3))
    ),
    "decide_steps": schema.TreePath(
        picture=PHOTO, fork=schema.TreeFork(first=_step("f"), if_absent=_step("a"), if_present=_step("p"))
    ),
}


def task(ref: schema.Ref) -> Task:
    made: Task = registry.create("tasks", ref)
    return made


def drafts(ref: schema.Ref, stimuli: Sequence[schema.Stimulus] = STIMULI, seed: int = 1) -> Sequence[schema.Draft]:
    given = [stimulus.model_copy(update={"explanation": EXPLAINED.get(ref.name)}) for stimulus in stimuli]
    return task(ref).drafts(given, np.random.default_rng(seed))


def takes_items(ref: schema.Ref) -> bool:
    return not drafts(ref, ())


@every
def test_a_page_is_made_for_each_item_or_exactly_one_without(ref: schema.Ref) -> None:
    expected = len(STIMULI) if takes_items(ref) else 1
    assert len(drafts(ref)) == expected
    assert len(drafts(ref, ())) == (0 if takes_items(ref) else 1)


@every
def test_what_a_page_shows_can_be_written_as_json(ref: schema.Ref) -> None:
    for draft in drafts(ref):
        written = draft.params.model_dump_json()
        assert task(ref).Params.model_validate_json(written) == draft.params


@every
def test_a_page_is_shown_what_its_params_declare(ref: schema.Ref) -> None:
    for draft in drafts(ref):
        assert type(draft.params) is task(ref).Params


@every
def test_params_of_later_versions_are_readable(ref: schema.Ref) -> None:
    for draft in drafts(ref):
        plain = {**draft.params.model_dump(mode="json"), "added_later": 1}
        assert task(ref).Params.model_validate(plain) == draft.params


@every
def test_possible_answers_are_a_response(ref: schema.Ref) -> None:
    for draft in drafts(ref):
        answers = {question.question_id: effortless_answer(question) for question in draft.asks} | draft.typical
        kept = task(ref).Response.model_validate(answers).model_dump(mode="json", exclude_unset=True)
        assert kept == answers


@every
def test_a_response_that_is_not_one_is_refused(ref: schema.Ref) -> None:
    with pytest.raises(ValidationError):
        task(ref).Response.model_validate({"width_px": [{}], "regime": {"a": "b"}, "odd": [[1]]})


@every
def test_the_page_is_typed_by_what_it_is_shown(ref: schema.Ref) -> None:
    written = (ROOT / "frontend" / "src" / "schema.ts").read_text(encoding="utf-8")
    params = task(ref).Params
    (declared,) = re.findall(rf"export type {params.__name__} = {{(.*?)\n}};", written, flags=re.DOTALL)
    assert re.findall(r"^  (\w+): ", declared, flags=re.MULTILINE) == list(params.model_fields)


@every
def test_questions_have_names_of_their_own(ref: schema.Ref) -> None:
    for draft in drafts(ref):
        asked = [question.question_id for question in draft.asks]
        assert len(set(asked)) == len(asked)


@every
def test_a_page_asks_what_the_task_declares(ref: schema.Ref) -> None:
    declared = [question.question_id for question in task(ref).questions]
    for draft in drafts(ref):
        # Items with fewer rows are asked less, in the same order.
        asked = {question.question_id for question in draft.asks}
        assert [question.question_id for question in draft.asks] == [name for name in declared if name in asked]
        assert ref.name in EXPLAINED or draft.asks == task(ref).questions


@every
def test_right_answers_are_possible_answers_to_the_keyed_questions(ref: schema.Ref) -> None:
    for draft in drafts(ref):
        asked = {question.question_id: question for question in draft.asks}
        assert draft.answers.keys() == keyed_questions(task(ref))
        assert all(asked[name].accepts(answer) for name, answer in draft.answers.items())


@every
def test_typical_answers_are_possible_answers_where_nothing_is_judged(ref: schema.Ref) -> None:
    for draft in drafts(ref):
        asked = {question.question_id: question for question in draft.asks}
        assert not draft.typical.keys() & keyed_questions(task(ref))
        assert all(asked[name].accepts(answer) for name, answer in draft.typical.items())


@every
def test_the_same_randomness_makes_the_same_pages(ref: schema.Ref) -> None:
    assert drafts(ref, seed=3) == drafts(ref, seed=3)


@every
def test_truth_is_shown_only_where_the_study_reveals_it(ref: schema.Ref) -> None:
    marked = [
        stimulus.model_copy(update={"truth": {**stimulus.truth, "zqtruth": "zq"}, "strata": {"zqtruth": "zq"}})
        for stimulus in STIMULI
    ]
    assert all("zq" not in draft.params.model_dump_json() for draft in drafts(ref, marked))


@every
def test_a_task_has_a_version(ref: schema.Ref) -> None:
    assert task(ref).version


@every
def test_a_task_says_what_it_is_in_a_sentence(ref: schema.Ref) -> None:
    assert (registry.entry("tasks", ref.name).__doc__ or "").strip().endswith(".")
