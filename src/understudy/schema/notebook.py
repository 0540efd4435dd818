"""Records in a notebook: small HTML tables that need no style sheet."""

from collections.abc import Iterable, Sequence
from html import escape

from pydantic import BaseModel

from understudy.schema.finding import Finding, Findings
from understudy.schema.study import Study

_LONGEST = 200
"""Characters of a value that are shown."""
FINDING_HEADINGS = (
    "hypothesis", "claim", "verdict", "status", "analysis", "effect", "low", "high", "p", "adjusted_p", "n",
)  # fmt: skip


def titled_html(title: str, *parts: str) -> str:
    """Return parts under a title."""
    return f"<div><p><b>{escape(title)}</b></p>{''.join(parts)}</div>"


def table_html(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; numbers are rounded and aligned right, missing values are empty."""
    head = "".join(f'<th style="text-align:left">{escape(heading)}</th>' for heading in headings)
    body = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
    top = f"<thead><tr>{head}</tr></thead>" if any(headings) else ""
    return f"<table>{top}<tbody>{body}</tbody></table>"


def html_of(record: BaseModel) -> str:
    """Return a record as HTML: studies and findings as a reader wants them, others field by field."""
    if isinstance(record, Study):
        return study_html(record)
    return findings_html(record) if isinstance(record, Findings) else record_html(record)


def record_html(record: BaseModel) -> str:
    """Return the fields of a record that differ from their defaults."""
    fields = type(record).model_fields
    rows = [(name, _short(value)) for name, value in record if value != fields[name].get_default()]
    return titled_html(type(record).__name__, table_html(("", ""), rows))


def study_html(study: Study) -> str:
    """Return what a study varies, shows, measures and claims."""
    rows = [
        ("question", study.question),
        ("conditions", ", ".join(cell.name for cell in study.cells)),
        ("people per condition", study.assignment.quota),
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
    mark = " SYNTHETIC: simulated people, no evidence about people." if findings.provenance.is_synthetic else ""
    rows = [finding_cells(finding) for finding in findings.findings]
    return titled_html(findings.title, f"<p>{people}{mark}</p>", table_html(FINDING_HEADINGS, rows))


def finding_cells(finding: Finding) -> tuple[object, ...]:
    """Return what a table of findings says about one, in the order of its headings."""
    estimate = finding.estimate
    interval = estimate.interval if estimate else None
    return (
        finding.hypothesis_id,
        finding.claim,
        finding.verdict,
        finding.status,
        finding.analysis,
        estimate.effect if estimate else None,
        interval.low if interval else None,
        interval.high if interval else None,
        estimate.p_value if estimate else None,
        finding.p_adjusted,
        estimate.n_sessions if estimate else None,
    )


def _cell(value: object) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, float):
        return f'<td style="text-align:right">{value:.3g}</td>'
    side = "right" if isinstance(value, int) and not isinstance(value, bool) else "left"
    return f'<td style="text-align:{side}">{escape(str(value))}</td>'


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
