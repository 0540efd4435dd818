"""A study in two parts, with a check that teaches and feedback in the practice."""

from tests.playing import page as reading
from tests.playing import quiz, stage
from tests.small_studies import consent, debrief, two_group_plain
from understudy.schema import Study

PREDICT = {"title": "Predict, now for real", "text": "From now on your answers count."}


def parted() -> Study:
    """Two parts, a check with three tries, and feedback in the practice."""
    slots = {"institution": "Institute of Testing", "ethics": "Approved as 2026-1", "contact": "lab@example.org"}
    agreeing = consent()
    agreeing["task"]["params"] |= slots
    flow = [
        agreeing,
        reading("method", part={"title": "What to do", "has_break": False}),
        quiz(tries=3, restudy=["method"], pay_share=0.25),
        stage("practice", n_items=2, purpose="practice", feedback="per_trial"),
        stage("predict", n_items=2, part=PREDICT),
        debrief(),
    ]
    pay = {"base": 2, "currency": "EUR", "expected_minutes": 6}
    return Study.model_validate(two_group_plain(flow=flow, name="parted", pay=pay))
