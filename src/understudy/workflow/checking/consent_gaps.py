"""Consent gaps: what people should read before they agree, and do not; and announcements that disagree."""

import re
from collections.abc import Iterator
from statistics import fmean

from understudy.conduct import Ledger, Script, assign, visits_for
from understudy.prepare import Prepared
from understudy.schema import Screen, Study, blocks_in

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
