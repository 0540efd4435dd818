"""What annotators read and in which order, what they said, and what follows from it, on every kind of log."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.coded_people import JUDGEMENT, coded_run, coded_study
from understudy.actions.run_folder import Run
from understudy.conduct.coding import queue_for
from understudy.conduct.coding_room import Author, CodingRoom, Given, SchemeState, given_event
from understudy.estimate.participant_flow import participant_flow
from understudy.estimate.tables import frames_from_sessions
from understudy.record import Log
from understudy.schema import CodesSettled
from understudy.schema.annotation import BookEntry

pytest_plugins = ["tests.log_places"]

TEXTS = ["The model liked high incomes.", "I had lunch.", "It used savings.", "=cmd", "Who knows.", "Savings again."]


class Desk:
    """Annotators and a researcher at one log."""

    def __init__(self, run: Run, log: Log) -> None:
        self.run, self.log = run, log
        self.room = CodingRoom(log, run.script)
        self.scheme = run.script.study.annotation[0]

    @property
    def state(self) -> SchemeState:
        return self.room.state(self.scheme)

    def unit_id(self, text: str) -> str:
        return next(unit.unit_id for unit in self.state.units if unit.texts[0].text == text)

    def give(self, annotator: str, text: str, *codes: str | None) -> None:
        state = self.state
        unit = state.unit(self.unit_id(text))
        assert unit is not None
        said = None if None in codes else tuple(code for code in codes if code is not None)
        make = given_event(state, unit, Author(annotator, is_blind=True), Given(said))
        self.log.append([make(self.log.last_seq(unit.session_id, "desk") + 1, 5)])

    def settle(self, text: str, code: str) -> None:
        unit = self.state.unit(self.unit_id(text))
        assert unit is not None
        seq = self.log.last_seq(unit.session_id, "desk") + 1
        made = CodesSettled(
            session_id=unit.session_id, seq=seq, at_ms=9, scheme_id="judgement", unit_id=unit.unit_id, actor="ada",
            codes=(code,), reason="Talked it over.",
        )  # fmt: skip
        self.log.append([made])

    def excluded(self) -> list[str]:
        """The texts of people whom the plan leaves out."""
        table = frames_from_sessions(self.run.script, self.log.sessions()).sessions
        out = set(table[table["excluded_by"] == "misunderstood"]["session"])
        return [unit.texts[0].text for unit in self.state.units if unit.session_id in out]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """People who wrote the texts, played once for all logs."""
    return coded_run(tmp_path_factory.mktemp("run"), TEXTS)


@pytest.fixture
def desk(written: Run, log: Log) -> Desk:
    with written.open_log() as stored:
        log.append([event for events in stored.sessions() for event in events])
    return Desk(written, log)


def order_of(desk: Desk, name: str) -> list[str]:
    return [unit.texts[0].text for unit in desk.state.queue(name)]


def test_annotators_read_the_same_texts_in_orders_of_their_own(desk: Desk) -> None:
    orders = [order_of(desk, name) for name in ("ann", "bob")]
    assert (sorted(orders[0]), sorted(orders[1])) == (sorted(TEXTS), sorted(TEXTS))
    assert orders[0] != orders[1]
    assert order_of(desk, "ann") == orders[0]


def test_a_text_with_all_its_annotators_leaves_the_queues_of_others(desk: Desk) -> None:
    for name in ("ann", "bob"):
        desk.give(name, "I had lunch.", "exclude")
    assert "I had lunch." not in order_of(desk, "cat")
    assert "I had lunch." in order_of(desk, "ann")


def test_the_mark_of_a_text_tells_neither_session_nor_condition(desk: Desk) -> None:
    unit = desk.state.units[0]
    assert unit.session_id not in unit.unit_id
    assert len(unit.unit_id) == 20


def test_a_later_word_replaces_an_earlier_one_and_both_stay_in_the_log(desk: Desk) -> None:
    desk.give("ann", "Who knows.", "include")
    desk.give("ann", "Who knows.", "unsure")
    said = desk.state.codes[desk.unit_id("Who knows.")]
    stored = [event.revision for events in desk.log.sessions() for event in events if event.type == "codes_given"]
    assert (said.given["ann"].codes, stored) == (("unsure",), [1, 2])


def test_taking_codes_back_puts_the_text_into_the_queue_again(desk: Desk) -> None:
    desk.give("ann", "Who knows.", "include")
    before = desk.state.n_left("ann")
    desk.give("ann", "Who knows.", None)
    assert (before, desk.state.n_left("ann"), desk.state.progress) == (5, 6, {})


def test_the_exclusion_of_the_plan_follows_agreement_and_decisions(desk: Desk) -> None:
    for name, codes in {
        "ann": ("include", "exclude", "include", "unsure"),
        "bob": ("include", "unsure", "exclude", "include"),
    }.items():
        for text, code in zip(TEXTS, codes, strict=False):
            desk.give(name, text, code)
    agreed = desk.excluded()
    desk.settle("It used savings.", "exclude")
    desk.settle("=cmd", "include")
    # unsure and exclude say the same about whom to leave out, and what waits for a decision leaves out nobody.
    assert (agreed, desk.excluded()) == (["I had lunch."], ["I had lunch.", "It used savings."])


def test_an_annotator_who_changes_their_mind_reopens_a_decision(desk: Desk) -> None:
    for name, code in {"ann": "include", "bob": "exclude"}.items():
        desk.give(name, "Who knows.", code)
    desk.settle("Who knows.", "exclude")
    n_open = [desk.state.n_open_disputes]
    desk.give("bob", "Who knows.", "unsure")
    assert [*n_open, desk.state.n_open_disputes] == [0, 1]


def test_the_flow_names_people_left_out_by_their_texts(desk: Desk) -> None:
    for name in ("ann", "bob"):
        desk.give(name, "I had lunch.", "exclude")
    frames = frames_from_sessions(desk.run.script, desk.log.sessions())
    step = participant_flow(desk.run.script.study, frames.sessions).steps[-1]
    assert (step.label, step.n_left, step.n_remaining) == ("Excluded: misunderstood", 1, 5)


def test_an_erased_person_takes_texts_and_codes_along(desk: Desk) -> None:
    desk.give("ann", "Who knows.", "include")
    session = next(unit.session_id for unit in desk.state.units if unit.texts[0].text == "Who knows.")
    desk.log.erase(session)
    assert (len(desk.state.units), desk.state.codes) == (5, {})


def test_labels_become_codes_and_closed_coding_begins(tmp_path: Path) -> None:
    open_scheme = {**JUDGEMENT, "begins": "open", "choose": "several", "codes": [], "groups": {}}
    study = coded_study(open_scheme, measures=[{"name": "correct", "measure": "correct"}], exclusions=[])
    run = coded_run(tmp_path, TEXTS, study)
    with run.open_log() as log:
        desk = Desk(run, log)
        desk.give("ann", "It used savings.", "money in the bank")
        desk.give("bob", "It used savings.", "savings", "guess")
        changes: Sequence[dict[str, Any]] = (
            {"change": "label_renamed", "merged": ("money in the bank",), "label": "bank"},
            {
                "change": "labels_merged",
                "code_id": "savings",
                "definition": "Names savings.",
                "merged": ("bank", "savings"),
            },
            {"change": "closed_coding_began"},
        )
        for number, change in enumerate(changes, start=1):
            entry = {
                "study_name": run.script.study.name,
                "seq": number,
                "at_ms": 0,
                "actor": "ada",
                "scheme_id": "judgement",
            }
            log.enter_book_change(BookEntry.model_validate(entry | change))
        state = desk.state
    assert ([code.code_id for code in state.book.codes], state.book.phase) == (["savings"], "closed")
    assert (dict(state.book.merged), state.codes) == ({"bank": "savings", "savings": "savings"}, {})


def test_a_share_of_texts_overlaps_and_the_rest_get_one_annotator(tmp_path: Path) -> None:
    study = coded_study({**JUDGEMENT, "overlap": 0.3}, assignment={"quota": 100})
    run = coded_run(tmp_path, [f"Text {k}" for k in range(120)], study)
    with run.open_log() as log:
        units = CodingRoom(log, run.script).state(study.annotation[0]).units
    n_double = sum(unit.n_wanted == 2 for unit in units)
    assert 20 < n_double < 54
    assert len(queue_for("ann", units, {}, seed=1)) == 120
