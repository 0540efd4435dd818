"""People in Chromium, for the stored runs: what their pages send to a server, and the files they save without one."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Response, expect, sync_playwright

from tests.journeys.player_hands import Hands

SECRET = "a secret of at least thirty-two characters"
ADMIN = "the-admin-token-of-tests"
CHROMIUM = "/usr/bin/chromium"


def record_served(folder: Path) -> list[dict[str, Any]]:
    """Send five people through a served study and return the first one's messages.

    The second is excluded by a researcher, the third asks to be erased, the fourth withdraws and the fifth is left in
    the middle of the study.
    """
    with _running([sys.executable, "-m", "understudy", "serve", str(folder)]) as address, _chromium() as browser:
        study = f"{address}/s/served"
        messages: list[dict[str, Any]] = []
        page = browser.new_page()
        page.on("response", lambda response: _note(messages, response))
        page.goto(f"{study}?PROLIFIC_PID=first&STUDY_ID=x&SESSION_ID=y")
        Hands(page).play()
        page.close()
        _visit(browser, f"{study}?PROLIFIC_PID=second").play()
        _exclude_last(address)
        for person, does_erase in (("third", True), ("fourth", False)):
            hands = _visit(browser, f"{study}?PROLIFIC_PID={person}")
            hands.play(until="judge")
            _withdraw(hands.page, address, does_erase)
        _visit(browser, f"{study}?PROLIFIC_PID=fifth").play(until="judge")
    return messages


def record_static(site: Path, results: Path) -> list[Path]:
    """Let two people take part from a plain web host and return the files they saved."""
    results.mkdir()
    files: list[Path] = []
    with _running([sys.executable, "-m", "http.server", "-d", str(site)]) as address, _chromium() as browser:
        for number in (1, 2):
            hands = _visit(browser, f"{address}/index.html?n={number}")
            hands.play()
            with hands.page.expect_download() as download:
                hands.page.get_by_role("button", name="Save my answers").click()
            files.append(results / f"result-{number}.json")
            download.value.save_as(files[-1])
    return files


def _note(messages: list[dict[str, Any]], response: Response) -> None:
    request = response.request
    if request.method != "POST" or "/api/" not in request.url:
        return
    answer = response.json()
    state = answer.get("state", answer)
    step = state.get("step") or {}
    messages.append(
        {
            "to": request.url.rpartition("/")[2],
            "body": json.loads(request.post_data or "{}"),
            "status": response.status,
            "acknowledged_seq": answer.get("acknowledged_seq"),
            "next_trial": step.get("trial", {}).get("trial_id"),
            "ended": state.get("ended"),
        }
    )


def _visit(browser: Browser, address: str) -> Hands:
    page = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True).new_page()
    page.goto(address)
    return Hands(page, n_wrong=0)


def _withdraw(page: Page, address: str, does_erase: bool) -> None:
    got = page.context.request.post(f"{address}/api/s/served/withdraw", data={"erase": does_erase})
    expect(got).to_be_ok()


def _exclude_last(address: str) -> None:
    sessions = _asked(f"{address}/api/admin/studies/served/sessions")["rows"]
    second = max(sessions, key=lambda session: int(session["arrival"]))["session_id"]
    _asked(f"{address}/api/admin/studies/served/sessions/{second}/exclude", {"reason": "Asked a friend."})


def _asked(address: str, body: dict[str, Any] | None = None) -> Any:
    headers = {"Authorization": f"Bearer {ADMIN}", "X-Understudy-Admin": "1", "Content-Type": "application/json"}
    content = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address, content, headers)) as got:
        return json.load(got)


@contextmanager
def _chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@contextmanager
def _running(command: list[str]) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    words = [*command, port] if "http.server" in command else [*command, "--port", port]
    keys = {"UNDERSTUDY_SECRET": SECRET, "UNDERSTUDY_ADMIN_TOKEN": ADMIN}
    server = subprocess.Popen(words, env={**os.environ, **keys}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        while not _answers(address):
            if server.poll() is not None:
                raise RuntimeError(f"The server ended at once: {words}")
        yield address
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


def _answers(address: str) -> bool:
    try:
        urllib.request.urlopen(address, timeout=5).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True
