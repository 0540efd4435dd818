"""What the dashboard shows about a study and its sessions, and how sessions are found."""

import re
from collections.abc import Callable, Sequence

from understudy.conduct import Headcount, SessionStatus
from understudy.record import SessionSummary
from understudy.schema import Ending, SessionFlagged
from understudy.schema.wire import Cell, Flow, SessionRow, StudyCounts
from understudy.serve.access import Keyring
from understudy.serve.arrivals import Kind
from understudy.serve.desk.monitor import desk_labels, label_order
from understudy.serve.desk.monitor_view import is_platform_paused
from understudy.serve.desk.overview import FactsCache, SessionFacts, minutes_of
from understudy.serve.study import RunningStudy
from understudy.serve.wire import unacceptable

_FLOW: tuple[SessionStatus, ...] = (
    "declined",
    "screened_out",
    "active",
    "excluded_by_rule",
    "excluded_by_hand",
    "completed",
)
_ENDINGS: tuple[SessionStatus, ...] = ("completed", "screened_out", "declined", "withdrew", "abandoned")


def study_counts(running: RunningStudy) -> StudyCounts:
    """Count one study; called in a thread."""
    study = running.study
    known = running.overview.refreshed()
    kinds: list[Kind] = sorted(running.kinds) or ["person"]
    pay_per_hour = known.median_pay_per_hour
    labels, is_paused = labels_at_desk(running), running.served.log.is_paused(study.name)
    return StudyCounts(
        name=running.name,
        is_pilot=study.pilot_of is not None,
        title=study.title,
        shown_title=study.shown_title,
        language=study.language,
        digest=running.public.digest,
        modules=running.public.heading.modules,
        minutes=running.public.heading.minutes,
        pay=running.public.heading.pay,
        kinds={kind: known.n_of_kind(kind) for kind in kinds},
        flows={kind: flow_of(known.headcount(kind)) for kind in kinds},
        cells=tuple(
            Cell(
                condition=labels[cell.name],
                kind=kind,
                quota=study.quota_of(cell),
                **_cell(known.headcount(kind, cell.name)),
            )
            for kind in kinds
            # In the order of their labels: that of the file would tell which is which.
            for cell in sorted(
                study.cells, key=lambda cell: label_order(labels[cell.name]) if study.plan.blinded else (0, "")
            )
        ),
        n_erased=len(known.erased),
        median_minutes=known.median_minutes,
        pay_per_hour=None if pay_per_hour is None else round(pay_per_hour, 2),
        currency=None if study.pay is None else study.pay.currency,
        links=study.access.links,
        is_paused=is_paused,
        is_platform_paused=is_paused and is_platform_paused(running.served.log.steering(study.name)),
        n_deposits=0 if running.served.deposits is None else running.served.deposits.count(),
        n_schemes=len(study.annotation),
    )


def labels_at_desk(running: RunningStudy) -> dict[str, str]:
    """Return what the desk calls each condition; called in a thread."""
    # Dashboards ask every few seconds, and only a blinded study needs to know.
    steering = running.served.log.steering(running.study.name) if running.study.plan.blinded else ()
    return desk_labels(running.study, steering, has_people="person" in running.kinds)


def is_closed(running: RunningStudy) -> bool:
    """Tell whether the outcomes of a blinded study are closed; called in a thread."""
    return any(name != label for name, label in labels_at_desk(running).items())


def session_row(summary: SessionSummary, code: str | None, flags: Sequence[SessionFlagged] = ()) -> SessionRow:
    """Return one session as a row of the dashboard's table."""
    return SessionRow(
        session_id=summary.session_id,
        participant_id=summary.participant_id,
        kind=summary.participant_kind,
        condition=summary.condition,
        arrival=summary.assignment.arrival,
        outcome=summary.outcome,
        excluded_by=summary.excluded_by,
        started_ms=summary.started_ms,
        last_event_ms=summary.last_event_ms,
        minutes=round(minutes_of(summary), 2),
        code=code,
        warnings=tuple(flag.reason for flag in flags),
    )


def row_with_facts(
    row: SessionRow, facts: SessionFacts, cache: FactsCache, label: str, copies: Sequence[str] = ()
) -> SessionRow:
    """Add where somebody is, when they were last heard of, what looks unusual, and what the desk calls the condition."""
    more = {
        "condition": label,
        "step": cache.step_of(facts, is_blind=label != row.condition),
        "last_seen_ms": facts.last_seen_ms,
        "warnings": (*row.warnings, *facts.warnings(), *copies),
    }
    return row.model_copy(update=more)


def flow_of(counted: Headcount) -> Flow:
    """Return how many people arrived and where they are now, as the report counts them."""
    return Flow(recruited=counted.n_came, left=counted.n_left, **{stop: counted.at[stop] for stop in _FLOW})


def _cell(counted: Headcount) -> dict[str, int]:
    return {
        "assigned": counted.at.total(),
        "active": counted.at["active"],
        "excluded": counted.n_excluded,
        "erased": counted.n_erased,
        **{ending: counted.at[ending] for ending in _ENDINGS},
    }


# Search: find sessions by what a participant writes in a message: an id, or a completion code.

_LONGEST = 100
_CODE = re.compile(r"[a-z2-7]{8}")


class Search:
    """A text that fits sessions by recruiter's id, pseudonym, session or completion code; an empty one fits all."""

    def __init__(self, text: str, keyring: Keyring, codes: Callable[[str, Ending | None], str | None]) -> None:
        if len(text) > _LONGEST:
            raise unacceptable(f"A search has at most {_LONGEST} characters.")
        self._text = text.strip().lower()
        # Recruiters' ids are not in the log, but their pseudonym can be computed again.
        self._pseudonym = keyring.participant_id(text.strip())
        # A code takes a keyed hash for each session, so only a text that can be one is compared with them.
        self._codes = codes if _CODE.fullmatch(self._text) else None

    def fits(self, session: SessionSummary) -> bool:
        """Tell whether a session is meant."""
        if not self._text or session.participant_id == self._pseudonym:
            return True
        names = (session.participant_id, session.participant_id.partition("-")[2], session.session_id)
        if any(name.lower().startswith(self._text) for name in names):
            return True
        code = self._codes(session.session_id, session.outcome) if self._codes else None
        return code is not None and code.lower() == self._text
