"""What a study found, on one page for the people who took part: no statistics, and nothing that was not tested."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from understudy.report.page import page_environment
from understudy.schema import Findings, Study, Verdict, blocks_in

_ENGLISH: Final[Mapping[str, str]] = {
    "language": "en",
    "heading": "What we found",
    "thanks": "Thank you for taking part in this study. This page tells you what we learned from your answers and "
    "those of the other participants.",
    "question": "What the study was about",
    "people": "Who took part",
    "came": "{came} people took part. The results below are based on the answers of {analysed} of them. ",
    "all": "{came} people took part. The results below are based on all of their answers.",
    "left_out": "The other people stopped early or were not counted, by rules that we set before the study began.",
    "expected": "What we expected, and what we found",
    "more": "We also looked at {n} more detailed questions. The full report has the answers.",
    "care": "How sure are we?",
    "registered": "We wrote down and registered what we expected before the first person took part.",
    "planned": "We wrote down what we expected before we looked at the answers.",
    "exploratory": "We did not fix these questions before the study, so another study has to confirm the answers.",
    "mixed": "We wrote down some of what we expected before the first person took part. The rest was not fixed then, so "
    "another study has to confirm it.",
    "chance": "Our results come from a limited number of people. With other people or other tasks, the results could "
    "be different. Nobody can tell from this page how you answered.",
    "synthetic": "This is a rehearsal. All participants are simulated, so these are not results about real people.",
    "simulated": "The answers were made up by a computer program. They cannot tell us anything about people.",
    "estimated": "We measured this, without testing an expectation.",
    "none": "In this study, we collected answers without testing an expectation.",
}
_GERMAN: Final[Mapping[str, str]] = {
    "language": "de",
    "heading": "Was wir herausgefunden haben",
    "thanks": "Vielen Dank, dass Sie an dieser Studie teilgenommen haben. Hier erfahren Sie, was wir aus Ihren Antworten "
    "und denen der anderen gelernt haben.",
    "question": "Worum es in der Studie ging",
    "people": "Wer teilgenommen hat",
    "came": "{came} Personen haben teilgenommen. Die Ergebnisse beruhen auf den Antworten von {analysed} Personen. ",
    "all": "{came} Personen haben teilgenommen. Die Ergebnisse beruhen auf allen ihren Antworten.",
    "left_out": "Die anderen haben früher aufgehört oder wurden nicht gezählt, nach Regeln, die vor der Studie feststanden.",
    "expected": "Was wir erwartet und was wir gefunden haben",
    "more": "Wir haben noch {n} weitere Fragen genauer untersucht. Die Antworten stehen im ausführlichen Bericht.",
    "care": "Wie sicher sind wir?",
    "registered": "Wir haben unsere Erwartungen aufgeschrieben und registriert, bevor die erste Person teilnahm.",
    "planned": "Wir haben unsere Erwartungen aufgeschrieben, bevor wir die Antworten angesehen haben.",
    "exploratory": "Diese Fragen standen nicht vor der Studie fest. Deshalb muss eine weitere Studie die Antworten bestätigen.",
    "mixed": "Einen Teil unserer Erwartungen haben wir aufgeschrieben, bevor die erste Person teilnahm. Der Rest stand "
    "damals nicht fest. Eine weitere Studie muss ihn bestätigen.",
    "chance": "Unsere Ergebnisse beruhen auf einer begrenzten Zahl von Personen. Mit anderen Personen oder anderen Aufgaben "
    "könnten sie anders ausfallen. Niemand kann auf dieser Seite sehen, was Sie geantwortet haben.",
    "synthetic": "Dies ist ein Probelauf. Alle Personen sind simuliert. Die Ergebnisse sagen nichts über echte Menschen aus.",
    "simulated": "Die Antworten stammen von einem Computerprogramm. Sie sagen nichts über Menschen aus.",
    "estimated": "Das haben wir gemessen, ohne eine Erwartung zu prüfen.",
    "none": "In dieser Studie haben wir Antworten gesammelt, ohne eine Erwartung zu prüfen.",
}
_WORDS: Final = {"en": _ENGLISH, "de": _GERMAN}
_VERDICTS: Final[dict[str, dict[Verdict, str]]] = {
    "en": {
        "supported": "Yes, our results show this.",
        "opposite": "No, our results show the opposite.",
        "not_supported": "Our results do not show this. It may still be true: the effect may be too small for this study to find.",
        "inconclusive": "Our results do not tell us whether this is true.",
        "not_tested": "We did not test this, because it depends on another result.",
    },
    "de": {
        "supported": "Ja, das zeigen unsere Ergebnisse.",
        "opposite": "Nein, unsere Ergebnisse zeigen das Gegenteil.",
        "not_supported": "Unsere Ergebnisse zeigen das nicht. Es kann trotzdem stimmen: Vielleicht ist der Effekt zu klein für diese Studie.",
        "inconclusive": "Unsere Ergebnisse sagen uns nicht, ob das stimmt.",
        "not_tested": "Das haben wir nicht geprüft, weil es von einem anderen Ergebnis abhängt.",
    },
}
_MOST_CLAIMS: Final = 8
"""Claims shown of a plan without plain words; a longer list would not be read."""
_THANKS: Final = re.compile(r"(?:^|(?<=[.!?]) )(?:Thank you|Thanks|Vielen Dank|Danke)\b[^.!?]*[.!?]\s*")
"""A sentence of thanks in the debrief; this page has its own."""


class Expectation(NamedTuple):
    """One claim in the words of the study, and what the answers say about it."""

    claim: str
    verdict: Verdict
    answer: str


def write_lay_page(findings: Findings, path: Path, *, study: Study) -> Path:
    """Write the page for people who took part, in the language of the study or in English, and return its path.

    The page shows the `plain` words of each hypothesis that has them, and only counts the others. A study without any
    plain words shows its first claims as they are. The text of the debrief says what the study was about.
    """
    language = study.language if study.language in _WORDS else "en"
    words = _WORDS[language]
    flow = findings.flow
    some_left = flow.n_analysed < flow.n_recruited
    people = (words["came"] + words["left_out"] if some_left else words["all"]).format(
        came=flow.n_recruited, analysed=flow.n_analysed
    )
    expected = _expectations(findings, study, language)
    n_more = len(findings.findings) - len(expected)
    text = (
        page_environment()
        .get_template("lay_page.html.j2")
        .render(
            words=words,
            title=study.shown_title or study.title,
            question=_about(study),
            people=people,
            expectations=expected,
            more=words["more"].format(n=n_more) if n_more else "",
            status=words["simulated" if findings.provenance.is_synthetic else _status(findings)],
            is_synthetic=findings.provenance.is_synthetic,
        )
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _expectations(findings: Findings, study: Study, language: str) -> list[Expectation]:
    answers, estimated = _VERDICTS[language], _WORDS[language]["estimated"]
    plain = {claim.hypothesis_id: claim.plain for claim in study.plan.hypotheses if claim.plain}
    return [
        Expectation(
            plain.get(finding.hypothesis_id, finding.claim),
            finding.verdict,
            estimated if finding.verdict == "not_tested" and finding.estimate else answers[finding.verdict],
        )
        for finding in (findings.findings if plain else findings.findings[:_MOST_CLAIMS])
        if not plain or finding.hypothesis_id in plain
    ]


def _about(study: Study) -> str:
    """Return what the debrief says first, without its thanks; the question of the study if it has no debrief."""
    texts = [str(block.task.params.get("text", "")) for block in blocks_in(study.flow) if block.task.name == "debrief"]
    first = next((text.split("\n\n")[0] for text in texts if text), "")
    return _THANKS.sub("", first).replace("**", "").strip() or study.question


def _status(findings: Findings) -> str:
    statuses = {finding.status for finding in findings.findings}
    if not statuses:
        return "none"
    return next(iter(statuses)) if len(statuses) == 1 else "mixed"
