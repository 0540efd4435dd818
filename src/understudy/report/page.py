"""Write the report as one self-contained page that needs no network."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from understudy.report import theme
from understudy.report import theme as numbers
from understudy.report.cards import Card, card_of, description_heading, groups_table, published_row
from understudy.report.cautions import cautions_of
from understudy.report.charts import unchecked
from understudy.report.coding import CodingSummary, coding_views
from understudy.report.diagnostics import diagnostics_figure, sensitivity_figure, sensitivity_tables
from understudy.report.diagrams import flow_diagram, interval_strip
from understudy.report.drawing import inline_svg
from understudy.report.figures import Figure, finding_figure, forest_figure, marked
from understudy.report.pay import PaidTime, pay_facts
from understudy.report.sections import analysis_codes, data_links, missing_lines, names_lines, scale_lines
from understudy.report.wording import plural, readable, registration_sentence, summary_sentences, witness_lines
from understudy.schema import AnalysisPlan, DialNames, Findings, Study
from understudy.schema.scales import ScaleSummary

N_MAIN = 5
"""How many findings the first screen shows, in the order of the plan: choosing them by their results would mislead."""


class Inline(NamedTuple):
    """A figure as inline SVG for a page."""

    key: str
    svg: Markup
    caption: str
    description: str
    is_synthetic: bool = False


def write_report(
    findings: Findings,
    path: Path,
    *,
    study: Study | None = None,
    points: pd.DataFrame | None = None,
    plan: AnalysisPlan | None = None,
    paid: PaidTime | None = None,
    commands: Sequence[str] = (),
    names: Sequence[DialNames] = (),
    scales: Sequence[ScaleSummary] = (),
    coding: Sequence[CodingSummary] = (),
    on_figure: Callable[[], None] = lambda: None,
) -> Path:
    """Write the report page of findings and return its path.

    `points` holds the raw points as analysed (hypothesis_id, participant, group, value); without them figures
    show intervals only. `plan` replaces a study's plan when a table from elsewhere was analysed. `commands`
    are the command lines that reproduce the page. `names` are the names that people gave to dials, `scales` how they
    scored on scales, `coding` how annotators coded their texts. `on_figure` is called after each finding was drawn.
    """
    plan = study.plan if study else plan
    cards = [card_of(finding, k + 1, plan) for k, finding in enumerate(findings.findings)]
    text = (
        page_environment()
        .get_template("report.html.j2")
        .render(
            findings=findings,
            provenance=findings.provenance,
            study=study,
            synthetic=theme.SYNTHETIC,
            summary=summary_sentences(findings.findings),
            registration=registration_sentence(findings.provenance),
            witnesses=witness_lines(findings.provenance),
            cards=cards,
            cautions=cautions_of(findings),
            data_links=data_links(findings.findings, points),
            codes=analysis_codes(findings.findings),
            names=names_lines(names),
            look_words=plan.sequential.sentence(
                findings.flow.n_analysed, sum(look.is_reached for look in findings.looks)
            )
            if plan and plan.sequential
            else "",
            scales=scale_lines(scales),
            coding=coding_views(coding),
            missing=missing_lines(findings.missing),
            sensitivity=sensitivity_tables(findings),
            plan=plan,
            pay=pay_facts(study, paid) if study else (),
            commands=commands or _install_command(findings),
            **_first_screen(findings, cards),
            **_script(),
            **_drawings(findings, plan, points, on_figure),
        )
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _first_screen(findings: Findings, cards: Sequence[Card]) -> dict[str, object]:
    pairs = zip(findings.findings[:N_MAIN], cards, strict=False)
    # The drawing code escapes every text it is given.
    strips = [Markup(interval_strip(finding.estimate, card.headline.text)) for finding, card in pairs]  # noqa: S704
    # Claims about several parts of the data can share their words; each is named once.
    rest = {card.claim: card for card in reversed(cards[N_MAIN:]) if card.verdict == "supported"}
    return {"main": cards[:N_MAIN], "strips": strips, "also_supported": [*reversed(rest.values())]}


def _script() -> dict[str, object]:
    """Return the script of the page, and the digest by which the page allows this one and no other."""
    text = files("understudy.report").joinpath("templates", "report.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return {"script": Markup(text), "script_digest": Markup(f"sha256-{digest}")}  # noqa: S704 - a file of this package


@unchecked
def _drawings(
    findings: Findings, plan: AnalysisPlan | None, points: pd.DataFrame | None, on_figure: Callable[[], None]
) -> dict[str, object]:
    is_synthetic = findings.provenance.is_synthetic
    claims = {claim.hypothesis_id: claim for claim in plan.hypotheses} if plan else {}
    drawn: list[Inline | None] = []
    diagnosed: list[Inline | None] = []
    for k, finding in enumerate(findings.findings):
        hypothesis = claims.get(finding.hypothesis_id)
        figure = finding_figure(finding, points=points, hypothesis=hypothesis, is_synthetic=is_synthetic)
        drawn.append(_inline(marked(figure, findings), f"figure-{k + 1}"))
        checks = marked(diagnostics_figure(finding, is_synthetic=is_synthetic), findings)
        diagnosed.append(_inline(checks, f"diagnostics-{k + 1}"))
        on_figure()
    diagram = flow_diagram(findings.flow, note=_note(findings))
    # The drawing code escapes every text it is given.
    flow = Inline("flow", Markup(diagram.svg), "", diagram.description)  # noqa: S704
    return {
        "figures": drawn,
        "diagnostics": diagnosed,
        "forest": _inline(marked(forest_figure(findings), findings), "figure-forest"),
        "sensitivity_drawn": _inline(marked(sensitivity_figure(findings), findings), "figure-sensitivity"),
        "flow": flow,
    }


def _note(findings: Findings) -> str:
    if findings.provenance.is_synthetic:
        return theme.SYNTHETIC
    return theme.PILOT if findings.provenance.is_pilot else ""


def _inline(figure: Figure | None, key: str) -> Inline | None:
    if figure is None:
        return None
    # Vega writes its text nodes and attributes escaped.
    return Inline(key, Markup(inline_svg(figure, key)), figure.caption, figure.description)  # noqa: S704


def _install_command(findings: Findings) -> tuple[str, ...]:
    version = findings.provenance.software.get("understudy")
    return (f"pip install understudy=={version}",) if version else ()


def page_environment() -> Environment:
    """Return the template environment with the filters and the look of the pages."""
    environment = Environment(
        loader=PackageLoader("understudy.report"),
        autoescape=True,
        # A misspelt variable in a template must fail, not print nothing.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    fonts = {"sans": theme.SANS, "serif": theme.SERIF, "mono": theme.MONO}
    environment.globals |= {
        # Style sheets are not escaped; these are constants of this package.
        "light": Markup(theme.style_variables(theme.LIGHT)),  # noqa: S704
        "dark": Markup(theme.style_variables(theme.DARK)),  # noqa: S704
        "fonts": {name: Markup(font) for name, font in fonts.items()},  # noqa: S704
    }
    environment.filters["count"] = numbers.count
    environment.filters["plural"] = plural
    environment.filters["readable"] = readable
    environment.filters["groups_table"] = groups_table
    environment.filters["description_heading"] = description_heading
    environment.filters["published_row"] = published_row
    return environment
