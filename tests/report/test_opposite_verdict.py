"""An effect against its claim: said in words wherever findings are shown, without a tick and not counted as support."""

import io
from pathlib import Path

from rich.console import Console

from tests.report import report_samples as samples
from tests.report.page_reading import part_of, text_of
from understudy.cli.findings_view import print_findings
from understudy.report import write_report
from understudy.report.wording import sides_of
from understudy.schema import Findings, Hypothesis


def harmed() -> Findings:
    found = samples.findings()
    first = found.findings[0].model_copy(update={"verdict": "opposite"})
    return found.model_copy(update={"findings": (first, *found.findings[1:])})


def test_the_page_says_opposite_direction_and_shows_no_tick(tmp_path: Path) -> None:
    page = write_report(harmed(), tmp_path / "r.html", study=samples.study()).read_text(encoding="utf-8")
    assert text_of(part_of(page, "hypothesis-1", "article")).splitlines()[0] == "H1 ⇄ Opposite direction registered"
    summary = text_of(part_of(page, "summary", "section"))
    assert "Of 6 hypotheses, 2 are supported, 1 has an effect in the opposite direction, 1 is not supported" in summary
    assert "the data support the reverse of the claim" in summary


def test_the_terminal_says_opposite_direction_and_never_in_green() -> None:
    text = io.StringIO()
    print_findings(harmed(), Console(file=text, force_terminal=True, color_system="standard", width=100))
    line = next(line for line in text.getvalue().splitlines() if "opposite direction" in line)
    assert "32m" not in line.replace("1;32", "32")


def test_an_expected_direction_is_told_with_its_two_sides() -> None:
    plain = {"hypothesis_id": "h", "claim": "c", "outcome": "o", "analysis": "welch_t", "expects": "greater"}
    assert sides_of(Hypothesis.model_validate(plain)) == "two-sided, greater expected"
