"""Hase and Bansal (2020) with our models and explainers: five methods and a control arm, tabular and text.

By default the studies use generated cases and the classifiers in the package. With `data="paper"` they use the paper's
cases from the data folder, under different study names.
"""

from typing import Literal

from understudy.protocols.hase2020.sources import (
    ADULT,
    INCOME,
    POLARITY,
    REVIEWS,
    Data,
    Source,
    classifier,
    five_explainers,
    with_prototypes,
)
from understudy.protocols.hase2020.study import Scope, Simulated, simulation_study
from understudy.schema import Study

_PER_HOUR = 15.0
"""US dollars, as the paper paid."""


def hase2020_tabular(*, data: Data = "generated", n_items: int = 32, n_examples: int = 16, quota: int = 20) -> Study:
    """Build the study with tables: generated people, or census records; 16 cases in each test are the short form."""
    return _study(
        "hase2020-tabular" if data == "generated" else "hase2020-tabular-adult",
        "tabular",
        INCOME if data == "generated" else ADULT,
        _scope(n_items, n_examples, quota),
    )


def hase2020_text(*, data: Data = "generated", n_items: int = 32, n_examples: int = 16, quota: int = 20) -> Study:
    """Build the study with sentences: generated ones, or film reviews; 16 cases in each test are the short form."""
    return _study(
        "hase2020-text" if data == "generated" else "hase2020-text-polarity",
        "text",
        REVIEWS if data == "generated" else POLARITY,
        # Generated sentences are half as long as film reviews.
        _scope(n_items, n_examples, quota, minutes=55 if data == "generated" else 60),
    )


def _scope(n_items: int, n_examples: int, quota: int, minutes: int = 60) -> Scope:
    return Scope(n_items, n_examples, quota, minutes=minutes, reward=_PER_HOUR * minutes / 60)


def _study(name: str, domain: Literal["text", "tabular"], source: Source, scope: Scope) -> Study:
    return simulation_study(
        name,
        f"Forward and counterfactual simulation of a {domain} model, five methods and a control (after Hase and Bansal, 2020)",
        Simulated(
            problem=source.problem,
            dataset=source.dataset,
            model=classifier(source.model),
            explainers=five_explainers(source),
            also_model=with_prototypes(source.prototypes),
            domain=domain,
        ),
        scope,
        seed=2020,
    )
