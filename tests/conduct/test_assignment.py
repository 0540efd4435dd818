"""Assignment under dropout and exclusion, for every policy there is."""

import heapq
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.small_studies import two_group_plain
from understudy.conduct import Ledger, Script, assign, visits_for
from understudy.prepare import prepare
from understudy.registry import names
from understudy.schema import Assignment, SessionEnded, SessionExcluded, SessionStarted, Study

N_ARRIVALS = 10_000
QUOTA = 900
CELLS = 6
POLICY_PARAMS: dict[str, dict[str, Any]] = {"then_target": {"target": "b-z", "after": 200}}


def crossed_study(policy: str, quota: int = QUOTA, **more: Any) -> Study:
    plain = two_group_plain()
    plain["factors"] = [
        {"name": "letter", "scope": "between", "levels": ["a", "b"]},
        {"name": "other", "scope": "between", "levels": ["x", "y", "z"]},
    ]
    plain["plan"] = {"outcomes": [{"name": "accuracy", "measure": "correct"}]}
    plain["assignment"] = {
        "policy": {"name": policy, "params": POLICY_PARAMS.get(policy, {})},
        "quota": quota,
        "release_after_min": 60,
    }
    return Study.model_validate({**plain, **more})


@dataclass
class Crowd:
    """People who arrive every ten seconds; some leave without a word, some are excluded at the close."""

    study: Study
    seed: int
    dropout: float = 0.3
    exclusion: float = 0.1
    ledger: Ledger = field(init=False)
    turned_away: int = 0
    most_over: int = -(10**9)
    """By how much the fullest cell exceeded its quota at its fullest; 0 is exactly full."""
    assignments: list[Assignment] = field(default_factory=list)
    kept: Counter[str] = field(default_factory=Counter)
    """Completed and not excluded, counted here and not by the ledger."""
    under_way: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.study)
        self.rng = np.random.default_rng(self.seed)
        self.finishing: list[tuple[int, str, str]] = []

    def run(self, n_arrivals: int) -> "Crowd":
        for arrival in range(n_arrivals):
            self._until(arrival * 10_000)
            self._arrive(arrival, arrival * 10_000)
        self._until(n_arrivals * 10_000 + 10**9)
        return self

    def _arrive(self, arrival: int, now_ms: int) -> None:
        assignment = assign(self.ledger, arrival)
        if assignment is None:
            self.turned_away += 1
            return
        self.assignments.append(assignment)
        session_id = f"s{arrival}"
        self.ledger.take(start(self.study, session_id, now_ms, assignment))
        self.under_way[session_id] = assignment.condition
        self._look()
        fate = "leaves" if self.rng.random() < self.dropout else "finishes"
        if fate == "finishes" and self.rng.random() < self.exclusion:
            fate = "is excluded"
        if fate != "leaves":
            heapq.heappush(self.finishing, (now_ms + int(self.rng.integers(60_000, 1_500_000)), session_id, fate))

    def _until(self, now_ms: int) -> None:
        while self.finishing and self.finishing[0][0] <= now_ms:
            at_ms, session_id, fate = heapq.heappop(self.finishing)
            self._release(at_ms)
            self.ledger.take(SessionEnded(session_id=session_id, seq=2, at_ms=at_ms, outcome="completed"))
            self.kept[self.under_way.pop(session_id)] += fate == "finishes"
            if fate == "is excluded":
                self.ledger.take(
                    SessionExcluded(session_id=session_id, seq=3, at_ms=at_ms, exclusion_id="rule", reason="A rule.")
                )
            self._look()
        self._release(now_ms)

    def _release(self, now_ms: int) -> None:
        for session_id in self.ledger.overdue(now_ms):
            self.ledger.take(SessionEnded(session_id=session_id, seq=2, at_ms=now_ms, outcome="abandoned"))
            del self.under_way[session_id]

    def _look(self) -> None:
        held = self.kept + Counter(self.under_way.values())
        self.most_over = max(self.most_over, *(n - self.study.assignment.quota for n in held.values()))


def start(study: Study, session_id: str, at_ms: int, assignment: Assignment) -> SessionStarted:
    return SessionStarted(
        session_id=session_id, seq=1, at_ms=at_ms, study_name=study.name, study_digest="d",
        participant_id=f"p-{session_id}", participant_kind="synthetic", assignment=assignment,
    )  # fmt: skip


@pytest.fixture(scope="module", params=names("designs"))
def crowd(request: pytest.FixtureRequest) -> Crowd:
    return Crowd(crossed_study(request.param), seed=7).run(N_ARRIVALS)


def test_every_cell_ends_within_one_of_its_quota(crowd: Crowd) -> None:
    assert all(abs(crowd.kept[cell.name] - QUOTA) <= 1 for cell in crowd.study.cells)
    assert crowd.kept == {place.condition: place.n_completed for place in crowd.ledger.places()}


def test_no_cell_is_ever_overfilled(crowd: Crowd) -> None:
    assert crowd.most_over == 0


def test_dropouts_and_excluded_people_are_replaced(crowd: Crowd) -> None:
    assert len(crowd.assignments) > 1.4 * CELLS * QUOTA


def test_the_same_seed_and_arrivals_give_the_same_assignments() -> None:
    study = crossed_study("balanced", quota=50)
    first, second = (Crowd(study, seed=3).run(600).assignments for _ in range(2))
    assert first == second


def test_balanced_cells_never_differ_by_more_than_one_while_nobody_leaves() -> None:
    ledger = Ledger(study := crossed_study("balanced"))
    for arrival in range(100):
        assignment = assign(ledger, arrival)
        assert assignment is not None
        ledger.take(start(study, f"s{arrival}", 0, assignment))
        held = [place.n_held for place in ledger.places()]
        assert max(held) - min(held) <= 1


def conditions_dealt(study: Study, n: int) -> list[str]:
    """Let n people arrive, all of whom stay."""
    ledger = Ledger(study)
    dealt = []
    for arrival in range(n):
        assignment = assign(ledger, arrival)
        assert assignment is not None
        ledger.take(start(study, f"s{arrival}", 0, assignment))
        dealt.append(assignment.condition)
    return dealt


def test_parity_deals_in_turn() -> None:
    study = crossed_study("parity")
    dealt = conditions_dealt(study, 12)
    assert dealt[:6] == dealt[6:] == [cell.name for cell in study.cells]


def test_each_permuted_block_holds_every_cell_equally_often() -> None:
    study = crossed_study("permuted_blocks")
    dealt = conditions_dealt(study, 48)
    blocks = [dealt[k : k + 12] for k in range(0, 48, 12)]
    assert all(sorted(block) == sorted(2 * [cell.name for cell in study.cells]) for block in blocks)


def test_then_target_sends_everyone_to_the_target_once_all_cells_are_served() -> None:
    conditions = [
        {"name": f"{a}-{b}", "levels": {"letter": a, "other": b}, "quota": 30 if (a, b) == ("b", "z") else 3}
        for a in "ab"
        for b in "xyz"
    ]
    study = crossed_study("then_target", conditions=conditions)
    study = study.model_copy(
        update={
            "assignment": study.assignment.model_copy(
                update={"policy": study.assignment.policy.model_copy(update={"params": {"target": "b-z", "after": 3}})}
            )
        }
    )
    crowd = Crowd(study, seed=1, dropout=0, exclusion=0).run(60)
    assert {assignment.condition for assignment in crowd.assignments[18:]} == {"b-z"}


def test_a_released_place_is_given_to_the_next_arrival() -> None:
    study = crossed_study("balanced", quota=1)
    ledger = Ledger(study)
    for arrival in range(6):
        assignment = assign(ledger, arrival)
        assert assignment is not None
        ledger.take(start(study, f"s{arrival}", 0, assignment))
    assert assign(ledger, 6) is None
    for session_id in ledger.overdue(61 * 60_000):
        ledger.take(SessionEnded(session_id=session_id, seq=2, at_ms=61 * 60_000, outcome="abandoned"))
    assert assign(ledger, 7) is not None


def test_silence_counts_from_the_last_sign_of_life_of_each_session() -> None:
    ledger = Ledger(study := crossed_study("balanced", quota=2))
    for arrival, name in enumerate(("silent", "busy")):
        assignment = assign(ledger, arrival)
        assert assignment is not None
        ledger.take(start(study, name, 0, assignment))
    assert ledger.overdue(59 * 60_000) == ()
    ledger.hear("busy", 30 * 60_000)
    assert ledger.overdue(61 * 60_000) == ("silent",)
    assert ledger.overdue(62 * 60_000) == ("silent",)
    assert set(ledger.overdue(91 * 60_000)) == {"silent", "busy"}


def test_a_late_exclusion_reopens_the_place() -> None:
    crowd = Crowd(study := crossed_study("balanced", quota=1), seed=1, dropout=0, exclusion=0).run(6)
    assert crowd.ledger.is_full
    crowd.ledger.take(SessionExcluded(session_id="s3", seq=3, at_ms=0, exclusion_id="by_hand", reason="Asked to."))
    assert sum(place.has_room for place in crowd.ledger.places()) == 1
    assert study.assignment.quota == 1


def test_the_ledger_knows_a_returning_person() -> None:
    ledger = Ledger(study := crossed_study("balanced"))
    assignment = assign(ledger, 0)
    assert assignment is not None
    ledger.take(start(study, "s0", 0, assignment))
    ledger.take(SessionEnded(session_id="s0", seq=2, at_ms=1, outcome="completed"))
    assert ledger.session_of("p-s0") == "s0"
    assert not ledger.is_active("s0")


def test_latin_square_orders_are_held_equally_often_by_those_who_finish() -> None:
    factors = [{"name": "model", "scope": "within", "levels": list("abcd"), "order": "latin_square"}]
    flow = two_group_plain()["flow"]
    loop = {"kind": "loop", "block_id": "loop", "over": "model", "blocks": [flow[1]]}
    study = crossed_study("balanced", quota=40, factors=factors, flow=[flow[0], loop])
    crowd = Crowd(study, seed=5).run(400)
    held = crowd.ledger.held_orders("all", "model")
    assert len([order for order, n in held.items() if n]) == 4
    assert max(held.values()) - min(n for n in held.values() if n) <= 3


def test_rotating_items_are_met_once_by_each_person_and_under_each_level_equally_often() -> None:
    plain = two_group_plain()
    factors = [{"name": "model", "scope": "within", "levels": list("abc"), "order": "latin_square"}]
    loop = {"kind": "loop", "block_id": "loop", "over": "model", "blocks": [plain["flow"][1]]}
    sets = [{**plain["item_sets"][0], "rotates_over": "model"}]
    study = crossed_study("balanced", quota=30, factors=factors, flow=[plain["flow"][0], loop], item_sets=sets)
    prepared = prepare(study, Path())
    script = Script(study, prepared.materials, prepared.key)
    met: Counter[tuple[str, str]] = Counter()
    for assignment in Crowd(study, seed=2, dropout=0, exclusion=0).run(30).assignments:
        mine = [
            (visit.levels["model"], str(script.trials[trial_id].stimulus_id))
            for visit in visits_for(study.flow, assignment)
            if visit.block.block_id == "predict"
            for trial_id in script.trial_ids(visit, assignment, {})
        ]
        assert len({item for _, item in mine}) == len(mine) == 12
        met.update(mine)
    assert set(met.values()) == {10}
