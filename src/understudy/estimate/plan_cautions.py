"""Cautions: plans that can be run, but whose words or analyses lead to claims that the data do not support."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import pandas as pd

from understudy.estimate.choices import analyses_in, analysis_from_ref
from understudy.estimate.claim_words import word_cautions
from understudy.estimate.outcomes import outcome_rows
from understudy.estimate.tables import PlanTables
from understudy.estimate.variables import Variables
from understudy.roles import Analysis, HasCautions, PlannedData, SamplesItems
from understudy.schema import AnalysisPlan, Hypothesis, Outcome
from understudy.schema.claims import shared_outcomes

_GENERALIZE = (
    "To speak of other items, keep single answers and choose a model with random effects of items: linear_mixed, "
    'logistic_mixed or ordinal_mixed with random = "maximal".'
)
_SEEN_BY = 2
"""How many people an item needs on average, for a value that never varies within it to belong to the item."""

_ITEMS_A_LEVEL = 3
"""How many items a level needs on average, for a column that no description calls items to be taken for them."""


@dataclass
class ItemFacts:
    """What belongs to the items of an outcome, because it never varies between people's answers to one item."""

    n_items: int = 0
    fixed: frozenset[str] = frozenset()
    """Factors, and "value" for the outcome itself."""
    column: str = ""
    """The column that tells items apart, if the description of the table does not name it."""


def plan_cautions(plan: AnalysisPlan, variables: Variables) -> list[str]:
    """Return one sentence for each reason to change a sound plan."""
    by_analysis = (
        f"Hypothesis {hypothesis.hypothesis_id!r} uses {ref.name!r}. {sentence}"
        for hypothesis in plan.hypotheses
        for ref in analyses_in(hypothesis.analysis)
        for sentence in _of_analysis(hypothesis, analysis_from_ref(ref, hypothesis, plan), plan, variables)
    )
    return list(dict.fromkeys((*word_cautions(plan, variables), *shared_outcomes(plan), *by_analysis)))


def _of_analysis(hypothesis: Hypothesis, analysis: Analysis, plan: AnalysisPlan, variables: Variables) -> Iterator[str]:
    if isinstance(analysis, HasCautions):
        yield from analysis.cautions(hypothesis, _planned(hypothesis, plan, variables))
    caution = item_caution(hypothesis, analysis, plan, variables)
    if caution:
        yield caution


def item_caution(
    hypothesis: Hypothesis,
    analysis: Analysis,
    plan: AnalysisPlan,
    variables: Variables,
    facts: Mapping[str, ItemFacts] | None = None,
) -> str:
    """Return that an analysis takes the items as all there are although they decide what is compared; empty if not.

    A factor of scope `item` is one by the plan. `facts` are those of the data, by outcome: factors and second outcomes
    that never vary within an item, whatever the plan says of them.
    """
    outcomes = {outcome.name: outcome for outcome in plan.outcomes}
    outcome, known = outcomes[hypothesis.outcome], facts or {}
    if isinstance(analysis, SamplesItems) and analysis.samples_items and variables.unit_of(outcome) == "trial":
        return ""
    of_outcome = known.get(outcome.name, ItemFacts())
    factors = [hypothesis.factor, hypothesis.crossed_with, *(name for name, _ in analysis.fit.reads)]
    factors = [name for name in dict.fromkeys(factors) if name in variables.factors]
    named = [
        repr(name) for name in factors if name and (variables.factors[name].scope == "item" or name in of_outcome.fixed)
    ]
    others = dict.fromkeys(name for name in (hypothesis.other, *analysis.fit.covariates) if name in outcomes)
    named += [repr(name) for name in others if name is not None and "value" in known.get(name, ItemFacts()).fixed]
    if "value" in of_outcome.fixed:
        named.append(repr(outcome.name))
    if not named:
        return ""
    counted = f"the {of_outcome.n_items} items" if of_outcome.n_items else "the items"
    by = f" (column {of_outcome.column!r})" if of_outcome.column else ""
    differ = "differs" if len(named) == 1 else "differ"
    return (
        f"{' and '.join(named)} {differ} between items{by} and not within them, but the analysis takes {counted} as all there "
        f"are. The verdict holds for these items only: how items happen to differ is enough to produce it. {_GENERALIZE}"
    )


def item_facts(plan: AnalysisPlan, tables: PlanTables, variables: Variables) -> dict[str, ItemFacts]:
    """Return for each outcome with single answers what never varies within an item, after one pass over the trials."""
    single = {
        outcome.name: outcome.model_copy(update={"summary": None, "by": (), "complete_over": None})
        for outcome in plan.outcomes
        if variables.measures[outcome.measure].unit == "trial"
    }
    tallies: dict[str, dict[str, _Tally]] = {name: {} for name in single}
    for part in tables.trial_parts() if single else ():
        for name, outcome in single.items():
            _add(tallies[name], outcome, part, variables, tables.partial)
    return {name: _facts(found.values(), is_declared=variables.has_items) for name, found in tallies.items()}


@dataclass
class _Tally:
    """What is known so far of one column that may tell items apart."""

    column: str
    n_seen: int = 0
    """How many people saw each item, summed over items."""
    levels: dict[str, pd.DataFrame] = field(default_factory=dict)
    """By column that may belong to items: the value of each item so far."""
    varying: set[str] = field(default_factory=set)
    items: set[object] = field(default_factory=set)


def _add(
    tallies: dict[str, _Tally], outcome: Outcome, part: pd.DataFrame, variables: Variables, partial: frozenset[str]
) -> None:
    rows = outcome_rows(outcome, part, variables, partial=partial).rows
    names = ["item"] if variables.has_items else _candidates(rows, part, variables)
    rows = rows.join(part[[name for name in names if name not in rows.columns]])
    asked = ["value", *(name for name in variables.factors if name in rows.columns)]
    for name in names:
        if name not in rows.columns:
            continue
        tally = tallies.setdefault(name, _Tally(name))
        known = rows[rows[name].notna()]
        tally.n_seen += len(known[["participant", name]].drop_duplicates())
        tally.items |= set(known[name].unique())
        for column in asked:
            if column in tally.varying:
                continue
            pairs = known[[name, column]].dropna().drop_duplicates()
            pairs = pd.concat([tally.levels.get(column, pairs[:0]), pairs]).drop_duplicates()
            if pairs[name].duplicated().any():
                tally.varying.add(column)
                tally.levels.pop(column, None)
            else:
                tally.levels[column] = pairs


def _candidates(rows: pd.DataFrame, part: pd.DataFrame, variables: Variables) -> list[str]:
    """Return the columns that may tell items apart in a table whose description names no items."""
    declared = {"participant", "value", *variables.factors, *variables.measures}
    people = rows["participant"]
    found = []
    for name in part.columns:
        if name in declared:
            continue
        column = part.loc[rows.index, name]
        n_answers = people.groupby([people.to_numpy(), column.to_numpy()]).size()
        # Everybody answers about an item equally often, unlike about what is another form of their answers.
        is_of_people = len(n_answers) <= people.nunique()
        if column.nunique() > _SEEN_BY and not is_of_people and n_answers.nunique() == 1:
            found.append(str(name))
    return found


def _facts(tallies: Iterable[_Tally], *, is_declared: bool) -> ItemFacts:
    best = ItemFacts()
    for tally in tallies:
        n_items = len(tally.items)
        if n_items < 2 or tally.n_seen < _SEEN_BY * n_items:
            continue
        # A column with one value in all items compares nothing.
        fixed = frozenset(
            name for name, pairs in tally.levels.items() if name not in tally.varying and pairs[name].nunique() > 1
        )
        if not is_declared:
            few = {name: n_items < _ITEMS_A_LEVEL * tally.levels[name][name].nunique() for name in fixed}
            fixed = frozenset(name for name in fixed if name == "value" or not few[name])
        if len(fixed) > len(best.fixed) or is_declared:
            best = ItemFacts(n_items, fixed, "" if is_declared else tally.column)
    return best


def _planned(hypothesis: Hypothesis, plan: AnalysisPlan, variables: Variables) -> PlannedData:
    outcome = next(outcome for outcome in plan.outcomes if outcome.name == hypothesis.outcome)
    return PlannedData(
        scale=variables.scale_of(outcome),
        unit=variables.unit_of(outcome),
        scopes={name: factor.scope for name, factor in variables.factors.items()},
        has_items=variables.has_items,
    )
