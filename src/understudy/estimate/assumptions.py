"""Check what an analysis assumes on the rows that it ran on, for readers to judge."""

import pandas as pd

from understudy import registry
from understudy.roles import Analysis, AssumptionCheck
from understudy.schema import CheckResult, Hypothesis

ALPHA = 0.05
_MOST_ROWS = 5000
"""Beyond this many rows every check fails on differences that do not matter, and Shapiro & Wilk's p is unknown."""


def checked_assumptions(analysis: Analysis, rows: pd.DataFrame, hypothesis: Hypothesis) -> tuple[CheckResult, ...]:
    """Return the outcome of each check that the analysis names; a check that cannot be made on these rows is left out."""
    if len(rows) > _MOST_ROWS:
        return ()
    if analysis.fit.rows == "all":
        hypothesis = hypothesis.model_copy(update={"contrast": None})
    results = []
    for ref in getattr(analysis, "assumes", ()):
        check: AssumptionCheck = registry.create("checks", ref)
        try:
            found = check.check(rows, hypothesis, ALPHA)
        except Warning:
            raise
        except Exception:  # noqa: S112 - a check that fails takes nothing with it
            # Too few values for a check are no reason to refuse the analysis, which decided that for itself.
            continue
        results.append(
            CheckResult(check=ref.name, statistic=found.statistic, p_value=found.p_value, holds=found.holds, led_to="")
        )
    return tuple(results)
