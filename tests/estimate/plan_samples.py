"""Toy analyses and a small study's variables and tables, for tests of the plan engine."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy import stats

from understudy.errors import TableError
from understudy.estimate import Collected, FactorVariable, MeasureVariable, Results, Tables, Variables
from understudy.estimate import findings_from_tables as run_plan
from understudy.roles import Checked, Fit, Rng
from understudy.schema import AnalysisPlan, Estimate, Hypothesis, Interval, Outcome, Record, Scale

NUMBERS: frozenset[Scale] = frozenset({"bounded", "continuous", "count", "time"})
ANYTHING: frozenset[Scale] = NUMBERS | {"binary", "ordinal"}
ONE_WAY = frozenset({"different"})


class Fixed(Record):
    """Gives the p-value it was told."""

    fit: ClassVar[Fit] = Fit(ANYTHING, unit="either", factor="optional")
    p: float | None = 0.01
    confidence: float = 0.5
    alpha: float = 0.5

    def estimate(self, table: pd.DataFrame, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        limits = Interval(low=0.0, high=1.0, level=self.confidence)
        return Estimate(
            effect=float(rng.normal()),
            effect_name="noise",
            interval=limits,
            p_value=self.p,
            n_sessions=table["participant"].nunique(),
            n_rows=len(table),
            details={"alpha": self.alpha},
        )


class Difference(Record):
    """Welch's t between two groups of people."""

    fit: ClassVar[Fit] = Fit(NUMBERS, factor="between", n_levels="two", directions=frozenset({"greater", "different"}))

    def estimate(self, table: pd.DataFrame, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        assert hypothesis.factor is not None
        assert hypothesis.contrast is not None
        first, second = (table["value"][table[hypothesis.factor] == level] for level in hypothesis.contrast)
        test = stats.ttest_ind(first.to_numpy(float), second.to_numpy(float), equal_var=False)
        return Estimate(
            effect=float(first.mean() - second.mean()),
            effect_name="difference",
            p_value=float(test.pvalue),
            n_sessions=len(table),
            n_rows=len(table),
        )


class Paired(Fixed):
    """Stands for a test within people."""

    fit: ClassVar[Fit] = Fit(NUMBERS, factor="within", n_levels="two")


class Omnibus(Fixed):
    """Stands for a test of all levels."""

    fit: ClassVar[Fit] = Fit(NUMBERS, factor="between", n_levels="many", directions=ONE_WAY)


class Crossed(Fixed):
    """Stands for a split-plot analysis."""

    fit: ClassVar[Fit] = Fit(NUMBERS, factor="between", crossed_with="within", directions=ONE_WAY)


class Against(Fixed):
    """Stands for a one-sample test."""

    fit: ClassVar[Fit] = Fit(NUMBERS, needs=frozenset({"against"}))


class Relation(Fixed):
    """Stands for a correlation."""

    fit: ClassVar[Fit] = Fit(NUMBERS, needs=frozenset({"other"}))


class Items(Fixed):
    """Stands for a model of single trials."""

    fit: ClassVar[Fit] = Fit(frozenset({"binary"}), unit="trial", factor="any", needs=frozenset({"item"}))


class Unable(Fixed):
    """Cannot estimate anything."""

    def estimate(self, table: pd.DataFrame, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        raise TableError("Two participants are too few.")


class Says(Record):
    """A check that finds what it was told."""

    holds: bool = True

    def check(self, table: pd.DataFrame, hypothesis: Hypothesis, alpha: float) -> Checked:
        return Checked(statistic=1.0, p_value=0.9 if self.holds else alpha / 2, holds=self.holds)


ENTRIES: Mapping[tuple[str, str], type[Record]] = {
    ("analyses", "fixed"): Fixed,
    ("analyses", "difference"): Difference,
    ("analyses", "paired"): Paired,
    ("analyses", "omnibus"): Omnibus,
    ("analyses", "crossed"): Crossed,
    ("analyses", "against"): Against,
    ("analyses", "relation"): Relation,
    ("analyses", "items"): Items,
    ("analyses", "unable"): Unable,
    ("checks", "says"): Says,
}

VARIABLES = Variables(
    measures={
        "correct": MeasureVariable("trial", "binary", "higher"),
        "rt": MeasureVariable("trial", "time", "lower"),
        "liking": MeasureVariable("trial", "ordinal"),
        "word": MeasureVariable("trial", "nominal"),
        "total": MeasureVariable("session", "continuous"),
    },
    factors={
        "method": FactorVariable("between", ("lime", "shap", "none")),
        "help": FactorVariable("between", ("with", "without")),
        "phase": FactorVariable("within", ("before", "after")),
        "kind": FactorVariable("item", ("easy", "hard")),
    },
    has_items=True,
    columns=frozenset({"block"}),
)


def sample_tables(n_people: int = 12, seed: int = 0) -> Tables:
    """Make eight trials for each of a few people, text columns as categories as the tabulate stage gives them."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "participant": f"p{person:02d}",
            "item": f"i{item}",
            "method": ("lime", "shap", "none")[person % 3],
            "help": ("with", "without")[person % 2],
            "phase": ("before", "after")[item % 2],
            "kind": ("easy", "hard")[item // 4],
            "block": "main",
            "correct": float(rng.random() < 0.6),
            "rt": float(rng.exponential(2.0)) + (1.0 if person % 2 == 0 else 0.0),
            "liking": float(rng.integers(1, 8)),
            "word": "yes",
        }
        for person in range(n_people)
        for item in range(8)
    ]
    trials = pd.DataFrame(rows)
    texts = ["participant", "item", "method", "help", "phase", "kind", "block", "word"]
    trials[texts] = trials[texts].astype("category")
    sessions = trials[["participant", "method", "help"]].drop_duplicates().reset_index(drop=True)
    return Tables(trials, sessions.assign(total=np.arange(len(sessions), dtype=float)))


def outcome(name: str = "accuracy", measure: str = "correct", **fields: Any) -> Outcome:
    return Outcome(name=name, measure=measure, **fields)


def hypothesis(name: str = "h", **fields: Any) -> Hypothesis:
    """Make a hypothesis over the outcome `accuracy`, decided by the toy `fixed`."""
    given = {"claim": "It helps.", "outcome": "accuracy", "analysis": "fixed"} | fields
    return Hypothesis(hypothesis_id=name, **given)


def plan(*hypotheses: Hypothesis, outcomes: tuple[Outcome, ...] = (outcome(),), **fields: Any) -> AnalysisPlan:
    return AnalysisPlan(outcomes=outcomes, hypotheses=hypotheses, **fields)


def results(
    of: AnalysisPlan, tables: Tables | None = None, *, collected: Collected | None = None, seed: int = 1
) -> Results:
    """Run a plan on the sample tables, collected under the very study unless said otherwise."""
    under = collected or Collected("a" * 64, frozenset({"a" * 64}), registration_gap="")
    rng = np.random.default_rng(seed)
    return run_plan(of, sample_tables() if tables is None else tables, VARIABLES, collected=under, rng=rng)
