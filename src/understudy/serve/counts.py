"""Counts: what the dashboard shows about a study, from the summaries of its log."""

from collections.abc import Collection, Mapping, Sequence
from statistics import median

from understudy.conduct import Headcount, SessionStatus, headcount, session_status
from understudy.record import SessionSummary, Tombstone
from understudy.schema import PaySettled, SessionFlagged
from understudy.schema.wire import Cell, Flow, SessionRow, StudyCounts
from understudy.serve.rebuild import Kind
from understudy.serve.running import RunningStudy

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
    summaries = list(running.served.log.summaries(study.name))
    erased = running.served.log.tombstones(study.name)
    kinds: list[Kind] = sorted(running.kinds) or ["person"]
    ended = [session for session in summaries if session.outcome == "completed"]
    settled = running.served.log.settlements(study.name) if study.pay else {}
    rules = {exclusion.exclusion_id for exclusion in study.exclusions}
    return StudyCounts(
        name=running.name,
        title=study.title,
        shown_title=study.shown_title,
        language=study.language,
        digest=running.public.digest,
        modules=running.public.heading.modules,
        minutes=running.public.heading.minutes,
        pay=running.public.heading.pay,
        kinds={kind: sum(session.participant_kind == kind for session in summaries) for kind in kinds},
        flows={kind: flow_of(_counted(summaries, erased, rules, kind=kind)) for kind in kinds},
        cells=tuple(
            Cell(
                condition=cell.name,
                kind=kind,
                quota=study.quota_of(cell),
                **_cell(_counted(summaries, erased, rules, kind=kind, condition=cell.name)),
            )
            for kind in kinds
            for cell in study.cells
        ),
        n_erased=len(erased),
        median_minutes=median(map(_minutes, ended)) if ended else None,
        pay_per_hour=_pay_per_hour(ended, settled),
        currency=None if study.pay is None else study.pay.currency,
    )


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
        minutes=round(_minutes(summary), 2),
        code=code,
        warnings=tuple(flag.reason for flag in flags),
    )


def flow_of(counted: Headcount) -> Flow:
    """Return how many people arrived and where they are now, as the report counts them."""
    return Flow(recruited=counted.n_came, left=counted.n_left, **{stop: counted.at[stop] for stop in _FLOW})


def _counted(
    summaries: Sequence[SessionSummary],
    erased: Sequence[Tombstone],
    rules: Collection[str],
    *,
    kind: str,
    condition: str | None = None,
) -> Headcount:
    def is_counted(session: SessionSummary | Tombstone) -> bool:
        return session.participant_kind == kind and condition in (None, session.condition)

    stops = (
        session_status(session.outcome, session.excluded_by, rules) for session in summaries if is_counted(session)
    )
    return headcount(stops, n_erased=sum(map(is_counted, erased)))


def _cell(counted: Headcount) -> dict[str, int]:
    return {
        "assigned": counted.at.total(),
        "active": counted.at["active"],
        "excluded": counted.n_excluded,
        "erased": counted.n_erased,
        **{ending: counted.at[ending] for ending in _ENDINGS},
    }


def _pay_per_hour(ended: Sequence[SessionSummary], settled: Mapping[str, PaySettled]) -> float | None:
    """Return the median hourly pay of completed sessions, base and bonus together."""
    paid = [(settled[session.session_id], _minutes(session)) for session in ended if session.session_id in settled]
    earned = [(pay.base + pay.bonus) * 60 / minutes for pay, minutes in paid if minutes > 0]
    return round(median(earned), 2) if earned else None


def _minutes(summary: SessionSummary) -> float:
    return max(0, summary.last_event_ms - summary.started_ms) / 60_000
