"""A plan that can be run, but whose analysis is known to be wrong too often, is warned of before data exist."""

from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest

from tests.estimate.plan_samples import VARIABLES, hypothesis, outcome, plan
from understudy.estimate import (
    Collected,
    findings_from_tables,
    plan_cautions,
    recovered_tables,
    variables_from_reanalysis,
)
from understudy.report.cautions import limit_words
from understudy.schema import Finding, Hypothesis, Outcome, Reanalysis, SourceFactor, SourceMeasure, SourceTable
from understudy.schema.plan import claim_faults, shared_outcomes

TRIALS = (outcome(summary=None),)
INTERCEPTS = ["participant", "item"]


def cautions(factor: str, analysis: str = "logistic_mixed", **params: Any) -> str:
    claim = hypothesis(claim="It matters.", factor=factor, contrast=None, analysis={"name": analysis, "params": params})
    return " ".join(plan_cautions(plan(claim, outcomes=TRIALS), VARIABLES))


@pytest.mark.parametrize(("factor", "groups"), [("phase", ["participant", "item"]), ("method", ["item"])])
def test_intercepts_alone_are_warned_of_where_a_factor_varies_within(factor: str, groups: list[str]) -> None:
    said = cautions(factor, random=INTERCEPTS)
    named = [group for group in ("participant", "item") if f"'{factor}' varies within each {group}," in said]
    assert (named, 'Use random = "maximal".' in said) == (groups, True)


@pytest.mark.parametrize("random", ["maximal", [{"group": "participant", "slopes": ["phase"]}]])
def test_a_model_with_the_slopes_is_not_warned_of(random: Any) -> None:
    assert cautions("phase", random=random) == ""


def test_one_row_per_person_has_no_slopes_to_miss() -> None:
    claim = hypothesis(
        claim="It matters.", factor="phase", analysis={"name": "linear_mixed", "params": {"random": ["participant"]}}
    )
    assert plan_cautions(plan(claim, outcomes=(outcome(by=("phase",)),)), VARIABLES) == []


def noise(seed: int, n_people: int = 60, n_items: int = 12, n_kinds: int = 2) -> pd.DataFrame:
    """Return answers that nothing explains but people, items and chance, all of SD 1."""
    rng = np.random.default_rng(seed)
    person, item = (codes.ravel() for codes in np.meshgrid(range(n_people), range(n_items), indexing="ij"))
    rating = rng.normal(size=n_people)[person] + rng.normal(size=n_items)[item] + rng.normal(size=person.size)
    return pd.DataFrame(
        {
            "who": [f"p{number}" for number in person], "item": [f"i{number}" for number in item],
            "kind": np.array(list("abcd"))[item % n_kinds], "shown": np.array(["yes", "no"])[(item + person) % 2],
            "difficulty": rng.normal(size=n_items)[item].round(3), "rating": rating, "right": (rating > 0).astype(int),
        }
    )  # fmt: skip


OF_ITEMS = {
    "means by kind": hypothesis("H1", factor="kind", outcome="by_kind", analysis="paired_t"),
    "ranks by kind": hypothesis("H1", factor="kind", outcome="by_kind", analysis="signed_rank"),
    "F test by kind": hypothesis("H1", factor="kind", outcome="by_kind", analysis="rm_anova"),
    "people as clusters": hypothesis("H1", factor="kind", outcome="single", analysis="cluster_robust"),
    "people drawn": hypothesis("H1", factor="kind", outcome="single", analysis="participant_bootstrap"),
    "a model of people": hypothesis(
        "H1", factor="kind", outcome="right", analysis={"name": "logistic_mixed", "params": {"random": ["participant"]}}
    ),
    "a second outcome": hypothesis("H1", outcome="single", other="difficulty", analysis="clustered_correlation"),
}
NOT_OF_ITEMS = {
    "a model of items": hypothesis(
        "H1", factor="kind", outcome="single", analysis={"name": "linear_mixed", "params": {"random": "maximal"}}
    ),
    "what varies within items": hypothesis("H1", factor="shown", outcome="by_shown", analysis="paired_t"),
    "no comparison": hypothesis("H1", outcome="single_mean", against=0, analysis="one_sample_t"),
}


def found(
    claim: Hypothesis, table: pd.DataFrame, *, scope: Literal["within", "item"] = "within", item: str | None = "item"
) -> Finding:
    """Return the finding of a hypothesis, its factor `kind` declared of a scope, and its items named or not."""
    outcomes = (
        Outcome(name="by_kind", measure="rating", by=("kind",)), Outcome(name="by_shown", measure="rating", by=("shown",)),
        Outcome(name="single", measure="rating", summary=None), Outcome(name="single_mean", measure="rating"),
        Outcome(name="right", measure="right", summary=None), Outcome(name="difficulty", measure="difficulty", summary=None),
    )  # fmt: skip
    used = {claim.outcome, claim.other}
    reanalysis = Reanalysis(
        title="Noise",
        table=SourceTable(participant="who", item=item),
        factors=(
            SourceFactor(name="kind", scope=scope, levels=tuple(sorted(table["kind"].unique()))),
            SourceFactor(name="shown", scope="within", levels=("yes", "no")),
        ),
        measures=(
            SourceMeasure(name="rating", unit="trial", scale="continuous"),
            SourceMeasure(name="right", unit="trial", scale="binary"),
            SourceMeasure(name="difficulty", unit="trial", scale="continuous"),
        ),
        plan=plan(
            claim.model_copy(update={"contrast": None}), outcomes=tuple(one for one in outcomes if one.name in used)
        ),
    )
    tables = recovered_tables(reanalysis, table).tables
    return findings_from_tables(
        reanalysis.plan,
        tables,
        variables_from_reanalysis(reanalysis, frozenset(tables.trials.columns)),
        collected=Collected("digest", frozenset(), is_elsewhere=True),
        rng=np.random.default_rng(0),
    ).findings[0]


@pytest.mark.parametrize("declared", ["scope item", "scope within", "items not named"])
@pytest.mark.parametrize("name", OF_ITEMS)
def test_a_test_that_takes_items_as_all_there_are_says_so_with_its_verdict(name: str, declared: str) -> None:
    table = noise(seed=204)
    scope: Literal["within", "item"] = "item" if declared == "scope item" else "within"
    finding = found(OF_ITEMS[name], table, scope=scope, item=None if declared == "items not named" else "item")
    (caution,) = finding.cautions
    assert "differs between items" in caution
    assert "takes the 12 items as all there are" in caution
    assert limit_words((finding,)) == (f"H1: {caution}",)


@pytest.mark.parametrize("seed", range(1, 6))
def test_noise_of_items_is_never_supported_without_a_caution(seed: int) -> None:
    tested = [found(claim, noise(seed)) for claim in OF_ITEMS.values()]
    assert all(finding.cautions for finding in tested)


@pytest.mark.parametrize("name", NOT_OF_ITEMS)
def test_what_varies_within_items_or_has_a_model_of_them_needs_no_caution(name: str) -> None:
    assert found(NOT_OF_ITEMS[name], noise(seed=204)).cautions == ()


def test_items_that_one_person_each_saw_are_nobody_s_sample() -> None:
    table = noise(seed=3)
    own = table.assign(item=table["who"] + table["item"])
    assert found(OF_ITEMS["means by kind"], own).cautions == ()


def test_a_plan_whose_factor_varies_over_items_is_warned_of_before_there_are_data() -> None:
    of_items = {**VARIABLES.factors, "truth": type(VARIABLES.factors["phase"])("item", ("right", "wrong"))}
    variables = type(VARIABLES)(VARIABLES.measures, of_items, VARIABLES.has_items)
    claim = hypothesis(claim="It matters.", factor="truth", contrast=None, analysis="paired_t")
    (said,) = plan_cautions(plan(claim, outcomes=(outcome(by=("truth",)),)), variables)
    assert "'truth' differs between items and not within them" in said


def test_the_caution_about_several_tests_names_those_of_one_outcome_and_no_test_against_a_constant() -> None:
    chance = hypothesis("chance", outcome="single_mean", against=0.5, analysis="one_sample_t")
    related = [hypothesis(f"r{k}", outcome="single_mean", other=f"scale{k}", analysis="pearson") for k in (1, 2)]
    compared = [hypothesis(f"by_{name}", factor=name, outcome="accuracy") for name in ("method", "phase")]
    elsewhere = hypothesis("rt", outcome="rt", factor="method")
    measured = {"single_mean": "score", "accuracy": "score", "rt": "rt"}
    outcomes = tuple(Outcome(name=name, measure=measure) for name, measure in measured.items())
    planned = plan(chance, *related, *compared, elsewhere, outcomes=outcomes)
    assert list(claim_faults(planned)) == []
    (said,) = shared_outcomes(planned)
    assert said.startswith(
        "Hypotheses r1, r2, by_method, by_phase test 'score' against several things without a family"
    )
    family = tuple(test.model_copy(update={"family": "f"}) for test in (*related, *compared))
    assert list(shared_outcomes(plan(chance, *family, elsewhere, outcomes=outcomes))) == []
