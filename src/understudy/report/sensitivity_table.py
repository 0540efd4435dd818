"""Tables of sensitivity analyses: each hypothesis in the main analysis and once more with people who were left out."""

from typing import NamedTuple

from understudy.report import numbers
from understudy.report.wording import joined, plural, readable
from understudy.schema import Finding, Findings


class SensitivityLine(NamedTuple):
    """One hypothesis, tested twice."""

    hypothesis: str
    main: str
    again: str


class SensitivityTable(NamedTuple):
    """One sensitivity analysis."""

    name: str
    words: str
    lines: tuple[SensitivityLine, ...]


def sensitivity_tables(findings: Findings) -> tuple[SensitivityTable, ...]:
    """Return a table for each sensitivity analysis."""
    tables = []
    for results in findings.sensitivity:
        again = {finding.hypothesis_id: finding for finding in results.findings}
        counts = joined([f"{n:,} in {condition}" for condition, n in results.n_by_condition.items()])
        added = "" if results.is_declared else "Not in the plan; added for every rule that excluded people. "
        words = (
            f"{added}Includes people excluded by these rules: {joined([readable(name) for name in results.keeps])}. "
            f"{plural(results.n_analysed, 'participant')}: {counts}."
        )
        lines = tuple(
            SensitivityLine(finding.claim, _result(finding), _result(again[finding.hypothesis_id]))
            for finding in findings.findings
            if finding.hypothesis_id in again
        )
        tables.append(SensitivityTable(readable(results.name), words, lines))
    return tuple(tables)


def _result(finding: Finding) -> str:
    """Return analysis, test and verdict in a few words."""
    verdict = finding.verdict.replace("_", " ")
    if finding.estimate is None:
        return verdict
    p_value = finding.estimate.p_value if finding.p_adjusted is None else finding.p_adjusted
    corrected = " (corrected)" if p_value != finding.estimate.p_value else ""
    return f"{verdict}; {finding.analysis}, {numbers.p_value(p_value)}{corrected}"
