"""Everybody is paid once: what is due follows from the log and from what the platform says, whatever breaks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fake_prolific import FakeProlific, Faults
from tests.fake_prolific.faults import Fault
from tests.paid_people import Hands, Life, Person, book_of, code_of, crowd, desk_of, published, unequal
from tests.paid_studies import paid_study
from understudy.actions.pay import Paid, Survey, hourly_pay, hourly_sentences, pay, survey
from understudy.check.advice import planned_pay_sentences
from understudy.conduct.pay import PATIENCE_MS
from understudy.errors import LogError, RecruiterError
from understudy.record import Log, open_log
from understudy.recruiters.platform import BonusOrder
from understudy.recruiters.prolific import Prolific
from understudy.recruiters.prolific_api import TRIES


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with open_log(tmp_path / "events.sqlite") as opened:
        yield opened


def paid_round(log: Log, fake: FakeProlific, study_id: str, clock: Hands) -> tuple[Survey, Paid, Survey]:
    """Run the command once: look, pay, look again."""
    book, desk = book_of(log, clock), desk_of(fake, study_id)
    before = survey(book, desk)
    done = pay(book, desk, before)
    return before, done, survey(book, desk)


def lived(log: Log, fake: FakeProlific, *people: Person) -> str:
    study_id = published(fake)
    for person in people:
        log.append(person.events())
        person.live(fake, study_id)
        person.give_back(fake)
    return study_id


@pytest.mark.parametrize(
    ("life", "cents"),
    [
        ("completed", 237), ("excluded", 200), ("screened_out", 40), ("declined", 0), ("withdrew", 0), ("returned", 0),
        ("timed_out", 0), ("late", 237), ("returned_late", 237),
    ],
)  # fmt: skip
def test_each_person_gets_what_the_log_says_by_the_way_that_is_left(log: Log, life: Life, cents: int) -> None:
    fake, person = FakeProlific(), Person("ann", life, bonus=0.37)
    _, _, after = paid_round(log, fake, lived(log, fake, person), Hands())
    assert fake.paid_cents("sub-ann") == cents
    assert (after.due_cents, after.open_cents, unequal([person], fake, log)) == (0, 0, [])


def test_a_second_round_pays_nobody_again(log: Log) -> None:
    fake, people = FakeProlific(), crowd(12, seed=3)
    study_id = lived(log, fake, *people)
    paid_round(log, fake, study_id, Hands())
    first = list(fake.payments)
    before, done, _ = paid_round(log, fake, study_id, Hands())
    assert (before.due_cents, done.n_approved, done.n_bonuses, fake.payments) == (0, 0, 0, first)


def test_people_who_are_asked_to_return_are_paid_once_they_did(log: Log) -> None:
    fake, person = FakeProlific(), Person("ann", "screened_out")
    study_id = published(fake)
    log.append(person.events())
    person.live(fake, study_id)
    before, _, _ = paid_round(log, fake, study_id, Hands())
    assert before.people[0].dues.note == "waits until the submission is returned; then 0.40 is paid as a bonus"
    assert fake.payments == []
    person.give_back(fake)
    paid_round(log, fake, study_id, Hands())
    assert [payment.cents for payment in fake.payments] == [40]


@pytest.mark.parametrize("fault", ["too_many", "lost_before", "lost_after", "failed_before", "failed_after"])
@pytest.mark.parametrize("path", ["/pay/", "bonus-payments", "transition", "/submissions/sub-ann"])
def test_one_fault_anywhere_neither_pays_twice_nor_forgets(log: Log, fault: Fault, path: str) -> None:
    fake, clock, person = FakeProlific(), Hands(), Person("ann", "completed", bonus=0.37)
    study_id = lived(log, fake, person)
    fake.faults = Faults.once(fault, path)
    paid_round(log, fake, study_id, clock)
    clock.ms += PATIENCE_MS + 1
    paid_round(log, fake, study_id, clock)
    assert unequal([person], fake, log) == []
    assert len(fake.payments) == 2


def test_a_bonus_without_an_answer_is_not_ordered_again_while_it_may_be_on_its_way(log: Log) -> None:
    fake, clock, person = (
        FakeProlific(faults=Faults.once("lost_after", "/pay/"), delay=1000),
        Hands(),
        Person("ann", "late", bonus=0.37),
    )
    study_id = lived(log, fake, person)
    _, done, after = paid_round(log, fake, study_id, clock)
    assert (len(done.faults), after.open_cents, after.due_cents) == (1, 237, 0)
    assert "Nothing is ordered again" in done.faults[0]
    clock.ms += PATIENCE_MS - 1
    assert paid_round(log, fake, study_id, clock)[0].due_cents == 0
    fake.settle()
    paid_round(log, fake, study_id, clock)
    assert unequal([person], fake, log) == []


def test_a_bonus_that_is_held_back_for_days_is_paid_once(log: Log) -> None:
    fake, clock, person = FakeProlific(delay=1000), Hands(), Person("ann", "late", bonus=0.37)
    study_id = lived(log, fake, person)
    paid_round(log, fake, study_id, clock)
    clock.ms += 3 * PATIENCE_MS
    before, done, _ = paid_round(log, fake, study_id, clock)
    fake.settle()
    _, _, after = paid_round(log, fake, study_id, clock)
    assert (before.due_cents, before.open_cents, done.n_bonuses) == (0, 237, 0)
    assert (after.paid_cents, after.open_cents, len(fake.payments)) == (237, 0, 1)
    assert unequal([person], fake, log) == []


def test_a_page_of_somebody_in_between_is_not_an_acceptance(log: Log) -> None:
    fake, clock = FakeProlific(faults=Faults.once("page_before", "/pay/")), Hands()
    study_id = lived(log, fake, Person("ann", "completed", bonus=0.37))
    _, done, _ = paid_round(log, fake, study_id, clock)
    clock.ms += PATIENCE_MS + 1
    paid_round(log, fake, study_id, clock)
    assert "it may have done what it was asked" in done.faults[0]
    assert fake.paid_cents("sub-ann") == 237


def test_money_that_somebody_paid_at_the_platform_is_found_and_not_paid_again(log: Log) -> None:
    fake, person = FakeProlific(), Person("ann", "completed", bonus=0.37)
    study_id = lived(log, fake, person)
    desk = desk_of(fake, study_id)
    desk.approve("sub-ann")
    desk.pay_bonuses(batch := desk.prepare_bonuses([BonusOrder("sub-ann", 37, "by hand")]), [])
    before, _, _ = paid_round(log, fake, study_id, Hands())
    assert (batch, before.due_cents, before.paid_cents) == ("batch0", 0, 237)
    assert unequal([person], fake, log) == []


def test_somebody_approved_while_the_question_is_on_the_screen_is_not_approved_again(log: Log) -> None:
    fake, person = FakeProlific(), Person("ann", "completed", bonus=0.37)
    study_id = lived(log, fake, person)
    book, desk = book_of(log, Hands()), desk_of(fake, study_id)
    before = survey(book, desk)
    desk.approve("sub-ann")
    assert pay(book, desk, before) == Paid(0, 0, ())
    paid_round(log, fake, study_id, Hands())
    assert unequal([person], fake, log) == []


def test_two_programs_cannot_pay_the_same_person(log: Log) -> None:
    fake, person = FakeProlific(), Person("ann", "completed", bonus=0.37)
    study_id = lived(log, fake, person)
    first, second, desk = book_of(log, Hands()), book_of(log, Hands()), desk_of(fake, study_id)
    known = survey(second, desk)
    survey(first, desk)
    pay(first, desk, known)
    paid = list(fake.payments)
    with pytest.raises(LogError, match="Another program"):
        pay(second, desk, survey(second, desk))
    assert fake.payments == paid


def test_rejected_and_unknown_people_are_named_and_not_paid(log: Log) -> None:
    fake, people = FakeProlific(), [Person("ann", "completed"), Person("bob", "completed")]
    study_id = published(fake)
    for person in people:
        log.append(person.events())
    people[0].live(fake, study_id)
    fake.leave("sub-ann", "REJECTED")
    before, done, _ = paid_round(log, fake, study_id, Hands())
    assert [person.dues.note for person in before.people] == ["was rejected", "is not known to the recruiter"]
    assert (done, fake.payments) == (Paid(0, 0, ()), [])


def test_somebody_with_an_unknown_status_is_not_paid_and_everybody_else_is(log: Log) -> None:
    fake, people = FakeProlific(), [Person(name, "completed") for name in ("ann", "bob", "cy")]
    study_id = lived(log, fake, *people)
    fake.leave("sub-bob", "UNKNOWN")
    before, _, _ = paid_round(log, fake, study_id, Hands())
    assert "status that understudy does not know" in before.people[1].dues.note
    assert [fake.paid_cents(person.submission_id) for person in people] == [200, 0, 200]


def test_a_submission_that_cannot_be_looked_up_holds_nobody_else_up(log: Log) -> None:
    fake, people = FakeProlific(), [Person(name, "completed", 0.1) for name in ("ann", "bob", "cy")]
    study_id = lived(log, fake, *people)
    fake.faults = Faults(lambda _, path: "failed_before" if "sub-bob" in path else "none")
    before, done, _ = paid_round(log, fake, study_id, Hands())
    assert "could not be looked up: Prolific failed with status 500" in before.people[1].dues.note
    assert (done, fake.paid_cents("sub-bob")) == (Paid(2, 2, ()), 0)
    fake.faults = Faults()
    paid_round(log, fake, study_id, Hands())
    assert unequal(people, fake, log) == []


def test_a_submission_lost_after_the_survey_holds_nobody_else_up(log: Log) -> None:
    fake, people = FakeProlific(), [Person(name, "completed", 0.1) for name in ("ann", "bob", "cy")]
    study_id = lived(log, fake, *people)
    book, desk = book_of(log, Hands()), desk_of(fake, study_id)
    known = survey(book, desk)
    fake.faults = Faults(lambda _, path: "failed_before" if "sub-bob" in path else "none")
    done = pay(book, desk, known)
    assert (done.n_approved, done.n_bonuses, len(done.faults)) == (2, 2, 2)


def test_a_bonus_that_the_platform_rejects_holds_no_other_up(log: Log) -> None:
    fake, people = FakeProlific(), [Person(f"p{number}", "completed", 0.1) for number in range(9)]
    study_id = lived(log, fake, *people)
    fake.without_bonus = {"sub-p3"}
    _, done, _ = paid_round(log, fake, study_id, Hands())
    assert (done.n_bonuses, [fake.paid_cents(person.submission_id) for person in people].count(210)) == (8, 8)
    assert ["did not take part: sub-p3" in fault for fault in done.faults] == [True]


def test_a_platform_that_is_down_is_asked_about_three_people_only(log: Log) -> None:
    fake = FakeProlific()
    study_id = lived(log, fake, *(Person(f"p{number}", "completed") for number in range(9)))
    fake.faults = Faults(lambda _, path: "failed_before" if "sub-" in path else "none")
    with pytest.raises(RecruiterError, match="status 500"):
        survey(book_of(log, Hands()), desk_of(fake, study_id))
    assert len([fault for fault in fake.faults.met if fault != "none"]) == 3 * TRIES


@pytest.mark.parametrize(("approval", "note"), [("by_hand", "owed nothing"), ("automatic", "2.00 more than owed")])
def test_money_of_a_second_submission_counts(log: Log, approval: Any, note: str) -> None:
    fake, person = FakeProlific(), Person("ann", "late", 0.25)
    study_id = published(fake, prolific=Prolific(approval=approval))
    log.append(person.events())
    person.live(fake, study_id)
    paid_round(log, fake, study_id, Hands())
    # They came a second time, were led to the end of the session that they have, and entered its code.
    fake.submissions["sub-ann-1"] = fake.submissions.pop("sub-ann") | {"id": "sub-ann-1"}
    fake.payments = [payment._replace(submission_id="sub-ann-1") for payment in fake.payments]
    fake.enter(study_id, "ann")
    fake.come_back("sub-ann", code_of("completed"))
    before, done, after = paid_round(log, fake, study_id, Hands())
    assert note in before.people[0].dues.note
    assert (done, after.strangers, fake.paid_cents("sub-ann-1")) == (Paid(0, 0, ()), (), 225)


def test_fixed_screen_out_rewards_count_as_paid(log: Log) -> None:
    fake, person = FakeProlific(), Person("ann", "screened_out")
    study_id = lived(log, fake, person)
    fake.leave("sub-ann", "SCREENED OUT")
    known = survey(book_of(log, Hands()), desk_of(fake, study_id, fixed_cents=40))
    assert (known.paid_cents, known.due_cents) == (40, 0)


def test_simulated_people_are_owed_nothing(log: Log) -> None:
    events = Person("ann", "completed").events()
    log.append([events[0].model_copy(update={"participant_kind": "synthetic"}), *events[1:]])
    assert book_of(log, Hands()).owed() == ()


def test_the_ledger_keeps_what_was_paid_when_a_session_is_erased(log: Log) -> None:
    fake, person = FakeProlific(), Person("ann", "completed", bonus=0.37)
    study_id = lived(log, fake, person)
    paid_round(log, fake, study_id, Hands())
    log.erase("session-ann")
    kept = log.payments("two-groups")
    assert sum(entry.cents for entry in kept if entry.step == "confirmed") == 237
    assert not any("ann" in entry.model_dump_json() for entry in kept)


def test_a_condition_that_pays_less_than_the_study_states_is_named(log: Log) -> None:
    slow = [Person(f"{number}0", "completed", minutes=30) for number in range(4)]
    quick = [Person(f"{number}1", "completed", minutes=10) for number in range(4)]
    for person in (*slow, *quick):
        log.append(person.events())
    book = book_of(log, Hands())
    rows = hourly_pay(book.owed())
    told = hourly_sentences(book.study, book.owed())
    assert sum(row.n for row in rows) == 8
    assert len(told) == sum(row.per_hour < 9 for row in rows) > 0
    # Before the last look, nothing may tell conditions apart.
    assert [row.condition for row in hourly_pay(book.owed(), is_blind=True)] == ["all conditions"]


@pytest.mark.parametrize(("base", "n_sentences"), [(1.49, 1), (1.50, 0)])
def test_a_plan_that_pays_less_than_it_states_is_warned_about(base: float, n_sentences: int) -> None:
    study = paid_study(pay={"currency": "GBP", "base": base, "expected_minutes": 10})
    assert len(planned_pay_sentences(study)) == n_sentences


def test_many_faults_and_many_rounds_end_with_everybody_paid_once(log: Log) -> None:
    fake, clock, people = FakeProlific(delay=7), Hands(), crowd(40, seed=8)
    study_id = lived(log, fake, *people)
    fake.faults = Faults.random(5, 0.05)
    for _ in range(6):
        paid_round(log, fake, study_id, clock)
        clock.ms += PATIENCE_MS + 1
    fake.faults = Faults()
    fake.settle()
    _, _, after = paid_round(log, fake, study_id, clock)
    assert (unequal(people, fake, log), after.due_cents, after.open_cents) == ([], 0, 0)
