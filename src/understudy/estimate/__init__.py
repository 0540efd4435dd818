"""Estimate: findings from tables and a plan, and from tables collected elsewhere."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.estimate.descriptions import points_from_outcomes
    from understudy.estimate.dial_names import dial_names
    from understudy.estimate.findings import (
        Collected,
        Results,
        findings_from_tables,
    )
    from understudy.estimate.outcomes import OutcomeRows, outcome_rows, trial_columns_of
    from understudy.estimate.plan_cautions import plan_cautions
    from understudy.estimate.plan_check import (
        plan_faults,
    )
    from understudy.estimate.published import (
        published_comparisons,
    )
    from understudy.estimate.reanalysis import (
        Recovered,
        recovered_tables,
        table_from_file,
    )
    from understudy.estimate.tables import StreamedTables, Tables
    from understudy.estimate.variables import (
        FactorVariable,
        MeasureVariable,
        Variables,
        variables_from_reanalysis,
        variables_from_study,
    )
    from understudy.estimate.verdicts import EarlierTest, Looked, look_rows, untested

__all__ = [
    "Collected",
    "EarlierTest",
    "FactorVariable",
    "Looked",
    "MeasureVariable",
    "OutcomeRows",
    "Recovered",
    "Results",
    "StreamedTables",
    "Tables",
    "Variables",
    "dial_names",
    "findings_from_tables",
    "look_rows",
    "outcome_rows",
    "plan_cautions",
    "plan_faults",
    "points_from_outcomes",
    "published_comparisons",
    "recovered_tables",
    "table_from_file",
    "trial_columns_of",
    "untested",
    "variables_from_reanalysis",
    "variables_from_study",
]

defer_names(__name__)
