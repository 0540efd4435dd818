"""Dashboards: researchers' pages that ask a server for counts and sessions every two seconds, as the real one does."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection

from load.ours import STUDY

ADMIN_TOKEN = "the-admin-token-of-the-bench"
PERIOD_S = 2.0
_PATHS = ("/api/admin/studies", f"/api/admin/studies/{STUDY}/sessions?offset=0&limit=25")
_HEADERS = {"Authorization": f"Bearer {ADMIN_TOKEN}"}


def poll(address: str) -> int:
    """Ask once, as a dashboard does, and return how many sessions there are."""
    connection = HTTPConnection(address, timeout=60)
    try:
        answers = []
        for path in _PATHS:
            connection.request("GET", path, headers=_HEADERS)
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200:
                raise ConnectionError(f"{path} answered {answer.status}.")
            answers.append(json.loads(body))
    finally:
        connection.close()
    return int(answers[1]["total"])


@contextmanager
def dashboards(address: str, n: int) -> Iterator[None]:
    """Keep dashboards open, their polls spread over the period."""
    is_over = threading.Event()

    def ask(number: int) -> None:
        next_s = time.monotonic() + PERIOD_S * number / n
        while not is_over.wait(max(0.0, next_s - time.monotonic())):
            poll(address)
            next_s += PERIOD_S

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(n)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
