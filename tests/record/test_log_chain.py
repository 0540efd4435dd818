"""A chain of digests over commits notices every event that was lost, changed or added, and tells how many."""

import itertools
from collections.abc import Callable

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.log_events import ended, moved, moves, started
from understudy.errors import LogError
from understudy.record import Log
from understudy.record.database import writing

pytest_plugins = ["tests.log_places"]


def filled(log: Log) -> Log:
    """Three commits of three sessions: 4, 11 and 2 events."""
    log.append([started("a"), *moves("a", 1, 3)])
    log.append([started("b"), *moves("b", 1, 10)])
    log.append([moved("a", 4), ended("a")])
    return log


def tampered(log: Log, statement: str) -> Log:
    with writing(log._database) as connection:
        connection.execute(sa.text(statement))
    return log


def test_a_log_that_nobody_touched_is_whole(log: Log) -> None:
    assert log.damage() is None
    assert filled(log).damage() is None


def test_lost_events_are_counted_and_their_sessions_named(log: Log) -> None:
    damage = tampered(filled(log), "DELETE FROM events WHERE stream = 'page' AND seq BETWEEN 5 AND 7").damage()
    assert damage is not None
    assert (damage.n_lost, damage.n_changed, damage.n_unknown, damage.session_ids) == (3, 0, 0, ("b",))
    assert damage.told == (
        "is damaged: 3 events that were stored are missing; 1 session is affected (look at the sessions b)"
    )


def test_the_last_events_are_missed_too(log: Log) -> None:
    damage = tampered(
        filled(log), "DELETE FROM events WHERE position > (SELECT max(last_position) - 2 FROM batches)"
    ).damage()
    assert damage is not None
    assert damage.n_lost == 2


def test_a_changed_answer_is_noticed(log: Log) -> None:
    damage = tampered(filled(log), "UPDATE events SET body = replace(body, '0.5', '0.6') WHERE seq = 9").damage()
    assert damage is not None
    assert (damage.n_lost, damage.n_changed, damage.session_ids) == (0, 1, ("b",))


def test_two_events_that_changed_places_are_noticed(log: Log) -> None:
    swap = (
        "UPDATE events SET body = CASE seq WHEN 2 THEN (SELECT body FROM events e WHERE e.seq = 9) "
        "ELSE (SELECT body FROM events e WHERE e.stream = 'page' AND e.seq = 2 AND e.session_number = "
        "(SELECT number FROM sessions WHERE session_id = 'b')) END "
        "WHERE stream = 'page' AND seq IN (2, 9) AND session_number = (SELECT number FROM sessions WHERE session_id = 'b')"
    )
    damage = tampered(filled(log), swap).damage()
    assert damage is not None
    assert damage.n_changed == 1


def test_events_that_another_program_added_are_noticed(log: Log) -> None:
    added = (
        "INSERT INTO events (session_number, stream, seq, body) "
        "SELECT session_number, 'page', 99, body FROM events WHERE seq = 9"
    )
    damage = tampered(filled(log), added).damage()
    assert damage is not None
    assert (damage.n_lost, damage.n_unknown) == (0, 1)


def test_erasing_a_session_is_no_damage(log: Log) -> None:
    filled(log).erase("b")
    assert log.damage() is None
    log.append([moved("a", 5)])
    log.erase("a")
    assert log.damage() is None


def test_what_erasing_leaves_tells_nothing_of_the_events(log: Log) -> None:
    filled(log).erase("b")
    with writing(log._database) as connection:
        left = connection.execute(sa.text("SELECT digest FROM erased_events")).scalars().all()
    assert [len(digest) for digest in left] == [64] * 11


def test_an_accepted_loss_is_noted_and_the_chain_goes_on(log: Log) -> None:
    tampered(filled(log), "DELETE FROM events WHERE stream = 'page' AND seq = 9")
    damage = log.accept_damage()
    assert damage is not None
    assert (damage.n_lost, log.damage(), log.accepted_losses()) == (1, None, (damage.told,))
    log.append([moved("a", 5)])
    assert (log.damage(), log.accept_damage()) == (None, None)


def test_a_log_whose_last_session_was_erased_can_be_sealed_anew(log: Log) -> None:
    tampered(filled(log), "DELETE FROM events WHERE stream = 'page' AND seq = 2 AND session_number = 1")
    log.append([started("c"), moved("c", 1)])
    log.erase("c")
    log.accept_damage()
    assert log.damage() is None


_numbers = itertools.count()
_steps = st.lists(st.sampled_from(["append", "erase", "refused"]), min_size=1, max_size=12)


@given(steps=_steps)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_appended_refused_and_erased_the_chain_stays_whole(log: Log, steps: list[str]) -> None:
    alive: list[str] = []

    def refused() -> None:
        with pytest.raises(LogError):
            log.append([moved("nobody", 1)])

    def append() -> None:
        alive.append(f"s{next(_numbers)}")
        log.append([started(alive[-1]), *moves(alive[-1], 1, 3)])

    acts: dict[str, Callable[[], object]] = {
        "append": append,
        "refused": refused,
        "erase": lambda: log.erase(alive.pop()) if alive else None,
    }
    for step in steps:
        acts[step]()
    assert log.damage() is None
