"""Every database keeps the same promises: whole batches, once, in order, for every reader."""

import asyncio
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.log_events import STUDY, answered, ended, excluded, moved, moves, started
from tests.loops import finished
from understudy.errors import LogError
from understudy.record import GroupWriter, Log, SecondSession, SessionSummary, Tombstone, open_log, session_hash
from understudy.schema import AnnotationGiven, Assignment, Event

pytest_plugins = ["tests.log_places"]

_numbers = itertools.count()
_per_example = settings(
    max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def test_what_was_appended_is_read_back(log: Log) -> None:
    story = [started("a"), *moves("a", 1, 3), answered("a", 4, {"why": "snow ❄ \x00 ∑", "sure": 3}), ended("a")]
    log.append(story)
    assert log.session("a") == tuple(story)


def test_a_log_outlives_its_opener(log_place: str) -> None:
    with open_log(log_place) as first:
        first.append([started("a"), moved("a", 1)])
    with open_log(log_place) as second:
        assert second.session("a") == (started("a"), moved("a", 1))


def test_new_events_are_counted(log: Log) -> None:
    log.append([started("a"), moved("a", 1)])
    assert log.append([moved("a", 1), moved("a", 2), moved("a", 3)]) == 2


def test_a_resent_event_is_kept_once(log: Log) -> None:
    log.append([started("a"), moved("a", 1)])
    log.append([started("a"), moved("a", 1)])
    assert log.count_events() == 2


def test_an_event_twice_in_one_batch_is_kept_once(log: Log) -> None:
    assert log.append([started("a"), started("a"), moved("a", 1), moved("a", 1)]) == 2


def test_a_resend_with_its_keys_in_another_order_is_the_same_event(log: Log) -> None:
    log.append([started("a"), answered("a", 1, {"x": 1, "y": 2})])
    assert log.append([answered("a", 1, {"y": 2, "x": 1})]) == 0


def test_nothing_appended_is_nothing_new(log: Log) -> None:
    assert log.append([]) == 0


def test_another_event_under_a_taken_number_is_refused(log: Log) -> None:
    log.append([started("a"), moved("a", 1, value=0.1)])
    with pytest.raises(LogError, match="Event 1 of stream 'page' in session 'a' is in the log with different content"):
        log.append([moved("a", 1, value=0.9)])


def test_true_is_not_taken_for_one(log: Log) -> None:
    log.append([started("a"), answered("a", 1, {"sure": 1})])
    with pytest.raises(LogError, match="different content"):
        log.append([answered("a", 1, {"sure": True})])


def test_two_events_under_one_number_in_a_batch_are_refused(log: Log) -> None:
    with pytest.raises(LogError, match="different content"):
        log.append([started("a"), moved("a", 1, value=0.1), moved("a", 1, value=0.2)])


def test_a_gap_is_refused_with_the_expected_number(log: Log) -> None:
    log.append([started("a"), moved("a", 1)])
    with pytest.raises(LogError, match="expects number 2 of stream 'page' next, but got 4"):
        log.append([moved("a", 4)])


def test_a_refused_batch_leaves_nothing(log: Log) -> None:
    log.append([started("a")])
    with pytest.raises(LogError):
        log.append([moved("a", 1), moved("a", 2), moved("a", 4)])
    assert log.session("a") == (started("a"),)


def test_a_session_must_start_first(log: Log) -> None:
    with pytest.raises(LogError, match="Session 'a' has not started"):
        log.append([moved("a", 1)])


def test_a_session_starts_once(log: Log) -> None:
    log.append([started("a")])
    with pytest.raises(LogError, match="'a' has started already"):
        log.append([started("a").model_copy(update={"seq": 2})])


def test_streams_are_numbered_apart(log: Log) -> None:
    note = AnnotationGiven(session_id="a", seq=1, at_ms=1, trial_id="t1", question_id="q", annotator="kim", code="c")
    log.append([started("a"), moved("a", 1), moved("a", 2), note])
    assert [log.last_seq("a", stream) for stream in ("engine", "page", "desk")] == [1, 2, 1]


def test_before_the_first_event_the_last_number_is_zero(log: Log) -> None:
    assert log.last_seq("nobody", "page") == 0


def test_a_participant_has_one_session_in_a_study(log: Log) -> None:
    log.append([started("a", participant="kim")])
    with pytest.raises(SecondSession, match="'kim' already has session 'a' in study 'dials'") as refusal:
        log.append([started("b", participant="kim")])
    assert refusal.value.session_id == "a"


def test_a_participant_may_take_another_study(log: Log) -> None:
    log.append([started("a", participant="kim"), started("b", participant="kim", study="other")])
    assert log.session_of("other", "kim") == "b"


def test_a_newcomer_has_no_session(log: Log) -> None:
    assert log.session_of(STUDY, "kim") is None


def test_of_simultaneous_arrivals_of_one_person_one_starts(log_place: str) -> None:
    def arrive(number: int) -> bool:
        with open_log(log_place) as log:
            barrier.wait()
            try:
                log.append([started(f"s{number}", participant="kim")])
            except SecondSession:
                return False
            return True

    barrier = threading.Barrier(4)
    open_log(log_place).close()
    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(arrive, range(4))) == [False, False, False, True]


def test_many_may_open_a_new_log_at_once(log_place: str) -> None:
    def open_and_start(number: int) -> int:
        barrier.wait()
        with open_log(log_place) as log:
            return log.append([started(f"s{number}")])

    barrier = threading.Barrier(4)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(open_and_start, range(4))) == [1, 1, 1, 1]


def test_sessions_come_whole_and_in_order_of_start(log: Log) -> None:
    names = [f"s{number}" for number in range(120)]
    log.append([started(name) for name in names])
    log.append([moved(name, 1) for name in reversed(names)])
    assert list(log.sessions()) == [(started(name), moved(name, 1)) for name in names]


def test_sessions_are_chosen_by_study_and_kind(log: Log) -> None:
    log.append([started("a"), started("b", kind="synthetic"), started("c", study="other", kind="synthetic")])
    chosen = {
        "study": [events[0].session_id for events in log.sessions(STUDY)],
        "synthetic": [events[0].session_id for events in log.sessions(synthetic=True)],
        "people": [events[0].session_id for events in log.sessions(STUDY, synthetic=False)],
    }
    assert chosen == {"study": ["a", "b"], "synthetic": ["b", "c"], "people": ["a"]}


def test_a_reader_sees_the_log_of_one_moment(log: Log) -> None:
    log.append([started(f"s{number}") for number in range(60)])
    reader = log.sessions()
    first = next(reader)
    log.append([started("late"), *moves("s59", 1, 5)])
    assert [first, *reader] == [(started(f"s{number}"),) for number in range(60)]


def test_an_unknown_session_cannot_be_read(log: Log) -> None:
    with pytest.raises(LogError, match="has no session 'a'; check its id"):
        log.session("a")


def test_a_summary_follows_its_session(log: Log) -> None:
    log.append([started("a", kind="synthetic", condition="aided"), moved("a", 1, at_ms=99_000)])
    (summary,) = log.summaries(STUDY)
    assignment = Assignment(arrival=0, condition="aided", levels={"aid": "aided"}, seed=7)
    assert summary == SessionSummary(
        session_id="a",
        participant_id="person-of-a",
        participant_kind="synthetic",
        study_digest="d" * 64,
        assignment=assignment,
        started_ms=1000,
        last_event_ms=99_000,
        outcome=None,
        excluded_by=None,
    )
    assert summary.condition == "aided"


def test_a_summary_knows_the_last_ending_and_the_first_exclusion(log: Log) -> None:
    log.append([started("a"), ended("a", 2, outcome="abandoned"), excluded("a", 3, "fast")])
    log.append([ended("a", 4), excluded("a", 5, "later")])
    (summary,) = log.summaries(STUDY)
    assert (summary.outcome, summary.excluded_by) == ("completed", "fast")


def test_a_refused_batch_leaves_its_summary_alone(log: Log) -> None:
    log.append([started("a")])
    with pytest.raises(LogError):
        log.append([ended("a"), moved("a", 7)])
    assert [summary.outcome for summary in log.summaries(STUDY)] == [None]


def test_summaries_are_of_one_study(log: Log) -> None:
    log.append([started("a"), started("b", study="other"), started("c")])
    assert [summary.session_id for summary in log.summaries(STUDY)] == ["a", "c"]


def test_erasure_leaves_a_tombstone_that_counts(log: Log) -> None:
    log.append([started("a", condition="aided"), ended("a"), started("b")])
    log.erase("a")
    assert [events[0].session_id for events in log.sessions()] == ["b"]
    (stone,) = log.tombstones(STUDY)
    assert stone == Tombstone(session_hash("a"), STUDY, "aided", "person", "completed", False, 1_700_000_000_000)
    assert stone.is_completed


def test_an_erased_session_takes_no_more_events(log: Log) -> None:
    log.append([started("a")])
    log.erase("a")
    for late in (started("a"), moved("a", 1)):
        with pytest.raises(LogError, match="'a' was erased"):
            log.append([late])


def test_an_erased_session_cannot_be_read(log: Log) -> None:
    log.append([started("a")])
    log.erase("a")
    with pytest.raises(LogError, match="'a' was erased"):
        log.session("a")


def test_erasing_twice_changes_nothing(log: Log) -> None:
    log.append([started("a")])
    log.erase("a")
    log.erase("a")
    assert len(log.tombstones(STUDY)) == 1


def test_only_what_exists_can_be_erased(log: Log) -> None:
    with pytest.raises(LogError, match="no session 'a' to erase"):
        log.erase("a")


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (started("a\x00"), "NUL character"),
        (started("a", participant="k\x00im"), "NUL character"),
        (moved("a", 1, at_ms=2**63), "which is out of range"),
        (answered("a", 1, {"x": "\ud800"}), "not valid Unicode"),
    ],
)
def test_what_no_database_can_hold_is_refused(log: Log, event: Event, sentence: str) -> None:
    with pytest.raises(LogError, match=sentence):
        log.append([event])


def test_group_writing_tells_each_caller_its_own_outcome(log: Log) -> None:
    with GroupWriter(log) as writer:
        good = writer.submit([started("a"), moved("a", 1)])
        gap = writer.submit([moved("a", 5)])
        after = writer.submit([moved("a", 2), ended("a")])
    assert (good.result(), after.result()) == (2, 2)
    assert "expects number 2" in str(gap.exception())


def test_group_writing_serves_many_threads(log: Log) -> None:
    def take_part(name: str) -> None:
        writer.append([started(name)])
        for seq in range(1, 11):
            writer.append([moved(name, seq)])

    with GroupWriter(log) as writer, ThreadPoolExecutor(8) as pool:
        list(pool.map(take_part, [f"s{number}" for number in range(8)]))
    assert sorted(log.sessions(), key=str) == [
        (started(f"s{number}"), *moves(f"s{number}", 1, 10)) for number in range(8)
    ]


def test_group_writing_serves_coroutines(log: Log) -> None:
    async def take_part(name: str) -> int:
        return await asyncio.wrap_future(writer.submit([started(name), moved(name, 1)]))

    async def everybody() -> list[int]:
        return await asyncio.gather(*(take_part(f"s{number}") for number in range(20)))

    with GroupWriter(log) as writer:
        assert finished(everybody()) == [2] * 20


def test_a_closed_writer_has_written_what_it_was_given(log: Log) -> None:
    writer = GroupWriter(log)
    futures = [writer.submit([started(f"s{number}")]) for number in range(50)]
    writer.close()
    assert all(future.done() for future in futures)
    assert log.count_events() == 50


def test_a_closed_writer_takes_no_more(log: Log) -> None:
    writer = GroupWriter(log)
    writer.close()
    with pytest.raises(LogError, match="closed"):
        writer.submit([started("a")])


def test_a_cancelled_batch_spoils_no_other(log: Log) -> None:
    with GroupWriter(log) as writer:
        futures = [writer.submit([started(f"s{number}")]) for number in range(40)]
        cancelled = [future for future in futures[::2] if future.cancel()]
    kept = {summary.session_id for summary in log.summaries(STUDY)}
    assert kept == {f"s{number}" for number, future in enumerate(futures) if future not in cancelled}


def test_two_writers_share_one_log(log_place: str) -> None:
    def take_part(name: str) -> int:
        with open_log(log_place) as log, GroupWriter(log) as writer:
            writer.append([started(name)])
            return sum(writer.append([moved(name, seq)]) for seq in range(1, 31))

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(take_part, ["a", "b"])) == [30, 30]
    with open_log(log_place) as log:
        assert [len(events) for events in log.sessions()] == [31, 31]


@given(
    cuts=st.lists(st.integers(1, 5), min_size=1, max_size=6),
    data=st.data(),
)
@_per_example
def test_resends_in_any_order_neither_double_nor_lose(log: Log, cuts: list[int], data: st.DataObject) -> None:
    name = f"s{next(_numbers)}"
    log.append([started(name)])
    ends = list(itertools.accumulate(cuts))
    batches = [moves(name, end - cut + 1, end) for cut, end in zip(cuts, ends, strict=True)]
    for which in data.draw(st.lists(st.sampled_from(range(len(batches))), max_size=12)):
        before = log.last_seq(name, "page")
        if batches[which][0].seq <= before + 1:
            assert log.append(batches[which]) == max(0, batches[which][-1].seq - before)
        else:
            with pytest.raises(LogError, match=f"expects number {before + 1} "):
                log.append(batches[which])
    for batch in batches:
        log.append(batch)
    assert log.session(name) == (started(name), *moves(name, 1, ends[-1]))


@given(sizes=st.lists(st.integers(1, 8), min_size=1, max_size=12))
@_per_example
def test_readers_during_writes_see_whole_batches_only(log: Log, sizes: list[int]) -> None:
    name = f"s{next(_numbers)}"
    log.append([started(name)])
    ends = list(itertools.accumulate(sizes))
    story = (started(name), *moves(name, 1, ends[-1]))
    done = threading.Event()

    def write() -> None:
        with GroupWriter(log) as writer:
            for size, end in zip(sizes, ends, strict=True):
                writer.append(moves(name, end - size + 1, end))
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    seen = [log.session(name)]
    while not done.is_set():
        seen.append(log.session(name))
    thread.join()
    assert {len(events) - 1 for events in seen} <= {0, *ends}
    assert all(events == story[: len(events)] for events in seen)
