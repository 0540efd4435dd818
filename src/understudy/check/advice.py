"""Advice: what does not stop a study, but should be read before anybody takes part."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from statistics import fmean

import numpy as np
from PIL import Image

from understudy.check.arms import contrast_of, met_blocks, planned_blocks, trial_ids_of
from understudy.conduct import Ledger, Script, assign, visits_for
from understudy.prepare.bindings import bound_for
from understudy.prepare.prepared import Prepared
from understudy.report.wording import plural
from understudy.schema import Levels, Question, Ref, Screen, Stage, Study, Trial, blocks_in, files_named_in


def design_cautions(prepared: Prepared) -> list[str]:
    """Return one sentence for each contrast of two things at once, and each stage whose answers were shown before."""
    return list(dict.fromkeys((*_two_things(prepared), *_seen_before(prepared))))


def _two_things(prepared: Prepared) -> Iterator[str]:
    study = prepared.study
    for hypothesis in study.plan.hypotheses:
        contrast = contrast_of(hypothesis, study)
        if contrast is None or hypothesis.factor is None:
            continue
        levels: list[Levels] = [{**study.cells[0].levels, hypothesis.factor: level} for level in contrast]
        first, second = (bound_for(study, chosen) for chosen in levels)
        # Two methods may each bring their own model; a control without explanation should have the same one.
        if first.model != second.model and (first.explainer is None) != (second.explainer is None):
            yield (
                f"Hypothesis {hypothesis.hypothesis_id!r} compares {contrast[0]!r} with {contrast[1]!r}, which differ in the "
                "model and in the explanation: a difference may come from either. Give both levels one model, or make the "
                "model a factor of its own."
            )


def _seen_before(prepared: Prepared) -> Iterator[str]:
    """Yield the stages that ask about items whose answers an earlier stage has shown."""
    planned, trials = planned_blocks(prepared.study), prepared.materials.trials
    for cell in prepared.study.cells:
        shown: dict[tuple[str, str], str] = {}
        for met in met_blocks(prepared.study, cell.levels):
            if not isinstance(met.block, Stage):
                continue
            items = {item for one in trial_ids_of(prepared, met) if (item := trials[one].stimulus_id) is not None}
            asked = _named(met.block, "keys")
            by = [shown[item, name] for item in sorted(items) for name in asked if (item, name) in shown]
            if by and met.block.block_id in planned:
                yield (
                    f"Stage {met.block.block_id!r} asks about {len(by)} of {len(items)} items whose answers {by[0]!r} has "
                    "shown before, so people can remember them. Name the other item set in `apart_from`."
                )
            # A stage that asks for an attribute reveals another one of that name, such as that of the unedited case.
            reveals = [name for name in _named(met.block, "reveals") if name not in asked]
            shown.update({(item, name): met.block.block_id for item in items for name in reveals})


def _named(block: Stage, parameter: str) -> list[str]:
    """Return the attributes of items that a parameter of a task names."""
    named = block.task.params.get(parameter)
    values = list(named.values()) if isinstance(named, dict) else named if isinstance(named, list | tuple) else []
    return [str(value) for value in values]


# Consent gaps: what people should read before they agree, and do not; and announcements that disagree.

_OWN_FACTS = {
    "institution": "who runs the study",
    "contact": "whom to ask",
    "ethics": "which committee approved it",
}
"""Field of a consent page -> what only the people who run a study can write there."""
_SLOTS = {
    **_OWN_FACTS,
    "storage": "what happens to the data",
    "withdrawal": "how to stop, and what happens to data and pay then",
}
"""Field of a consent page -> what people read there."""
_MINUTES = re.compile(
    r"(\d+(?:[.,]\d+)?)(?:\s*(?:-|–|to|bis)\s*(\d+(?:[.,]\d+)?))?\s*(?:minutes?|min\b|Minuten)", re.IGNORECASE
)
_SLACK = 1.3
"""Announced minutes may be off by so much; people read and answer at very different paces."""


def consent_sentences(prepared: Prepared, *, is_ready: bool = False) -> list[str]:
    """Return one sentence for each gap; none for studies that ask no people.

    A ready study cannot know who will run it, so that its own facts are not missing.
    """
    study = prepared.study
    slots = {name: what for name, what in _SLOTS.items() if not (is_ready and name in _OWN_FACTS)}
    sentences = [sentence for page in _consent_pages(study) for sentence in _page_gaps(page, study, slots)]
    return [*sentences, *_time_gaps(prepared)] if study.participants == "people" else []


def facts_to_add(study: Study) -> list[str]:
    """Return what those who run a ready study have to write on its consent page before people take part."""
    pages = _consent_pages(study)
    absent = [name for name in _OWN_FACTS if any(not str(page.task.params.get(name) or "").strip() for page in pages)]
    return [f"{name} ({_OWN_FACTS[name]})" for name in absent]


def _consent_pages(study: Study) -> list[Screen]:
    if study.participants != "people":
        return []
    return [block for block in blocks_in(study.flow) if isinstance(block, Screen) and block.task.name == "consent"]


def _page_gaps(page: Screen, study: Study, slots: dict[str, str]) -> Iterator[str]:
    params = page.task.params
    slots = dict(slots)
    if study.pay is None or study.pay.expected_minutes is None:
        slots["duration"] = "how long it takes"
    if study.pay is None:
        slots["pay"] = "what people are paid"
    empty = [f"{name} ({what})" for name, what in slots.items() if not str(params.get(name) or "").strip()]
    if empty:
        yield f"The consent page {page.block_id!r} does not say: {', '.join(empty)}. Fill in these fields."
    minutes = study.pay.expected_minutes if study.pay else None
    if minutes is None:
        return
    for found in _MINUTES.finditer(f"{params.get('text', '')} {params.get('duration', '')}"):
        low, high = (float(number.replace(",", ".")) for number in (found[1], found[2] or found[1]))
        if not low <= minutes <= high:
            yield (
                f"The consent page {page.block_id!r} announces {found[0]!r}, but pay.expected_minutes is {minutes:g}. "
                "Leave the minutes out of the text: the page shows those of the pay."
            )


def _time_gaps(prepared: Prepared) -> Iterator[str]:
    study = prepared.study
    announced = study.pay.expected_minutes if study.pay else None
    if announced is None:
        return
    by_condition = expected_minutes(prepared)
    minutes = fmean(by_condition.values())
    remedy = "Change pay.expected_minutes, or set `seconds` to the time that one page of a block takes."
    if not announced / _SLACK <= minutes <= announced * _SLACK:
        yield (
            f"The study announces {announced:g} minutes, but its pages are expected to take about {minutes:.0f}. {remedy}"
        )
        return
    name, longest = max(by_condition.items(), key=lambda pair: pair[1])
    if longest > announced * _SLACK:
        yield (
            f"The study announces {announced:g} minutes, but people in the condition {name!r} are expected to take about "
            f"{longest:.0f}, for the same pay. {remedy}"
        )


def expected_minutes(prepared: Prepared) -> dict[str, float]:
    """Return how long people in each condition are expected to take."""
    study = prepared.study
    script = Script(study, prepared.materials, prepared.key)
    dealt = assign(Ledger(study), 0)
    if dealt is None:
        return {}
    minutes = {}
    for cell in study.cells:
        visits = visits_for(study.flow, dealt.model_copy(update={"condition": cell.name, "levels": cell.levels}))
        minutes[cell.name] = sum(script.timetable.plan(visit).seconds for visit in visits) / 60
    return minutes


# Grey photos: say how many photos of a folder have no colour, because a model may be wrong about them for that alone.

_ALLOWED = "allows_monochrome"


def grey_sentences(prepared: Prepared) -> list[str]:
    """Return a sentence if items show photos without colour, and nobody has said that they may."""
    if all(_ALLOWED in ref.params for ref in _folders(prepared.study)):
        return []
    known = frozenset(prepared.files)
    photos = {
        address
        for trial in prepared.materials.trials.values()
        if trial.stimulus_id is not None
        for address in files_named_in(trial.params, known)
    }
    n_grey = sum(_is_grey(prepared.files[address]) for address in photos)
    if not n_grey:
        return []
    shown = "photo that people see has" if len(photos) == 1 else "photos that people see have"
    return [
        f"{n_grey} of the {len(photos)} {shown} no colour, and the model gets them as three equal channels. A model that "
        "learned from colour photos may be wrong about them for that reason alone. Leave such photos out, or set "
        f"{_ALLOWED} of picture_folder to true if they are meant."
    ]


def _folders(study: Study) -> list[Ref]:
    named = (*(binding.dataset for binding in study.bindings), *(item_set.dataset for item_set in study.item_sets))
    return [ref for ref in named if ref is not None and ref.name == "picture_folder"]


def _is_grey(file: Path | bytes) -> bool:
    with Image.open(BytesIO(file) if isinstance(file, bytes) else file) as opened:
        pixels = np.asarray(opened.convert("RGB"))
    return bool((pixels == pixels[..., :1]).all())


# Planned pay: whether the base pay keeps what the study says people should earn in an hour.


def planned_pay_sentences(study: Study) -> list[str]:
    """Return a warning if the base pay is less, for the expected time, than what the study says people should earn."""
    minimum = study.recruitment.hourly_minimum if study.recruitment is not None else None
    if minimum is None or study.pay is None or study.pay.expected_minutes is None:
        return []
    per_hour = study.pay.base / study.pay.expected_minutes * 60
    if per_hour >= minimum:
        return []
    return [
        f"The base pay makes {study.pay.currency} {per_hour:.2f} an hour, less than recruitment.hourly_minimum ({minimum:.2f}); people "
        "who earn no bonus get less than the study states."
    ]


# Untranslated texts: options, scale labels and names of results that people would read in English in another language.

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
