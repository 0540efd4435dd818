"""Print findings to a terminal: flow, descriptions, hypotheses, and published figures with recomputed ones."""

from typing import Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from understudy.report.cautions import limit_words, uncorrected_words
from understudy.schema import (
    DescriptionTable,
    Estimate,
    Finding,
    Findings,
    GroupSummary,
    Interval,
    MissingAnswers,
    ParticipantFlow,
    PublishedComparison,
    Verdict,
)
from understudy.schema.readable import LIMITED

_OF_NUMBERS = (
    "left", "remain", "n", "mean", "SD", "median", "p", "adjusted p", "published", "recomputed", "people", "reached",
    "asked", "missing",
)  # fmt: skip
_VERDICT_STYLE: Final[dict[Verdict, str]] = {
    "supported": "green",
    "opposite": "magenta",
    "not_supported": "yellow",
    "inconclusive": "red",
    "not_tested": "dim",
}
_VERDICT_WORDS: Final[dict[Verdict, str]] = {"opposite": "opposite direction"}


def print_findings(findings: Findings, console: Console) -> None:
    """Print all findings."""
    console.print(Text(findings.title, style="bold"))
    if findings.provenance.is_synthetic:
        console.print(Text("SYNTHETIC: simulated people, not evidence about people.", style="bold white on red"))
    if findings.provenance.is_pilot:
        console.print(
            Text("PILOT: not part of the main study, and never pooled with it.", style="bold black on yellow")
        )
    console.print(_flow_table(findings.flow))
    if findings.missing:
        console.print(_missing_table(findings.missing))
    for table in findings.descriptions:
        console.print(_description_view(table))
    if findings.findings:
        console.print(_hypotheses(findings.findings))
        console.print(_remarks(findings.findings))
        console.print(_warnings(findings))
    if findings.published:
        console.print(_published_table(findings.published))


def _flow_table(flow: ParticipantFlow) -> RenderableType:
    table = _table("step", "left", "remain", "in each condition")
    table.add_row("in the table", "", str(flow.n_recruited), "")
    for step in flow.steps:
        label = Text.assemble(step.label, "\n", (step.reason, "dim")) if step.reason else Text(step.label)
        table.add_row(label, str(step.n_left), str(step.n_remaining), _sizes_of(step.by_condition))
    early = f"{flow.n_partial} of them left early" if flow.n_partial else ""
    sizes = ", ".join(part for part in (_sizes_of(flow.by_condition), early) if part)
    table.add_row(Text("analysed", style="bold"), "", Text(str(flow.n_analysed), style="bold"), sizes)
    for name, groups in flow.groups.items():
        if groups != flow.by_condition:
            table.add_row(Text(f"by {name}", style="dim"), "", "", _sizes_of(groups))
    return _titled("Participants", table)


def _sizes_of(groups: dict[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in groups.items())


def _missing_table(missing: tuple[MissingAnswers, ...]) -> RenderableType:
    table = _table("condition", "stage", "people", "left", "reached", "asked", "missing")
    for row in missing:
        n_expected = row.n_expected
        figures = ("–", "–") if n_expected is None else (str(n_expected), str(n_expected - row.n_given))
        table.add_row(row.condition, row.block_id, str(row.n_people), str(row.n_left), str(row.n_reached), *figures)
    return _titled("Answers missing by condition and stage", table)


def _description_view(description: DescriptionTable) -> RenderableType:
    table = _table(", ".join(description.by) or "group", "n", "mean", "SD", "median", "interval")
    for group in description.groups:
        table.add_row(*_group_cells(group))
    return _titled(f"Outcome {description.outcome} ({description.description_id})", table)


def _group_cells(group: GroupSummary) -> tuple[str, ...]:
    figures = (_number(group.mean), _number(group.sd), _number(group.median))
    return (group.group, str(group.n), *figures, _interval(group.interval))


def _hypotheses(findings: tuple[Finding, ...]) -> RenderableType:
    """Return each hypothesis as a few short lines, which fit narrow terminals."""
    parts: list[RenderableType] = [Text("\nHypotheses", style="bold")]
    for finding in findings:
        verdict = (
            _VERDICT_WORDS.get(finding.verdict, finding.verdict.replace("_", " ")) + ", interim" * finding.is_interim,
            f"bold {_VERDICT_STYLE[finding.verdict]}",
        )
        limited = (f"{', ' if finding.status else ''}{LIMITED}", "bold yellow") if finding.cautions else ""
        parts.append(Text.assemble((finding.hypothesis_id, "bold"), "  ", verdict, f", {finding.status}", limited))
        lines = [Text(finding.claim, style="dim")]
        if finding.estimate is not None:
            lines.append(Text(_effect(finding.estimate)))
            lines.append(Text(_test(finding, finding.estimate)))
            lines += [Text(line) for line in (_sizes(finding.estimate), _counts(finding.estimate)) if line]
        parts.append(Padding(Group(*lines), (0, 0, 1, 4)))
    return Group(*parts)


def _effect(estimate: Estimate) -> str:
    interval = f", {_interval(estimate.interval)}" if estimate.interval else ""
    return f"{estimate.effect_name}: {_number(estimate.effect)}{interval}"


def _test(finding: Finding, estimate: Estimate) -> str:
    parts = [finding.analysis]
    if estimate.statistic is not None:
        df = f"({', '.join(f'{value:.6g}' for value in estimate.df)})" if estimate.df else ""
        parts.append(f"{estimate.statistic_name}{df} = {_number(estimate.statistic)}")
    if estimate.p_value is not None:
        parts.append(f"p {_p_value(estimate.p_value)}")
    if finding.p_adjusted is not None and finding.p_adjusted != estimate.p_value:
        parts.append(f"corrected p {_p_value(finding.p_adjusted)}")
    if estimate.bayes_factor is not None:
        parts.append("no p-value")
    return ", ".join(parts)


def _sizes(estimate: Estimate) -> str:
    """Return the effect sizes beyond the effect itself."""
    sizes = [size for size in estimate.effect_sizes if size.name != estimate.effect_name and size.value is not None]
    return "; ".join(
        f"{size.name} {_number(size.value)}{f', {_interval(size.interval)}' if size.interval else ''}" for size in sizes
    )


def _counts(estimate: Estimate) -> str:
    rows = f", {estimate.n_rows:,} rows" if estimate.n_rows != estimate.n_sessions else ""
    return f"n = {estimate.n_sessions:,}{rows}"


def _remarks(findings: tuple[Finding, ...]) -> RenderableType:
    """Return each reason once, with the hypotheses it applies to."""
    reasons: dict[str, list[str]] = {}
    for finding in findings:
        notes = finding.estimate.notes if finding.estimate else ()
        checks = tuple(
            f"{check.check} {'holds' if check.holds else 'fails'} (p {_p_value(check.p_value)}), so {check.led_to} ran."
            for check in finding.checks
        )
        doubts = tuple(
            f"{check.check} does not hold (p {_p_value(check.p_value)}), which {finding.analysis} assumes; it ran as planned."
            for check in finding.assumptions
            if not check.holds
        )
        for reason in dict.fromkeys((*finding.why, *checks, *doubts, *notes)):
            reasons.setdefault(reason, []).append(finding.hypothesis_id)
    lines = []
    for reason, ids in reasons.items():
        subject = "all hypotheses" if len(ids) == len(findings) > 1 else ", ".join(ids)
        lines.append(Text(f"  {reason} [{subject}]", style="dim"))
    return Group(*lines)


def _warnings(findings: Findings) -> RenderableType:
    """Return what is wrong with the plan itself, and that tests are not corrected."""
    said = (*findings.cautions, *limit_words(findings.findings))
    lines = [Text(f"Warning: {sentence}", style="yellow") for sentence in said]
    uncorrected = uncorrected_words(findings.findings)
    return Group(*lines, *([Text(f"  {uncorrected}", style="dim")] if uncorrected else []))


def _published_table(published: tuple[PublishedComparison, ...]) -> RenderableType:
    n_agree = sum(comparison.agrees for comparison in published)
    title = f"Published and recomputed: {n_agree} of {len(published)} agree to the printed digit"
    table = _table("figure", "published", "recomputed", "agrees", "note")
    for comparison in published:
        digits = comparison.decimals + 2 if comparison.decimals or (comparison.recomputed or 0) % 1 else 0
        again = "–" if comparison.recomputed is None else f"{comparison.recomputed:.{digits}f}"
        agrees = (
            Text("yes", style="green")
            if comparison.agrees
            else Text("no", style="bold red" if comparison.is_expected else "yellow")
        )
        table.add_row(
            comparison.label, f"{comparison.published:.{comparison.decimals}f}", again, agrees, comparison.note
        )
    return _titled(title, table)


def _titled(title: str, table: Table) -> RenderableType:
    return Group(Text(f"\n{title}", style="bold"), table)


def _table(*headings: str) -> Table:
    table = Table(header_style="bold", pad_edge=False)
    for column, heading in enumerate(headings):
        is_number = heading in _OF_NUMBERS
        table.add_column(heading, justify="right" if is_number and column else "left")
    return table


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    # One decimal keeps the half of a rank statistic such as U = 1258.5.
    return f"{value:.1f}".removesuffix(".0") if abs(value) >= 1000 else f"{value:.3f}"


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return ""
    low = "−∞" if interval.low is None else _number(interval.low)
    high = "∞" if interval.high is None else _number(interval.high)
    return f"{interval.percent} [{low}, {high}]"


def _p_value(value: float | None) -> str:
    if value is None:
        return "–"
    return "<.0001" if value < 0.0001 else f"{value:.4f}"
