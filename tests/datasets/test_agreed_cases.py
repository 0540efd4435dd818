"""Cases are drawn about which all models say the same."""

import numpy as np

from understudy.datasets import AgreedCases
from understudy.models import TrainedClassifier, TrainedPrototypes
from understudy.schema import Ref

MODELS = (
    Ref(name="trained_classifier", params={"name": "income-mlp"}),
    Ref(name="trained_prototypes", params={"name": "income-prototypes"}),
)
CASES = AgreedCases(source=Ref(name="income_cases"), models=MODELS)


def test_both_models_say_the_same_about_every_case() -> None:
    drawn = CASES.draw(100, np.random.default_rng(1))
    assert drawn.inputs is not None
    said = [
        one.predict(drawn.inputs).argmax(axis=1)
        for one in (TrainedClassifier(name="income-mlp"), TrainedPrototypes(name="income-prototypes"))
    ]
    assert len(said[0]) == 100
    assert (said[0] == said[1]).all()


def test_where_too_few_agree_all_that_do_are_drawn() -> None:
    whole, part = (CASES.draw(n, np.random.default_rng(1)) for n in (5000, 50))
    assert 600 < len(whole.contents) < 800
    assert list(part.contents) == list(whole.contents)[:50]
