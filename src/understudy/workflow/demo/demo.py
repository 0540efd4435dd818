"""The demo: one study served to visitors, and rehearsed in a separate run."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from starlette.applications import Starlette

from understudy.errors import UnderstudyError
from understudy.record import lock_folder
from understudy.record.log import now_ms
from understudy.schema import Effect, Study
from understudy.serve import Demo, ServedStudy, Settings, create_app
from understudy.serve.hosting import listening_at
from understudy.workflow.demo.crowd import Arrivals, Crowd, DemoServer
from understudy.workflow.demo.fast_clock import FastClock
from understudy.workflow.runs.run_folder import Run, new_run, require_same_version, written_run
from understudy.workflow.serving import built_front_end, secrets_from, served_from_folder

EFFECT = Effect(when={"explanation": "shown"}, blocks=("predict",), questions=("prediction",), shift=0.7)
"""The effect of explanations on the demo's simulated people, so that there is something to find."""
SPEED = 60.0
"""Simulated minutes pass in seconds."""
LEAD = "A model decides whether loans will be repaid. Study twelve of its decisions, then predict twelve more."
_N_PORTS = 50


class DemoRuns(NamedTuple):
    """The two runs of the demo."""

    people: Run
    simulated: Run

    @property
    def is_fresh(self) -> bool:
        """Whether neither run has a session yet."""
        return not (self.people.log_path.exists() or self.simulated.log_path.exists())


def demo_runs(study: Study, root: Path, folder: Path) -> DemoRuns:
    """Prepare the study, and write it twice: for people and for simulated people."""
    people = new_run(study, root, folder / "people")
    require_same_version(study, folder / "simulated")
    return DemoRuns(people, written_run(people.prepared, folder / "simulated"))


def listening_from(first_port: int) -> socket.socket:
    """Listen on a port, or on the next free one."""
    for port in range(first_port, min(first_port + _N_PORTS, 65536)):
        with suppress(OSError):
            return listening_at("127.0.0.1", port)
    raise UnderstudyError(f"Ports {first_port} to {port} are all taken; give another one with --port.")


@contextmanager
def demo_app(runs: DemoRuns, arrivals: Arrivals, port: int) -> Iterator[Starlette]:
    """Yield the demo server, with simulated people arriving until the block ends."""
    stop = threading.Event()
    with ExitStack() as stack:
        for run in runs:
            stack.enter_context(lock_folder(run.folder))
        people = served_from_folder(runs.people.folder)
        stack.callback(people.log.close)
        simulated = served_from_folder(runs.simulated.folder)
        stack.callback(simulated.log.close)
        # A second demo in the same folder continues after the events of the first.
        clock = FastClock(max(now_ms(), _last_ms(simulated)), speed=SPEED)
        keys = secrets_from({}, runs.people.folder / "serve.secret")
        name = f"{people.name}-rehearsal"
        simulated = replace(simulated, address=name, is_rehearsal=True, clock=clock)
        app = create_app(
            [simulated, people],
            secret=keys.secret,
            admin_token=keys.admin_token,
            clock=now_ms,
            settings=Settings(
                web=built_front_end(), demo=Demo(people.name, name, _lead(people.script.study)), sweep_s=1.0
            ),
        )
        server = DemoServer(port, name, keys.admin_token, simulated.script, simulated.log)
        sender = threading.Thread(target=Crowd(server, arrivals, clock).take_part, args=(stop,), name="crowd")
        sender.start()
        stack.callback(sender.join)
        stack.callback(stop.set)
        yield app


def _lead(study: Study) -> str:
    """Return what the landing page says of the study, with the minutes that people read before they consent."""
    minutes = study.pay.expected_minutes if study.pay else None
    return LEAD if minutes is None else f"{LEAD} It takes about {minutes:g} minutes, and you can stop at any time."


def _last_ms(served: ServedStudy) -> int:
    """Return the time of the last event of an earlier demo, since simulated time must not run backwards."""
    return max((summary.last_event_ms for summary in served.log.summaries(served.script.study.name)), default=0)
