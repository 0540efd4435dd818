"""Values of records as words and tables of text: what a reader sees in place of Python's own forms."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from pydantic import BaseModel

from understudy.schema.findings import Finding, Findings, Interval
from understudy.schema.record import Ref
from understudy.schema.study import Study

_LONGEST = 400
"""Characters of a value that are shown."""


_LIMITED, _SIMPLER = "with a caution", "on a simpler model than planned"
"""What follows a verdict whose finding has cautions."""


class SplitFields(NamedTuple):
    """The fields of a record that were set: lists that belong together entry by entry, and the others."""

    columns: dict[str, Sequence[object]]
    others: dict[str, object]


def words_of(value: object) -> str:
    """Return a value in words: lists with commas, records by their fields, numbers rounded."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, BaseModel):
        return _inline(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {words_of(part)}" for name, part in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        is_nested = any(
            isinstance(part, BaseModel | Mapping | Sequence) and not isinstance(part, str) for part in value
        )
        return ("; " if is_nested else ", ").join(words_of(part) for part in value)
    return str(value)


def record_words(record: BaseModel) -> str:
    """Return the fields of a record that were set: in one line, or one line each where some hold records."""
    split = split_fields(record)
    if isinstance(record, Ref) or not any(_are_records(value) for value in split.others.values()):
        return _inline(record)
    return "\n".join(f"{name}:{_below(value)}" for name, value in split.others.items())


def _below(value: object) -> str:
    return f"\n{textwrap.indent(entries_words(value), '  ')}" if _are_records(value) else f" {entries_words(value)}"


def entries_words(value: object) -> str:
    """Return the value of a field; a list of records has a line for each."""
    if isinstance(value, Sequence) and _are_records(value):
        return "\n".join(shortened(record) for record in value)
    return shortened(value)


def _inline(record: BaseModel) -> str:
    """Return a record in one line: its name, if it has one, and its other fields in brackets."""
    if isinstance(record, Ref):
        return f"{record.name} ({words_of(record.params)})" if record.params else record.name
    split = split_fields(record)
    rows = zip(*split.columns.values(), strict=True)
    paired = [", ".join(" ".join(words_of(cell) for cell in row) for row in rows)] if split.columns else []
    titles = [name for name in split.others if name == "name" or name.endswith("_id")][:1]
    fields = [f"{name}: {words_of(value)}" for name, value in split.others.items() if name not in titles]
    words = "; ".join([*paired, *fields])
    title = words_of(split.others[titles[0]]) if titles else ""
    return f"{title} ({words})" if title and words else title or words


def _are_records(value: object) -> bool:
    return isinstance(value, tuple | list) and bool(value) and all(isinstance(part, BaseModel) for part in value)


def split_fields(record: BaseModel) -> SplitFields:
    """Separate lists of one length, such as features and their weights, from the other fields that were set."""
    fields = type(record).model_fields
    given: dict[str, Any] = {
        name: value for name, value in record if value != fields[name].get_default(call_default_factory=True)
    }
    lists = {name: value for name, value in given.items() if _is_plain_list(value)}
    sizes = {len(value) for value in lists.values()}
    columns = lists if len(lists) > 1 and len(sizes) == 1 else {}
    return SplitFields(columns, {name: value for name, value in given.items() if name not in columns})


def shortened(value: object) -> str:
    """Return a value in words, cut off where it is long."""
    text = words_of(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def findings_words(findings: Findings) -> str:
    """Return who was analysed and what was found of each hypothesis, as lines of text."""
    marks = [*(["SYNTHETIC: simulated people, not evidence about people."] if findings.provenance.is_synthetic else [])]
    marks += ["PILOT: not part of the main study."] if findings.provenance.is_pilot else []
    people = f"{findings.flow.n_recruited} people came, {findings.flow.n_analysed} are analysed."
    return "\n".join([findings.title, *marks, people, *(_finding_lines(finding) for finding in findings.findings)])


def interval_words(interval: Interval | None) -> str:
    """Return an interval with its level; an open side is infinite."""
    if interval is None:
        return ""
    low, high = (
        infinite if limit is None else f"{limit:.3f}"
        for limit, infinite in ((interval.low, "−∞"), (interval.high, "∞"))
    )
    return f"{interval.percent} [{low}, {high}]"


def p_words(value: float | None) -> str:
    """Return a p-value, at most four decimals."""
    return "" if value is None else "<.0001" if value < 0.0001 else f"{value:.4f}"


def limits_words(finding: Finding) -> str:
    """Return what a reader must know with the verdict itself; empty if nothing."""
    is_simpler = finding.estimate is not None and bool(finding.estimate.rests_on)
    return ", ".join([*([_LIMITED] if finding.cautions else ()), *([_SIMPLER] if is_simpler else ())])


def _finding_lines(finding: Finding) -> str:
    limits = limits_words(finding)
    limited = f", {limits}" if limits else ""
    verdict = finding.verdict.replace("_", " ") + ", interim" * finding.is_interim
    first = f"{finding.hypothesis_id}  {verdict}, {finding.status}{limited}: {finding.claim}"
    estimate = finding.estimate
    if estimate is None:
        return first
    figures = [f"{estimate.effect_name} {words_of(estimate.effect)}", interval_words(estimate.interval)]
    figures += [f"p {p_words(estimate.p_value)}"] if estimate.p_value is not None else []
    if finding.p_adjusted is not None and finding.p_adjusted != estimate.p_value:
        figures.append(f"corrected p {p_words(finding.p_adjusted)}")
    parts = [finding.analysis, *filter(None, figures), f"n = {estimate.n_sessions}"]
    return "\n".join([first, f"    {', '.join(parts)}", *(f"    {caution}" for caution in finding.cautions)])


def _is_plain_list(value: object) -> bool:
    """Tell whether a value is a list of at least two texts or numbers."""
    if not isinstance(value, tuple | list) or len(value) < 2:
        return False
    return all(isinstance(part, str | int | float) for part in value)


# Records in a notebook: small HTML tables that need no style sheet.

FINDING_HEADINGS = (
    "hypothesis", "claim", "verdict", "status", "analysis", "effect", "low", "high", "p", "adjusted_p", "n",
)  # fmt: skip
"""Columns of a data frame of findings."""
_SHOWN_HEADINGS = (
    "hypothesis", "claim", "verdict", "status", "analysis", "effect", "interval", "p", "corrected p", "n",
)  # fmt: skip


def titled_html(title: str, *parts: str) -> str:
    """Return parts under a title."""
    return f"<div><p><b>{escape(title)}</b></p>{''.join(parts)}</div>"


def table_html(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; numbers are rounded and aligned right, missing values are empty."""
    lines = [tuple(row) for row in rows]
    sides = [_side([row[number] for row in lines]) for number in range(len(headings))]
    head = "".join(_tag("th", side, escape(heading)) for side, heading in zip(sides, headings, strict=True))
    body = "".join(
        f"<tr>{''.join(_tag('td', side, _text(value)) for side, value in zip(sides, row, strict=True))}</tr>"
        for row in lines
    )
    top = f"<thead><tr>{head}</tr></thead>" if any(headings) else ""
    return f"<table>{top}<tbody>{body}</tbody></table>"


def html_of(record: BaseModel) -> str:
    """Return a record as HTML: studies and findings as a reader wants them, others field by field."""
    if isinstance(record, Study):
        return study_html(record)
    return findings_html(record) if isinstance(record, Findings) else record_html(record)


def record_html(record: BaseModel) -> str:
    """Return the fields of a record that differ from their defaults."""
    split = split_fields(record)
    columns = table_html([*split.columns], zip(*split.columns.values(), strict=True)) if split.columns else ""
    rows = [(name.replace("_", " "), entries_words(value)) for name, value in split.others.items()]
    return titled_html(type(record).__name__, columns, table_html(("", ""), rows) if rows else "")


def study_html(study: Study) -> str:
    """Return what a study varies, shows, measures and claims."""
    rows = [
        *([("question", study.question)] if study.question else []),
        ("conditions", ", ".join(cell.name for cell in study.cells)),
        ("people per condition", str(study.assignment.quota)),
        ("pages", ", ".join(block.block_id for block in study.flow)),
        ("measures", ", ".join(use.name for use in study.measures)),
        *((claim.hypothesis_id, claim.claim) for claim in study.plan.hypotheses),
        ("version", study.digest[:12]),
    ]
    return titled_html(f"{study.name}: {study.title}", table_html(("", ""), rows))


def findings_html(findings: Findings) -> str:
    """Return who was analysed, and a row for each hypothesis."""
    flow = findings.flow
    people = f"{flow.n_recruited} people came, {flow.n_analysed} are analysed."
    mark = " SYNTHETIC: simulated people, not evidence about people." if findings.provenance.is_synthetic else ""
    mark += " PILOT: not part of the main study." if findings.provenance.is_pilot else ""
    rows = [_shown_cells(finding) for finding in findings.findings]
    return titled_html(findings.title, f"<p>{people}{mark}</p>", table_html(_SHOWN_HEADINGS, rows))


def _first_cells(finding: Finding) -> tuple[object, ...]:
    return (
        finding.hypothesis_id,
        finding.claim,
        finding.verdict.replace("_", " ") + ", interim" * finding.is_interim,
        finding.status,
        finding.analysis,
        finding.estimate.effect if finding.estimate else None,
    )


def _shown_cells(finding: Finding) -> tuple[object, ...]:
    estimate = finding.estimate
    return (
        *_first_cells(finding),
        interval_words(estimate.interval) if estimate else None,
        p_words(estimate.p_value) if estimate else None,
        p_words(finding.p_adjusted),
        estimate.n_sessions if estimate else None,
    )


def finding_cells(finding: Finding) -> tuple[object, ...]:
    """Return what a table of findings says about one, in the order of its headings."""
    estimate = finding.estimate
    interval = estimate.interval if estimate else None
    return (
        *_first_cells(finding),
        interval.low if interval else None,
        interval.high if interval else None,
        estimate.p_value if estimate else None,
        finding.p_adjusted,
        estimate.n_sessions if estimate else None,
    )


def _side(column: Sequence[object]) -> str:
    """Return where a column is aligned: numbers at the right, so that their digits are below each other."""
    values = [value for value in column if value is not None]
    is_number = [isinstance(value, int | float) and not isinstance(value, bool) for value in values]
    return "right" if values and all(is_number) else "left"


def _tag(name: str, side: str, text: str) -> str:
    return f'<{name} style="text-align:{side};padding:2px 8px">{text}</{name}>'


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else escape(str(value)).replace("\n", "<br>")
