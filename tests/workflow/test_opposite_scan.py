"""Every analysis with a direction, on data that go the other way: opposite in findings, terminal and page, never green."""

import io
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import tomli_w
from rich.console import Console

from tests.estimate.test_directions import BETWEEN, CASES, LATER, OUTCOMES, VARIABLES, WITHIN, hypothesis, tables
from tests.report.page_reading import part_of, text_of
from understudy.actions.analyze import Analyzed, analyzed_file
from understudy.cli.findings_view import print_findings
from understudy.report import write_report
from understudy.schema import Hypothesis, Ref

ONLY_EXPECTED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tukey_hsd", {"outcome": "score", **BETWEEN}),
    ("games_howell", {"outcome": "score", **BETWEEN}),
    ("holm_pairs", {"outcome": "score_by_phase", **WITHIN}),
)
"""Tests of a pair that have two sides only, and still a sign."""
BY_RATIO = (
    ("linear_mixed", {"outcome": "scores", **BETWEEN, **LATER}),
    ("logistic_mixed", {"outcome": "answers", **BETWEEN}),
    ("ordinal_mixed", {"outcome": "stars", **BETWEEN}),
)
CLAIM = "Everything is higher."
pytestmark = pytest.mark.slow


class Scan(NamedTuple):
    analyzed: Analyzed
    terminal: str
    page: str


def claims() -> list[Hypothesis]:
    """Claim the reverse of what the data hold, in turn by a one-sided test and by an expectation."""
    ways = ("direction", "expects")
    tests = [(name, fields, ways[number % 2]) for number, (name, fields) in enumerate(CASES)]
    tests += [(name, fields, "expects") for name, fields in ONLY_EXPECTED]
    made = [
        hypothesis(name, fields, **{way: "greater"}, hypothesis_id=f"{name}_{number}_{way}", claim=CLAIM)
        for number, (name, fields, way) in enumerate(tests)
    ]
    for (name, fields), way in zip(BY_RATIO, ("expects", "direction", "expects"), strict=True):
        claim = hypothesis(name, fields, **{way: "greater"}, hypothesis_id=f"{name}_ratio", claim=CLAIM)
        ratio = Ref(name=name, params={"test": "likelihood_ratio"})
        made.append(claim.model_copy(update={"analysis": ratio}))
    return made


def plan_file() -> dict[str, Any]:
    outcomes = [{**outcome.model_dump(exclude_none=True), "summary": outcome.summary or "none"} for outcome in OUTCOMES]
    tested = [json.loads(claim.model_dump_json(exclude_none=True, exclude_defaults=True)) for claim in claims()]
    return {
        "title": "Harm",
        "table": {"participant": "participant", "item": "item"},
        "factors": [
            {"name": name, "scope": factor.scope, "levels": [*factor.levels]}
            for name, factor in VARIABLES.factors.items()
        ],
        "measures": [
            {"name": name, "unit": measure.unit, "scale": measure.scale, "better": "higher"}
            for name, measure in VARIABLES.measures.items()
        ],
        "plan": {"outcomes": outcomes, "hypotheses": tested},
    }


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Scan:
    folder = tmp_path_factory.mktemp("harm")
    tables("less").trials.to_csv(folder / "table.csv", index=False)
    (folder / "plan.toml").write_text(tomli_w.dumps(plan_file()), encoding="utf-8")
    analyzed = analyzed_file(folder / "table.csv", folder / "plan.toml", seed=1)
    text = io.StringIO()
    print_findings(analyzed.findings, Console(file=text, force_terminal=True, color_system="standard", width=200))
    page = write_report(analyzed.findings, Path(folder / "r.html"), plan=analyzed.plan, points=analyzed.points)
    return Scan(analyzed, text.getvalue(), page.read_text(encoding="utf-8"))


def test_every_directional_claim_is_opposite(scan: Scan) -> None:
    verdicts = {finding.hypothesis_id: finding.verdict for finding in scan.analyzed.findings.findings}
    assert {name: verdict for name, verdict in verdicts.items() if verdict != "opposite"} == {}


def test_the_terminal_calls_all_of_them_opposite_and_none_is_green(scan: Scan) -> None:
    assert scan.terminal.count("opposite direction") == len(claims())
    assert "\x1b[1;32m" not in scan.terminal
    assert "supported" not in scan.terminal
    assert "tests at alpha .05 without a correction for multiple testing:" in scan.terminal


def test_the_page_calls_all_of_them_opposite_and_ticks_none(scan: Scan) -> None:
    headings = [
        text_of(part_of(scan.page, f"hypothesis-{number}", "article")).splitlines()[0]
        for number in range(1, len(claims()) + 1)
    ]
    assert [line for line in headings if "⇄ Opposite direction" not in line] == []
    assert "✓" not in text_of(scan.page)
