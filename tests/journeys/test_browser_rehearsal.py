"""Rehearsals in the real browser: the same people, the same answers, and every fault of a page is seen."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.journeys.player_study import player_study
from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.actions import rehearse as local_server
from understudy.actions.casts import cast_from
from understudy.actions.rehearse import BrowserOptions, rehearse_in_browser
from understudy.actions.run_folder import existing_run, new_run
from understudy.actions.serve import built_front_end
from understudy.schema import (
    Event,
    Json,
    ResponseGiven,
    SessionEnded,
    SessionExcluded,
    SessionStarted,
    Study,
    TrialShown,
    json_from_record,
)
from understudy.simulate import browser
from understudy.simulate.browser import BrowserRehearsal

MEASURED_BY_THE_PAGE = {"width_px", "height_px", "watched_share"}
LEAVERS = """
name = "leavers"

[[members]]
participant = { name = "dropout", params = { hazard = 0.15 } }
share = 1
"""

pytestmark = pytest.mark.usefixtures("browser")


class Played(NamedTuple):
    """What a rehearsal printed, and the sessions it left behind."""

    told: dict[str, Any]
    sessions: dict[str, list[Event]]


def rehearsed(study: str | Path, folder: Path, *words: str) -> Played:
    shown = understudy("rehearse", study, "--out", folder, "--json", *words)
    assert shown.code == 0, shown.err or shown.out
    return Played(json.loads(shown.out), sessions_in(folder))


def sessions_in(folder: Path) -> dict[str, list[Event]]:
    run = existing_run(folder)
    sessions: dict[str, list[Event]] = {}
    with run.open_log() as log:
        for events in log.sessions(run.script.study.name):
            started = events[0]
            assert isinstance(started, SessionStarted)
            sessions[started.participant_id] = list(events)
    return sessions


def answers(events: list[Event]) -> list[tuple[str, Json]]:
    """Return what was answered, without what each page measures for itself."""
    return [
        (event.trial_id, {name: value for name, value in event.response.items() if name not in MEASURED_BY_THE_PAGE})
        for event in events
        if isinstance(event, ResponseGiven)
    ]


def ends(played: Played) -> dict[str, str]:
    return {who: one.outcome for who, them in played.sessions.items() for one in them if isinstance(one, SessionEnded)}


def starts(played: Played) -> list[SessionStarted]:
    return [one for them in played.sessions.values() for one in them if isinstance(one, SessionStarted)]


@pytest.fixture(scope="module")
def in_browser(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return rehearsed("loan-demo", tmp_path_factory.mktemp("browser"), "--browser", "3", "--seed", "1")


@pytest.fixture(scope="module")
def in_memory(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return rehearsed("loan-demo", tmp_path_factory.mktemp("memory"), "--people", "3", "--seed", "1")


def test_the_same_people_give_the_same_answers_in_memory_and_in_the_browser(
    in_browser: Played, in_memory: Played
) -> None:
    assert len(in_browser.sessions) == 3
    assert {who: answers(them) for who, them in in_browser.sessions.items()} == {
        who: answers(them) for who, them in in_memory.sessions.items()
    }
    assert ends(in_browser) == ends(in_memory)
    assert {*ends(in_memory).values()} == {"completed", "screened_out"}


def test_they_take_the_time_they_would_take_so_that_nobody_is_excluded_as_a_machine(
    in_browser: Played, in_memory: Played
) -> None:
    assert excluded(in_browser) == excluded(in_memory)
    for who, them in in_memory.sessions.items():
        assert all(real >= dry for real, dry in zip(times(in_browser.sessions[who]), times(them), strict=True))


def excluded(played: Played) -> list[tuple[str, str]]:
    return sorted(
        (who, one.exclusion_id)
        for who, them in played.sessions.items()
        for one in them
        if isinstance(one, SessionExcluded)
    )


def times(events: list[Event]) -> list[float]:
    return [event.rt_ms for event in events if isinstance(event, ResponseGiven)]


def test_they_are_the_same_people_in_the_same_places(in_browser: Played, in_memory: Played) -> None:
    dealt = [(start.participant_id, start.cast, start.assignment) for start in starts(in_browser)]
    assert sorted(dealt) == sorted((start.participant_id, start.cast, start.assignment) for start in starts(in_memory))


def test_everybody_in_the_browser_is_recorded_as_synthetic(in_browser: Played) -> None:
    assert {start.participant_kind for start in starts(in_browser)} == {"synthetic"}
    assert in_browser.told["is_synthetic"] is True


def test_the_summary_counts_the_screens_that_the_log_holds(in_browser: Played) -> None:
    shown = [one for them in in_browser.sessions.values() for one in them if isinstance(one, TrialShown)]
    assert (in_browser.told["n_screens"], in_browser.told["faults"]) == (len(shown), [])


def test_every_screen_and_kind_of_question_is_answered_as_in_memory(tmp_path: Path, film: bytes) -> None:
    (tmp_path / "film.webm").write_bytes(film)
    study = written(player_study(film="film.webm"), tmp_path)
    real = rehearsed(study, tmp_path / "browser", "--browser", "2", "--cast", "careful")
    dry = rehearsed(study, tmp_path / "memory", "--people", "2", "--cast", "careful")
    assert "completed" in ends(real).values()
    assert {who: answers(them) for who, them in real.sessions.items()} == {
        who: answers(them) for who, them in dry.sessions.items()
    }


def test_who_leaves_closes_the_page_where_they_left_in_memory(tmp_path: Path) -> None:
    (tmp_path / "leavers.toml").write_text(LEAVERS)
    cast = ("--cast", str(tmp_path / "leavers.toml"))
    real = rehearsed("loan-demo", tmp_path / "browser", "--browser", "3", *cast)
    dry = rehearsed("loan-demo", tmp_path / "memory", "--people", "3", *cast)
    assert "abandoned" in ends(real).values()
    assert ends(real) == ends(dry)
    assert {who: last_shown(them) for who, them in real.sessions.items()} == {
        who: last_shown(them) for who, them in dry.sessions.items()
    }


def last_shown(events: list[Event]) -> str:
    return [event.trial_id for event in events if isinstance(event, TrialShown)][-1]


def written(study: Study, folder: Path) -> Path:
    path = folder / "study.yaml"
    path.write_text(json.dumps(json_from_record(study)))
    return path


Spoiled = Callable[[str, str], BrowserRehearsal]


@pytest.fixture
def spoiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spoiled:
    """Rehearse with a front end to which a script and a style were added."""

    def rehearse(script: str, style: str) -> BrowserRehearsal:
        web = shutil.copytree(built_front_end(), tmp_path / "web")
        for path in web.rglob("player*"):
            if path.suffix in (".js", ".css"):
                path.write_text((script if path.suffix == ".js" else style) + path.read_text())
        monkeypatch.setattr(local_server, "built_front_end", lambda: web)
        monkeypatch.setattr(browser, "PATIENCE_S", 1.0)
        study = two_groups()
        run = new_run(study, tmp_path, tmp_path / "run")
        options = BrowserOptions(n_people=1, seed=1)
        return rehearse_in_browser(run, cast_from("careful", study), options, environment=os.environ)

    return rehearse


def test_errors_and_failed_requests_of_a_page_are_seen(spoiled: Spoiled) -> None:
    told = spoiled('console.error("broken"); fetch("/nowhere"); void Promise.reject(new Error("worse"));\n', "")
    assert {(fault.kind, fault.said) for fault in told.faults} == {
        ("console error", "broken"),
        ("failed request", "GET /nowhere: status 404"),
        ("page error", "worse"),
    }
    assert told.has_page_errors
    assert told.outcomes == {"completed": 1}


def test_what_is_wider_than_the_window_is_named(spoiled: Spoiled) -> None:
    told = spoiled("", ".card { width: 1500px !important; max-width: none !important; }\n")
    assert {fault.kind for fault in told.faults} == {"overflow"}
    assert all("is wider than the window" in fault.said for fault in told.faults)
    assert not told.has_page_errors


def test_a_word_that_is_cut_off_is_named(spoiled: Spoiled) -> None:
    told = spoiled("", ".card .prose { width: 90px; overflow-x: auto; white-space: nowrap; }\n")
    assert {(fault.kind, fault.block_id) for fault in told.faults} >= {("overflow", "consent")}
    assert all('" is cut off by div.prose' in fault.said for fault in told.faults)


def test_a_page_that_does_not_go_on_is_given_up(spoiled: Spoiled) -> None:
    held = (
        "document.addEventListener('submit', (event) => { event.preventDefault(); event.stopPropagation(); }, true);\n"
    )
    told = spoiled(held, "")
    (fault,) = told.faults
    assert (fault.kind, fault.block_id) == ("stuck", "consent")
    assert told.outcomes == {"abandoned": 1}
