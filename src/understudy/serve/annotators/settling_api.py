"""Routes for researchers: how annotators agree, decisions where they do not, and the code book."""

import asyncio

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from understudy.conduct.coding.agreement import AgreementTable, agreement_tables
from understudy.conduct.coding.code_book import label_counts
from understudy.conduct.coding.room import SchemeState, code_fault
from understudy.conduct.coding.units import Unit
from understudy.errors import LogError
from understudy.schema import CodesSettled, wire
from understudy.schema.annotation import BookEntry, Code
from understudy.serve.annotators.annotation_api import AtScheme, asked_unit, at_scheme, sent, shown_unit, store
from understudy.serve.desk.admin_api import json_reply
from understudy.serve.desk.audit import note_in
from understudy.serve.refusals import Refusal, unacceptable
from understudy.serve.running import RunningStudy
from understudy.serve.server_state import server_state_of
from understudy.serve.wire.written import written

_LONGEST = 2000


async def agreement(request: Request) -> Response:
    """Return agreement, confusion and the texts about which annotators disagree."""
    actor, running, state = await at_scheme(request, "settle")
    if server_state_of(request).opened_limit.allows(f"{actor.name} {running.name} {state.scheme.scheme_id}"):
        await note_in(running, actor.name, "agreement_opened")
    events = [event for said in state.codes.values() for event in said.given.values()]
    facts = {event.annotator: event for event in events}
    codes = tuple(code.code_id for code in state.book.codes)
    agreed = [state.said(unit).agreed or () for unit in state.units]
    page = wire.AgreementPage(
        title=state.scheme.words, phase=state.book.phase, choose=state.scheme.choose, codes=state.book.codes,
        n_units=len(state.units), n_complete=state.n_complete,
        annotators=tuple(
            wire.AnnotatorProgress(
                name=name, n_coded=n_coded, is_blind=facts[name].is_blind,
                is_synthetic=facts[name].annotator_kind == "synthetic",
            )
            for name, n_coded in state.progress.items()
        ),
        agreement=_agreement(state, codes),
        counts=tuple(wire.CodeCount(code_id=code, n_texts=sum(code in said for said in agreed)) for code in codes),
        disputes=_disputes(running, state),
    )  # fmt: skip
    return json_reply(written(page))


def _agreement(state: SchemeState, codes: tuple[str, ...]) -> tuple[wire.AgreementAbout, ...]:
    # Labels of open coding are everybody's own words, so there is nothing to agree about yet.
    if state.book.phase == "open":
        return ()
    return tuple(map(_about, agreement_tables(state.scheme, codes, state.codes.values())))


def _about(table: AgreementTable) -> wire.AgreementAbout:
    return wire.AgreementAbout(
        about=table.about,
        alpha=table.alpha,
        n_texts=table.n_texts,
        pairs=tuple(
            wire.PairAgreement(**pair._asdict(), n=pair.n, n_same=pair.n_same, kappa=pair.kappa) for pair in table.pairs
        ),
    )


def _disputes(running: RunningStudy, state: SchemeState) -> tuple[wire.Dispute, ...]:
    found = state.disputed if state.book.phase == "closed" else ()
    return tuple(_dispute(running, state, unit) for unit in found)


def _dispute(running: RunningStudy, state: SchemeState, unit: Unit) -> wire.Dispute:
    said = state.said(unit)
    settled = said.settled
    return wire.Dispute(
        unit=shown_unit(running, unit),
        given=tuple(
            wire.GivenCodes(annotator=name, codes=event.codes or (), note=event.note)
            for name, event in sorted(said.given.items())
        ),
        decision=settled
        and wire.Decision(codes=settled.codes, reason=settled.reason, actor=settled.actor, at_ms=settled.at_ms),
    )


async def settle(request: Request) -> Response:
    """Store which codes of a text count, by whom and why; a later decision replaces an earlier one."""
    actor, running, state = await at_scheme(request, "settle")
    asked = await sent(request, wire.SettleRequest)
    unit, reason = asked_unit(request, state), asked.reason.strip()
    fault = code_fault(state, asked.codes)
    if fault is not None:
        raise unacceptable(fault)
    if state.book.phase == "open":
        raise Refusal(409, "Open coding is not settled text by text; merge its labels in the code book.")
    if not 1 <= len(reason) <= _LONGEST:
        raise unacceptable(f"Give a reason of at most {_LONGEST} characters; it is stored with the decision.")

    def settled(seq: int, at_ms: int) -> CodesSettled:
        return CodesSettled(
            session_id=unit.session_id, seq=seq, at_ms=at_ms, scheme_id=state.scheme.scheme_id,
            unit_id=unit.unit_id, actor=actor.name, codes=asked.codes, reason=reason,
        )  # fmt: skip

    await store(running, unit, lambda _: settled)
    await note_in(running, actor.name, "codes_settled", unit.session_id)
    return json_reply(written(wire.Done()))


async def code_book(request: Request) -> Response:
    """Return the code book with the labels it grows out of."""
    _, running, state = await at_scheme(request, "settle")
    book = state.book
    changes = await asyncio.to_thread(running.served.log.book_changes, running.study.name)
    page = wire.CodeBookPage(
        title=state.scheme.words,
        phase=book.phase,
        codes=book.codes,
        labels=tuple(
            wire.LabelUse(
                label=label, n_texts=by_name.total(), annotators=tuple(sorted(by_name)),
                code_id=book.merged.get(label, ""),
            )
            for label, by_name in label_counts(book, state.labels.values()).items()
        ),
        history=tuple(entry for entry in reversed(changes) if entry.scheme_id == state.scheme.scheme_id),
    )  # fmt: skip
    return json_reply(written(page))


async def change_book(request: Request) -> Response:
    """Enter a change of the code book: a code, a renamed or merged label, or the beginning of closed coding."""
    at = await at_scheme(request, "settle")
    asked = await sent(request, wire.BookRequest)
    _require_sound(at, asked)
    log, name = at.running.served.log, at.running.study.name

    def enter() -> None:
        entry = BookEntry(
            study_name=name, seq=len(log.book_changes(name)) + 1, at_ms=at.running.now_ms(), actor=at.actor.name,
            scheme_id=at.state.scheme.scheme_id, **asked.model_dump(),
        )  # fmt: skip
        log.enter_book_change(entry)

    try:
        await asyncio.to_thread(enter)
    except LogError as refusal:
        raise Refusal(409, str(refusal)) from None
    await note_in(at.running, at.actor.name, "code_book_changed")
    return json_reply(written(wire.Done()))


def _require_sound(at: AtScheme, asked: wire.BookRequest) -> None:
    book = at.state.book
    if book.phase == "closed" and asked.change != "code_defined":
        raise Refusal(
            409, "Closed coding has begun: labels are no longer merged, so that given codes keep their meaning."
        )
    if asked.change == "closed_coding_began" and not book.codes:
        raise unacceptable("The code book is empty; define codes, or merge labels into them, before closed coding.")
    if asked.change == "label_renamed" and (not asked.label.strip() or len(asked.merged) != 1):
        raise unacceptable("Name the label to rename, and the new one.")
    if asked.change in ("code_defined", "labels_merged"):
        try:
            Code(code_id=asked.code_id)
        except ValidationError:
            raise unacceptable(
                f"{asked.code_id!r} cannot name a code; use letters, digits, '_', '-' and '.', beginning with a letter."
            ) from None
    if asked.change == "labels_merged" and not asked.merged:
        raise unacceptable("Choose at least one label to merge into the code.")
