"""Arrivals are decided in turns: a server whose turn it is knows all that is stored, and no other starts a session."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.log_events import STUDY, ended, excluded, moved, moves, started
from understudy.errors import LogError
from understudy.record import Asked, Log, StaleSession, open_log, session_hash
from understudy.record import database as record_transactions
from understudy.record.writer import GroupWriter

pytest_plugins = ["tests.log_places"]


def asked(since: int = 0, *people: str, elsewhere: tuple[str, ...] = ()) -> Asked:
    return Asked(STUDY, since, people, elsewhere)


def test_news_are_starts_ends_and_exclusions_after_a_position(log: Log) -> None:
    log.append([started("a"), *moves("a", 1, 3)])
    since = log.last_position()
    log.append([moved("a", 4), ended("a"), started("b")])
    log.append([excluded("b", 2, "fast"), started("c", study="other")])
    news = log.news(STUDY, since)
    assert [(event.session_id, event.type) for event in news.events] == [
        ("a", "session_ended"),
        ("b", "session_started"),
        ("b", "session_excluded"),
    ]
    assert news.heard == {"a", "b"}
    assert news.position == log.last_position()
    assert log.news(STUDY, news.position).events == ()


def test_news_name_erased_sessions_by_their_hash(log: Log) -> None:
    log.append([started("a")])
    position = log.last_position()
    log.erase("a")
    assert log.news(STUDY, position).erased == {session_hash("a")}


def test_a_turn_stores_sessions_and_recruiters_ids_together(log: Log) -> None:
    turn = log.arrival_turn(asked())
    turn.commit([started("a"), started("b")], {"person-of-a": {"PROLIFIC_PID": "5f1"}})
    assert len(list(log.summaries(STUDY))) == 2
    assert log.recruiter_fields(STUDY, "person-of-a") == {"PROLIFIC_PID": "5f1"}
    assert log.recruiter_fields(STUDY, "person-of-b") == {}
    assert log.damage() is None


def test_erasing_a_session_erases_the_recruiters_id(log: Log) -> None:
    log.arrival_turn(asked()).commit([started("a")], {"person-of-a": {"PROLIFIC_PID": "5f1"}})
    log.erase("a")
    assert log.recruiter_fields(STUDY, "person-of-a") == {}


def test_a_turn_that_fails_stores_nothing(log: Log) -> None:
    turn = log.arrival_turn(asked())
    with pytest.raises(LogError, match="already has session"):
        turn.commit([started("a"), started("b", participant="person-of-a")], {"person-of-a": {"PID": "1"}})
    assert (list(log.summaries(STUDY)), log.recruiter_fields(STUDY, "person-of-a")) == ([], {})


def test_a_turn_tells_who_took_part_elsewhere(log: Log) -> None:
    log.append([started("a", study="other", participant="ann")])
    turn = log.arrival_turn(asked(0, "ann", "ben", elsewhere=("other",)))
    turn.give_up()
    assert turn.took_part == {"ann"}


def test_a_second_turn_waits_and_hears_of_the_first(log: Log, log_place: str) -> None:
    first = log.arrival_turn(asked())
    begun = threading.Event()

    def second() -> list[str]:
        with open_log(log_place) as other:
            begun.set()
            turn = other.arrival_turn(asked())
            turn.give_up()
            return [event.session_id for event in turn.news.events]

    with ThreadPoolExecutor(1) as pool:
        heard = pool.submit(second)
        begun.wait()
        first.commit([started("a")], {})
        assert heard.result() == ["a"]


def test_a_batch_of_a_session_that_has_changed_is_rejected(log: Log) -> None:
    log.append([started("a"), moved("a", 1)])
    with GroupWriter(log) as writer:
        assert writer.submit([moved("a", 2)], n_known=2).result() == 1
        with pytest.raises(StaleSession):
            writer.submit([moved("a", 3)], n_known=2).result()
        with pytest.raises(StaleSession):
            writer.submit([moved("b", 1)], n_known=0).result()
    assert log.last_seq("a", "page") == 2


def test_a_session_is_read_on_from_the_numbers_that_are_known(log: Log) -> None:
    log.append([started("a"), *moves("a", 1, 3)])
    log.append([moved("a", 4), ended("a")])
    assert log.session_since("a", {"engine": 1, "page": 3}) == (moved("a", 4), ended("a"))
    assert log.session_since("a", {"engine": 2, "page": 4}) == ()


def test_what_processes_have_agreed_on_stays(log: Log) -> None:
    assert [log.agreed("secret", value) for value in ("one", "other", "one")] == ["one"] * 3


@pytest.mark.parametrize("log_place", ["postgres"], indirect=True)
def test_a_turn_whose_process_falls_silent_is_given_up(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_transactions, "_SILENCE_MS", 30)
    silent = log.arrival_turn(asked())
    # Waits until PostgreSQL has ended the transaction of the silent one.
    log.arrival_turn(asked()).commit([started("a")], {})
    with pytest.raises(LogError):
        silent.commit([started("b")], {})
    assert [summary.session_id for summary in log.summaries(STUDY)] == ["a"]


def test_one_of_several_processes_takes_a_claim_until_its_lease_is_over(log: Log) -> None:
    assert [log.claim("alert", 60_000), log.claim("alert", 60_000), log.claim("other", 60_000)] == [True, False, True]
    assert log.claim("alert", 0)
