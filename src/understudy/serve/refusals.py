"""Refusals: the status and JSON body of a request that is not served."""

from understudy.schema.wire import RefusalReply
from understudy.serve.wire.written import written_around


class Refusal(Exception):
    """A request that is answered with a sentence and changes nothing."""

    def __init__(
        self, status: int, sentence: str, *, more: RefusalReply | None = None, state: bytes | None = None
    ) -> None:
        self.status = status
        reply = (more or RefusalReply()).model_copy(update={"error": sentence})
        self.body = written_around(reply, {} if state is None else {"state": state}, leaves_out_none=True)
        super().__init__(sentence)


def not_yours() -> Refusal:
    """Say that a token belongs to no session here."""
    return Refusal(401, "This link does not open a session here. Start again from the link you were given.")


class LostEvents(Refusal):
    """A page continues after events that the log does not hold: they were acknowledged to it, and are lost."""


def wrong_order(expected_seq: int) -> LostEvents:
    """Say which number the page must continue with; a page sends in order, so it was told that the ones before are stored."""
    return LostEvents(
        409, f"The next event must have number {expected_seq}; if the ones before were acknowledged, they are lost here.",
        more=RefusalReply(expected_seq=expected_seq, is_lost=True),
    )  # fmt: skip


def lost_session() -> LostEvents:
    """Say that a token was given out here, for a session that the log does not hold."""
    return LostEvents(
        401, "This session is not known here any more. Start again from the link you were given.",
        more=RefusalReply(is_lost=True),
    )  # fmt: skip


def conflicting(seq: int, expected_seq: int) -> Refusal:
    """Say that a number is taken by another event."""
    return Refusal(
        409, f"Event {seq} is stored with other content; nothing is ever edited, so go on with {expected_seq}.",
        more=RefusalReply(expected_seq=expected_seq),
    )  # fmt: skip


def unacceptable(sentence: str) -> Refusal:
    """Say what is wrong with the content of a request."""
    return Refusal(422, sentence)


def mixing() -> Refusal:
    """Say that simulated and real people are kept apart."""
    return Refusal(409, "Simulated and real people are never mixed in one study; this one holds the other kind.")


def too_fast() -> Refusal:
    """Ask the client to wait."""
    return Refusal(429, "Too many requests at once; wait a second and go on.")
