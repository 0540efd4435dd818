"""Records in a notebook: small HTML tables that need no style sheet."""

from collections.abc import Iterable, Sequence
from html import escape

from pydantic import BaseModel

from understudy.schema.finding import Finding, Findings
from understudy.schema.readable import entries_words, interval_words, p_words, split_fields
from understudy.schema.study import Study

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
