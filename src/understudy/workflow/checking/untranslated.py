"""Untranslated texts: options, scale labels and names of results that people would read in English in another language."""

import re
from collections.abc import Iterator

from understudy.prepare import Prepared
from understudy.report.wording import plural
from understudy.schema import Question, Trial

# Words of questions and labels that no German text has; nothing else about a text has to be known to call it English.
_ENGLISH = frozenset(
    [
        "the",
        "is",
        "are",
        "you",
        "your",
        "how",
        "what",
        "which",
        "who",
        "why",
        "not",
        "of",
        "and",
        "with",
        "very",
        "all",
        "correct",
        "incorrect",
        "agree",
        "disagree",
        "true",
        "false",
        "yes",
        "sure",
        "low",
        "high",
        "hard",
        "easy",
        "fairly",
        "somewhat",
        "slightly",
        "completely",
        "confident",
        "right",
        "wrong",
        "relevant",
        "irrelevant",
        "think",
        "does",
        "do",
        "similar",
        "answer",
        "answers",
        "answered",
        "never",
        "always",
        "often",
        "sometimes",
        "rarely",
        "strongly",
        "neither",
        "good",
        "bad",
        "poorly",
        "well",
        "more",
        "less",
    ]
)
_SHOWN = 4
_OWN_WORDS = frozenset({"consent", "device_check", "microphone", "video"})
"""Tasks whose page writes its buttons itself, in the study's language."""


def untranslated_sentences(prepared: Prepared) -> list[str]:
    """Return one sentence that names English texts of a study in another language; none for studies in English."""
    study = prepared.study
    if study.language == "en":
        return []
    found = dict.fromkeys(
        text for trial in prepared.materials.trials.values() for text in _read(trial) if _is_english(text)
    )
    if not found:
        return []
    some = ", ".join(f"“{text}”" for text in list(found)[:_SHOWN])
    more = f" and {plural(len(found) - _SHOWN, 'other text')}" if len(found) > _SHOWN else ""
    return [
        f"The study's language is {study.language!r}, but people would read English: {some}{more}. Write prompts, options and "
        "labels in the study's language, and give measures on result pages names in it."
    ]


def _read(trial: Trial) -> Iterator[str]:
    names = trial.params.get("value_names")
    read = names if isinstance(names, dict) else {}
    for question in () if trial.task in _OWN_WORDS else trial.asks:
        yield from (str(read.get(text, text)) for text in _texts(question) if text)
    measures = trial.params.get("measures")
    if trial.task == "feedback" and isinstance(measures, list | tuple):
        # As the page writes them: without the n of a count, and with spaces.
        yield from (str(name).removeprefix("n_").replace("_", " ").capitalize() for name in measures)


def _texts(question: Question) -> Iterator[str]:
    yield question.prompt
    for field in ("options", "labels", "rows"):
        yield from getattr(question, field, ())
    for field in ("low_label", "high_label", "unit"):
        yield getattr(question, field, "") or ""


def _is_english(text: str) -> bool:
    return not _ENGLISH.isdisjoint(re.findall(r"[a-zäöüß]+", text.lower()))
