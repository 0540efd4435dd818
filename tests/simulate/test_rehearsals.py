"""Rehearsals: a stream of simulated people until the study is full, always the same for the same seed."""

from collections import Counter
from typing import Any

import pytest

from tests.playing import rich_study, script_of, stage, study_of
from tests.small_studies import two_groups
from understudy.conduct import Ledger, Script
from understudy.errors import StudyError
from understudy.registry import names
from understudy.schema import Cast, CastMember, Event, Ref, ResponseGiven, SessionEnded, SessionStarted
from understudy.simulate import actor_for, ready_cast, rehearse
from understudy.simulate.rehearsal import round_of

ALL_KINDS: list[dict[str, Any]] = [
    {"kind": "choice", "question_id": "choice", "prompt": "?", "options": ["a", "b", "c"]},
    {"kind": "multiple_choice", "question_id": "several", "prompt": "?", "options": ["a", "b", "c"], "min_chosen": 2},
    {"kind": "rating", "question_id": "rating", "prompt": "?", "points": 5},
    {"kind": "matrix", "question_id": "matrix", "prompt": "?", "rows": ["x", "y"], "points": 3},
    {"kind": "slider", "question_id": "slider", "prompt": "?", "low": -1, "high": 1, "step": 0.3},
    {"kind": "number", "question_id": "number", "prompt": "?", "low": 0.5, "high": 9.5, "is_whole": True},
    {"kind": "text", "question_id": "text", "prompt": "?", "min_chars": 120, "max_chars": 130},
    {"kind": "ranking", "question_id": "ranking", "prompt": "?", "options": ["a", "b", "c"]},
]
KEY: dict[str, Any] = {
    "choice": "b", "several": ["a", "c"], "rating": 2, "matrix": {"x": 1, "y": 3}, "slider": 0.5, "number": 1,
    "text": "x" * 125, "ranking": ["c", "b", "a"],
}  # fmt: skip


def cast(*kinds: str, **params: Any) -> Cast:
    members = tuple(CastMember(participant=Ref(name=kind, params=params), share=1) for kind in kinds)
    return Cast(members=members)


def asking_everything(*, is_keyed: bool, is_required: bool) -> Script:
    questions = [{**kind, "is_required": is_required} for kind in ALL_KINDS]
    task = {"name": "questionnaire", "params": {"questions": questions, "answers": KEY if is_keyed else {}}}
    screens = [{"kind": "screen", "block_id": f"all_{k}", "purpose": "questionnaire", "task": task} for k in range(8)]
    return script_of(study_of(*screens, stage("predict"), assignment={"quota": 4}))


def ends(events: list[Event]) -> list[str]:
    return [event.outcome for event in events if isinstance(event, SessionEnded)]


@pytest.mark.parametrize("is_required", [True, False])
@pytest.mark.parametrize("is_keyed", [True, False])
@pytest.mark.parametrize("kind", names("participants"))
def test_every_simulated_person_completes_or_leaves_every_kind_of_question(
    kind: str, is_keyed: bool, is_required: bool
) -> None:
    script = asking_everything(is_keyed=is_keyed, is_required=is_required)
    endings = {outcome for events in rehearse(script, cast(kind), seed=1) for outcome in ends(events)}
    assert "completed" in endings
    assert endings <= {"completed", "abandoned"}


def test_everything_a_rehearsal_makes_is_marked_synthetic() -> None:
    script = script_of(rich_study())
    for events in rehearse(script, cast(*names("participants")), seed=3):
        first = events[0]
        assert isinstance(first, SessionStarted)
        assert first.participant_kind == "synthetic"
        assert first.cast in names("participants")
        assert first.participant_id.startswith("synthetic")


def test_the_same_seed_gives_the_same_events_and_another_seed_others() -> None:
    script = script_of(rich_study())
    first, again, other = (list(rehearse(script, cast("noisy", "dropout"), seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_a_rehearsal_ends_with_every_place_filled_and_none_overfilled() -> None:
    script = script_of(rich_study())
    ledger = Ledger(script.study)
    for events in rehearse(script, cast("noisy"), seed=2):
        ledger.take_all(events)
        assert all(place.n_completed <= place.quota for place in ledger.places())
    assert ledger.is_full


@pytest.mark.parametrize("policy", names("designs"))
def test_no_policy_completes_more_than_the_quota(policy: str) -> None:
    params = {"target": "shown", "after": 3} if policy == "then_target" else {}
    script = script_of(two_groups(assignment={"quota": 7, "policy": {"name": policy, "params": params}}))
    completed: Counter[str] = Counter()
    for events in rehearse(script, cast("dropout", hazard=0.05), seed=4):
        first = events[0]
        assert isinstance(first, SessionStarted)
        completed[first.assignment.condition] += "completed" in ends(events)
    assert completed == {"shown": 7, "hidden": 7}


def test_a_wanted_number_of_people_is_kept_to() -> None:
    assert len(list(rehearse(script_of(two_groups()), cast("careful"), seed=1, n_people=5))) == 5


def test_who_leaves_without_a_word_is_released_after_the_studys_own_wait() -> None:
    script = script_of(two_groups(assignment={"quota": 3, "release_after_min": 30}))
    left = next(
        events for events in rehearse(script, cast("dropout", hazard=0.3), seed=1) if "abandoned" in ends(events)
    )
    assert left[-1].at_ms - left[-2].at_ms > 30 * 60_000


@pytest.mark.parametrize("applies", ["live", "at_close"])
def test_a_rehearsal_nobody_survives_gives_up_and_says_why(applies: str) -> None:
    measures = [{"name": "correct", "measure": "correct"}, {"name": "n", "measure": "correct", "summary": "count"}]
    rule = {"exclusion_id": "all", "applies": applies, "rule": "n >= 0", "reason": "Everybody."}
    script = script_of(two_groups(measures=measures, exclusions=[rule], assignment={"quota": 1}))
    with pytest.raises(StudyError, match="only 0 places are filled; nearly everybody is screened out or excluded"):
        list(rehearse(script, cast("careful"), seed=1))


def test_a_study_everybody_leaves_gives_up_too() -> None:
    with pytest.raises(StudyError, match="only 0 places are filled"):
        list(rehearse(script_of(two_groups(assignment={"quota": 1})), cast("dropout", hazard=1), seed=1))


def test_shares_decide_who_comes() -> None:
    mixed = Cast(
        members=(
            CastMember(participant=Ref(name="careful"), share=3),
            CastMember(participant=Ref(name="guesser"), share=1),
        )
    )
    kinds: Counter[str | None] = Counter()
    for events in rehearse(script_of(two_groups(assignment={"quota": 200})), mixed, seed=6):
        first = events[0]
        assert isinstance(first, SessionStarted)
        kinds[first.cast] += 1
    # 400 draws at 0.75: four standard errors are 35.
    assert abs(kinds["careful"] - 300) < 35


def test_kinds_in_turn_come_equally_often_to_every_condition() -> None:
    two = cast("careful", "noisy").model_copy(update={"dealing": "in_turn"})
    starts = [events[0] for events in rehearse(script_of(two_groups()), two, seed=1, n_people=16)]
    met: dict[str, list[str]] = {}
    for start in starts:
        assert isinstance(start, SessionStarted)
        met.setdefault(start.assignment.condition, []).append(str(start.cast))
    assert len(met) == 2
    assert all(kinds[:4] == ["careful", "noisy", "careful", "noisy"] for kinds in met.values())


def test_conditions_with_fewer_places_than_kinds_share_a_round() -> None:
    study = two_groups()
    small = study.model_copy(update={"assignment": study.assignment.model_copy(update={"quota": 2})})
    four = cast("careful", "noisy", "learner", "straight_liner").model_copy(update={"dealing": "in_turn"})
    starts = [events[0] for events in rehearse(script_of(small), four, seed=1, n_people=4)]
    assert {start.cast for start in starts if isinstance(start, SessionStarted)} == {
        "careful", "noisy", "learner", "straight_liner",
    }  # fmt: skip
    unplaced = [actor_for(script_of(small), ready_cast(four), seed=1, arrival=k).role.cast for k in range(4)]
    assert len(set(unplaced)) == 4


def test_shares_are_met_by_turns() -> None:
    assert Counter(round_of([0.6, 0.2, 0.2])) == {0: 3, 1: 1, 2: 1}
    assert Counter(round_of([1 / 3, 2 / 3])) == {0: 1, 1: 2}
    assert len(round_of([1 / 101, 100 / 101])) == 100


def test_who_does_not_know_the_condition_changes_kind_when_all_conditions_had_one() -> None:
    company = ready_cast(cast("careful", "noisy").model_copy(update={"dealing": "in_turn"}))
    script = script_of(two_groups())
    kinds = [actor_for(script, company, seed=1, arrival=k).role.cast for k in range(6)]
    assert kinds == ["careful", "careful", "noisy", "noisy", "careful", "careful"]


def test_page_events_are_numbered_without_a_gap_and_never_go_back_in_time() -> None:
    for events in rehearse(script_of(rich_study()), cast("noisy"), seed=5, n_people=10):
        assert [e.seq for e in events if e.stream == "page"] == list(
            range(1, 1 + sum(e.stream == "page" for e in events))
        )
        assert [e.at_ms for e in events] == sorted(e.at_ms for e in events)
        assert any(isinstance(event, ResponseGiven) for event in events)
