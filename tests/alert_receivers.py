"""Receivers of alerts on this machine: a webhook and a mail server."""

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Hook:
    """What came to a webhook, and with which status it answers."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.statuses: list[int] = []
        """Answers to give first; 204 afterwards."""
        self.url = ""


@contextmanager
def webhook() -> Iterator[Hook]:
    """Listen until the end of the block."""
    hook = Hook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            hook.got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(hook.statuses.pop(0) if hook.statuses else 204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with _listening(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        hook.url = f"http://127.0.0.1:{port}/hook/secret"
        yield hook


class Post:
    """What came to a mail server."""

    def __init__(self) -> None:
        self.letters: list[str] = []
        self.commands: list[str] = []
        self.url = ""


@contextmanager
def mail_server(*, refuses: str = "") -> Iterator[Post]:
    """Take mail until the end of the block; a recipient may be refused."""
    post = Post()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 ready")
            while line := self.rfile.readline().decode().strip():
                post.commands.append(line)
                command = line.upper()
                if command.startswith("EHLO"):
                    self._say("250-here\r\n250 AUTH PLAIN")
                elif command.startswith("AUTH"):
                    self._say("235 welcome")
                elif command == "DATA":
                    self._say("354 go on")
                    letter = ""
                    while (part := self.rfile.readline().decode()) != ".\r\n":
                        letter += part
                    post.letters.append(letter)
                    self._say("250 taken")
                elif refuses and refuses in line:
                    self._say("550 unknown here")
                elif command == "QUIT":
                    self._say("221 bye")
                    return
                else:
                    self._say("250 fine")

        def _say(self, words: str) -> None:
            self.wfile.write(f"{words}\r\n".encode())

    with _listening(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)) as port:
        post.url = f"smtp://lab%40example.org:pass%20word@127.0.0.1:{port}"
        yield post


@contextmanager
def _listening(server: socketserver.TCPServer) -> Iterator[int]:
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield int(server.server_address[1])
        finally:
            server.shutdown()
            thread.join()
