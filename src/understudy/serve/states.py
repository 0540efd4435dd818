"""States: what a page is told about its session, and nothing that could give an answer away."""

from collections.abc import Mapping
from urllib.parse import quote

from understudy.schema import PaySettled
from understudy.schema.wire import EndedState, EventsReply, Pay, Skin, StartedState, State
from understudy.serve.live import Live
from understudy.serve.public import PublicStudy
from understudy.serve.tokens import Keyring
from understudy.serve.written import written, written_around

_WITHOUT_CODE = frozenset({"declined", "abandoned"})
_PLAIN, _PREVIEW = Skin(), Skin(is_preview=True)


class States:
    """Makes and writes `State` for participants."""

    def __init__(self, keyring: Keyring, completion_urls: Mapping[str, str]) -> None:
        self._keyring = keyring
        self._completion_urls = completion_urls

    def state_of(self, public: PublicStudy, live: Live, *, with_saved: bool = True, token: str | None = None) -> bytes:
        """Write the state of a session; a person who has just arrived also gets a `token`."""
        return _written(public, live, _with_token(self._state(public, live, with_saved=with_saved), token))

    def reply_of(self, public: PublicStudy, live: Live, *, with_saved: bool) -> bytes:
        """Write that the events so far are durable, and where the session is now."""
        state = self._state(public, live, with_saved=with_saved)
        reply = EventsReply.model_construct(acknowledged_seq=len(live.page), state=state)
        return written_around(reply, {"state": _written(public, live, state)})

    def preview_of(self, public: PublicStudy, live: Live) -> bytes:
        """Write where a session is that exists nowhere."""
        state = self._state(public, live, with_saved=True)
        return _written(public, live, state.model_copy(update={"skin": _PREVIEW}))

    def erased_state(self, public: PublicStudy, *, token: str | None = None) -> bytes:
        """Write what is left to say to somebody who took everything back."""
        ended = EndedState(outcome="withdrew", is_erased=True)
        return written(_with_token(State(study=public.heading, next_seq=1, step=None, ended=ended), token))

    def code_of(self, session_id: str, outcome: str | None) -> str | None:
        """Return the code a participant shows to be paid, None for an end that is not paid."""
        if outcome is None or outcome in _WITHOUT_CODE:
            return None
        return self._keyring.completion_code(session_id, outcome)

    def _state(self, public: PublicStudy, live: Live, *, with_saved: bool) -> State:
        # Made of checked parts, thousands of times a second: checking them again would only take time.
        return State.model_construct(
            study=public.heading,
            next_seq=live.next_seq,
            step=live.step(public, with_saved=with_saved),
            preload=live.preload(public),
            ended=self._ended(live),
            skin=_PLAIN,
        )

    def _ended(self, live: Live) -> EndedState | None:
        outcome = live.session.outcome
        if outcome is None:
            return None
        ending, pay = live.ending, live.pay
        code = self.code_of(live.session.session_id, outcome)
        return EndedState(
            outcome=outcome,
            reason=ending.reason if ending else "",
            pay=_told_pay(pay, live.session.script.study.access.results) if pay else None,
            code=code,
            redirect=self._redirect(live.session.script.study.name, outcome, code),
        )

    def _redirect(self, study_name: str, outcome: str, code: str | None) -> str | None:
        address = self._completion_urls.get(study_name)
        if address is None or code is None:
            return None
        return address.replace("{code}", quote(code)).replace("{outcome}", quote(outcome))


def _told_pay(pay: PaySettled, results: str) -> Pay:
    """Return as much of the pay as the study lets people know; the bonus would tell how many answers were right."""
    if results == "total":
        return Pay(currency=pay.currency, base=round(pay.base + pay.bonus, 2), bonus=0.0)
    return Pay(currency=pay.currency, base=pay.base, bonus=pay.bonus if results == "shown" else 0.0)


def _with_token(state: State, token: str | None) -> State:
    return state if token is None else StartedState.model_construct(**dict(state), token=token)


def _written(public: PublicStudy, live: Live, state: State) -> bytes:
    step = b"null" if state.step is None else live.written_step(public, state.step)
    return written_around(state, {"study": public.written_heading, "step": step})
