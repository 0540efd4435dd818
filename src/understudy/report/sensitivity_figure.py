"""The figure of sensitivity: each effect as planned, and once more with people whom exclusions took out."""

import altair as alt

from understudy.report import numbers
from understudy.report.charts import forest_chart
from understudy.report.figures import Figure, stacked
from understudy.report.wording import readable
from understudy.schema import EffectSize, Finding, Findings, SensitivityResults


def sensitivity_figure(findings: Findings) -> Figure | None:
    """Return one panel per hypothesis with a row for each sensitivity analysis; None if there is none to draw."""
    panels: list[alt.Chart | alt.LayerChart] = []
    spoken: list[str] = []
    for finding in findings.findings:
        rows = _rows(finding, findings)
        if len(rows) > 1:
            panels.append(forest_chart(f"{finding.hypothesis_id}: {rows[0][1].name}", rows))
            said = "; ".join(
                f"{label} {numbers.value_with_interval(size.value, size.interval)}" for label, size in rows
            )
            spoken.append(f"{finding.hypothesis_id}: {said}.")
    if not panels:
        return None
    is_synthetic = findings.provenance.is_synthetic
    return Figure(
        name="sensitivity",
        chart=stacked(panels, is_synthetic=is_synthetic),
        title="Sensitivity to exclusions",
        caption="One panel per hypothesis: the effect as planned, and again with the people that each rule excluded. The "
        "dashed line marks no effect.",
        description=f"Effects with and without exclusions. {' '.join(spoken)}",
        is_synthetic=is_synthetic,
    )


def label_of(results: SensitivityResults) -> str:
    """Say which people count: those of a declared analysis, or those whom one rule took out."""
    if results.is_declared:
        return f"with {readable(results.name)}"
    return "without exclusions" if len(results.keeps) > 1 else f"without “{readable(results.keeps[0])}”"


def _rows(finding: Finding, findings: Findings) -> list[tuple[str, EffectSize]]:
    """Return the effect of each analysis; those that a decision tree led to another kind of effect are left out."""
    named = [("as planned", finding)]
    for results in findings.sensitivity:
        named += [
            (label_of(results), again) for again in results.findings if again.hypothesis_id == finding.hypothesis_id
        ]
    return [
        (
            label,
            EffectSize(
                name=found.estimate.effect_name,
                value=found.estimate.effect,
                interval=found.estimate.interval,
                null_value=found.estimate.null_value,
            ),
        )
        for label, found in named
        if found.estimate is not None
        and found.estimate.effect is not None
        and finding.estimate is not None
        and found.estimate.effect_name == finding.estimate.effect_name
    ]
