"""Every registered analysis and check, ours or from another package, keeps these promises."""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numpy as np
import pytest

from tests.contracts.fitting_rows import Toy, constant, fitting
from understudy import registry
from understudy.roles import Analysis, AssumptionCheck, Checked
from understudy.schema import Estimate, Ref

# Parameters for entries that cannot do without, and variants that change what an entry takes.
NEEDED: dict[str, dict[str, Any]] = {
    "tost": {"low": -2.0, "high": 3.0},
    "regression_to_mean": {"min_items": 3},
    "rank_tost": {"low": -2.0, "high": 3.0},
    "complementarity": {"model_score": 0.0},
}
STARTS_SOMEWHERE = frozenset({"complementarity", "regression_to_mean", "reliance"})
"""Entries for which the second level is where people start, so that swapping levels asks another question."""
FALLING = frozenset({"calibration"})
"""Entries whose effect falls where more answers are right."""
EXACT = frozenset({"fisher"})
"""Entries with a coarse null distribution."""
SIGNED = frozenset({"games_howell", "holm_pairs", "tukey_hsd"})
"""Entries with a signed effect whose test has two sides only, because it holds for all pairs at once."""
VARIANTS = (
    Ref(name="paired_t", params={"paired_by": "item"}),
    Ref(name="linear_mixed", params={"random": ["participant"]}),
    Ref(name="linear_mixed", params={"random": ["participant", "item"], "method": "ML"}),
    Ref(name="logistic_mixed", params={"random": ["participant"], "method": "ML"}),
    Ref(name="logistic_mixed", params={"random": [{"group": "participant", "slopes": ["help"]}, "item"]}),
    Ref(name="ordinal_mixed", params={"random": ["participant", "item"]}),
    Ref(name="logistic_regression", params={"tests": "other"}),
    Ref(name="logistic_regression", params={"tests": "other", "adjusts": True}),
    Ref(name="logistic_groups", params={"random": ["participant", "item"]}),
    Ref(name="change", params={"spread": "two_way"}),
    Ref(name="kappa", params={"weights": "quadratic"}),
    Ref(name="clustered_correlation", params={"method": "spearman"}),
    Ref(name="clustered_correlation", params={"averaged": True}),
    Ref(name="signal_detection", params={"correction": "extreme"}),
    Ref(name="reliance", params={"index": "harm"}),
    Ref(name="calibration", params={"index": "brier"}),
    Ref(name="calibration", params={"index": "ece"}),
    Ref(name="factorial_anova", params={"effect": ["help"], "sums_of_squares": "II"}),
    Ref(name="count_regression", params={"family": "quasi_poisson"}),
    Ref(name="cluster_robust", params={"clusters": ["participant", "item"]}),
    Ref(name="icc", params={"kind": "consistency", "of": "mean"}),
    Ref(name="krippendorff_alpha", params={"level": "ordinal"}),
    Ref(name="mixed_anova", params={"effect": "within"}),
    Ref(name="mixed_anova", params={"effect": "between"}),
)
ALL = (*(Ref(name=name, params=NEEDED.get(name, {})) for name in registry.names("analyses")), *VARIANTS)
CHECKS = registry.names("checks")
Made = TypeVar("Made", Estimate, Checked)


def named(ref: Ref) -> str:
    return "-".join([ref.name, *(str(value) for value in ref.params.values())])


def entry(ref: Ref) -> Analysis:
    params = dict(ref.params)
    if "n_resamples" in registry.entry("analyses", ref.name).model_fields:
        params["n_resamples"] = 400
    made: Analysis = registry.create("analyses", Ref(name=ref.name, params=params))
    return made


def toy_for(ref: Ref, *, seed: int = 1, **more: Any) -> Toy:
    return fitting(entry(ref).fit, np.random.default_rng(seed), **more)


def estimate(ref: Ref, toy: Toy, *, seed: int = 5, **changes: Any) -> Estimate:
    hypothesis = toy.hypothesis.model_copy(update=changes)
    return entry(ref).estimate(toy.table, hypothesis, np.random.default_rng(seed))


@cache
def estimate_from(plain: str) -> Estimate:
    ref = Ref.model_validate_json(plain)
    return estimate(ref, toy_for(ref))


def usual(ref: Ref) -> Estimate:
    """The estimate from fitting rows, which most promises are about: computed once for all of them."""
    return estimate_from(ref.model_dump_json())


every = pytest.mark.parametrize("ref", ALL, ids=named)
directed = pytest.mark.parametrize(
    "ref", [ref for ref in ALL if {"greater", "less", "different"} <= entry(ref).fit.directions], ids=named
)
TWO_LEVEL = [ref for ref in ALL if toy_for(ref).hypothesis.contrast and not toy_for(ref).hypothesis.crossed_with]
two_level = pytest.mark.parametrize("ref", TWO_LEVEL, ids=named)


@every
def test_fitting_rows_give_an_estimate(ref: Ref) -> None:
    found = usual(ref)
    assert found.effect is not None
    assert found.effect_name


@every
def test_what_is_tested_is_held_against_a_value(ref: Ref) -> None:
    found = usual(ref)
    assert found.p_value is None or found.null_value is not None
    assert all(size.null_value is not None for size in found.effect_sizes)


@every
def test_everybody_is_counted_once(ref: Ref) -> None:
    toy, found = toy_for(ref), usual(ref)
    assert (found.n_sessions, found.n_rows) == (toy.n_people, len(toy.table))


@every
def test_the_same_seed_gives_the_same_result(ref: Ref) -> None:
    assert estimate(ref, toy_for(ref)) == usual(ref)


@every
def test_the_order_of_rows_does_not_matter(ref: Ref) -> None:
    toy = toy_for(ref)
    mixed = Toy(toy.table.sample(frac=1, random_state=3).reset_index(drop=True), toy.hypothesis)
    assert numbers_in(estimate(ref, mixed)) == pytest.approx(numbers_in(usual(ref)), rel=1e-5, abs=1e-8)


@every
def test_columns_of_categories_read_like_text(ref: Ref) -> None:
    toy = toy_for(ref)
    texts = {name: "category" for name in ("participant", "item", "help", "phase") if name in toy.table}
    coded = Toy(toy.table.astype(texts), toy.hypothesis)
    assert numbers_in(estimate(ref, coded)) == pytest.approx(numbers_in(usual(ref)))


@every
def test_estimates_survive_json(ref: Ref) -> None:
    found = usual(ref)
    assert Estimate.model_validate_json(found.model_dump_json()) == found


@every
def test_constant_rows_show_nothing_and_say_why(ref: Ref) -> None:
    toy = constant(entry(ref).fit)
    found = or_sentence(lambda: estimate(ref, toy))
    if isinstance(found, str):
        assert found.endswith(".")
    else:
        assert found.p_value in (None, 1.0)
        assert found.notes


@directed
def test_a_true_direction_has_the_smaller_p(ref: Ref) -> None:
    toy = toy_for(ref, effect=1.0 if ref.name.startswith("bayes") else 0.5)
    words = ("less", "greater", "different") if ref.name in FALLING else ("greater", "less", "different")
    found = [estimate(ref, toy, direction=word) for word in words]
    if found[0].bayes_factor is not None:
        of_up, of_down, of_either = (each.bayes_factor or 0.0 for each in found)
        assert of_up > of_either > of_down
        assert (of_up + of_down) / 2 == pytest.approx(of_either)
        return
    up, down, either = (each.p_value for each in found)
    if up is None or down is None or either is None:
        assert "Estimation only" in " ".join(estimate(ref, toy).notes)
        return
    assert up <= either < down
    # Both tails of an exact test hold the table that was seen, which is a large part of few people.
    assert 0.95 < up + down < (1.35 if ref.name in EXACT else 1.15)


@pytest.mark.parametrize("ref", [ref for ref in TWO_LEVEL if ref.name not in STARTS_SOMEWHERE], ids=named)
def test_swapped_levels_turn_the_effect_around(ref: Ref) -> None:
    toy = toy_for(ref)
    first, second = toy.hypothesis.contrast or ("", "")
    found, turned = usual(ref), estimate(ref, toy, contrast=(second, first))
    is_unsigned = set(entry(ref).fit.directions) == {"different"} and ref.name not in SIGNED
    if is_unsigned or "unit of" in found.effect_name:
        assert turned.effect == pytest.approx(found.effect)
        return
    assert found.effect is not None
    assert turned.effect == pytest.approx(1 / found.effect if found.null_value == 1 else -found.effect)
    assert [group.group for group in turned.groups] == [second, first]


@pytest.mark.parametrize("ref", [ref for ref in TWO_LEVEL if entry(ref).fit.rows == "contrasted"], ids=named)
def test_rows_of_other_levels_are_left_alone(ref: Ref) -> None:
    toy = toy_for(ref)
    strangers = toy.table.head(6).assign(help="elsewhere", participant=[f"q{k}" for k in range(6)])
    wider = Toy(type(toy.table)(np.concatenate([toy.table, strangers]), columns=toy.table.columns), toy.hypothesis)
    assert numbers_in(estimate(ref, wider)) == pytest.approx(numbers_in(usual(ref)))


@pytest.mark.parametrize(
    "ref", [ref for ref in ALL if entry(ref).fit.factor == "within" and entry(ref).fit.unit != "trial"], ids=named
)
def test_people_without_every_level_are_left_out_and_noted(ref: Ref) -> None:
    toy = toy_for(ref)
    found = estimate(ref, Toy(toy.table.iloc[1:], toy.hypothesis))
    assert found.n_sessions == toy.n_people - 1
    assert "Left out: 1 of 24 participants" in " ".join(found.notes)


@pytest.mark.parametrize("ref", [ref for ref in ALL if entry(ref).fit.unit == "participant"], ids=named)
def test_repeated_rows_of_a_person_are_refused(ref: Ref) -> None:
    toy = toy_for(ref)
    doubled = toy.table.iloc[[0, *range(len(toy.table))]]
    with pytest.raises(ValueError, match="repeat"):
        estimate(ref, Toy(doubled, toy.hypothesis))


@pytest.mark.parametrize("ref", [ref for ref in ALL if "confidence" in type(entry(ref)).model_fields], ids=named)  # type: ignore[attr-defined]
def test_the_confidence_level_is_the_one_asked_for(ref: Ref) -> None:
    asked = Ref(name=ref.name, params=ref.params | {"confidence": 0.8})
    found = estimate(asked, toy_for(ref))
    held = [size.interval for size in found.effect_sizes] + [group.interval for group in found.groups]
    intervals = [found.interval, *held] if ref.name not in ("tost", "rank_tost") else held
    assert {interval.level for interval in intervals if interval} <= {0.8}


@pytest.mark.parametrize("name", CHECKS)
def test_checks_answer_on_rows_of_three_levels(name: str) -> None:
    toy = fitting(registry.create("analyses", Ref(name="rm_anova")).fit, np.random.default_rng(2))
    found = check(name, toy)
    assert found.p_value is not None
    assert found.holds == (found.p_value >= 0.05)


@pytest.mark.parametrize("name", CHECKS)
def test_checks_do_not_trip_over_constant_rows(name: str) -> None:
    toy = constant(registry.create("analyses", Ref(name="rm_anova")).fit)
    found = or_sentence(lambda: check(name, toy))
    assert found.endswith(".") if isinstance(found, str) else found.p_value is None


def or_sentence(make: Callable[[], Made]) -> Made | str:
    """Return what was made, or the sentence that refused."""
    try:
        return make()
    except ValueError as error:
        return str(error)


def check(name: str, toy: Toy) -> Checked:
    made: AssumptionCheck = registry.create("checks", Ref(name=name))
    return made.check(toy.table, toy.hypothesis, 0.05)


def numbers_in(found: Estimate) -> list[float]:
    """Return every number of an estimate, absent ones as -99."""
    limits = (found.interval.low, found.interval.high) if found.interval else (None, None)
    sizes = [size.value for size in found.effect_sizes]
    groups = [value for group in found.groups for value in (group.n, group.mean, group.sd)]
    held = [found.effect, *limits, found.statistic, *found.df, found.p_value, *sizes, *groups, *found.details.values()]
    return [-99.0 if value is None else float(value) for value in held]
