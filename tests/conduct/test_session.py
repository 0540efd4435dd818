"""The way through a session: gates, loops, times, orders, feedback, exclusions and pay."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.playing import CONFIDENCE, Player, page, quiz, rich_study, script_of, stage, study_of
from tests.small_studies import numbered_items, two_group_plain
from understudy.conduct import Ended, Script, Session
from understudy.errors import LogError
from understudy.schema import GateDecided, PaySettled, SessionEnded, SessionExcluded

PAY = {"base": 2.0, "bonuses": [{"measure": "n_right", "per_unit": 0.5, "at_most": 3.0}]}
N_RIGHT = {"name": "n_right", "measure": "correct", "summary": "sum"}
RIGHT = {"name": "correct", "measure": "correct"}


def gated(**gate: Any) -> Script:
    return script_of(study_of(page("method"), quiz(restudy=["method"], **gate), stage("predict"), pay={"base": 2.0}))


def paid(**more: Any) -> Script:
    return script_of(study_of(stage("predict"), measures=[RIGHT, N_RIGHT], pay=PAY, **more))


def wrong(player: Player) -> str:
    return "no" if player.right()["guess"] == "yes" else "yes"


def misses(player: Player) -> Player:
    while not isinstance(player.session.next, Ended):
        if "guess" in player.right():
            player.answer(guess=wrong(player))
        else:
            player.answer()
    return player


class TestConsentAndGates:
    def test_refused_consent_ends_the_session_as_declined_with_the_stops_reason(self) -> None:
        player = Player(gated())
        (ended, _) = player.answer(consent="I do not agree")
        assert isinstance(ended, SessionEnded)
        assert (ended.outcome, ended.reason, ended.block_id) == ("declined", "Did not agree to take part.", "consent")

    def test_nothing_comes_after_refused_consent(self) -> None:
        player = Player(gated())
        player.answer(consent="I do not agree")
        assert player.session.next == Ended("declined")

    def test_a_failed_test_brings_the_material_and_the_test_again(self) -> None:
        player = Player(gated(tries=2)).until("quiz")
        player.answer(quiz="that")
        player.finish()
        assert player.blocks()[:6] == ["consent", "method", "quiz", "method", "quiz", "predict"]

    def test_a_second_try_that_succeeds_lets_the_participant_on(self) -> None:
        player = Player(gated(tries=2)).until("quiz")
        player.answer(quiz="that")
        player.finish()
        decided = player.added(GateDecided)
        assert [(one.try_number, one.score, one.is_passed) for one in decided] == [(1, 0.0, False), (2, 1.0, True)]
        assert player.session.outcome == "completed"

    def test_failing_the_last_try_ends_the_session_with_the_promised_part_of_the_pay(self) -> None:
        player = Player(gated(tries=2, pay_share=0.25, reason="Try again another day.")).until("quiz")
        player.answer(quiz="that")
        player.answer()
        _, ended, settled = player.answer(quiz="that")
        assert isinstance(ended, SessionEnded)
        assert isinstance(settled, PaySettled)
        assert (ended.outcome, ended.reason) == ("screened_out", "Try again another day.")
        assert (settled.base, settled.bonus) == (0.5, 0.0)

    def test_unlimited_tries_go_on_until_the_test_is_passed(self) -> None:
        player = Player(gated(tries="unlimited")).until("quiz")
        for _ in range(25):
            player.until("quiz").answer(quiz="that")
        assert player.finish().session.outcome == "completed"
        assert player.added(GateDecided)[-1].try_number == 26

    def test_a_gate_may_let_those_who_fail_go_on(self) -> None:
        player = Player(gated(on_fail="go_on")).until("quiz")
        player.answer(quiz="that")
        assert player.step.visit.block.block_id == "predict"

    def test_only_material_of_the_own_condition_is_studied_again(self) -> None:
        own, other = page("own", when={"explanation": "shown"}), page("other", when={"explanation": "hidden"})
        script = script_of(study_of(own, other, quiz(tries=2, restudy=["own", "other"]), stage("predict")))
        player = Player(script, condition="shown").until("quiz")
        player.answer(quiz="that")
        assert player.finish().blocks()[:5] == ["consent", "own", "quiz", "own", "quiz"]

    def test_a_gate_can_ask_for_a_share_of_right_answers_over_many_trials(self) -> None:
        script = script_of(study_of(stage("predict", gate={"at_least": 0.5})))
        player = Player(script).until("predict")
        for k in range(12):
            made = player.answer(guess=wrong(player)) if k < 6 else player.answer()
        assert isinstance(made[0], GateDecided)
        assert (made[0].score, made[0].is_passed) == (0.5, True)


class TestLoopsAndBlocks:
    def test_a_loop_follows_the_participants_order(self) -> None:
        order = ("b", "c", "a")
        player = Player(script_of(rich_study()), orders={"model": order, "phase": ("pre", "post")}).finish()
        met = dict.fromkeys(step.visit.levels["model"] for step in player.steps if "model" in step.visit.levels)
        assert tuple(met) == order

    def test_a_loop_shows_only_the_levels_the_participant_was_dealt(self) -> None:
        player = Player(script_of(rich_study()), orders={"model": ("c",), "phase": ("pre", "post")}).finish()
        assert {step.visit.levels.get("model") for step in player.steps} == {None, "c"}

    @pytest.mark.parametrize(("condition", "expected"), [("shown", True), ("hidden", False)])
    def test_a_block_exists_only_where_its_levels_hold(self, condition: str, expected: bool) -> None:
        script = script_of(study_of(page("extra", when={"explanation": "shown"}), stage("predict")))
        assert ("extra" in Player(script, condition=condition).finish().blocks()) is expected

    def test_references_come_with_every_step_of_their_block(self) -> None:
        player = Player(script_of(rich_study())).finish()
        carried = {
            block: [r.block for r in step.references] for step in player.steps for block in [step.visit.block.block_id]
        }
        assert carried["pre"] == ["method"]
        assert carried["post"] == []

    def test_progress_never_goes_back_even_after_a_failed_gate(self) -> None:
        player = Player(script_of(rich_study())).until("quiz")
        player.answer(quiz="that")
        done = [step.progress for step in player.finish().steps]
        assert done == sorted(done)
        assert done[0] == 0
        assert 0.9 < done[-1] < 1

    def test_places_are_counted_anew_in_every_round_of_a_loop(self) -> None:
        rounds: dict[str, list[int]] = {}
        for step in Player(script_of(rich_study())).finish().steps:
            if step.visit.block.block_id == "pre":
                rounds.setdefault(step.visit.levels["model"], []).append(step.position)
        assert rounds == {model: [0, 1, 2, 3] for model in ("a", "b", "c")}


class TestEndsOfStages:
    def test_a_stage_ends_with_its_last_item(self) -> None:
        assert Player(script_of(study_of(stage("predict")))).finish().blocks().count("predict") == 12

    def test_a_stage_ends_when_its_time_is_over_and_the_trial_at_hand_is_answered(self) -> None:
        player = Player(script_of(study_of(stage("predict", minutes=1)))).finish(seconds=25)
        assert player.blocks().count("predict") == 3

    def test_time_counts_from_the_first_trial_of_the_stage(self) -> None:
        player = Player(script_of(study_of(page("read"), stage("predict", minutes=1)))).until("predict", seconds=500)
        player.answer(seconds=59)
        assert player.step.visit.block.block_id == "predict"

    def test_a_stage_repeats_exactly_the_items_met_before_in_another_order(self) -> None:
        player = Player(script_of(study_of(stage("pre"), stage("post", None, repeats="pre")))).finish()
        assert sorted(player.items("post")) == sorted(player.items("pre"))
        assert player.items("post") != player.items("pre")

    def test_items_that_time_cut_off_do_not_come_again(self) -> None:
        study = study_of(stage("pre", minutes=1), stage("post", None, repeats="pre", order="shared"))
        player = Player(script_of(study)).finish(seconds=25)
        assert len(player.items("pre")) == 3
        assert set(player.items("post")) == set(player.items("pre"))

    def test_a_repeat_inside_a_loop_keeps_to_its_own_turn(self) -> None:
        model = {"name": "model", "scope": "within", "levels": ["a", "b"]}
        blocks = [stage("pre", minutes=1), stage("post", None, repeats="pre")]
        loop = {"kind": "loop", "block_id": "models", "over": "model", "blocks": blocks}
        player = Player(script_of(study_of(loop, factors=[model]))).finish(seconds=25)
        pairs = [(str(s.visit.levels.get("model")), s.visit.block.block_id, s.trial.stimulus_id) for s in player.steps]
        for level in ("a", "b"):
            assert {i for m, b, i in pairs if (m, b) == (level, "pre")} == {i for m, b, i in pairs if (m, b) == (level, "post")}  # fmt: skip

    def test_a_repeat_after_a_loop_brings_what_all_its_turns_showed(self) -> None:
        model = {"name": "model", "scope": "within", "levels": ["a", "b"]}
        loop = {"kind": "loop", "block_id": "models", "over": "model", "blocks": [stage("pre", minutes=1)]}
        study = study_of(loop, stage("again", None, repeats="pre"), factors=[model])
        player = Player(script_of(study)).finish(seconds=25)
        assert set(player.items("again")) == set(player.items("pre"))


class TestOrders:
    def orders(self, order: str, **more: Any) -> list[list[str]]:
        script = script_of(study_of(stage("predict", order=order, **more)))
        return [Player(script, arrival=k, condition="shown").finish().items("predict") for k in range(4)]

    def test_shuffled_orders_differ_between_people(self) -> None:
        assert len({tuple(order) for order in self.orders("shuffled")}) == 4

    def test_a_shared_order_is_the_same_for_everybody_in_a_condition(self) -> None:
        assert len({tuple(order) for order in self.orders("shared")}) == 1

    def test_a_shared_order_differs_between_conditions(self) -> None:
        script = script_of(study_of(stage("predict", order="shared")))
        assert Player(script, condition="shown").finish().items("predict") != Player(script, condition="hidden").finish().items("predict")  # fmt: skip

    def test_a_given_order_is_that_of_the_set(self) -> None:
        script = script_of(study_of(stage("predict", order="given")))
        expected = [trial.stimulus_id for trial in script.trials.values() if trial.block_id == "predict"]
        assert Player(script, arrival=3).finish().items("predict") == expected

    def test_a_shared_order_does_not_depend_on_who_came_first(self) -> None:
        study = study_of(stage("pre", minutes=1), stage("post", None, repeats="pre", order="shared"))
        script = script_of(study)
        slow, fast = Player(script, arrival=0).finish(seconds=25), Player(script, arrival=1).finish()
        assert (len(slow.items("post")), len(fast.items("post"))) == (3, 12)
        assert fast.items("post") == Player(script_of(study), arrival=1).finish().items("post")

    def test_people_with_different_item_lists_meet_their_own_items_in_a_shared_order(self) -> None:
        model = {"name": "model", "scope": "within", "levels": ["a", "b"], "order": "fixed_order"}
        loop = {"kind": "loop", "block_id": "models", "over": "model", "blocks": [stage("predict", order="shared")]}
        sets = [{**two_group_plain()["item_sets"][0], "rotates_over": "model"}]
        script = script_of(study_of(loop, factors=[model], item_sets=sets))
        first, second = (Player(script, arrival=k, lists={"cases": k}).finish().items("predict") for k in range(2))
        assert len(set(first)) == len(set(second)) == 12
        assert set(first[:6]) == set(second[6:])

    @settings(max_examples=25, deadline=None)
    @given(seed=st.integers(0, 2**40), n_strata=st.sampled_from([2, 3, 4]))
    def test_every_prefix_of_a_balanced_order_is_level(self, seed: int, n_strata: int) -> None:
        script = balanced_script(n_strata)
        met: Counter[str] = Counter({str(k): 0 for k in range(n_strata)})
        for trial_id in (s.trial.trial_id for s in Player(script, seed=seed).finish().steps if s.trial.stimulus_id):
            met[str(script.strata[trial_id]["kind"])] += 1
            assert max(met.values()) - min(met.values()) <= 1
        assert met.total() == 12

    @pytest.mark.parametrize("n_items", [1, 2, 5, 10])
    def test_fewer_items_are_a_balanced_part_of_the_set(self, n_items: int) -> None:
        script = script_of(study_of(stage("predict", n_items=n_items)))
        player = Player(script).finish()
        answers = Counter(player.script.answers[s.trial.trial_id]["guess"] for s in player.steps if s.trial.stimulus_id)
        assert answers.total() == n_items
        assert abs(answers["yes"] - answers["no"]) <= 1


_BALANCED: dict[int, Script] = {}


def balanced_script(n_strata: int) -> Script:
    if n_strata not in _BALANCED:
        dataset = numbered_items(48, kind=[str(k) for k in range(n_strata)], answer=["yes", "no"])
        items = [{"name": "cases", "n_items": 12, "strata": ["kind"], "dataset": dataset}]
        _BALANCED[n_strata] = script_of(study_of(stage("predict", order="balanced"), item_sets=items))
    return _BALANCED[n_strata]


class TestFeedback:
    def test_feedback_per_trial_comes_with_the_next_step_and_goes_again(self) -> None:
        player = Player(script_of(study_of(stage("predict", feedback="per_trial", n_items=2)))).until("predict")
        right = player.right()
        player.answer()
        assert player.step.feedback == {"answers": right, "is_correct": True}
        player.answer(guess=wrong(player))
        assert player.step.feedback["is_correct"] is False
        assert player.step.visit.block.block_id == "debrief"

    def test_without_a_key_there_is_nothing_to_feed_back(self) -> None:
        asking = {"name": "judge", "params": {"questions": [CONFIDENCE]}}
        player = Player(script_of(study_of({**stage("rate", feedback="per_trial"), "task": asking}))).until("rate")
        player.answer()
        assert player.step.feedback == {}

    def test_feedback_after_a_stage_tells_the_share_only_at_its_end(self) -> None:
        player = Player(script_of(study_of(stage("predict", feedback="after_stage")))).until("predict")
        player.answer(guess=wrong(player))
        player.until("debrief")
        assert [step.feedback for step in player.steps] == [{}] * 13
        assert player.step.feedback == {"share_correct": pytest.approx(11 / 12), "n_judged": 12}

    @pytest.mark.parametrize("policy", ["none", "continuous"])
    def test_no_feedback_leaks_nothing(self, policy: str) -> None:
        player = Player(script_of(study_of(stage("predict", feedback=policy)))).finish()
        assert all(step.feedback == {} for step in player.steps)

    def test_a_feedback_screen_carries_the_values_of_its_measures(self) -> None:
        player = Player(script_of(rich_study())).until("results")
        assert player.step.feedback["measures"] == {"n_right": 24.0}


class TestExclusionsAndPay:
    def test_a_live_exclusion_ends_the_session_at_the_end_of_the_block(self) -> None:
        rule = {
            "exclusion_id": "poor",
            "applies": "live",
            "rule": "n_right < 4",
            "reason": "Too few.",
            "pay_share": 0.5,
        }
        player = misses(Player(paid(exclusions=[rule])))
        assert player.session.outcome == "excluded"
        assert [event.type for event in player.log[-3:]] == ["session_excluded", "session_ended", "pay_settled"]
        assert player.blocks()[-1] == "predict"
        assert player.log[-1].base == 1.0  # type: ignore[union-attr]

    def test_a_live_exclusion_waits_for_something_to_judge(self) -> None:
        rule = {"exclusion_id": "poor", "applies": "live", "rule": "n_right < 4", "reason": "Too few."}
        player = Player(paid(exclusions=[rule]))
        assert player.answer() == ()

    @pytest.mark.parametrize(("keeps", "bonus"), [(True, 1.5), (False, 0.0)])
    def test_an_exclusion_at_the_close_leaves_the_session_complete(self, keeps: bool, bonus: float) -> None:
        rule = {
            "exclusion_id": "late",
            "rule": "n_right < 4",
            "reason": "Too few.",
            "pay_share": 0.5,
            "keeps_bonus": keeps,
        }
        player = Player(paid(exclusions=[rule])).until("predict")
        for k in range(12):
            player.answer(guess=player.right()["guess"] if k < 3 else wrong(player))
        excluded, ended, settled = player.answer()
        assert isinstance(excluded, SessionExcluded)
        assert isinstance(ended, SessionEnded)
        assert isinstance(settled, PaySettled)
        assert (excluded.exclusion_id, ended.outcome, settled.base, settled.bonus) == ("late", "completed", 1.0, bonus)

    def test_the_first_rule_that_holds_is_the_one_that_excludes(self) -> None:
        rules = [{"exclusion_id": name, "rule": "n_right < 4", "reason": "Too few."} for name in ("first", "second")]
        player = misses(Player(paid(exclusions=rules)))
        assert [event.exclusion_id for event in player.added(SessionExcluded)] == ["first"]

    def test_a_bonus_grows_with_its_measure_up_to_its_cap(self) -> None:
        player = Player(paid()).until("predict")
        for _ in range(9):
            player.answer(guess=wrong(player))
        assert player.finish().added(PaySettled)[0].bonus == 1.5
        assert Player(paid()).finish().added(PaySettled)[0].bonus == 3.0

    def test_engine_events_are_numbered_without_a_gap(self) -> None:
        player = Player(script_of(rich_study())).until("quiz")
        player.answer(quiz="that")
        player.finish()
        assert [e.seq for e in player.log if e.stream == "engine"] == [1, 2, 3, 4, 5, 6]

    def test_a_session_of_another_version_is_refused(self) -> None:
        script, other = script_of(study_of(stage("predict"))), script_of(study_of(stage("predict"), seed=2))
        first = Player(other).log[0]
        assert first.type == "session_started"
        with pytest.raises(LogError, match="another version"):
            Session(script, first)

    def test_what_comes_after_a_withdrawal_changes_nothing(self) -> None:
        player = Player(paid()).until("predict")
        late = player.response()
        player.session.take(SessionEnded(session_id="s0", seq=2, at_ms=player.at_ms, outcome="withdrew"))
        assert player.session.take(late) == ()
        assert player.session.next == Ended("withdrew")
