"""ServerState: everything the routes of one server share."""

import asyncio
import ipaddress
import time
from collections.abc import Callable, Sequence
from functools import partial

from starlette.requests import Request

from understudy.errors import LogError
from understudy.record import Desk, GroupWriter, Log, desk_in
from understudy.serve.access import Keyring, LockOut, PasswordQueue, RateLimit, WaysBack
from understudy.serve.desk.researchers import Researchers, SignIns
from understudy.serve.files import Shelf, web_shelf
from understudy.serve.guard import Metrics
from understudy.serve.page_state import PlayerPage, States, first_state
from understudy.serve.platform import PlatformNews
from understudy.serve.previews import Preview
from understudy.serve.settings import ServedStudy, Settings
from understudy.serve.study import RunningStudy
from understudy.serve.wire import Refusal


class ServerState:
    """The studies of one server, its keys and its limits."""

    def __init__(
        self,
        served: Sequence[ServedStudy],
        *,
        secret: bytes,
        admin_token: str,
        clock: Callable[[], int],
        settings: Settings,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self.admin_token = admin_token
        self.now_ms = clock
        self.keyring = Keyring(secret)
        self.states = States()
        self.metrics = Metrics()
        self.session_limit = RateLimit(settings.session_rate, settings.session_burst, seconds)
        self.arrival_limit = RateLimit(settings.arrival_rate, settings.arrival_burst, seconds)
        # A program with an outdated token must not lock out the people at the same address.
        self.token_lock_out, self.password_lock_out = LockOut(seconds), LockOut(seconds)
        self.passwords = PasswordQueue()
        self.probe_limit = RateLimit(1.0, 10.0, seconds)
        self.no_room: str | None = None
        """Why nothing could be written into a run folder when it was last tried."""
        self.opened_limit = RateLimit(1 / 3600, 1.0, seconds)
        """A replay asks again every two seconds; the audit log is told of it once an hour."""
        desk = _desk_of(served, settings)
        self.researchers, self.sign_ins = Researchers(desk), SignIns(desk)
        self.once = settings.once
        self.previews: dict[str, Preview] = {}
        self.previewing = asyncio.Lock()
        self.web = web_shelf(settings.web)
        names = [study.name for study in served]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise LogError(f"The study {min(twice)!r} is given twice; serve each study from one folder.")
        self._first_pages: dict[str, PlayerPage | None] = {}
        self._writers: dict[Log, GroupWriter] = {}
        self.studies: dict[str, RunningStudy] = {}
        try:
            for study in served:
                writer = self._writers.get(study.log) or self._writers.setdefault(study.log, GroupWriter(study.log))
                self.studies[study.name] = RunningStudy(
                    study, writer, keyring=self.keyring, now_ms=clock, seconds=seconds, settings=settings
                )
            for running in self.studies.values():
                running.neighbours = self.studies
                self._connect(running)
            self.news = {
                name: PlatformNews(
                    running, running.served.platform, self.keyring, seconds=seconds, poll_s=settings.poll_s
                )
                for name, running in self.studies.items()
                if running.served.platform is not None
            }
            self.assets = {
                study.script.digest: Shelf({name: study.assets / name for name in study.materials.assets})
                for study in served
            }
        # Writers that were started already have threads, which would keep the process alive.
        except BaseException:
            self.close()
            raise

    def _connect(self, running: RunningStudy) -> None:
        """Tell a study how its people return to their recruiter."""
        address = self.settings.completion_urls.get(running.study.name)
        fields_of = partial(recruiter_fields, running)
        running.public.ways_back = WaysBack(running.study, self.keyring, address, fields_of)

    def first_page(self, running: RunningStudy, shell: str) -> PlayerPage | None:
        """Return the named page with the first page of a study in it; None where people start on different ones."""
        if running.name not in self._first_pages:
            names = self.keyring.wire_names("first", running.script.blocks)
            state = first_state(running.script, running.public, names)
            page = self.web.text(shell)
            self._first_pages[running.name] = None if state is None or page is None else PlayerPage(page, state)
        return self._first_pages[running.name]

    @property
    def writers(self) -> tuple[GroupWriter, ...]:
        """The writers of all logs."""
        return tuple(self._writers.values())

    def study(self, request: Request) -> RunningStudy:
        """Return the study an address names."""
        running = self.studies.get(request.path_params["study_name"])
        if running is None:
            raise Refusal(404, "There is no such study here; check the link you were given.")
        return running

    def close(self) -> None:
        """Store pending events and close the writers."""
        for writer in self._writers.values():
            writer.close()


def _desk_of(served: Sequence[ServedStudy], settings: Settings) -> Desk:
    """Return where accounts are: with the events of the first study, if several machines may share them."""
    shared = next((study.log for study in served[:1] if study.log.is_shared), None)
    return desk_in(settings.researchers) if shared is None else shared.desk()


def recruiter_fields(running: RunningStudy, participant_id: str) -> dict[str, str]:
    """Return the parameters of the link that a participant came by."""
    return running.fields_of(participant_id)


def server_state_of(request: Request) -> ServerState:
    """Return the state of the server that received a request."""
    server_state = request.app.state.server
    if not isinstance(server_state, ServerState):
        raise TypeError("the app was not made by create_app")
    return server_state


def address_of(request: Request) -> str:
    """Return where a request comes from, for limits only."""
    return request.client.host if request.client else ""


def is_local(request: Request) -> bool:
    """Tell whether a request comes from this machine, and not through a proxy."""
    if request.client is None or "x-forwarded-for" in request.headers or "forwarded" in request.headers:
        return False
    try:
        return ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
