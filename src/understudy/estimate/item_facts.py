"""What the rows of a table show of its items: which columns differ between items and not within them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import pandas as pd

from understudy.estimate.outcomes import outcome_rows
from understudy.estimate.plan_cautions import ItemFacts
from understudy.estimate.tables import PlanTables
from understudy.estimate.variables import Variables
from understudy.schema import AnalysisPlan, Outcome

_SEEN_BY = 2
"""How many people an item needs on average, for a value that never varies within it to belong to the item."""

_ITEMS_A_LEVEL = 3
"""How many items a level needs on average, for a column that no description calls items to be taken for them."""


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
        n_answers = people.groupby([people.to_numpy(), column.to_numpy()], sort=False).size()
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
