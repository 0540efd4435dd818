"""Coding of texts: what is coded, in which order each annotator meets it, and the system of codes."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from understudy.conduct.assignment import LEFT_EARLY
from understudy.conduct.script import Script
from understudy.measures.texts import UnitCodes
from understudy.record import RecordedPart, parts_in
from understudy.schema import Event, ResponseGiven, SessionStarted, Study, digest_of, seed_from
from understudy.schema.annotation import BookEntry, Code, CodingPhase, CodingScheme
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


# Queue: which texts an annotator still has to code, in an order of their own that never changes.

_NOBODY = UnitCodes()


def queue_for(annotator: str, units: Iterable[Unit], codes: Mapping[str, UnitCodes], *, seed: int) -> tuple[Unit, ...]:
    """Return what somebody has coded and may still code, in their own random order.

    A text that has its annotators already is left out. New texts fall anywhere in the order, so that nobody can tell
    early participants from late ones.
    """
    mine = [unit for unit in units if _is_for(annotator, unit, codes.get(unit.unit_id, _NOBODY))]
    return tuple(
        sorted(mine, key=lambda unit: seed_from(seed, "coding", unit.scheme.scheme_id, annotator, unit.unit_id))
    )


def n_left(annotator: str, queue: Sequence[Unit], codes: Mapping[str, UnitCodes]) -> int:
    """Return how many texts of a queue the annotator has not coded."""
    return sum(annotator not in codes.get(unit.unit_id, _NOBODY).given for unit in queue)


def _is_for(annotator: str, unit: Unit, said: UnitCodes) -> bool:
    return annotator in said.given or len(said.given) < unit.n_wanted


# Code book: the codes of a scheme as the study declares them and researchers have changed them since, by the log.


@dataclass(frozen=True)
class CodeBook:
    """The codes that annotators choose from, and which labels of open coding belong to each."""

    phase: CodingPhase
    codes: tuple[Code, ...]
    merged: Mapping[str, str]
    """Label of open coding -> the code it became part of."""
    renamed: Mapping[str, str]
    """Label of open coding -> the label it is read as."""

    def code(self, code_id: str) -> Code | None:
        """Return the code of that name."""
        return next((code for code in self.codes if code.code_id == code_id), None)

    def label_of(self, label: str) -> str:
        """Return what a label of open coding is called now."""
        return self.renamed.get(label, label)


def book_of(scheme: CodingScheme, entries: Iterable[BookEntry]) -> CodeBook:
    """Fold the changes of a study's code books into that of one scheme."""
    codes = {code.code_id: code for code in scheme.codes}
    phase: CodingPhase = scheme.begins
    merged: dict[str, str] = {}
    renamed: dict[str, str] = {}
    for entry in entries:
        if entry.scheme_id != scheme.scheme_id:
            continue
        match entry.change:
            case "closed_coding_began":
                phase = "closed"
            case "label_renamed":
                # Labels that were renamed to this one before follow it.
                follows = [old for old, now in renamed.items() if now in entry.merged]
                renamed.update(dict.fromkeys((*entry.merged, *follows), entry.label))
            case "code_defined" | "labels_merged":
                codes[entry.code_id] = _changed(codes.get(entry.code_id), entry)
                merged.update(dict.fromkeys(entry.merged, entry.code_id))
    return CodeBook(phase, tuple(codes.values()), merged, renamed)


def _changed(known: Code | None, entry: BookEntry) -> Code:
    code = known or Code(code_id=entry.code_id)
    return code.model_copy(
        update={
            "label": entry.label or code.label,
            "definition": entry.definition or code.definition,
            "examples": tuple(dict.fromkeys((*code.examples, *entry.examples))),
        }
    )


def label_counts(book: CodeBook, units: Iterable[UnitCodes]) -> dict[str, Counter[str]]:
    """Return how often each annotator gave each label of open coding, the most frequent labels first."""
    counts: dict[str, Counter[str]] = {}
    for unit in units:
        for event in unit.given.values():
            for label in event.codes or ():
                counts.setdefault(book.label_of(label), Counter())[event.annotator] += 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1].total(), item[0])))
