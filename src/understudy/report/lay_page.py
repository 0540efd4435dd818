"""What a study found, on one page for the people who took part: no statistics, and nothing that was not tested."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from understudy.report.page import page_environment
from understudy.schema import Findings, Study, Verdict

_ENGLISH: Final[Mapping[str, str]] = {
    "language": "en",
    "heading": "What we found",
    "thanks": "Thank you for taking part in this study. This page says what your answers, together with those of "
    "others, have shown.",
    "question": "What we wanted to know",
    "people": "Who took part",
    "came": "{came} people took part. The results below rest on the answers of {analysed}. ",
    "all": "{came} people took part, and the results below rest on all of their answers.",
    "left_out": "The others stopped early, could not take part in everything, or are not counted for a reason that was "
    "fixed beforehand.",
    "expected": "What we expected, and what the answers say",
    "care": "How sure is this?",
    "registered": "What we expected was written down and registered before the first person took part.",
    "planned": "What we expected was written down before the data were analysed.",
    "exploratory": "We did not plan these questions in advance. Another study has to confirm the answers.",
    "mixed": "Some of what we expected was written down before the first person took part. The rest was not "
    "planned in advance, and another study has to confirm it.",
    "chance": "Every result comes from a limited number of people. Other people, or other tasks, could give other results. "
    "No single answer of yours can be recognised here.",
    "synthetic": "This is a rehearsal: all people are simulated, and these are not results about real people.",
    "none": "This study describes answers; it did not test an expectation.",
}
_GERMAN: Final[Mapping[str, str]] = {
    "language": "de",
    "heading": "Was wir herausgefunden haben",
    "thanks": "Vielen Dank, dass Sie an dieser Studie teilgenommen haben. Hier steht, was Ihre Antworten zusammen mit "
    "denen der anderen gezeigt haben.",
    "question": "Was wir wissen wollten",
    "people": "Wer teilgenommen hat",
    "came": "{came} Personen haben teilgenommen. Die Ergebnisse beruhen auf den Antworten von {analysed}. ",
    "all": "{came} Personen haben teilgenommen, und die Ergebnisse beruhen auf allen ihren Antworten.",
    "left_out": "Die übrigen haben früher aufgehört, konnten nicht alles mitmachen oder zählen aus einem Grund nicht, "
    "der vorher feststand.",
    "expected": "Was wir erwartet haben und was die Antworten sagen",
    "care": "Wie sicher ist das?",
    "registered": "Was wir erwartet haben, wurde aufgeschrieben und registriert, bevor die erste Person teilnahm.",
    "planned": "Was wir erwartet haben, wurde aufgeschrieben, bevor die Daten ausgewertet wurden.",
    "exploratory": "Diese Fragen haben wir nicht im Voraus geplant. Eine weitere Studie muss die Antworten bestätigen.",
    "mixed": "Ein Teil dessen, was wir erwartet haben, wurde aufgeschrieben, bevor die erste Person teilnahm. Der Rest "
    "war nicht im Voraus geplant, und eine weitere Studie muss ihn bestätigen.",
    "chance": "Jedes Ergebnis beruht auf einer begrenzten Zahl von Personen. Andere Personen oder andere Aufgaben könnten "
    "andere Ergebnisse bringen. Keine einzelne Antwort von Ihnen ist hier erkennbar.",
    "synthetic": "Dies ist eine Probe: Alle Personen sind simuliert, und nichts davon sagt etwas über echte Menschen.",
    "none": "Diese Studie beschreibt Antworten; sie hat keine Erwartung geprüft.",
}
_WORDS: Final = {"en": _ENGLISH, "de": _GERMAN}
_VERDICTS: Final[dict[str, dict[Verdict, str]]] = {
    "en": {
        "supported": "The answers fit this.",
        "opposite": "The answers show the opposite.",
        "not_supported": "The answers do not show this. It may still be true, but too small for us to see.",
        "inconclusive": "We cannot tell from the answers.",
        "not_tested": "We did not test this, because it depends on another point above.",
    },
    "de": {
        "supported": "Die Antworten passen dazu.",
        "opposite": "Die Antworten zeigen das Gegenteil.",
        "not_supported": "Die Antworten zeigen das nicht. Es kann trotzdem stimmen, aber zu klein sein, um es zu sehen.",
        "inconclusive": "Aus den Antworten lässt es sich nicht sagen.",
        "not_tested": "Das haben wir nicht geprüft, weil es von einem anderen Punkt oben abhängt.",
    },
}


class Expectation(NamedTuple):
    """One claim in the words of the study, and what the answers say about it."""

    claim: str
    verdict: Verdict
    answer: str


def write_lay_page(findings: Findings, path: Path, *, study: Study) -> Path:
    """Write the page for people who took part, in the language of the study or in English, and return its path.

    Claims are shown as the plan words them, so write them for readers outside your field.
    """
    language = study.language if study.language in _WORDS else "en"
    words = _WORDS[language]
    flow = findings.flow
    some_left = flow.n_analysed < flow.n_recruited
    people = (words["came"] + words["left_out"] if some_left else words["all"]).format(
        came=flow.n_recruited, analysed=flow.n_analysed
    )
    text = (
        page_environment()
        .get_template("lay_page.html.j2")
        .render(
            words=words,
            title=study.shown_title or study.title,
            question=study.question,
            people=people,
            expectations=[
                Expectation(finding.claim, finding.verdict, _VERDICTS[language][finding.verdict])
                for finding in findings.findings
            ],
            status=words[_status(findings)],
            is_synthetic=findings.provenance.is_synthetic,
        )
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _status(findings: Findings) -> str:
    statuses = {finding.status for finding in findings.findings}
    if not statuses:
        return "none"
    return next(iter(statuses)) if len(statuses) == 1 else "mixed"
