"""300 people with every kind of life, a platform with bad days, and a payer that is killed 50 times."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import numpy as np
import pytest

from tests.fake_prolific import FakeProlific, Faults, served
from tests.fake_prolific.transport import Lost
from tests.journeys.killed_payer import pay_once
from tests.paid_people import Hands, crowd, log_in, published, unequal
from understudy.conduct.pay import PATIENCE_MS
from understudy.record import open_log

N_PEOPLE, N_KILLS, N_WAVES = 300, 50, 50
PARTS = ("", "/pay/", "bonus-payments", "transition")
"""Requests at which the payer is killed: any, and those that move money."""


class Executioner:
    """Kills the payer at a request, before or after the platform has acted on it."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._left = 0
        self._part = ""
        self._when = ""
        self.process: ForkServerProcess | None = None
        self.killed_at: list[str] = []

    def aim(self, process: ForkServerProcess) -> None:
        """Choose at random where the next payer dies: soon after a request that moves money, or anywhere."""
        self._part = PARTS[self._rng.integers(len(PARTS))]
        self._left = int(self._rng.integers(1, 4 if self._part else 40))
        self._when = "before" if self._rng.random() < 0.5 else "after"
        self.process = process

    def rest(self) -> None:
        """Let the payer live."""
        self.process = None

    def watch(self, method: str, path: str, when: str) -> None:
        """Count requests, and kill."""
        if self.process is None or self._part not in path or when != self._when or self.process.pid is None:
            return
        self._left -= 1
        if self._left > 0 and self._part != "/pay/":
            return
        os.kill(self.process.pid, signal.SIGKILL)
        self.process = None
        self.killed_at.append(f"{when} {method} {path}")
        if when == "before":
            raise Lost


@pytest.mark.slow
def test_three_hundred_people_are_paid_to_the_cent_although_the_payer_is_killed_fifty_times(tmp_path: Path) -> None:
    rng = np.random.default_rng(18)
    fake, clock, people = FakeProlific(delay=25), Hands(), crowd(N_PEOPLE, seed=18)
    study_id = published(fake)
    executioner = Executioner(rng)
    fake.on_request, fake.faults = executioner.watch, Faults.random(18, 0.01)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.journeys.killed_payer"])
    with served(fake) as address, open_log(log_in(tmp_path)) as log:

        def run(aim: Callable[[ForkServerProcess], None] = lambda _: None) -> None:
            process = context.Process(target=pay_once, args=(str(tmp_path), address, study_id, clock.ms))
            process.start()
            aim(process)
            process.join()
            executioner.rest()
            # A killed payer may have ordered bonuses that arrive only now.
            fake.settle()
            clock.ms += PATIENCE_MS + 1

        waves = np.array_split(np.arange(N_PEOPLE), N_WAVES)
        while waves or len(executioner.killed_at) < N_KILLS:
            for number in waves.pop(0) if waves else ():
                log.append(people[number].events())
                people[number].live(fake, study_id)
            for person in people[: len(fake.submissions) : 2]:
                person.give_back(fake)
            run(executioner.aim)
        for person in people:
            person.give_back(fake)
        fake.faults = Faults()
        for _ in range(3):
            run()
        assert unequal(people, fake, log) == []
        assert sum(payment.cents for payment in fake.payments) == sum(person.earned_cents for person in people)
        assert {part for part in PARTS if any(part in kill for kill in executioner.killed_at)} == set(PARTS)
    assert len(executioner.killed_at) >= N_KILLS
