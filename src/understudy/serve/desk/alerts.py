"""Alerts: looks at the server every minute and tells researchers what they should know, once."""

import asyncio
import logging
import socket
from collections.abc import Iterator, Sequence

from understudy.errors import LogError
from understudy.record import SessionSummary
from understudy.serve.alert_channels import Alert, AlertKind, Channel, NotDelivered
from understudy.serve.desk.monitor_view import paused_by_rule
from understudy.serve.server import ServerState
from understudy.serve.settings import AlertSettings

logger = logging.getLogger("understudy.serve")

_GB = 1e9
_LEASE_MS = 10 * 60_000
"""How long other processes keep quiet about what one has told; all of them look every minute."""
_LEASES_MS: dict[AlertKind, int] = {"server_started": 30_000}
"""Processes start together; one that starts again later is news."""
_LEFT = ("abandoned", "withdrew")
_STAYED = ("completed", *_LEFT)
"""Ends that say whether people stay; people who were screened out or declined had no choice, or has not begun."""


class AlertWatch:
    """Compares what the server is like with what it was like at the last look; each change is told once."""

    def __init__(self, server_state: ServerState, settings: AlertSettings) -> None:
        self._server = server_state
        self._settings = settings
        self._active: set[tuple[AlertKind, str]] = set()
        self._n_requests, self._n_errors = server_state.metrics.totals()
        self._deliveries: set[asyncio.Task[None]] = set()
        # What is full already was told when it became full.
        self._active.update(
            ("quota_full", name) for name, running in server_state.studies.items() if running.ledger.is_full
        )

    async def keep_watch(self) -> None:
        """Tell that the server has started, and look again and again."""
        n_active = sum(place.n_active for running in self._server.studies.values() for place in running.ledger.places())
        self.tell("server_started", f"The server has started; {n_active} sessions are under way.")
        for words in self._server.settings.losses:
            self.tell("events_lost", words)
        while True:
            try:
                await self.look()
            except Exception as error:
                # The next look tries again; one failure must not end the watch.
                logger.exception("looking for alerts failed", extra={"fields": {"kind": type(error).__name__}})
            await asyncio.sleep(self._settings.every_s)

    async def look(self) -> None:
        """Look once, and tell what is new."""
        folders = sorted({running.served.people.parent for running in self._server.studies.values()})
        free = {folder: await asyncio.to_thread(self._settings.free_bytes, folder) / _GB for folder in folders}
        fullest = min(free, key=lambda folder: free[folder])
        words = f"The disk of {fullest.name} has {free[fullest]:.1f} GB left; without space, answers cannot be stored."
        self._note("disk_low", words, holds=free[fullest] < self._settings.low_disk_gb)
        self._look_at_errors()
        for name, running in self._server.studies.items():
            words = f"All places of {name} are taken by people who completed it; nobody new is let in."
            self._note("quota_full", words, name, holds=running.ledger.is_full)
            n_lost = len(running.lost_pages)
            words = (
                f"{name}: {n_lost} page{'' if n_lost == 1 else 's'} went on from events that the log does not hold, and may have "
                "lost answers; run understudy status, and compare the log with your backups."
            )
            self._note("events_lost", words, name, holds=n_lost > 0)
            paused = await asyncio.to_thread(paused_by_rule, running.served.log.steering, running.study.name)
            self._note("stop_rule", f"{name}: {paused}", name, holds=paused is not None)
            snapshot = await asyncio.to_thread(running.overview.refreshed)
            dropout = self._dropout(snapshot.summaries)
            self._note("dropout_jump", f"{name}: {dropout}", name, holds=dropout is not None)

    def tell(self, kind: AlertKind, words: str, study: str = "") -> None:
        """Send an alert to everybody, without waiting for it."""
        alert = Alert(kind, words, self._server.now_ms(), study)
        logger.warning("alert", extra={"fields": {"alert": kind, "study": study}})
        task = asyncio.create_task(self._send(alert))
        self._deliveries.add(task)
        task.add_done_callback(self._deliveries.discard)

    async def delivered(self) -> None:
        """Wait until every alert was delivered or given up."""
        await asyncio.gather(*self._deliveries)

    async def _send(self, alert: Alert) -> None:
        if await asyncio.to_thread(self._is_ours, alert):
            await asyncio.gather(*(self._deliver(channel, alert) for channel in self._settings.channels))

    def _is_ours(self, alert: Alert) -> bool:
        """Tell whether this process tells an alert: of several on one database that see the same, the first one does."""
        running = self._server.studies.get(alert.study)
        logs = [running.served.log] if running else [each.served.log for each in self._server.studies.values()]
        shared = next((log for log in logs if log.is_shared), None)
        # Each process counts its own requests, so that its errors are nobody else's news.
        if shared is None or alert.kind in ("error_rate", "test"):
            return True
        # Disks belong to a machine; everything else is the same wherever it is seen.
        about = socket.gethostname() if alert.kind == "disk_low" else alert.study
        try:
            return shared.claim(f"alert {alert.kind} {about}", _LEASES_MS.get(alert.kind, _LEASE_MS))
        except LogError:
            # Twice is better than not at all.
            return True

    async def _deliver(self, channel: Channel, alert: Alert) -> None:
        for pause_s in (*self._settings.pauses_s, None):
            try:
                await asyncio.to_thread(channel.send, alert)
            except NotDelivered:
                if pause_s is not None:
                    await asyncio.sleep(pause_s)
            else:
                return
        logger.error("alert not delivered", extra={"fields": {"alert": alert.kind}})

    def _note(self, kind: AlertKind, words: str, study: str = "", *, holds: bool) -> None:
        if not holds:
            self._active.discard((kind, study))
        elif (kind, study) not in self._active:
            self._active.add((kind, study))
            self.tell(kind, words, study)

    def _look_at_errors(self) -> None:
        n_requests, n_errors = self._server.metrics.totals()
        n, n_failed = n_requests - self._n_requests, n_errors - self._n_errors
        if n < self._settings.n_requests:
            return
        self._n_requests, self._n_errors = n_requests, n_errors
        words = f"The server could not answer {n_failed} of the last {n} requests; look at its log."
        self._note("error_rate", words, holds=n_failed > self._settings.error_share * n)

    def _dropout(self, summaries: Sequence[SessionSummary]) -> str | None:
        """Say how many of the last people left, if far more did than before."""
        ended = sorted(_who_could_stay(summaries), key=lambda summary: summary.last_event_ms)
        recent, before = ended[-self._settings.n_recent :], ended[: -self._settings.n_recent]
        if len(recent) < self._settings.n_recent:
            return None
        n_left, n_left_before = (sum(summary.outcome in _LEFT for summary in group) for group in (recent, before))
        has_history = len(before) >= self._settings.n_recent
        usual = n_left_before / len(before) if has_history else self._settings.usual_dropout
        if n_left / len(recent) - usual < self._settings.dropout_jump:
            return None
        than = f"; before, it was {n_left_before} of {len(before)}" if has_history else ""
        return f"{n_left} of the last {len(recent)} people left before the end{than}."


def _who_could_stay(summaries: Sequence[SessionSummary]) -> Iterator[SessionSummary]:
    return (summary for summary in summaries if summary.outcome in _STAYED and summary.participant_kind == "person")
