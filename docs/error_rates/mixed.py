"""Simulated studies for mixed models, in which people and items truly differ in the effect."""

from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from error_rates.row import Row, Simulated
from understudy.statistics.mixed_categories import fit_category_mixed
from understudy.statistics.mixed_linear import fit_linear_mixed, lmm_t_test
from understudy.statistics.mixed_terms import Effect, Group, MixedFit, Simplified, maximal_group, simplified_fit

N_PEOPLE, N_ITEMS = 60, 20
MODELS, FACTORS = ("linear", "logistic", "ordinal"), ("within", "between", "item")
EFFECTS = {"linear": 0.5, "logistic": 0.6, "ordinal": 0.6}
SEEDS = {model: 16_000_000 + 1_000_000 * number for number, model in enumerate(MODELS)}
PEOPLE = np.array([[1.0, 0.21], [0.21, 0.49]])
"""Covariance of people's intercepts and slopes: SD 1 and 0.7, correlation 0.3."""
ITEMS = np.array([[0.49, 0.07], [0.07, 0.25]])
"""Covariance of items' intercepts and slopes: SD 0.7 and 0.5, correlation 0.2."""
NOISE_SD = 1.5
CUTS = np.array([-1.5, -0.5, 0.5, 1.5])


class Answers(NamedTuple):
    """The answers of a simulated study, one row each."""

    values: np.ndarray
    level: np.ndarray
    """The factor, as 0.5 or -0.5."""
    person: np.ndarray
    item: np.ndarray


def drawn(model: str, factor: str, effect: float, rng: np.random.Generator) -> Answers:
    """Draw the answers of one study."""
    person, item = (axis.ravel() for axis in np.meshgrid(np.arange(N_PEOPLE), np.arange(N_ITEMS), indexing="ij"))
    is_first = {"within": (person + item) % 2, "between": person % 2, "item": item % 2}[factor] == 0
    level = np.where(is_first, 0.5, -0.5)
    of_people = rng.multivariate_normal([0, 0], PEOPLE, N_PEOPLE)
    of_items = rng.multivariate_normal([0, 0], ITEMS, N_ITEMS)
    value = effect * level + of_people[person, 0] + of_items[item, 0]
    # A slope exists only where the factor changes within the person or the item.
    value = value + level * (of_people[person, 1] if factor != "between" else 0.0)
    value = value + level * (of_items[item, 1] if factor != "item" else 0.0)
    if model == "linear":
        return Answers(4 + value + rng.normal(0, NOISE_SD, value.size), level, person, item)
    latent = value + rng.logistic(0, 1, value.size)
    if model == "logistic":
        return Answers((latent > -0.5).astype(float), level, person, item)
    return Answers(np.digitize(latent, CUTS).astype(float), level, person, item)


def _fitted(model: str, data: str, answers: Answers) -> tuple[MixedFit, Simplified]:
    predictors = np.column_stack([np.ones(answers.level.size), answers.level])
    slope = Effect("factor", answers.level[:, None], (answers.level,))
    groups = [Group("participant", answers.person), Group("item", answers.item)]
    if data.startswith("maximal"):
        groups = [maximal_group(group.name, group.labels, [slope]) for group in groups]
    if model == "linear":
        return simplified_fit(lambda terms: fit_linear_mixed(answers.values, predictors, terms), groups)
    method: Literal["REML", "ML"] = "ML" if data.endswith("ML") else "REML"
    return simplified_fit(lambda terms: fit_category_mixed(answers.values, predictors, terms, method=method), groups)


def _simulate(model: str, factor: str, data: str, rng: np.random.Generator, effect: float) -> Simulated:
    found, simplified = _fitted(model, data, drawn(model, factor, effect, rng))
    test = lmm_t_test(found, [0, 1])
    return Simulated(test.p_value, test.estimate, *test.interval, n_steps=len(simplified.steps))


def structures(model: str) -> tuple[str, ...]:
    """Return the random effects with which a model is fitted; the product fits intercepts alone by ML, as R does."""
    if model == "linear":
        return ("maximal", "intercepts")
    return ("maximal", "intercepts, ML", *(("maximal, ML",) if model == "ordinal" else ()))


def rows() -> list[Row]:
    """Return the rows of linear, logistic and ordinal models."""
    found = []
    for model in MODELS:
        for number, factor in enumerate(FACTORS):
            # The same people for every structure: all rows of a model and factor share a stream.
            for data in structures(model):
                effects = (0.0, EFFECTS[model]) if data.startswith("maximal") else (0.0,)
                simulate = partial(_simulate, model, factor, data)
                found.append(Row(model, factor, data, effects, simulate, SEEDS[model], number))
    return found
