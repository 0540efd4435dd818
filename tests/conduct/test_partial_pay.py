"""People who are turned away are paid a share of the base pay, or an amount."""

import pytest
from pydantic import ValidationError

from tests.playing import Player, page, quiz, script_of, stage, study_of
from understudy.conduct.pay import pay_event
from understudy.report.study_sentences import flow_sentences
from understudy.schema import Bonus, Gate, Pay, PaySettled, SessionEnded, Stop

PAY = {"base": 4.5, "currency": "GBP"}
STOP = {"rule": "quiz == 'that'", "reason": "Took the other one.", "pay_amount": 1.0}


def paid(player: Player) -> list[float]:
    return [settled.base for settled in player.added(PaySettled)]


def test_a_failed_gate_pays_its_amount() -> None:
    player = Player(script_of(study_of(quiz(pay_amount=1.75), stage("predict"), pay=PAY))).until("quiz")
    player.answer(quiz="that")
    assert paid(player) == [1.75]


def test_a_stop_pays_its_amount() -> None:
    check = {**quiz(), "gate": None, "stops": [STOP]}
    player = Player(script_of(study_of(check, stage("predict"), pay=PAY))).until("quiz")
    player.answer(quiz="that")
    assert paid(player) == [1.0]


def test_an_amount_of_nothing_is_an_amount() -> None:
    player = Player(script_of(study_of(quiz(pay_amount=0), stage("predict"), pay=PAY))).until("quiz")
    player.answer(quiz="that")
    assert paid(player) == [0.0]


@pytest.mark.parametrize("rule", [Gate, Stop])
def test_a_share_and_an_amount_together_are_refused(rule: type[Gate] | type[Stop]) -> None:
    given = {"at_least": 1} if rule is Gate else {"rule": "x > 1", "reason": "Because."}
    with pytest.raises(ValidationError, match=r"pay_share is 0\.25 and pay_amount is 1\.5\. Give one"):
        rule.model_validate({**given, "pay_share": 0.25, "pay_amount": 1.5})


def test_the_preregistration_says_the_amount() -> None:
    sentences = flow_sentences(study_of(page("method"), quiz(pay_amount=1.75), stage("predict"), pay=PAY))
    assert any("screened out and paid 1.75 GBP" in sentence for sentence in sentences)


def test_a_score_below_zero_takes_nothing_from_the_base_pay() -> None:
    pay = Pay(base=2.0, bonuses=(Bonus(measure="gain", per_unit=0.1), Bonus(measure="speed", per_unit=0.1)))
    ended = SessionEnded(session_id="s", seq=1, at_ms=1, outcome="completed")
    settled = [pay_event(pay, ended, pay.base, {"gain": -3.0, "speed": speed}) for speed in (1.0, 5.0)]
    assert [(event.base, event.bonus) for event in settled] == [(2.0, 0.0), (2.0, 0.2)]


@pytest.mark.parametrize(("currency", "bonus"), [("USD", 12.34), ("JPY", 12.0)])
def test_a_currency_without_cents_is_paid_in_whole_amounts(currency: str, bonus: float) -> None:
    pay = Pay(currency=currency, base=250.0, bonuses=(Bonus(measure="n_right", per_unit=1.234),))
    ended = SessionEnded(session_id="s", seq=1, at_ms=1, outcome="completed")
    assert pay_event(pay, ended, pay.base, {"n_right": 10.0}).bonus == bonus
