"""A session rebuilt from any point of its log goes on as if nothing had happened."""

from pathlib import Path

import numpy as np
import pytest

from tests.journeys.published_designs.simulatability import sim
from tests.journeys.published_designs.two4two import t42_2
from tests.playing import Player, rich_study, script_of, stage, started, study_of
from understudy import schema
from understudy.conduct import Script, Session, resume
from understudy.errors import LogError
from understudy.registry import create
from understudy.simulate.actor import Actor, Arrival, CastRole, play_session

STUDIES = {"rich": rich_study, "t42": t42_2, "sim": sim}


@pytest.fixture(scope="module", params=STUDIES)
def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Script, list[schema.Event]]:
    root: Path = tmp_path_factory.mktemp("study")
    (root / "film.webm").write_bytes(b"a film")
    study: schema.Study = STUDIES[request.param]()
    return a_long_session(script_of(study, root))


def a_long_session(script: Script) -> tuple[Script, list[schema.Event]]:
    """Play people who err often until one has failed a gate and still finished, or the last one is reached."""
    role = CastRole("noisy", create("participants", schema.Ref(name="noisy")), schema.Ability(accuracy=0.7))
    for arrival in range(60):
        assignment = started(script, arrival=arrival).assignment
        entrance = Arrival(f"s{arrival}", f"p{arrival}", 1_000_000, assignment)
        events = play_session(script, Actor(script, role, np.random.default_rng(arrival)), entrance)
        has_failed = any(isinstance(event, schema.GateDecided) and not event.is_passed for event in events)
        is_complete = any(isinstance(event, schema.SessionEnded) and event.outcome == "completed" for event in events)
        if is_complete and (has_failed or script.study.name == "sim"):
            return script, events
    raise AssertionError("nobody failed a gate and finished")


def text_of(events: list[schema.Event] | tuple[schema.Event, ...]) -> list[str]:
    return [schema.canonical_json(schema.json_from_record(event)) for event in events]


def test_the_log_of_the_session_is_a_rich_one(played: tuple[Script, list[schema.Event]]) -> None:
    _, events = played
    assert len(events) > 30
    assert {schema.TrialShown, schema.ResponseGiven, schema.SessionStarted, schema.SessionEnded} <= {
        type(event) for event in events
    }


def test_every_prefix_of_a_log_leads_to_the_step_the_session_had_there(
    played: tuple[Script, list[schema.Event]],
) -> None:
    script, events = played
    first = events[0]
    assert isinstance(first, schema.SessionStarted)
    live = Session(script, first)
    for place, event in enumerate(events):
        if place and event.stream == "page":
            live.take(event)
        assert resume(script, events[: place + 1]).session.next == live.next


def test_engine_events_lost_from_the_tail_are_given_back_unchanged(played: tuple[Script, list[schema.Event]]) -> None:
    script, events = played
    for place in range(1, len(events) + 1):
        # What the engine adds is stored after the page event that caused it; a crash may come anywhere between.
        following = events[place:]
        n_lost = next((k for k, event in enumerate(following) if event.stream == "page"), len(following))
        assert text_of(resume(script, events[:place]).missing) == text_of(following[:n_lost])


def test_a_resumed_session_plays_to_the_same_end(played: tuple[Script, list[schema.Event]]) -> None:
    script, events = played
    half = len(events) // 2
    session = resume(script, events[:half]).session
    for event in events[half:]:
        if event.stream == "page":
            session.take(event)
    assert text_of(session.events[-3:]) == text_of(events[-3:])


def test_a_session_resumed_from_a_written_log_is_the_same(played: tuple[Script, list[schema.Event]]) -> None:
    script, events = played
    read = [type(event).model_validate_json(event.model_dump_json()) for event in events]
    assert resume(script, read).session.scores() == resume(script, events).session.scores()


@pytest.mark.parametrize("outcome", ["withdrew", "abandoned"])
def test_an_end_from_outside_is_kept(outcome: str) -> None:
    player = Player(script := script_of(rich_study())).until("quiz")
    ended = schema.SessionEnded.model_validate({"session_id": "s0", "seq": 2, "at_ms": 0, "outcome": outcome})
    resumed = resume(script, [*player.log, ended])
    assert (resumed.session.outcome, resumed.missing) == (outcome, ())


def test_an_exclusion_by_the_desk_is_kept() -> None:
    player = Player(script := script_of(rich_study())).finish()
    by_hand = schema.SessionExcluded(
        session_id="s0", seq=1, at_ms=0, stream="desk", exclusion_id="asked", reason="Asked to."
    )
    resumed = resume(script, [*player.log, by_hand])
    assert (resumed.session.excluded_by, resumed.missing) == ("asked", ())


def test_a_log_of_another_version_is_refused() -> None:
    script, other = script_of(study_of(stage("predict"))), script_of(study_of(stage("predict"), seed=2))
    with pytest.raises(LogError, match="another version of 'two-groups'"):
        resume(script, Player(other).finish().log)


@pytest.mark.parametrize("n_cut", [1, 1000])
def test_a_log_without_its_beginning_is_refused(n_cut: int) -> None:
    script = script_of(study_of(stage("predict")))
    with pytest.raises(LogError, match="begins with session_started"):
        resume(script, Player(script).finish().log[n_cut:])
