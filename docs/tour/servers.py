"""Servers: the commands a researcher would type, run on free ports of this computer."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from understudy.errors import UnderstudyError

ADMIN_TOKEN = "a-token-for-the-pictures-only"  # noqa: S105 - opens servers that only this script starts
_SECRETS = {"UNDERSTUDY_SECRET": "a secret that signs the pictures of the docs", "UNDERSTUDY_ADMIN_TOKEN": ADMIN_TOKEN}
_RECRUITER = {"UNDERSTUDY_COMPLETION_URL_SHOWCASE": "https://recruiter.example/submissions/complete?cc=SHOWCASE"}


@contextmanager
def serving(*folders: Path) -> Iterator[str]:
    """Run `understudy serve` on prepared folders and yield its address."""
    with _running("serve", *map(str, folders)) as address:
        yield address


@contextmanager
def demo(folder: Path, *, per_second: float) -> Iterator[str]:
    """Run `understudy demo` and yield its address."""
    with _running("demo", "--out", str(folder), "--per-second", str(per_second)) as address:
        yield address


@contextmanager
def _running(*words: str) -> Iterator[str]:
    command = [sys.executable, "-u", "-m", "understudy", *words, "--port", str(_free_port())]
    process = subprocess.Popen(  # noqa: S603 - our own words
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **_SECRETS, **_RECRUITER}
    )  # fmt: skip
    try:
        yield _address_from(process, words)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


def _address_from(process: "subprocess.Popen[str]", words: Sequence[str]) -> str:
    for line in process.stdout or ():
        found = re.search(r"127\.0\.0\.1:(\d+)", line)
        if found:
            _wait_for(int(found[1]), process)
            return f"http://{found[0]}"
    raise UnderstudyError(f"understudy {' '.join(words)} ended with {process.wait()} and named no address.")


def _wait_for(port: int, process: "subprocess.Popen[str]") -> None:
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            return


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
