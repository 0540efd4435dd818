"""Cautions: what a reader should know before trusting the findings, each in one sentence with a link to the details."""

from collections.abc import Iterator
from typing import NamedTuple

from understudy.report.wording import joined, plural
from understudy.schema import Finding, Findings

MANY_LEFT_OUT = 0.2
"""A share of people who came but are not analysed from which a reader should look at the flow."""
UNEVEN = 0.1
"""A difference between conditions in the share of missing answers from which those who stayed may differ."""


class Caution(NamedTuple):
    """One sentence, and where the page says more."""

    text: str
    anchor: str


def cautions_of(findings: Findings) -> tuple[Caution, ...]:
    """Return what to be careful about, the most serious first."""
    return tuple(_cautions(findings))


def _cautions(findings: Findings) -> Iterator[Caution]:
    provenance, found = findings.provenance, findings.findings
    if provenance.is_synthetic:
        yield Caution("The participants are simulated. Nothing here is evidence about people.", "provenance")
    if provenance.is_pilot:
        yield Caution(
            "This is a pilot. It is not part of the main study, and nothing in it is confirmatory.", "provenance"
        )
    n_reached = sum(look.is_reached for look in findings.looks)
    if findings.looks and n_reached < len(findings.looks):
        yield Caution(
            f"{n_reached} of {plural(len(findings.looks), 'planned look')} reached: data collection is not finished.",
            "looks",
        )
    if provenance.deviations:
        yield Caution(f"{plural(len(provenance.deviations), 'deviation')} from the plan.", "deviations")
    yield from (Caution(sentence, "hypotheses") for sentence in findings.cautions)
    yield from (Caution(words, "hypotheses") for words in limit_words(found))
    if changed := _changed_by_sensitivity(findings):
        verdict, change = ("verdict", "changes") if len(changed) == 1 else ("verdicts", "change")
        words = f"The {verdict} on {_named(changed)} {change} if excluded people are included."
        yield Caution(words, "sensitivity")
    yield from _about_people(findings)
    broken = [finding for finding in found if any(not check.holds for check in finding.assumptions)]
    if broken:
        yield Caution(f"The data do not meet an assumption of the analysis of {_named(broken)}.", "hypotheses")
    if uncorrected := uncorrected_words(found):
        yield Caution(uncorrected, "hypotheses")
    # An estimate that tests nothing leaves no question open.
    undecided = [
        finding
        for finding in found
        if finding.verdict == "inconclusive" or (finding.verdict == "not_tested" and finding.estimate is None)
    ]
    if undecided:
        yield Caution(f"No clear answer to {_named(undecided)}. The details give the reason.", "hypotheses")


def limit_words(found: tuple[Finding, ...]) -> tuple[str, ...]:
    """Say what limits verdicts, each limit once with the hypotheses that it concerns."""
    limits: dict[str, list[str]] = {}
    for finding in found:
        for caution in finding.cautions:
            limits.setdefault(caution, []).append(finding.hypothesis_id)
    return tuple(f"{joined(ids)}: {caution}" for caution, ids in limits.items())


def _about_people(findings: Findings) -> Iterator[Caution]:
    flow = findings.flow
    n_out = flow.n_recruited - flow.n_analysed
    if flow.n_recruited and n_out / flow.n_recruited >= MANY_LEFT_OUT:
        yield Caution(f"{n_out:,} of the {flow.n_recruited:,} people recruited are not in the analysis.", "flow")
    shares = _missing_shares(findings)
    if shares and max(shares) - min(shares) >= UNEVEN:
        yield Caution("Some conditions have more missing answers than others.", "missing")


def _missing_shares(findings: Findings) -> list[float]:
    """Return the share of missing answers in each condition."""
    asked: dict[str, int] = {}
    given: dict[str, int] = {}
    for row in findings.missing:
        if row.n_expected is not None:
            asked[row.condition] = asked.get(row.condition, 0) + row.n_expected
            given[row.condition] = given.get(row.condition, 0) + row.n_given
    return [1 - given[condition] / n for condition, n in asked.items() if n]


def _changed_by_sensitivity(findings: Findings) -> list[Finding]:
    main = {finding.hypothesis_id: finding for finding in findings.findings}
    changed = {
        again.hypothesis_id: main[again.hypothesis_id]
        for results in findings.sensitivity
        for again in results.findings
        if again.hypothesis_id in main and again.verdict != main[again.hypothesis_id].verdict
    }
    return [*changed.values()]


def uncorrected_words(found: tuple[Finding, ...]) -> str:
    """Name the tests that nothing corrects for the others; empty if there are not several."""
    same = [finding for finding in found if _is_uncorrected(finding)]
    if len(same) < 2:
        return ""
    words = f"{plural(len(same), 'test')} at {_alpha(same)} without a correction for multiple testing"
    return f"{words}: {joined([finding.hypothesis_id for finding in same])}."


def _is_uncorrected(finding: Finding) -> bool:
    estimate = finding.estimate
    if estimate is None or estimate.p_value is None:
        return False
    # The largest p-value of a family stays as it was, so older files can only be guessed from.
    return finding.p_adjusted in (None, estimate.p_value) if finding.is_corrected is None else not finding.is_corrected


def _alpha(found: list[Finding]) -> str:
    levels = sorted({f"{finding.alpha:.3g}".removeprefix("0") for finding in found})
    return f"alpha {joined(levels)}"


def _named(found: list[Finding]) -> str:
    """Name up to three hypotheses, and count the rest."""
    names = [finding.hypothesis_id for finding in found]
    return joined(names if len(names) <= 3 else [*names[:2], f"{len(names) - 2} more"])
