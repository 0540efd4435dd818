"""Other browser engines: Firefox by WebDriver BiDi, and WebKit by WebDriver on a screen of its own."""

import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

import httpx
import pytest
from tornado.websocket import WebSocketClientConnection, websocket_connect

PATIENCE_S = 60
WIDTH, HEIGHT = 1280, 900
MINI_BROWSERS = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser"


class Engine(Protocol):
    """What hands need of a browser; scripts are expressions, whose promises are awaited."""

    def goto(self, address: str) -> None: ...
    def evaluate(self, script: str) -> Any: ...
    def act(self, sources: Sequence[dict[str, Any]]) -> None: ...
    def faults(self) -> list[str]: ...


class Firefox:
    """A tab of Firefox; BiDi is JSON over a web socket, and also tells what the page complained about."""

    def __init__(self, address: str) -> None:
        # A loop in a thread of its own: Playwright's runs in this one for as long as its browser is open.
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._socket: WebSocketClientConnection = self._done(self._connected(f"{address}/session"))
        self._n = 0
        self._faults: list[str] = []
        self.command("session.new", {"capabilities": {}})
        self._tab = self.command("browsingContext.getTree", {})["contexts"][0]["context"]
        viewport = {"width": WIDTH, "height": HEIGHT}
        self.command("browsingContext.setViewport", {"context": self._tab, "viewport": viewport})
        self.command("session.subscribe", {"events": ["log.entryAdded"]})

    async def _connected(self, address: str) -> WebSocketClientConnection:
        return await websocket_connect(address, max_message_size=50_000_000)

    def command(self, method: str, params: dict[str, Any]) -> Any:
        self._n += 1
        return self._done(self._answered({"id": self._n, "method": method, "params": params}))

    def _done(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    async def _answered(self, sent: dict[str, Any]) -> Any:
        await self._socket.write_message(json.dumps(sent))
        while True:
            async with asyncio.timeout(PATIENCE_S):
                heard = json.loads(await self._socket.read_message() or "{}")
            if heard.get("method") == "log.entryAdded" and heard["params"]["level"] == "error":
                self._faults.append(str(heard["params"]["text"]))
            if heard.get("id") == sent["id"]:
                assert heard["type"] == "success", heard
                return heard["result"]

    def goto(self, address: str) -> None:
        self.command("browsingContext.navigate", {"context": self._tab, "url": address, "wait": "complete"})

    def evaluate(self, script: str) -> Any:
        wanted = f"Promise.resolve({script}).then((value) => JSON.stringify(value ?? null))"
        params = {"expression": wanted, "target": {"context": self._tab}, "awaitPromise": True}
        told = self.command("script.evaluate", params)
        assert told["type"] == "success", told
        return json.loads(told["result"]["value"])

    def act(self, sources: Sequence[dict[str, Any]]) -> None:
        self.command("input.performActions", {"context": self._tab, "actions": list(sources)})

    def faults(self) -> list[str]:
        return self._faults

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._socket.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class WebKit:
    """A window of WebKit; its driver cannot tell complaints, so the page collects them itself."""

    def __init__(self, address: str, binary: str) -> None:
        self._client = httpx.Client(base_url=address, timeout=PATIENCE_S)
        options = {"binary": binary, "args": ["--automation"]}
        wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        self._session = f"/session/{self._said('/session', wanted)['sessionId']}"
        self.command("/window/rect", {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT})

    def _said(self, path: str, body: dict[str, Any]) -> Any:
        got = self._client.post(path, json=body)
        assert got.status_code == 200, got.text
        return got.json()["value"]

    def command(self, path: str, body: dict[str, Any]) -> Any:
        return self._said(self._session + path, body)

    def goto(self, address: str) -> None:
        self.command("/url", {"url": address})
        listen = "addEventListener(kind, (event) => window.faults.push(String(event.message ?? event.reason)))"
        self.evaluate(f"(window.faults = [], ['error', 'unhandledrejection'].forEach((kind) => {listen}))")

    def evaluate(self, script: str) -> Any:
        tell = "arguments[0](JSON.stringify(value ?? null))"
        body = {"script": f"Promise.resolve({script}).then((value) => {tell})", "args": []}
        return json.loads(self.command("/execute/async", body))

    def act(self, sources: Sequence[dict[str, Any]]) -> None:
        self.command("/actions", {"actions": list(sources)})

    def faults(self) -> list[str]:
        return [str(fault) for fault in self.evaluate("window.faults")]

    def close(self) -> None:
        self._client.delete(self._session)
        self._client.close()


@contextmanager
def firefox(folder: Path) -> Iterator[Engine]:
    """Start Firefox with a profile that nobody used before."""
    found = shutil.which("firefox-esr") or shutil.which("firefox")
    if found is None:
        pytest.skip("There is no Firefox here: install firefox-esr.")
    (folder / "profile").mkdir()
    words = [found, "--headless", "--no-remote", "--profile", str(folder / "profile"), "--remote-debugging-port=0"]
    with _running([*words, "about:blank"], stderr=subprocess.PIPE) as process:
        made = Firefox(_told(process, r"WebDriver BiDi listening on (ws://\S+)"))
        try:
            yield made
        finally:
            made.close()


@contextmanager
def webkit(_: Path) -> Iterator[Engine]:
    """Start WebKit on a virtual screen."""
    driver, screen = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
    binary = next((str(path) for path in sorted(Path("/").glob(MINI_BROWSERS[1:]))), None)
    if driver is None or screen is None or binary is None:
        pytest.skip("There is no WebKit here: install webkit2gtk-driver and xvfb.")
    with socket.socket() as free, ExitStack() as stack:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        words = [screen, "-displayfd", "2", "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp"]
        display = _told(stack.enter_context(_running(words, stderr=subprocess.PIPE)), r"^(\d+)$")
        environment = {**os.environ, "DISPLAY": f":{display}", "LIBGL_ALWAYS_SOFTWARE": "1"}
        stack.enter_context(_running([driver, f"--port={port}"], env=environment, stderr=subprocess.DEVNULL))
        _until_listening(port)
        made = WebKit(f"http://127.0.0.1:{port}", binary)
        yield made
        made.close()


@contextmanager
def _running(words: Sequence[str], **more: Any) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, text=True, **more)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        if process.stderr is not None:
            process.stderr.close()


def _told(process: "subprocess.Popen[str]", pattern: str) -> str:
    """Read what a program says until it tells what is wanted."""
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(pattern, line.strip()):
            return found.group(1)
    raise AssertionError(f"{process.args!r} ended without telling {pattern!r}")


def _until_listening(port: int) -> None:
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            continue
        return
