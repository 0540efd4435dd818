"""Copies: sessions that have the same answers, or the same times to the millisecond, as another one.

Nobody is excluded by it: researchers look at both, and a deposit that is a copy waits until they did.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from understudy.schema import Event, ResponseGiven
from understudy.schema.record import digest_of

TELLING_ANSWERS = 5
"""Answers from which on equal times to the millisecond are no accident."""
TELLING_CHOICES = 20
"""Questions from which on it is rare that two people give the same answers to all."""
_N_NAMED = 3


class Copies:
    """Remembers digests of times and answers by session, and none of the answers."""

    def __init__(self) -> None:
        self._alike: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._marks: dict[str, tuple[tuple[str, str], ...]] = {}

    def has(self, session_id: str) -> bool:
        """Tell whether a session was taken in."""
        return session_id in self._marks

    def note(self, session_id: str, events: Iterable[Event]) -> None:
        """Take in the answers of a session; what was taken in of it before no longer counts."""
        self.forget(session_id)
        given = [event for event in events if isinstance(event, ResponseGiven)]
        marks = []
        if len(given) >= TELLING_ANSWERS:
            marks.append(("Its times to the millisecond", digest_of([event.rt_ms for event in given])))
        if sum(len(event.response) for event in given) >= TELLING_CHOICES:
            marks.append(("All its answers", digest_of([event.response for event in given])))
        self._marks[session_id] = tuple(marks)
        for mark in marks:
            self._alike[mark].add(session_id)

    def forget(self, session_id: str) -> None:
        """Drop what is known of a session."""
        for mark in self._marks.pop(session_id, ()):
            self._alike[mark].discard(session_id)

    def sentences(self, session_id: str) -> tuple[str, ...]:
        """Say what a session has in common with which others."""
        alike = (
            (kind, sorted(self._alike[kind, mark] - {session_id})) for kind, mark in self._marks.get(session_id, ())
        )
        return tuple(f"{kind} are also those of {named(others)}." for kind, others in alike if others)

    def found(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each session that is a copy or has one, with what it has in common."""
        for session_id in sorted(self._marks):
            if said := self.sentences(session_id):
                yield session_id, said


def copies_in(sessions: Iterable[Sequence[Event]]) -> Iterator[str]:
    """Yield a sentence for each session whose answers or times are also those of another one."""
    copies = Copies()
    for events in sessions:
        copies.note(events[0].session_id, events)
    for session_id, said in copies.found():
        yield f"Session {session_id} may be a copy: {' '.join(said)} Look at both before they are analysed or paid."


def named(session_ids: list[str]) -> str:
    """Return the first few of many sessions by name."""
    more = f" and {len(session_ids) - _N_NAMED} more" if len(session_ids) > _N_NAMED else ""
    return f"{', '.join(session_ids[:_N_NAMED])}{more}"
