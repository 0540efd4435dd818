"""`understudy serve` as a process behind nginx and Caddy, each with the file that we ship for it."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getuser
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.certificates import Authority, Certificate
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PATIENCE_S = 30
TOKEN = "the-admin-token-of-tests"
_AS_SYSTEMD = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.execve(sys.argv[2], sys.argv[2:], {**os.environ, "LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"})
"""
"""Hands over the socket as descriptor 3, and says for which process it is."""


class Front(NamedTuple):
    """Where people meet a proxy."""

    base: str
    http_port: int = 80
    """The port without encryption; the usual one if the proxy has none."""


class ServerProcess:
    """The server of some folders, on a port that stays open while it restarts, as systemd keeps it."""

    def __init__(self, *folders: Path) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._folders = folders
        self._process: subprocess.Popen[bytes] | None = None
        self.port = int(self._listening.getsockname()[1])

    def start(self) -> None:
        """Start the process; early requests wait for it."""
        fd = self._listening.fileno()
        # Nobody looks at a page here, so that any folder will do for the front end.
        words = [sys.executable, "-m", "understudy", "serve", *map(str, self._folders), "--web", str(self._folders[0])]
        environment = os.environ | {"UNDERSTUDY_ADMIN_TOKEN": TOKEN, "PYTHONPATH": os.pathsep.join(sys.path)}
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _AS_SYSTEMD, str(fd), *words], pass_fds=[fd], env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def stop(self) -> int:
        """Ask the process to end, and return its exit status."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(timeout=PATIENCE_S)

    def close(self) -> None:
        """Stop the process and give the port back."""
        if self._process is not None and self._process.poll() is None:
            self.stop()
        self._listening.close()


@contextmanager
def nginx_before(port: int, certificate: Certificate, folder: Path) -> Iterator[Front]:
    """Run nginx with our site file, and yield where it is."""
    outside, plain = free_port(), free_port()
    site = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    site = re.sub(r" *listen \[::\].*\n", "", site)
    for old, new in {
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl": f"listen 127.0.0.1:{outside} ssl",
        "study.example.org;": "localhost;",
        "/etc/letsencrypt/live/study.example.org/fullchain.pem": str(certificate.chain),
        "/etc/letsencrypt/live/study.example.org/privkey.pem": str(certificate.key),
        "/var/log/nginx/understudy.log": str(folder / "error.log"),
        "127.0.0.1:8000": f"127.0.0.1:{port}",
    }.items():  # fmt: skip
        assert old in site, f"{old} is not in the site file any more"
        site = site.replace(old, new)
    folder.mkdir()
    (folder / "site.conf").write_text(site)
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        # Workers of root would give up its rights, and then could not reach the folders of the tests.
        f"user {getuser()}; daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{places}include {folder}/site.conf;\n}}\n"
    )
    with _running([_program("nginx"), "-c", f"{folder}/nginx.conf", "-e", f"{folder}/error.log"], outside):
        yield Front(f"https://localhost:{outside}", plain)


@contextmanager
def caddy_before(port: int, certificate: Certificate, folder: Path) -> Iterator[Front]:
    """Run Caddy with our file, and yield where it is."""
    outside = free_port()
    site = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    for old, new in {
        "study.example.org {": f"https://localhost:{outside} {{\n\tbind 127.0.0.1\n\ttls {certificate.chain} {certificate.key}\n",
        "127.0.0.1:8000": f"127.0.0.1:{port}",
    }.items():  # fmt: skip
        assert old in site, f"{old} is not in the Caddyfile any more"
        site = site.replace(old, new)
    folder.mkdir()
    (folder / "Caddyfile").write_text(f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{site}")
    words = [_program("caddy"), "run", "--adapter", "caddyfile", "--config", f"{folder}/Caddyfile"]
    with _running(words, outside, HOME=str(folder), XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder)):
        yield Front(f"https://localhost:{outside}")


def _program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if found is None:
        pytest.skip(f"{name} is not on this machine")
    return found


@contextmanager
def _running(words: list[str], port: int, **more: str) -> Iterator[None]:
    process = subprocess.Popen(words, env=os.environ | more, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{words[0]} did not start")
            time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_S)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def client_from(address: str, base: str, authority: Authority) -> httpx.Client:
    """Return a browser without a page that comes from an address of this machine."""
    transport = httpx.HTTPTransport(local_address=address, verify=authority.trusted())
    return httpx.Client(transport=transport, base_url=base, timeout=PATIENCE_S)
