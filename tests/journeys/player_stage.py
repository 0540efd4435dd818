"""The stage of browser journeys: a real server on a free port, and Chromium."""

import base64
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import Browser, BrowserContext, BrowserType

from understudy.actions.run_folder import existing_run, new_run
from understudy.actions.serve import built_front_end, served_from_folder
from understudy.record.log import now_ms
from understudy.schema import Event, Interacted, Study
from understudy.serve import Settings, create_app
from understudy.serve.access import Keyring
from understudy.serve.settings import Platform
from understudy.simulate.browser import FLAGS

PATIENCE_MS = 15_000
SYSTEM_CHROMIUM = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
RECORD_FILM = """async () => {
  const canvas = document.createElement('canvas'); canvas.width = 320; canvas.height = 180;
  const ink = canvas.getContext('2d');
  const recorder = new MediaRecorder(canvas.captureStream(25), {mimeType: 'video/webm;codecs=vp8'});
  const parts = []; recorder.ondataavailable = (event) => parts.push(event.data);
  const stopped = new Promise((resolve) => recorder.onstop = resolve);
  recorder.start();
  const start = performance.now();
  await new Promise((resolve) => { const draw = () => {
    const at = performance.now() - start;
    ink.fillStyle = '#0f6b66'; ink.fillRect(0, 0, 320, 180);
    ink.fillStyle = '#ffffff'; ink.fillRect(20, 70, 40 + at / 4, 40);
    at < 600 ? requestAnimationFrame(draw) : resolve(); }; draw(); });
  recorder.stop(); await stopped;
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}"""


def launched(chromium: BrowserType, *more: str) -> Browser | None:
    """Start Playwright's own Chromium, or the system's, with further flags; None when there is neither."""
    candidates = [chromium.executable_path, *SYSTEM_CHROMIUM]
    path = next((candidate for candidate in candidates if Path(candidate).exists()), None)
    return (
        chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu", *FLAGS, *more]) if path else None
    )


@contextmanager
def visiting(browser: Browser) -> Iterator[BrowserContext]:
    """Open a window for somebody, with nothing kept from anybody before."""
    # A click waits for the frames of transitions, a fifth of its time. One journey asks for them again.
    made = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    made.set_default_timeout(PATIENCE_MS)
    yield made
    made.close()


def recorded_film(browser: Browser) -> bytes:
    """Record a film of six tenths of a second: participants have to watch all of it."""
    page = browser.new_page()
    film = base64.b64decode(page.evaluate(RECORD_FILM))
    page.close()
    return film


SECRET = b"0" * 32


class Stage:
    """A served study: its address, and what its log holds."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        self.address = address

    def trial_of(self, name: str) -> str:
        """Return what the study calls a trial that some page knows by another name."""
        trials = existing_run(self.folder).script.trials
        session_ids = {event.session_id for event in self.events()}
        names = [Keyring(SECRET).wire_names(session_id, ()) for session_id in session_ids]
        return next(trial_id for own in names for trial_id in trials if own.of(trial_id) == name)

    def as_sent(self, event: Event) -> dict[str, Any]:
        """Return a stored event as its page had sent it."""
        names = Keyring(SECRET).wire_names(event.session_id, ())
        sent = event.model_dump(mode="json", exclude={"session_id", "stream", "received_ms"}, exclude_none=True)
        payload = {"payload": names.written_payload(event)} if isinstance(event, Interacted) else {}
        return {**sent, "trial_id": names.of(sent["trial_id"]), **payload}

    def events(self) -> Sequence[Event]:
        """Return the events of all sessions."""
        run = existing_run(self.folder)
        with run.open_log() as log:
            return [event for session in log.sessions(run.script.study.name) for event in session]


StageOf = Callable[[Study], Stage]


@contextmanager
def served(
    study: Study,
    folder: Path,
    *,
    root: Path | None = None,
    clock: Callable[[], int] = now_ms,
    platform: Platform | None = None,
) -> Iterator[Stage]:
    """Prepare a study and serve it until the block ends."""
    new_run(study, root or folder, folder)
    served_study = replace(served_from_folder(folder), platform=platform)
    # Held from here on: a port that is only looked up can be taken by another test before the server has it.
    place = socket.create_server(("127.0.0.1", 0))
    port = place.getsockname()[1]
    app = create_app(
        [served_study],
        secret=SECRET,
        admin_token="unguessable",
        clock=clock,
        settings=Settings(web=built_front_end(), researchers=folder / "researchers.sqlite"),
    )
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Stage(folder, f"http://127.0.0.1:{port}/s/{study.name}")
    finally:
        server.should_exit = True
        thread.join()
        served_study.log.close()
