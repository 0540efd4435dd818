"""Partial sessions: how answers of people who left early count, and which items are complete."""

import numpy as np
import pandas as pd

from understudy.estimate.losses import Loss
from understudy.estimate.variables import Variables
from understudy.schema import Outcome

_OF_ANY_PART = frozenset({None, "mean", "median", "first"})
"""Summaries that mean the same over part of a person's answers as over all; a sum or a last value does not."""
_EARLY = "Of all {n_all} {unit} with {lacking}, {n} left early and count with the answers they gave."


def with_partial(
    outcome: Outcome, table: pd.DataFrame, partial: frozenset[str], *, is_session: bool
) -> tuple[pd.DataFrame, tuple[Loss, ...]]:
    """Keep people who left early if part of the answers can represent all, and count them."""
    if not partial:
        return table, ()
    is_partial = table["participant"].astype(str).isin(partial)
    n = int(table["participant"][is_partial].nunique())
    n_all = int(table["participant"].nunique())
    if outcome.summary in _OF_ANY_PART and not is_session:
        return table, (Loss(n, n_all, "participants", repr(outcome.name), _EARLY),)
    return table[~is_partial], (Loss(n, n_all, "participants", f"a finished session, which {outcome.name!r} needs"),)


def with_complete_items(
    outcome: Outcome, table: pd.DataFrame, variables: Variables
) -> tuple[pd.DataFrame, tuple[Loss, ...]]:
    """Keep the items that a person answered at every level of a factor; rows without a value stay to be counted."""
    factor = outcome.complete_over
    if factor is None:
        return table, ()
    levels = variables.factors[factor].levels
    others = [name for name in variables.factors_of_scope("within") if name != factor and name in table.columns]
    cell = table.groupby(["participant", "item", *others], observed=True, dropna=False, sort=False).ngroup()
    has_value = table[outcome.measure].notna()
    answered = has_value & table[factor].notna() & table["item"].notna()
    answered_levels = pd.DataFrame({"cell": cell, "level": table[factor]})[answered].drop_duplicates()
    # Rows are distinct levels of a cell, so counting rows counts levels.
    n_levels = np.bincount(
        answered_levels["cell"].to_numpy(dtype=np.int64), minlength=int(cell.max()) + 1 if len(cell) else 0
    )
    is_complete = pd.Series(n_levels[cell.to_numpy(dtype=np.int64)] == len(levels), index=table.index)
    lost = has_value & ~is_complete
    lacking = f"an answer to the same item at every level of {factor!r} ({', '.join(levels)})"
    return table[~lost], (Loss(int(lost.sum()), int(has_value.sum()), "answers", lacking),)
