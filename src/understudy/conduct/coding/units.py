"""Units: the texts and recordings that a coding scheme reads, without anything that tells who or which condition."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from understudy.conduct.headcount import LEFT_EARLY
from understudy.conduct.script import Script
from understudy.record import RecordedPart, parts_in
from understudy.schema import Event, ResponseGiven, SessionStarted, Study, digest_of
from understudy.schema.annotation import CodingScheme
from understudy.schema.events import Ending

_MARK = 10
"""Bytes of the mark of a unit."""


class ReadText(NamedTuple):
    """One free text, with the question as the participant read it."""

    trial_id: str
    question_id: str
    prompt: str
    text: str


@dataclass(frozen=True)
class Unit:
    """What gets codes: one text, one recording, or all of them of one person."""

    unit_id: str
    session_id: str
    scheme: CodingScheme
    is_synthetic: bool = False
    texts: tuple[ReadText, ...] = ()
    recordings: tuple[RecordedPart, ...] = field(default=())
    n_units: int = 1
    """How many units the person has."""

    @property
    def content_digest(self) -> str:
        """Digest of what annotators read or hear."""
        chunks = [chunk.sha256 for part in self.recordings for chunk in part.chunks]
        return digest_of({"texts": [[text.question_id, text.text] for text in self.texts], "recordings": [*chunks]})

    @property
    def n_wanted(self) -> int:
        """How many annotators it gets; which units overlap follows from their marks, so that it never changes."""
        share = int(self.unit_id[:8], 16) / 16**8
        return self.scheme.annotators if share < self.scheme.overlap else 1


def is_coded(study: Study, outcome: Ending | None, excluded_by: str | None) -> bool:
    """Tell whether the texts of a session are coded: of people whose answers count if nothing in the texts excludes them."""
    counts = ("completed", *(LEFT_EARLY if study.plan.partial_sessions == "kept" else ()))
    return outcome in counts and excluded_by is None


def units_of(script: Script, scheme: CodingScheme, events: Sequence[Event]) -> tuple[Unit, ...]:
    """Return what a scheme reads of one session."""
    started = events[0]
    if not isinstance(started, SessionStarted):
        return ()
    parts = _recordings(scheme, events) if scheme.reads == "recordings" else ()
    texts = _texts(script, scheme, events) if scheme.reads == "texts" else ()
    whole: list[tuple[str, tuple[ReadText, ...], tuple[RecordedPart, ...]]]
    if scheme.unit == "person":
        whole = [("", texts, parts)] if texts or parts else []
    else:
        whole = [
            *((f"{text.trial_id}\x1f{text.question_id}", (text,), ()) for text in texts),
            *((part.name, (), (part,)) for part in parts),
        ]
    return tuple(
        Unit(
            unit_id=_mark(started.session_id, scheme.scheme_id, name),
            session_id=started.session_id,
            scheme=scheme,
            is_synthetic=started.participant_kind == "synthetic",
            texts=read,
            recordings=heard,
            n_units=len(whole),
        )
        for name, read, heard in whole
    )


def _mark(*names: str) -> str:
    # Session ids are random and long, so nobody gets from a mark to a session by trying.
    return hashlib.blake2b("\x1e".join(names).encode(), digest_size=_MARK).hexdigest()


def _recordings(scheme: CodingScheme, events: Sequence[Event]) -> tuple[RecordedPart, ...]:
    return tuple(part for part in parts_in(events) if not scheme.blocks or part.chunks[0].block_id in scheme.blocks)


def _texts(script: Script, scheme: CodingScheme, events: Sequence[Event]) -> tuple[ReadText, ...]:
    # Somebody who repeats a page answers it again, and the last answer is the one that counts.
    found = {(text.trial_id, text.question_id): text for text in _all_texts(script, scheme, events)}
    order = {name: place for place, name in enumerate(scheme.questions)}
    return tuple(sorted(found.values(), key=lambda text: order.get(text.question_id, 0)))


def _all_texts(script: Script, scheme: CodingScheme, events: Sequence[Event]) -> Iterator[ReadText]:
    for event in events:
        if not isinstance(event, ResponseGiven):
            continue
        trial = script.trials[event.trial_id]
        if scheme.blocks and trial.block_id not in scheme.blocks:
            continue
        prompts: Mapping[str, str] = {
            question.question_id: question.prompt
            for question in trial.asks
            if (question.question_id in scheme.questions if scheme.questions else question.kind == "text")
        }
        for question_id, prompt in prompts.items():
            answer = event.response.get(question_id)
            if isinstance(answer, str) and answer.strip():
                yield ReadText(event.trial_id, question_id, prompt, answer.strip())
