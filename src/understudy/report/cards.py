"""The content of the page as text, before any markup: formatted numbers, and reasons for missing ones."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from understudy.report import theme
from understudy.report.wording import VERDICT, correction_of, readable, sides_of
from understudy.schema import (
    AnalysisPlan,
    CheckResult,
    DescriptionTable,
    Estimate,
    Finding,
    GroupSummary,
    Hypothesis,
    PublishedComparison,
    Status,
    Verdict,
)
from understudy.schema.readable import limits_words

_FEW_GROUPS: Final = 3
"""Groups whose means fit on one line."""


class DisplayValue(NamedTuple):
    """A formatted value, and the reason if it is missing."""

    text: str
    reason: str = ""


class Fact(NamedTuple):
    """A labelled value with a note."""

    label: str
    value: DisplayValue
    note: str = ""


class GroupsTable(NamedTuple):
    """n, centre and spread by group."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, tuple[DisplayValue, ...]], ...]


class Card(NamedTuple):
    """The card of one hypothesis."""

    anchor: str
    hypothesis_id: str
    claim: str
    analysis: str
    verdict: Verdict
    verdict_words: str
    status: str
    why: tuple[str, ...]
    headline: DisplayValue
    test: str
    means: str
    """The outcome and its mean in each group, such as "accuracy: shown 0.705, hidden 0.692"; empty for many groups."""
    facts: tuple[Fact, ...]
    groups: GroupsTable | None
    checks: tuple[str, ...]
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]
    cautions: tuple[str, ...] = ()


class PublishedRow(NamedTuple):
    """A published value and ours."""

    label: str
    published: str
    recomputed: DisplayValue
    agrees: str
    note: str


def card_of(finding: Finding, order: int, plan: AnalysisPlan | None) -> Card:
    """Return the card of a finding."""
    claims = {claim.hypothesis_id: claim for claim in plan.hypotheses} if plan else {}
    hypothesis = claims.get(finding.hypothesis_id)
    estimate = finding.estimate
    return Card(
        anchor=f"hypothesis-{order}",
        hypothesis_id=finding.hypothesis_id,
        claim=finding.claim,
        analysis=finding.analysis,
        verdict=finding.verdict,
        verdict_words=", ".join(
            filter(None, (VERDICT[finding.verdict] + ", interim" * finding.is_interim, limits_words(finding)))
        ),
        status=finding.status,
        why=finding.why or _status_reason(finding),
        headline=_headline(estimate),
        test=_test_in_brief(finding, hypothesis),
        means=_means(hypothesis, estimate.groups) if estimate else "",
        facts=_facts(finding, hypothesis, plan),
        groups=groups_table(estimate.groups) if estimate and estimate.groups else None,
        checks=tuple(f"{_check_words(check)}, so {readable(check.led_to)}." for check in finding.checks),
        assumptions=tuple(f"{_check_words(check)}." for check in finding.assumptions),
        notes=tuple(note for note in estimate.notes if note not in finding.why) if estimate else (),
        cautions=finding.cautions,
    )


def groups_table(groups: Sequence[GroupSummary]) -> GroupsTable:
    """Return the table of groups with common decimals and without empty columns."""
    shown = _common_decimals([value for group in groups for value in (group.mean, group.sd)])
    spans = [group.interval for group in groups if group.interval is not None]
    columns: list[tuple[str, list[DisplayValue]]] = [
        ("n", [DisplayValue(theme.count(group.n)) for group in groups]),
        ("Mean", [_value(group.mean, _mean_gap(group), shown) for group in groups]),
    ]
    if any(group.sd is not None for group in groups):
        columns.append(("SD", [_value(group.sd, _spread_gap(group), shown) for group in groups]))
    if any(group.median is not None for group in groups):
        columns.append(("Median", [_value(group.median, _mean_gap(group), shown) for group in groups]))
    if spans:
        written = [theme.interval(group.interval, decimals=shown) for group in groups]
        gaps = [_or_reason(text, _spread_gap(group)) for text, group in zip(written, groups, strict=True)]
        columns.append((f"{theme.level(spans[0])} CI", gaps))
    rows = tuple((group.group, tuple(column[k] for _, column in columns)) for k, group in enumerate(groups))
    return GroupsTable(tuple(heading for heading, _ in columns), rows)


def description_heading(table: DescriptionTable) -> str:
    """Say what a description describes."""
    by = f" by {' and '.join(map(readable, table.by))}" if table.by else ""
    return _label(table.outcome) + by


def published_row(comparison: PublishedComparison) -> PublishedRow:
    """Lay out a printed figure next to the recomputed one, to the printed digits."""
    ours = theme.number(comparison.recomputed, decimals=comparison.decimals)
    return PublishedRow(
        comparison.label,
        theme.number(comparison.published, decimals=comparison.decimals),
        _or_reason(ours, "could not be recomputed"),
        "yes" if comparison.agrees else "no" if comparison.is_expected else "no, a known difference",
        comparison.note,
    )


def _status_reason(finding: Finding) -> tuple[str, ...]:
    reasons: dict[Status, tuple[str, ...]] = {
        "registered": ("The plan was registered before the first participant arrived.",),
        "planned": ("The data were collected under exactly this plan.",),
        "exploratory": (),
    }
    return reasons[finding.status]


def _headline(estimate: Estimate | None) -> DisplayValue:
    if estimate is None:
        return DisplayValue(theme.DASH, "not estimated")
    if estimate.effect is None:
        return DisplayValue(theme.DASH, f"{estimate.effect_name} could not be estimated")
    return DisplayValue(f"{estimate.effect_name} {theme.value_with_interval(estimate.effect, estimate.interval)}")


def _test_in_brief(finding: Finding, hypothesis: Hypothesis | None) -> str:
    """Return the p-value that decided, and that one side was tested: such a test can reject what the interval includes."""
    raw = finding.estimate.p_value if finding.estimate else None
    decisive = raw if finding.p_adjusted is None else finding.p_adjusted
    if decisive is None:
        return ""
    corrected = " after correction" if decisive != raw else ""
    one_sided = ", one-sided" if hypothesis and hypothesis.direction in ("greater", "less") else ""
    return f"{theme.p_value(decisive)}{corrected}{one_sided}"


def _means(hypothesis: Hypothesis | None, groups: Sequence[GroupSummary]) -> str:
    if not 2 <= len(groups) <= _FEW_GROUPS or any(group.mean is None for group in groups):
        return ""
    decimals = _common_decimals([group.mean for group in groups])
    values = ", ".join(f"{group.group} {theme.number(group.mean, decimals=decimals)}" for group in groups)
    return f"{readable(hypothesis.outcome)}: {values}" if hypothesis else values


def _facts(finding: Finding, hypothesis: Hypothesis | None, plan: AnalysisPlan | None) -> tuple[Fact, ...]:
    estimate = finding.estimate
    if estimate is None:
        return (
            Fact("Planned analysis", DisplayValue(readable(finding.analysis))),
            Fact("Estimate", DisplayValue(theme.DASH, "not tested")),
        )
    written = theme.value_with_interval(estimate.effect, estimate.interval)
    gap = "" if estimate.interval else "this analysis gives no interval"
    sides = sides_of(hypothesis) if hypothesis else ""
    facts = [
        Fact(
            _label(estimate.effect_name),
            _or_reason(written, "could not be estimated"),
            gap if estimate.effect is not None else "",
        ),
        *((Fact("Estimand", DisplayValue(_label(finding.estimand))),) if finding.estimand else ()),
        Fact("Analysis", DisplayValue(readable(finding.analysis)), sides),
        _test_fact(estimate),
        _adjusted_fact(finding, correction_of(hypothesis, plan), is_planned=hypothesis is not None),
        Fact("Alpha", DisplayValue(f"{finding.alpha:.3g}".removeprefix("0"))),
        Fact("Analysed", DisplayValue(f"{estimate.n_sessions:,} participants"), f"{estimate.n_rows:,} rows"),
    ]
    for size in estimate.effect_sizes:
        if size.name == estimate.effect_name:
            continue
        size_gap = "" if size.interval or size.value is None else "no interval for this effect size"
        facts.append(
            Fact(
                _label(size.name),
                _or_reason(theme.value_with_interval(size.value, size.interval), "could not be computed"),
                size_gap,
            )
        )
    for name, value in estimate.details.items():
        facts.append(Fact(_label(name), _or_reason(theme.number(value), "does not apply here")))
    return tuple(facts)


def _test_fact(estimate: Estimate) -> Fact:
    if estimate.p_value is None:
        return Fact("Test", DisplayValue(theme.statistic(estimate), "this analysis gives no p-value"))
    if estimate.statistic is None:
        return Fact("Test", DisplayValue(theme.p_value(estimate.p_value)), "computed without a test statistic")
    return Fact("Test", DisplayValue(f"{theme.statistic(estimate)}, {theme.p_value(estimate.p_value)}"))


def _adjusted_fact(finding: Finding, correction: str, *, is_planned: bool) -> Fact:
    if finding.p_adjusted is None:
        has_p = finding.estimate is not None and finding.estimate.p_value is not None
        return Fact("Adjusted", DisplayValue(theme.DASH, "not adjusted" if has_p else "there is no p-value to adjust"))
    note = correction or ("no correction is declared" if is_planned else "")
    return Fact("Adjusted", DisplayValue(theme.p_value(finding.p_adjusted)), note)


def _check_words(check: CheckResult) -> str:
    figures = ", ".join(
        part
        for part in (
            f"statistic {theme.plain(check.statistic)}" if check.statistic is not None else "",
            theme.p_value(check.p_value) if check.p_value is not None else "",
        )
        if part
    )
    conclusion = "the assumption holds" if check.holds else "the assumption does not hold"
    return f"{_label(check.check)}: {conclusion}{f' ({figures})' if figures else ''}"


def _label(name: str) -> str:
    """Return a name as a row label; symbols such as r stay as they are."""
    words = readable(name)
    return words if len(words) < 3 else words[0].upper() + words[1:]


def _or_reason(text: str, reason: str) -> DisplayValue:
    return DisplayValue(text, reason if text == theme.DASH else "")


def _value(value: float | None, gap: str, decimals: int | None) -> DisplayValue:
    return _or_reason(theme.number(value, decimals=decimals), gap)


def _common_decimals(values: Sequence[float | None]) -> int | None:
    """Return decimals that suit all values of a table, or none when their sizes are too far apart."""
    sizes = [abs(value) for value in values if value]
    return theme.decimals_of(sizes) if sizes and max(sizes) <= 1000 * min(sizes) else None


def _mean_gap(group: GroupSummary) -> str:
    return "no values" if group.n == 0 else "not computed"


def _spread_gap(group: GroupSummary) -> str:
    return "needs two values" if group.n < 2 else "not computed"
