"""Routes for annotators and for those who settle what they disagree about."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple, TypeVar
from urllib.parse import quote

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from understudy.conduct.coding import Unit, label_counts
from understudy.conduct.coding_room import (
    AgreementTable,
    Author,
    Given,
    SchemeState,
    agreement_tables,
    code_fault,
    given_event,
)
from understudy.errors import LogError
from understudy.schema import CodesSettled, Record, sentences_from_validation, wire
from understudy.schema.annotation import BookEntry, Code, CodingScheme
from understudy.schema.events import DeskEvent
from understudy.schema.wire import (
    CodesReply,
    CodesRequest,
    CodingDesk,
    CodingTask,
    CodingTasks,
    Permission,
    QueuedUnit,
    ShownText,
    ShownUnit,
)
from understudy.serve.desk.researchers import UNNAMED, Actor
from understudy.serve.desk.routes import at_desk, json_reply
from understudy.serve.desk.sign_in import note_in, require
from understudy.serve.server import server_state_of
from understudy.serve.study import RunningStudy
from understudy.serve.wire import Refusal, body_of, unacceptable, written

Body = TypeVar("Body", bound=Record)
_LONGEST_NOTE = 2000
_LARGEST = 16 * 1024
_MEDIA = {"webm": "audio/webm", "mp4": "audio/mp4"}


class AtScheme(NamedTuple):
    """A request about one coding scheme, from somebody who may make it."""

    actor: Actor
    running: RunningStudy
    state: SchemeState


async def at_scheme(request: Request, permission: Permission) -> AtScheme:
    """Return the scheme that an address names, as the log has it now."""
    server_state, actor = await require(request, permission)
    running = server_state.study(request)
    scheme = running.study.scheme(str(request.path_params["scheme_id"]))
    if scheme is None:
        raise Refusal(404, "There is no such coding scheme in this study; go back to the list.")
    return AtScheme(actor, running, await _state(running, scheme))


async def _state(running: RunningStudy, scheme: CodingScheme) -> SchemeState:
    return await asyncio.to_thread(running.coding.state, scheme)


async def tasks(request: Request) -> Response:
    """List what the signed-in person may code, over all studies of the server."""
    server_state, actor = await require(request, "code")
    found: list[CodingTask] = []
    for running in server_state.studies.values():
        for scheme in running.study.annotation:
            state = await _state(running, scheme)
            n_left = state.n_left(actor.name)
            found.append(
                CodingTask(
                    study=running.name, study_title=running.study.title if actor.may("look") else "",
                    scheme_id=scheme.scheme_id, title=scheme.words, phase=state.book.phase,
                    n_coded=state.progress.get(actor.name, 0), n_left=n_left,
                )
            )  # fmt: skip
    answer = CodingTasks(tasks=tuple(found), may_settle=actor.may("settle"), can_code=actor.name != UNNAMED)
    return json_reply(written(answer))


async def coding_desk(request: Request) -> Response:
    """Return the code book and the annotator's own queue."""
    actor, _, state = await at_scheme(request, "code")
    scheme = state.scheme
    queue = state.queue(actor.name)
    mine = [(unit, state.said(unit)) for unit in queue]
    labels = (label for _, said in mine if actor.name in said.given for label in said.given[actor.name].codes or ())
    answer = CodingDesk(
        title=scheme.words, instruction=scheme.instruction, choose=scheme.choose, phase=state.book.phase,
        codes=state.book.codes, labels=tuple(sorted(set(labels))) if state.book.phase == "open" else (),
        queue=tuple(
            QueuedUnit(
                unit_id=unit.unit_id,
                codes=said.given[actor.name].codes if actor.name in said.given else None,
                note=said.given[actor.name].note if actor.name in said.given else "",
                revision=said.n_revisions.get(actor.name, 0),
            )
            for unit, said in mine
        ),
    )  # fmt: skip
    return json_reply(written(answer))


async def unit(request: Request) -> Response:
    """Return one text, without anything that tells whose it is."""
    _, running, state = await at_scheme(request, "code")
    return json_reply(written(shown_unit(running, asked_unit(request, state))))


def asked_unit(request: Request, state: SchemeState) -> Unit:
    """Return the text that an address names."""
    found = state.unit(str(request.path_params["unit_id"]))
    if found is None:
        raise Refusal(404, "There is no such text to code any more; reload the page.")
    return found


def shown_unit(running: RunningStudy, found: Unit) -> ShownUnit:
    """Return a text as annotators see it."""
    address = f"/api/admin/studies/{quote(running.name)}/annotation/{found.scheme.scheme_id}/units/{found.unit_id}"
    return ShownUnit(
        unit_id=found.unit_id,
        texts=tuple(ShownText(prompt=text.prompt, text=text.text) for text in found.texts),
        recordings=tuple(f"{address}/recordings/{number}" for number in range(len(found.recordings))),
    )


async def recording(request: Request) -> Response:
    """Play one recording, checked against the log before anybody codes it."""
    _, running, state = await at_scheme(request, "code")
    number = str(request.path_params["number"])
    parts = asked_unit(request, state).recordings
    if not number.isascii() or not number.isdecimal() or int(number) >= len(parts):
        raise Refusal(404, "There is no such recording.")
    part = parts[int(number)]
    try:
        await asyncio.to_thread(running.recordings.read, part)
    except LogError:
        raise Refusal(503, "This recording is missing or damaged; tell the researcher who runs the study.") from None
    media = _MEDIA[part.chunks[0].media]
    # A file and not its bytes: only a file answers the ranges that a browser asks for when somebody jumps ahead.
    return FileResponse(running.recordings.path_of(part), headers={"Cache-Control": "no-store"}, media_type=media)


async def give_codes(request: Request) -> Response:
    """Store what an annotator says about a text; a later word replaces an earlier one, and both stay in the log."""
    actor, running, state = await at_scheme(request, "code")
    if actor.name == UNNAMED:
        raise Refusal(
            403, "Codes need a name: add annotators with understudy researchers add RUN NAME --role annotator."
        )
    asked = await sent(request, CodesRequest)
    found = asked_unit(request, state)
    fault = code_fault(state, asked.codes)
    if fault is not None or len(asked.note) > _LONGEST_NOTE:
        raise unacceptable(fault or f"A note has at most {_LONGEST_NOTE} characters.")
    if found.unit_id not in {queued.unit_id for queued in state.queue(actor.name)}:
        raise Refusal(409, "Others have coded this text meanwhile; go on with the next one.")
    author = Author(actor.name, is_blind=actor.role == "annotator")

    def numbered(current: SchemeState) -> Callable[[int, int], DeskEvent]:
        known = current.said(found).n_revisions.get(actor.name, 0)
        if known != asked.revision:
            raise Refusal(409, "You coded this text in another window meanwhile; reload the page to see it.")
        return given_event(current, found, author, Given(asked.codes, asked.note.strip()))

    after = await store(running, found, numbered)
    reply = CodesReply(revision=after.said(found).n_revisions[actor.name], n_left=after.n_left(actor.name))
    return json_reply(written(reply))


async def store(
    running: RunningStudy, found: Unit, numbered: Callable[[SchemeState], Callable[[int, int], DeskEvent]]
) -> SchemeState:
    """Make what was said about a text durable, in turn with everything else about its session; return what follows."""
    async with running.opened(found.session_id) as live:
        # Asked again in the turn: two windows of one annotator may send at the same moment.
        make = numbered(await _state(running, found.scheme))
        number = await at_desk(running, found.session_id)
        await running.take_from_desk(live, make(number["seq"], number["at_ms"]))
    return await _state(running, found.scheme)


async def sent(request: Request, kind: type[Body]) -> Body:
    """Read the body of a request as a record."""
    try:
        return kind.model_validate_json(await body_of(request, _LARGEST) or b"{}")
    except ValidationError as error:
        raise unacceptable(" ".join(sentences_from_validation(error))) from None


# Routes for researchers: how annotators agree, decisions where they do not, and the code book.

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
