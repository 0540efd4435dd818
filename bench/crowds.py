"""Crowds: a server in a process of its own, people in another, and what they met."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

from dashboards import ADMIN_TOKEN
from load.otree import REST_KEY
from otree_peer import otree_project
from peer_folder import NoPeer
from two_groups import two_groups
from understudy.prepare import prepare, write_prepared

SEED = 0
N_TRIALS = 20
_BENCH = Path(__file__).parent
_PATIENCE_S = 60.0
_LOOK_S = 0.01


class Failed(Exception):
    """A server did not start, or people met faults."""


class Plan(NamedTuple):
    """What load to put on."""

    at_once: int
    seconds: float
    n_people: int
    """People there are to come, one after the other."""
    pause_s: float = 0.0
    seed: int = SEED
    """Another seed brings other people."""


class CrowdTiming(NamedTuple):
    """What a crowd met."""

    n: int
    n_events: int
    n_people: int
    seconds: float
    p50_ms: float
    p99_ms: float
    worst_ms: float
    arrival_p50_ms: float
    server_cpu_s: float
    generator_cpu_s: float
    start_s: float
    """From the server's command to its first answer."""
    memory_mib: float
    """Resident at the end."""

    @property
    def per_s(self) -> float:
        """Submissions a second."""
        return self.n / self.seconds

    @property
    def cpu_ms(self) -> float:
        """The server's CPU milliseconds for each submission."""
        return 1000 * self.server_cpu_s / self.n

    @property
    def generator_share(self) -> float:
        """The share of one core that the generator took."""
        return self.generator_cpu_s / self.seconds


class Running(NamedTuple):
    """A server that answers."""

    address: str
    pid: int
    start_s: float
    is_pinned: bool
    """Whether it has a core to itself."""


class Sharing(NamedTuple):
    """Servers on one PostgreSQL database."""

    n_servers: int
    url: str


def our_crowd(plan: Plan, walk: str = "ours", sharing: Sharing | None = None) -> CrowdTiming:
    """Put people on `understudy serve`, its log in a SQLite file on this disk unless servers share a database."""
    if sharing is None:
        with our_server() as running:
            return _met([running], plan, walk)
    with _our_group(sharing) as group:
        return _met(group, plan, walk)


def otree_crowd(plan: Plan, walk: str = "otree", sharing: Sharing | None = None) -> CrowdTiming:
    """Put people on oTree's production server, its database in a SQLite file unless servers share one."""
    with otree_server() if sharing is None else _otree_group(sharing) as running:
        try:
            return _met([running] if isinstance(running, Running) else running, plan, walk)
        except Failed as error:
            raise NoPeer(str(error)) from None


def crowd_at(running: Running, plan: Plan) -> CrowdTiming:
    """Put people on a server of ours that runs already."""
    return _met([running], plan, "ours")


@contextmanager
def our_server(run: Path | None = None) -> Iterator[Running]:
    """Serve the study of twenty trials by the command that people use; a run that is given is copied first."""
    with _folder() as folder:
        if run is None:
            write_prepared(prepare(two_groups(n_items=N_TRIALS, quota=100_000), folder), folder / "run")
        else:
            shutil.copytree(run, folder / "run")
        port = _free_port()
        words = [sys.executable, "-m", "understudy", "serve", str(folder / "run"), "--port", str(port), "--rehearsal"]
        with _started(words, port, {**os.environ, "UNDERSTUDY_ADMIN_TOKEN": ADMIN_TOKEN}, folder) as running:
            yield running


@contextmanager
def otree_server() -> Iterator[Running]:
    """Serve the same by oTree's production server."""
    with ExitStack() as stack:
        folder = stack.enter_context(_folder())
        project = otree_project(folder / "project")
        port = _free_port()
        server = _started(project.words(port), port, project.environment(REST_KEY), project.folder)
        try:
            running = stack.enter_context(server)
        except Failed as error:
            raise NoPeer(str(error)) from None
        yield running


@contextmanager
def _our_group(sharing: Sharing) -> Iterator[list[Running]]:
    """Serve the study of twenty trials by several processes on one database."""
    with ExitStack() as stack:
        folder = stack.enter_context(_folder())
        write_prepared(prepare(two_groups(n_items=N_TRIALS, quota=100_000), folder), folder / "run")
        group: list[Running] = []
        for _ in range(sharing.n_servers):
            port = _free_port()
            words = [sys.executable, "-m", "understudy", "serve", str(folder / "run"), "--port", str(port)]
            words += ["--rehearsal", "--database", sharing.url]
            group.append(stack.enter_context(_started(words, port, os.environ, folder, is_pinned=False)))
        yield group


@contextmanager
def _otree_group(sharing: Sharing) -> Iterator[list[Running]]:
    """Serve the same by several web processes of oTree on one database."""
    with ExitStack() as stack:
        folder = stack.enter_context(_folder())
        project = otree_project(folder / "project", on_postgres=True)
        environment = project.environment(REST_KEY) | {"DATABASE_URL": sharing.url.replace("+psycopg", "")}
        project.reset(environment)
        group: list[Running] = []
        for _ in range(sharing.n_servers):
            port = _free_port()
            server = _started(project.words(port), port, environment, project.folder, is_pinned=False)
            try:
                group.append(stack.enter_context(server))
            except Failed as error:
                raise NoPeer(str(error)) from None
        yield group


def cores() -> str:
    """Say who works on which core."""
    if _cores() is None:
        return "server and generator share the machine's cores"
    return "the server on one core, the generator on another"


def _met(group: Sequence[Running], plan: Plan, walk: str) -> CrowdTiming:
    words = [
        sys.executable, "-m", "load.generator", "--walk", walk,
        "--address", *(running.address for running in group), "--pid", *(str(running.pid) for running in group),
        "--people", str(plan.n_people), "--at-once", str(plan.at_once),
        "--seconds", str(plan.seconds), "--pause", str(plan.pause_s), "--seed", str(plan.seed),
    ]  # fmt: skip
    generator = subprocess.Popen(words, cwd=_BENCH, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if all(running.is_pinned for running in group):
        _put_on_core(generator.pid, 1)
    out, err = generator.communicate()
    if generator.returncode:
        raise Failed(f"The load generator failed: {err}")
    figures = json.loads(out)
    faults = figures.pop("faults")
    if faults or not figures["n"]:
        raise Failed(f"{walk} met faults: {faults}")
    memory_mib = sum(_resident_mib(running.pid) for running in group)
    return CrowdTiming(**figures, start_s=group[0].start_s, memory_mib=memory_mib)


@contextmanager
def _started(
    words: list[str], port: int, environment: Mapping[str, str], folder: Path, *, is_pinned: bool = True
) -> Iterator[Running]:
    began = time.perf_counter()
    with (folder / "server.log").open("a") as log:
        process = subprocess.Popen(
            words, cwd=folder, env=dict(environment), stdout=log, stderr=log, start_new_session=True
        )  # fmt: skip
    if is_pinned:
        _put_on_core(process.pid, 0)
    try:
        while not _answers(port):
            if process.poll() is not None or time.perf_counter() - began > _PATIENCE_S:
                raise Failed(f"The server did not start: {(folder / 'server.log').read_text()[-500:]}")
            time.sleep(_LOOK_S)
        yield Running(f"127.0.0.1:{port}", process.pid, time.perf_counter() - began, is_pinned)
    finally:
        with suppress(ProcessLookupError):  # where it did not start
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _answers(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S)
    try:
        connection.request("GET", "/healthz")
        connection.getresponse().read()
    except OSError:
        return False
    finally:
        connection.close()
    return True


@contextmanager
def _folder() -> Iterator[Path]:
    """Give a folder on the disk of this checkout, since a temporary one may lie in memory."""
    with tempfile.TemporaryDirectory(dir=_BENCH.parent, prefix=".bench-") as folder:
        yield Path(folder)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _resident_mib(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def _cores() -> list[int] | None:
    held = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return held if len(held) > 1 else None


def _put_on_core(pid: int, place: int) -> None:
    held = _cores()
    if held is not None:
        os.sched_setaffinity(pid, {held[place]})
