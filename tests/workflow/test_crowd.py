"""Simulated people who take part in a real server over HTTP."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import uvicorn

from tests.small_studies import two_groups
from understudy.actions.casts import MIXED
from understudy.actions.demo import Arrivals, Crowd, DemoServer, FastClock, listening_from
from understudy.actions.run_folder import new_run
from understudy.actions.serve import served_from_folder
from understudy.errors import UnderstudyError
from understudy.record.log import now_ms
from understudy.schema import Event, SessionStarted
from understudy.serve import Settings, create_app

FAST = 60_000.0
NAME = "rehearsed"


@contextmanager
def venue_in(folder: Path, clock: FastClock) -> Iterator[DemoServer]:
    """Serve a rehearsal until the block ends."""
    new_run(two_groups(), Path(), folder)
    one = replace(served_from_folder(folder), address=NAME, is_rehearsal=True, clock=clock)
    listening = listening_from(20_000)
    app = create_app([one], secret=b"0" * 32, admin_token="token", clock=now_ms, settings=Settings())
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield DemoServer(listening.getsockname()[1], NAME, "token", one.script, one.log)
    finally:
        while not server.started:
            time.sleep(0.01)
        server.should_exit = True
        thread.join()
        listening.close()
        one.log.close()


def rehearsed(folder: Path, *, seed: int, n_people: int = 6) -> list[tuple[Event, ...]]:
    """Return the sessions of a crowd that came and went."""
    clock = FastClock(1_700_000_000_000, speed=FAST)
    with venue_in(folder, clock) as venue:
        crowd = Crowd(venue, Arrivals(MIXED, seed, per_second=20.0, n_people=n_people), clock)
        crowd.take_part(threading.Event())
        return [tuple(events) for events in venue.log.sessions("two-groups")]


def answers_of(sessions: list[tuple[Event, ...]]) -> list[list[object]]:
    return [[getattr(event, "response", None) for event in events if event.stream == "page"] for events in sessions]


def test_everybody_who_came_is_marked_synthetic_and_says_who_they_were_cast_as(tmp_path: Path) -> None:
    starts = [events[0] for events in rehearsed(tmp_path, seed=1)]
    assert len(starts) == 6
    assert all(isinstance(start, SessionStarted) and start.participant_kind == "synthetic" for start in starts)
    assert {getattr(start, "cast", None) for start in starts} <= {member.participant.name for member in MIXED.members}


def test_the_same_seed_sends_the_same_people(tmp_path: Path) -> None:
    first, again = (answers_of(rehearsed(tmp_path / name, seed=3)) for name in ("first", "again"))
    assert first == again
    assert first != answers_of(rehearsed(tmp_path / "other", seed=4))


def test_a_crowd_that_is_told_to_stop_stops_without_a_server(tmp_path: Path) -> None:
    clock = FastClock(0, speed=FAST)
    with venue_in(tmp_path, clock) as venue:
        with listening_from(21_000) as unheard:
            nowhere = venue._replace(port=unheard.getsockname()[1])
        stop = threading.Event()
        stop.set()
        crowd = Crowd(nowhere, Arrivals(MIXED, 1, per_second=1.0), clock)
        crowd.take_part(stop)
        assert not crowd.is_over


def test_a_taken_port_leads_to_the_next_one() -> None:
    with listening_from(22_000) as first, listening_from(first.getsockname()[1]) as second:
        assert second.getsockname()[1] > first.getsockname()[1]


def test_a_port_beyond_the_last_is_refused_in_words() -> None:
    with listening_from(65_535), pytest.raises(UnderstudyError, match="give another one with --port"):
        listening_from(65_535)


def test_simulated_minutes_pass_in_seconds() -> None:
    seconds = iter([10.0, 11.0, 11.0])
    clock = FastClock(1000, speed=60.0, seconds=lambda: next(seconds))
    assert (clock(), clock.wait_s(121_000)) == (61_000, 1.0)
