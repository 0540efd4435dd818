"""A small simulation study: does LIME help people to predict a model of incomes? Everything comes with the package."""

from understudy.protocols.hase2020.sources import INCOME, classifier, lime
from understudy.protocols.hase2020.study import Scope, Simulated, simulation_study
from understudy.schema import Study


def simulatability_demo(*, quota: int = 20) -> Study:
    """Build the study: eight examples, eight new and eight edited cases, with LIME or without explanations."""
    return simulation_study(
        "simulatability-demo",
        "Does LIME help people to predict a model of incomes?",
        Simulated(
            problem=INCOME.problem,
            dataset=INCOME.dataset,
            model=classifier(INCOME.model),
            explainers={"lime": lime(INCOME.dataset)},
        ),
        Scope(n_items=8, n_examples=8, quota=quota, minutes=15, reward=3.0),
        seed=2020,
    )
