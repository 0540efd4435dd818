"""Steps of payments in the log: numbered within a session, never edited, and kept when the session is erased."""

import pytest

from tests.log_events import STUDY, ended, started
from understudy.errors import LogError
from understudy.record import Log, session_hash
from understudy.schema.log_entries import PayEntry

pytest_plugins = ["tests.log_places"]


def step(seq: int, session_id: str = "a", **changes: object) -> PayEntry:
    plain = {
        "study_name": STUDY, "session_hash": session_hash(session_id), "seq": seq, "at_ms": 5, "step": "ordered", "way": "bonus",
        "cents": 37, "currency": "GBP", "reason": "bonus for n_right", "order_id": "batch0", "actor": "ada",
    }  # fmt: skip
    return PayEntry.model_validate(plain | changes)


def test_steps_are_read_back_in_order(log: Log) -> None:
    entries = (step(1), step(1, "b"), step(2, step="confirmed"))
    log.enter_payments(entries[:2])
    log.enter_payments(entries[2:])
    assert log.payments(STUDY) == entries
    assert log.payments("another") == ()


def test_a_number_that_is_taken_refuses_all_steps_of_the_call(log: Log) -> None:
    log.enter_payments([step(1)])
    with pytest.raises(LogError, match="Another program has just paid"):
        log.enter_payments([step(1, "b"), step(1, cents=99)])
    assert log.payments(STUDY) == (step(1),)


def test_a_payment_changes_the_state_that_a_report_follows_from(log: Log) -> None:
    before = log.state(STUDY)
    log.enter_payments([step(1)])
    assert log.state(STUDY) != before


def test_erasing_a_session_keeps_what_was_paid(log: Log) -> None:
    log.append([started("a"), ended("a")])
    log.enter_payments([step(1)])
    log.erase("a")
    assert log.payments(STUDY) == (step(1),)
