"""The report in another language: every sentence of the page, nothing that the study or the data say themselves."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.report import report_samples as samples
from tests.report.page_reading import reader_of
from understudy.report import LANGUAGES, translated, write_report
from understudy.report.translation import Phrasebook, phrasebook
from understudy.schema import Findings

_SLOT = re.compile(r"\{(\w+)\}")


@pytest.fixture(params=[True, False], ids=["synthetic", "people"])
def page(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    found: Findings = samples.findings(is_synthetic=request.param)
    return write_report(found, tmp_path / "report.html", study=samples.study()).read_text(encoding="utf-8")


def test_headings_verdicts_and_sentences_are_translated(page: str) -> None:
    text = "\n".join(reader_of(translated(page, "de").page).lines)
    for words in (
        "Wichtigste Ergebnisse",
        "Gestützt",
        "Verbleib der Teilnehmenden",
        "Abweichungen vom Plan",
        "Herkunft",
    ):
        assert words in text
    for words in ("Main findings", "Supported", "Participant flow", "Deviations from the plan", "Be careful"):
        assert words not in text


def test_what_the_study_says_stays_as_it_is(page: str) -> None:
    study = samples.study()
    lines = reader_of(translated(page, "de").page).lines
    assert study.title in lines
    assert study.question in lines
    assert any(study.plan.hypotheses[0].claim in line for line in lines)


def test_numbers_and_drawings_are_the_same_in_both_languages(page: str) -> None:
    numbers = re.compile(r"\d+\.\d+")
    other = translated(page, "de").page
    assert numbers.findall(other) == numbers.findall(page)
    assert other.count("<path") == page.count("<path")
    assert [tag for tag, _ in reader_of(other).tags if tag != "span"] == [
        tag for tag, _ in reader_of(page).tags if tag != "span"
    ]


def test_hostile_text_stays_harmless(page: str) -> None:
    assert samples.HOSTILE not in translated(page, "de").page


def test_a_sentence_that_nobody_has_translated_is_marked_as_english(page: str) -> None:
    strange = page.replace("<p>None were found.</p>", "").replace("</main>", "<p>Unheard-of words here.</p></main>")
    found = translated(strange, "de")
    assert "Unheard-of words here." in found.untranslated
    assert '<span lang="en">Unheard-of words here.</span>' in found.page


def test_every_sentence_of_the_sample_report_has_a_translation(page: str) -> None:
    found = samples.findings()
    own = {step.reason for step in found.flow.steps} | {*found.provenance.deviations}
    for finding in found.findings:
        own |= {" ".join(finding.why), *finding.why, *(finding.estimate.notes if finding.estimate else ())}
    left = [text for text in translated(page, "de").untranslated if text.endswith(".") and " " in text]
    assert [text for text in left if text not in own] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_the_slots_of_its_sentence(language: str) -> None:
    path = Path(__file__).parents[2] / "src" / "understudy" / "report" / "languages" / f"{language}.toml"
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    pairs = [pair for table in tables.values() for pair in table.items()]
    assert pairs
    assert [english for english, other in pairs if set(_SLOT.findall(english)) != set(_SLOT.findall(other))] == []


def test_a_pattern_takes_no_piece_of_another_sentence_for_a_name() -> None:
    book = Phrasebook({"{first} and {second}": "{first} und {second}", "A": "Ä"})
    assert book("H1 and A") == "H1 und Ä"
    assert book("people came late and left") is None


def test_the_longest_matching_sentence_wins() -> None:
    assert phrasebook("de")("Of 3 hypotheses, 2 are supported and 1 is not supported.") == (
        "Von 3 Hypothesen: 2 sind gestützt und 1 ist nicht gestützt."
    )
