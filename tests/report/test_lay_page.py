"""The page for people who took part: every claim with its answer, no statistics, in the language of the study."""

import re
from pathlib import Path

import pytest

from tests.report import report_samples as samples
from tests.report.page_reading import reader_of
from understudy.report import write_lay_page
from understudy.schema import Findings


def lines_of(folder: Path, findings: Findings, **changes: object) -> list[str]:
    page = write_lay_page(findings, folder / "lay.html", study=samples.study(**changes))
    return reader_of(page.read_text(encoding="utf-8")).lines


def test_each_claim_is_followed_by_what_the_answers_say(tmp_path: Path) -> None:
    found = samples.findings()
    lines = lines_of(tmp_path, found)
    for finding in found.findings:
        assert any(finding.claim in line for line in lines)
    assert sum("The answers fit this." in line for line in lines) == sum(
        finding.verdict == "supported" for finding in found.findings
    )


def test_an_opposite_effect_is_called_opposite_and_never_fitting(tmp_path: Path) -> None:
    opposite = samples.between().model_copy(update={"verdict": "opposite"})
    lines = lines_of(tmp_path, samples.findings().model_copy(update={"findings": (opposite,)}))
    assert any("The answers show the opposite." in line for line in lines)
    assert not any("fit this" in line for line in lines)


def test_no_statistics_are_shown(tmp_path: Path) -> None:
    text = " ".join(lines_of(tmp_path, samples.findings()))
    assert not re.search(r"\bp [<=]|CI|interval|hypothes|\bt\(", text)


def test_simulated_people_are_told_to_be_simulated(tmp_path: Path) -> None:
    assert "rehearsal" in lines_of(tmp_path, samples.findings(is_synthetic=True))[0]


@pytest.mark.parametrize(("language", "heading"), [("de", "Was wir herausgefunden haben"), ("fr", "What we found")])
def test_the_page_speaks_the_language_of_the_study_or_english(tmp_path: Path, language: str, heading: str) -> None:
    assert heading in lines_of(tmp_path, samples.findings(), language=language)


def test_a_study_without_hypotheses_says_so(tmp_path: Path) -> None:
    lines = lines_of(tmp_path, samples.findings().model_copy(update={"findings": ()}))
    assert any("did not test an expectation" in line for line in lines)
