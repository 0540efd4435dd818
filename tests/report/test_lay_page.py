"""The page for people who took part: every claim with its answer, no statistics, in the language of the study."""

import re
from pathlib import Path

import pytest

from tests.report import report_samples as samples
from tests.report.page_reading import reader_of
from understudy.protocols import ready_study
from understudy.report import write_lay_page
from understudy.schema import Findings, Ref, Screen


def lines_of(folder: Path, findings: Findings, **changes: object) -> list[str]:
    page = write_lay_page(findings, folder / "lay.html", study=samples.study(**changes))
    return reader_of(page.read_text(encoding="utf-8")).lines


def test_each_claim_is_followed_by_what_the_answers_say(tmp_path: Path) -> None:
    found = samples.findings()
    lines = lines_of(tmp_path, found)
    for finding in found.findings:
        assert any(finding.claim in line for line in lines)
    assert sum("Yes, our results show this." in line for line in lines) == sum(
        finding.verdict == "supported" for finding in found.findings
    )


def test_an_opposite_effect_is_called_opposite_and_never_fitting(tmp_path: Path) -> None:
    opposite = samples.between().model_copy(update={"verdict": "opposite"})
    lines = lines_of(tmp_path, samples.findings().model_copy(update={"findings": (opposite,)}))
    assert any("No, our results show the opposite." in line for line in lines)
    assert not any("Yes" in line for line in lines)


def test_no_statistics_are_shown(tmp_path: Path) -> None:
    text = " ".join(lines_of(tmp_path, samples.findings()))
    assert not re.search(r"\bp [<=]|CI|interval|hypothes|\bt\(", text)


def test_simulated_people_are_told_to_be_simulated(tmp_path: Path) -> None:
    lines = lines_of(tmp_path, samples.findings(is_synthetic=True))
    assert "rehearsal" in lines[0]
    # The plan of a rehearsal was fixed beforehand; what is missing are people.
    assert any("made up by a computer program" in line for line in lines)
    assert not any("did not fix these questions" in line for line in lines)


@pytest.mark.parametrize(("language", "heading"), [("de", "Was wir herausgefunden haben"), ("fr", "What we found")])
def test_the_page_speaks_the_language_of_the_study_or_english(tmp_path: Path, language: str, heading: str) -> None:
    assert heading in lines_of(tmp_path, samples.findings(), language=language)


def test_a_study_without_hypotheses_says_so(tmp_path: Path) -> None:
    lines = lines_of(tmp_path, samples.findings().model_copy(update={"findings": ()}))
    assert any("without testing an expectation" in line for line in lines)


def test_plain_words_replace_claims_and_the_other_hypotheses_are_counted(tmp_path: Path) -> None:
    study = samples.study()
    first, *others = study.plan.hypotheses
    plain = study.plan.model_copy(
        update={"hypotheses": (first.model_copy(update={"plain": "It helps people."}), *others)}
    )
    found = samples.findings()
    text = " ".join(lines_of(tmp_path, found, plan=plain))
    assert "It helps people." in text
    assert first.claim not in text
    assert f"{len(found.findings) - 1} more detailed questions" in text


def test_a_debrief_says_what_the_study_was_about(tmp_path: Path) -> None:
    debrief = Screen(
        block_id="debrief",
        purpose="debrief",
        task=Ref(name="debrief", params={"text": "We compare **two** pages. Thank you.\n\nYou earn 1 GBP."}),
    )
    lines = lines_of(tmp_path, samples.findings(), flow=(*samples.study().flow, debrief))
    assert "We compare two pages." in lines


def test_every_ready_study_with_many_hypotheses_has_a_short_page() -> None:
    for name in ("loan-demo", "hase2020-tabular", "kim2022-demo", "ross2021-mnist", "sixt2022-comparison"):
        plain = [claim.plain for claim in ready_study(name).plan.hypotheses if claim.plain]
        assert 0 < len(plain) <= 14
