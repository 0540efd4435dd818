"""What a page is told about its session, from the first screen on, and nothing that could give an answer away."""

import gzip
import re
from functools import cached_property

from starlette.requests import Request
from starlette.responses import Response

from understudy.conduct import Script, Step, assign
from understudy.conduct.assignment import Ledger
from understudy.conduct.pay import told_pay
from understudy.schema import Assignment, PaySettled, SessionStarted
from understudy.schema.wire import EndedState, EventsReply, Pay, Skin, StartedState, State
from understudy.serve.live_session import Live, opening
from understudy.serve.public_study import PublicStudy
from understudy.serve.wire import WireNames, written, written_around

_PLAIN, _PREVIEW = Skin(), Skin(is_preview=True)


class States:
    """Makes and writes `State` for participants."""

    def state_of(
        self,
        public: PublicStudy,
        live: Live,
        *,
        with_saved: bool = True,
        token: str | None = None,
        since: int | None = None,
    ) -> bytes:
        """Write the state of a session; a person who has just arrived also gets a `token`.

        People who have nothing but an id are told nothing that was answered before the event `since`.
        """
        return _written(public, live, _with_token(self._state(public, live, with_saved=with_saved, since=since), token))

    def first_of(self, public: PublicStudy, live: Live) -> bytes:
        """Write where a session starts, without the files of later pages, which may tell the condition."""
        return _written(public, live, self._state(public, live, with_saved=True).model_copy(update={"preload": ()}))

    def reply_of(self, public: PublicStudy, live: Live, *, with_saved: bool, since: int | None = None) -> bytes:
        """Write that the events so far are durable, and where the session is now."""
        state = self._state(public, live, with_saved=with_saved, since=since)
        reply = EventsReply.model_construct(acknowledged_seq=len(live.page), state=state)
        return written_around(reply, {"state": _written(public, live, state)})

    def preview_of(self, public: PublicStudy, live: Live, trial_id: str | None = None) -> bytes:
        """Write where a session is that exists nowhere, with another trial in place of its own if one is named."""
        state = self._state(public, live, with_saved=True)
        more: dict[str, object] = {"skin": _PREVIEW}
        if trial_id is not None and state.step is not None:
            more["step"] = state.step.model_copy(update={"trial": public.trials[trial_id]})
            more["preload"] = tuple(dict.fromkeys((*public.files[trial_id], *state.preload)))
        if state.ended is not None:
            # Nobody is sent to a recruiter from a preview.
            more["ended"] = state.ended.model_copy(update={"redirect": None})
        return _written(public, live, state.model_copy(update=more))

    def erased_state(self, public: PublicStudy, *, token: str | None = None) -> bytes:
        """Write what is left to say to somebody who took everything back."""
        back = public.ways_back
        code = back.code("", "withdrew") if back is not None and back.has_fixed_codes else None
        redirect = None if back is None or code is None else back.address("", "withdrew", code)
        # The code itself is not shown: people were told that they get none, and the way back carries it.
        ended = EndedState(outcome="withdrew", is_erased=True, redirect=redirect)
        return written(_with_token(State(study=public.heading, next_seq=1, step=None, ended=ended), token))

    def _state(self, public: PublicStudy, live: Live, *, with_saved: bool, since: int | None = None) -> State:
        # Made of checked parts, thousands of times a second: checking them again would only take time.
        return State.model_construct(
            study=public.heading,
            next_seq=live.next_seq,
            step=live.step(public, with_saved=with_saved, since=since),
            preload=live.preload(public),
            ended=_ended(public, live),
            skin=_PLAIN,
        )


def _ended(public: PublicStudy, live: Live) -> EndedState | None:
    outcome, back = live.session.outcome, public.ways_back
    if outcome is None:
        return None
    ending, pay = live.ending, live.pay
    code = back.code(live.session.session_id, outcome) if back is not None else None
    return EndedState(
        outcome=outcome,
        reason=ending.reason if ending else "",
        pay=pay_state(pay, live.session.script.study.access.results) if pay else None,
        code=code,
        redirect=back.address(live.participant_id, outcome, code) if back is not None else None,
    )


def pay_state(pay: PaySettled, results: str) -> Pay:
    """Return as much of the pay as the study lets people know."""
    return Pay(currency=pay.currency, **told_pay(pay, results)._asdict())


def _with_token(state: State, token: str | None) -> State:
    return state if token is None else StartedState.model_construct(**dict(state), token=token)


def _written(public: PublicStudy, live: Live, state: State) -> bytes:
    step = b"null" if state.step is None else live.written_step(public, state.step)
    return written_around(state, {"study": public.written_heading, "step": step})


# The first page: sent along with the player, so that people need not wait until the player has asked for it.
#
# Newcomers get the page that everybody starts on, if there is one; people who come back get the state of their session.

_PLACE = "<body>"
_REST = re.compile(r"\s*<link [^>]*\bdata-rest\b[^>]*>")


class PlayerPage:
    """The player of one study with its first page in it."""

    def __init__(self, shell: str, state: bytes) -> None:
        # The rest is fetched while people read, and must not compete with what draws the page.
        self._page = _with_block(_REST.sub("", shell), "first-page", state)

    @cached_property
    def _packed(self) -> bytes:
        return gzip.compress(self._page, compresslevel=9, mtime=0)

    def response(self, request: Request) -> Response:
        """Return the page, packed where the browser unpacks it."""
        headers = {"Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(self._page, headers=headers, media_type="text/html")
        return Response(self._packed, headers={**headers, "Content-Encoding": "gzip"}, media_type="text/html")


def resumed_page(shell: str, state: bytes) -> Response:
    """Return the player with the state of a session that continues; nobody else may get it from a cache."""
    return Response(_with_block(shell, "resumed", state), headers={"Cache-Control": "no-store"}, media_type="text/html")


def first_state(script: Script, public: PublicStudy, names: WireNames) -> bytes | None:
    """Write what every new session shows first: where people agree; None where that depends on the condition."""
    fresh = Ledger(script.study)
    drawn = [assign(fresh, 0, cell.name) for cell in script.study.cells]
    starts = [_opened(script, assignment, names) for assignment in drawn if assignment is not None]
    states = {States().first_of(public, live) if _asks_consent(live) else None for live in starts}
    return states.pop() if len(states) == 1 else None


def _opened(script: Script, assignment: Assignment, names: WireNames) -> Live:
    started = SessionStarted(
        session_id="first", seq=1, at_ms=0, study_name=script.study.name, study_digest=script.digest,
        participant_id="first", participant_kind="person", assignment=assignment,
    )  # fmt: skip
    return opening(script, started, names)


def _asks_consent(live: Live) -> bool:
    return isinstance(live.at_hand, Step) and live.at_hand.visit.block.purpose == "consent"


def _with_block(shell: str, name: str, state: bytes) -> bytes:
    # A bracket could end the element; as an escape it means the same.
    written = state.decode().replace("<", "\\u003c")
    block = f'{_PLACE}\n    <script type="application/json" id="{name}">{written}</script>'
    return shell.replace(_PLACE, block, 1).encode()
