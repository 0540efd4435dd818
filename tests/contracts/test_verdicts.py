"""Every analysis is judged on hard tables: ties, two values, separation, no spread, one person, and all of them reversed.

A verdict follows the test: what a test finds on one side is supported there, opposite on the other, and never anything else.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import statsmodels.tools.sm_exceptions  # noqa: F401 - loaded later, it would switch off the errors that its warnings are here
from _pytest.mark import ParameterSet

from tests.contracts.fitting_rows import Toy, fitting
from tests.contracts.test_analyses import ALL, FALLING, entry, named
from understudy.estimate import Collected, FactorVariable, MeasureVariable, Tables, Variables, findings_from_tables
from understudy.roles import Fit, Rng
from understudy.schema import AnalysisPlan, Finding, Ref, Scale

SCALES: tuple[Scale, ...] = ("continuous", "binary", "ordinal", "nominal", "count", "time", "bounded")
MODELS = frozenset({"linear_mixed", "logistic_mixed", "ordinal_mixed"})
"""Analyses that take long for many people."""
PARAMS: dict[str, dict[str, Any]] = {
    "tost": {"low": -0.4, "high": 0.4},
    "rank_tost": {"low": -0.4, "high": 0.4},
    "rating_gain": {"low": 0.0, "high": 1.0},
    "complementarity": {"model_score": 0.0},
}
"""Parameters that mean the same on both sides."""
AGAINST: frozenset[Literal["against", "other", "item"]] = frozenset({"against"})
REVERSED = {"supported": "opposite", "opposite": "supported"}
Booleans: TypeAlias = npt.NDArray[np.bool_]
Drawn = Callable[[Fit, Booleans, Rng], npt.NDArray[Any]]


@dataclass(frozen=True)
class Tried:
    """An analysis on rows that fit: of a factor, or of no factor and a value to compare with."""

    ref: Ref
    against: bool = False

    @property
    def fit(self) -> Fit:
        """What the rows must be like."""
        fit = entry(self.ref).fit
        if not self.against:
            return fit
        # Scores of answers have a value without an effect, which a plan need not name.
        needs = fit.needs if "other" in fit.needs else fit.needs | AGAINST
        return replace(fit, factor="none", n_levels="any", needs=needs)

    @property
    def name(self) -> str:
        return named(self.ref) + " against" * self.against


def tried() -> Iterator[Tried]:
    """Give every entry and variant; entries that can do without a factor twice."""
    further = (
        Ref(name="signed_rank", params={"zeros": "pratt"}),
        Ref(name="participant_bootstrap", params={"p_method": "sign"}),
        Ref(name="participant_bootstrap", params={"p_method": "published"}),
        Ref(name="linear_mixed", params={"test": "likelihood_ratio"}),
    )
    for ref in (*ALL, *further):
        yield Tried(Ref(name=ref.name, params=PARAMS.get(ref.name, ref.params)))
        if entry(ref).fit.factor == "optional":
            yield Tried(ref, against=True)


def scale_of(fit: Fit) -> Scale:
    return next(scale for scale in SCALES if scale in fit.scales)


def on_scale(points: npt.NDArray[Any], fit: Fit) -> npt.NDArray[Any]:
    """Write points of 0 to 5 as values of a scale; numbers lie around 0, the value that most are compared with."""
    match scale_of(fit):
        case "continuous":
            return points - 4.0
        case "binary":
            return (points >= 4).astype(float)
        case "nominal":
            return np.where(points >= 4, "red", "blue")
        case "time":
            return points + 1.0
        case _:
            return points.astype(float)


def scores_of_five(fit: Fit, is_first: Booleans, rng: Rng) -> npt.NDArray[Any]:
    """How many of five are right, .90 or .68 of them: the median difference is exactly 0."""
    return on_scale(rng.binomial(5, np.where(is_first, 0.90, 0.68)), fit)


def two_values(fit: Fit, is_first: Booleans, rng: Rng) -> npt.NDArray[Any]:
    return on_scale(np.where(rng.random(is_first.size) < np.where(is_first, 0.80, 0.45), 5, 3), fit)


def mostly_equal(fit: Fit, is_first: Booleans, rng: Rng) -> npt.NDArray[Any]:
    """Three of four values are the same; the rest lie above it at the first level and below it at the others."""
    return on_scale(np.where(rng.random(is_first.size) < 0.75, 4, np.where(is_first, 5, 2)), fit)


def separated(fit: Fit, is_first: Booleans, _rng: Rng) -> npt.NDArray[Any]:
    return on_scale(np.where(is_first, 5, 3), fit)


def all_equal(fit: Fit, is_first: Booleans, _rng: Rng) -> npt.NDArray[Any]:
    return on_scale(np.full(is_first.size, 5), fit)


TABLES: dict[str, Drawn] = {
    "scores of five": scores_of_five,
    "two values": two_values,
    "mostly equal": mostly_equal,
    "separated": separated,
    "all equal": all_equal,
}


def drawn(tried: Tried, values: Drawn, *, n_copies: int, seed: int = 3) -> Toy:
    """Give each person of the toy rows some copies, and everybody values of a hard kind."""
    rng, fit = np.random.default_rng(seed), tried.fit
    toy = fitting(fit, rng)
    copies = [toy.table.assign(participant=toy.table["participant"] + f"-{k}") for k in range(n_copies)]
    table = pd.concat(copies, ignore_index=True)
    is_first = (table["help"] == "shown").to_numpy() if "help" in table else np.ones(len(table), dtype=bool)
    if "help" not in table and "other" in table:
        # What belongs together rises together.
        is_first = (table["other"] >= table["other"].mean()).to_numpy()
    table = table.assign(value=values(fit, is_first, rng))
    if tried.ref.name == "kappa":
        table = table.assign(other=is_first.astype(float))
    if tried.ref.name == "signal_detection":
        table = table.assign(value=np.where(table["value"] == 1, table["other"], 1 - table["other"]))
    return replace(toy, table=table)


def turned(tried: Tried, toy: Toy) -> Toy:
    """Turn the effect around: the levels change their names, or the values their side."""
    table = toy.table
    is_falling = tried.ref.name in FALLING
    is_of_other = tried.ref.params.get("tests") == "other"
    if "help" in table and tried.ref.name != "complementarity" and not is_of_other:
        names = {"shown": "hidden", "hidden": "shown"}
        return replace(toy, table=table.assign(help=table["help"].map(lambda level: names.get(level, level))))
    if "other" in table and not is_falling:
        return replace(toy, table=table.assign(other=table["other"].max() + table["other"].min() - table["other"]))
    null = 0.5 if scale_of(tried.fit) == "binary" else 0.0
    changed = {"other": 1 - table["other"]} if is_falling else {}
    return replace(toy, table=table.assign(value=2 * null - table["value"], **changed))


def judged(tried: Tried, toy: Toy, **changes: Any) -> Finding:
    """Judge a claim about a table, as a study would."""
    fit, table = tried.fit, toy.table
    others = fit.other_scales or fit.scales
    scales = {"value": scale_of(fit), "other": next(scale for scale in SCALES if scale in others)}
    factors = {}
    for name in ("help", "phase"):
        if name in table:
            is_within = (table.groupby("participant")[name].nunique() > 1).any()
            first = ("shown", "hidden") if name == "help" else ()
            levels = tuple(dict.fromkeys([*first, *table[name]]))
            factors[name] = FactorVariable("within" if is_within else "between", levels)
    if "help" in factors and toy.table["help"].nunique() == 1:
        factors["help"] = replace(factors["help"], scope="between" if fit.factor == "between" else "within")
    within = tuple(name for name, factor in factors.items() if factor.scope == "within")
    between = [name for name, factor in factors.items() if factor.scope == "between"]
    summary = None if fit.unit == "trial" or "item" in table else "first"
    resamples = {"n_resamples": 400} if "n_resamples" in type(entry(tried.ref)).model_fields else {}  # type: ignore[attr-defined]
    analysis = {"name": tried.ref.name, "params": tried.ref.params | resamples}
    claim = toy.hypothesis.model_dump() | {"analysis": analysis} | changes
    plan = AnalysisPlan.model_validate(
        {
            "outcomes": [
                {"name": name, "measure": column, "summary": summary, "by": within if summary else ()}
                for name, column in (("score", "value"), ("rating", "other"))
                if column in table
            ],
            "hypotheses": [claim],
        }
    )
    variables = Variables(
        measures={name: MeasureVariable("trial", scale) for name, scale in scales.items() if name in table},
        factors=factors,
        has_items="item" in table,
    )
    sessions = table[["participant", *between]].drop_duplicates().reset_index(drop=True)
    under = Collected("a" * 64, frozenset({"a" * 64}))
    rng = np.random.default_rng(1)
    return findings_from_tables(plan, Tables(table, sessions), variables, collected=under, rng=rng).findings[0]


def claims(tried: Tried) -> dict[str, dict[str, Any]]:
    """Give the claims that an analysis can be asked about; "the first is greater" on one side and on two."""
    claimed = "less" if tried.ref.name in FALLING else "greater"
    # How errors of confidence go with these answers is anybody's guess.
    is_known = tried.ref.name != "calibration" or (not tried.against and not tried.ref.params)
    if claimed not in tried.fit.directions or not is_known:
        return {"only": {"direction": "different"} if "different" in tried.fit.directions else {}}
    return {"one-sided": {"direction": claimed}, "expected": {"direction": "different", "expects": claimed}}


def faults_of(label: str, found: Finding, right: str) -> Iterator[str]:
    """Yield what is wrong with a verdict on data in which the effect goes a known way."""
    p_value = found.estimate.p_value if found.estimate else None
    if label != "only" and found.verdict in REVERSED and found.verdict != right:
        yield f"{label}: {found.verdict} is on the wrong side"
    if found.verdict == "inconclusive" and p_value is not None:
        yield f"{label}: inconclusive at p = {p_value:.3g}"
    if found.p_adjusted is not None and found.p_adjusted < found.alpha and found.verdict not in REVERSED:
        yield f"{label}: {found.verdict} at p = {found.p_adjusted:.3g}"
    yield from (f"{label}: {reason}" for reason in found.why if "failed on these data" in reason)


def trouble_with(tried: Tried, toy: Toy) -> list[str]:
    """Return what is wrong with the verdicts on a table and on its reverse."""
    faults = []
    for label, claim in claims(tried).items():
        here, there = judged(tried, toy, **claim), judged(tried, turned(tried, toy), **claim)
        faults += [*faults_of(label, here, "supported"), *faults_of(label, there, "opposite")]
        is_decided = {here.verdict, there.verdict} & {*REVERSED}
        if label != "only" and is_decided and there.verdict != REVERSED.get(here.verdict):
            faults.append(f"{label}: {here.verdict} turns into {there.verdict}")
    return faults


def people(toy: Toy, n: int) -> Toy:
    """Keep some people, of every level as far as possible."""
    kept = toy.table["participant"].drop_duplicates().head(n)
    return replace(toy, table=toy.table[toy.table["participant"].isin(kept)].reset_index(drop=True))


def every(slow: frozenset[str]) -> Iterator[ParameterSet]:
    for each in tried():
        yield pytest.param(each, marks=pytest.mark.slow if each.ref.name in slow else (), id=each.name)


@pytest.mark.parametrize("tried", [*every(slow=MODELS)])
def test_a_verdict_follows_the_test_and_turns_around_with_the_data(tried: Tried) -> None:
    n_copies = 1 if tried.ref.name in MODELS else 4
    faults: dict[str, list[str]] = {}
    for name, values in TABLES.items():
        toy = drawn(tried, values, n_copies=n_copies)
        faults[name] = trouble_with(tried, toy)
    # Of so few people nothing may be found, but nothing may break or turn up on the wrong side.
    few = drawn(tried, two_values, n_copies=1)
    faults |= {f"{n} people": trouble_with(tried, people(few, n)) for n in (1, 2)}
    assert {name: found for name, found in faults.items() if found} == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    "tried", [each for each in tried() if each.ref.name not in MODELS], ids=lambda tried: tried.name
)
def test_many_rows_are_judged_like_few(tried: Tried) -> None:
    n_copies = 200_000 // len(drawn(tried, scores_of_five, n_copies=1).table)
    toy = drawn(tried, scores_of_five, n_copies=n_copies)
    label, claim = [*claims(tried).items()][-1]
    assert [*faults_of(label, judged(tried, toy, **claim), "supported")] == []
