"""Data in which everything goes against one claim, for any hypothesis of any study."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from understudy.estimate import Collected, Tables, Variables, findings_from_tables, variables_from_study
from understudy.estimate.verdicts import claimed_side
from understudy.schema import AnalysisPlan, Finding, Hypothesis, Outcome, Ref, Study

N_PER_CELL, N_ITEMS = 24, 6
HERE = "a" * 64


def finding_under_harm(study: Study, hypothesis: Hypothesis, *, seed: int = 1) -> Finding:
    """Test one claim of a study on people for whom the opposite is true."""
    variables = variables_from_study(study)
    # Its family and its gate are left out: they can only make a verdict weaker.
    alone = hypothesis.model_copy(update={"family": None, "requires": None, "analysis": _quick(hypothesis.analysis)})
    wanted = {hypothesis.outcome, hypothesis.other}
    outcomes = tuple(outcome for outcome in study.plan.outcomes if outcome.name in wanted)
    plan = AnalysisPlan(outcomes=outcomes, hypotheses=(alone,), alpha=study.plan.alpha)
    tables = _Harm(study, alone, variables, np.random.default_rng(seed)).tables()
    collected = Collected(HERE, frozenset({HERE}), registration_gap="")
    return findings_from_tables(plan, tables, variables, collected=collected, rng=np.random.default_rng(2)).findings[0]


def _quick(analysis: Any) -> Any:
    """Draw fewer resamples where an analysis takes the default; an effect this large does not need more."""
    if isinstance(analysis, Ref) and analysis.name in (
        "change",
        "rating_gain",
        "participant_bootstrap",
        "two_way_bootstrap",
    ):
        return Ref(name=analysis.name, params={**analysis.params, "n_resamples": 500})
    return analysis


class _Harm:
    """Rows for every cell of a study, whose values fall where the claim says that they rise."""

    def __init__(self, study: Study, hypothesis: Hypothesis, variables: Variables, rng: np.random.Generator) -> None:
        self.study, self.hypothesis, self.variables, self.rng = study, hypothesis, variables, rng
        side = claimed_side(hypothesis)
        self.sign = -1 if side == "greater" else 1
        self.outcomes = {outcome.name: outcome for outcome in study.plan.outcomes}
        self._names = [name for name in (hypothesis.outcome, hypothesis.other) if name is not None]

    def tables(self) -> Tables:
        trials = pd.DataFrame([row for person in self._people("trial") for row in self._trials(person, "trial")])
        answers = [row for person in self._people("question") for row in self._trials(person, "question")]
        sessions = pd.DataFrame([self._session(person) for person in self._people()])
        return Tables(trials, sessions, answers=pd.DataFrame(answers) if answers else None)

    def _people(self, unit: str = "session") -> list[dict[str, Any]]:
        """Return everybody, or one person in tables that the claim does not read."""
        measures = [self.variables.measures[self.outcomes[name].measure] for name in self._names]
        n = N_PER_CELL if unit == "session" or any(measure.unit == unit for measure in measures) else 1
        return [
            {"participant": f"{cell.name}-{number}", "session": f"{cell.name}-{number}", **cell.levels}
            for cell in self.study.cells
            for number in range(n)
        ]

    def _trials(self, person: dict[str, Any], unit: str) -> list[dict[str, Any]]:
        inner = self._factors("within", *(["question"] if unit == "question" else []))
        if unit == "question" and not self._factors("question"):
            return []
        item_levels = self._factors("item")
        rows = []
        block = self._block()
        for chosen in product(*inner.values()):
            for item in range(self._n_items()):
                levels = {name: values[item % len(values)] for name, values in item_levels.items()}
                row = {**person, **levels, **dict(zip(inner, chosen, strict=True))}
                # Items come back at other levels of the compared factor only.
                others = "-".join(row[name] for name in inner if name != self.hypothesis.factor)
                row["item"] = f"{others}-{item}"
                rows.append({**row, "block": block, **self._measured(row, unit)})
        return rows

    def _session(self, person: dict[str, Any]) -> dict[str, Any]:
        return {**person, **self._measured(person, "session")}

    def _factors(self, *scopes: str) -> dict[str, tuple[str, ...]]:
        return {name: factor.levels for name, factor in self.variables.factors.items() if factor.scope in scopes}

    def _n_items(self) -> int:
        # The largest of many answers is nearly always right, on either side of the claim.
        return 1 if self.outcomes[self.hypothesis.outcome].summary in ("max", "min") else N_ITEMS

    def _block(self) -> str:
        """Return a block in which all outcomes of the claim are measured."""
        first, *others = (self.variables.measures[self.outcomes[name].measure].blocks for name in self._names)
        return next((block for block in first if all(block in blocks for blocks in others)), "main")

    def _measured(self, row: dict[str, Any], unit: str) -> dict[str, Any]:
        noise = self.rng.normal()
        main = self._value(self.outcomes[self.hypothesis.outcome], self._lift(row) + 0.3 * noise)
        found = {name: 0.0 for name, measure in self.variables.measures.items() if measure.unit == unit}
        found[self.outcomes[self.hypothesis.outcome].measure] = main
        if self.hypothesis.other is not None:
            # The second outcome follows the first, against the claim, with noise enough not to separate right from wrong.
            centred = main - 0.5 if self._scale(self.outcomes[self.hypothesis.outcome]) == "binary" else 0.3 * noise
            lift = self.sign * 3 * centred + self.rng.normal()
            other = self.outcomes[self.hypothesis.other]
            found[other.measure] = self._value(other, lift)
        return found

    def _lift(self, row: dict[str, Any]) -> float:
        """Return how far a row lies against the claim; 0 where the claim says nothing."""
        hypothesis = self.hypothesis
        if hypothesis.factor is None:
            return self.sign * 2.0 if hypothesis.other is None else 0.0
        levels = self.variables.factors[hypothesis.factor].levels
        first, second = hypothesis.contrast or levels[:2]
        position = {first: 1.0, second: -1.0}.get(row.get(hypothesis.factor, ""), 0.0)
        params = hypothesis.analysis.params if isinstance(hypothesis.analysis, Ref) else {}
        is_elsewhere = "reference" in params and row.get(str(params.get("between"))) == params["reference"]
        return self.sign * position * (0.1 if is_elsewhere else 1.2)

    def _scale(self, outcome: Outcome) -> str:
        return self.variables.measures[outcome.measure].scale

    def _value(self, outcome: Outcome, lift: float) -> float:
        middle = self.hypothesis.against if outcome.name == self.hypothesis.outcome else None
        scale = self._scale(outcome)
        analysis = self.hypothesis.analysis
        if isinstance(analysis, Ref) and analysis.name == "rating_gain" and outcome.name == self.hypothesis.other:
            return 4.5 + lift  # between the two ratings whose chances it compares
        if scale == "binary":
            return float(self.rng.random() < 1 / (1 + np.exp(-2 * lift)))
        if scale == "bounded":
            return min(max((0.5 if middle is None else middle) + 0.2 * lift, 0.0), 1.0)
        if scale == "time":
            return float(2000 * np.exp(lift))
        if scale == "ordinal":
            return float(min(max(round(4 + lift), 1), 7))
        if scale == "count":
            return float(max(0, round(20 + 6 * lift)))
        return (0.0 if middle is None else middle) + lift
