"""Points: the raw values each hypothesis was tested on, for the figures of a report."""

import pandas as pd

from understudy.estimate.choices import analyses_in, analysis_from_ref
from understudy.estimate.outcomes import OutcomeRows, hypothesis_rows
from understudy.schema import AnalysisPlan, Hypothesis

COLUMNS = ["hypothesis_id", "participant", "group", "value"]


def points_from_outcomes(plan: AnalysisPlan, outcomes: dict[str, OutcomeRows]) -> pd.DataFrame:
    """Return one row per analysed value; the group is the factor's level, or the second outcome of an association."""
    parts = [_points(hypothesis, _read_rows(hypothesis, plan, outcomes)) for hypothesis in plan.hypotheses]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def _read_rows(hypothesis: Hypothesis, plan: AnalysisPlan, outcomes: dict[str, OutcomeRows]) -> pd.DataFrame:
    """Return the rows of a hypothesis without those of levels that its analysis leaves out."""
    rows = hypothesis_rows(hypothesis, outcomes).rows
    fits = {analysis_from_ref(ref, hypothesis, plan).fit.reads for ref in analyses_in(hypothesis.analysis)}
    if len(fits) > 1:
        return rows
    levels: dict[str, set[str | None]] = {}
    for factor, level in fits.pop():
        levels.setdefault(factor, set()).add(level)
    for factor, read in levels.items():
        if None not in read:
            rows = rows[rows[factor].isin(read)]
    return rows


def _points(hypothesis: Hypothesis, rows: pd.DataFrame) -> pd.DataFrame:
    if hypothesis.other is not None:
        both = ((hypothesis.outcome, "value"), (hypothesis.other, "other"))
        return pd.concat([_frame(hypothesis, rows, pd.Series(name, index=rows.index), column) for name, column in both])
    if hypothesis.factor is not None:
        group = rows[hypothesis.factor].astype(str)
        if hypothesis.crossed_with is not None:
            group = group + ", " + rows[hypothesis.crossed_with].astype(str)
    else:
        group = pd.Series("all", index=rows.index)
    return _frame(hypothesis, rows, group, "value")


def _frame(hypothesis: Hypothesis, rows: pd.DataFrame, group: pd.Series, column: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "hypothesis_id": hypothesis.hypothesis_id,
            "participant": rows["participant"].astype(str),
            "group": group,
            "value": rows[column],
        }
        | ({"item": rows["item"].astype(str)} if "item" in rows else {})
    )
