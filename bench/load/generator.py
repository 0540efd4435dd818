"""The load generator: so many people at once, as fast as they can or with pauses; prints what they met as JSON."""

import argparse
import asyncio
import json
import os
import random
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from load.otree import Otree, OtreeBatches, OtreeMoves, new_people
from load.ours import OurMoves, Ours
from load.walks import Walk

WALKS: dict[str, type[Ours | Otree]] = {
    "ours": Ours,
    "our-moves": OurMoves,
    "otree": Otree,
    "otree-moves": OtreeMoves,
    "otree-batches": OtreeBatches,
}


class Done(NamedTuple):
    """One submission: when it was answered, and how long that took."""

    at_s: float
    seconds: float


class Crowd:
    """People who come one after the other, so many at once, until time is up."""

    def __init__(self, options: argparse.Namespace, tokens: Iterator[str]) -> None:
        self._options = options
        self._tokens = tokens
        self._addresses = cycle(options.address)
        self._until_s = 0.0
        self.seconds = 0.0
        self.server_cpu_s = 0.0
        self.own_cpu_s = 0.0
        self.done: list[Done] = []
        self.faults: list[str] = []
        self.arrivals: list[float] = []
        """Seconds from a person's first request to their first trial."""

    async def walk(self) -> None:
        """Let everybody arrive, then measure."""
        first = [self._new() for _ in range(self._options.at_once)]
        await asyncio.gather(*(self._started(person) for person in first))
        began, server_s, own_s = time.perf_counter(), self._server_cpu_s(), time.process_time()
        self._until_s = began + self._options.seconds
        await asyncio.gather(*(self._place(one, number) for number, one in enumerate(first)))
        self.seconds = time.perf_counter() - began
        self.server_cpu_s = self._server_cpu_s() - server_s
        self.own_cpu_s = time.process_time() - own_s

    def _new(self) -> Walk:
        # Everybody stays with one server, and the servers get the same number of people.
        address = next(self._addresses)
        walk: Walk = WALKS[self._options.walk](address, next(self._tokens))
        return walk

    def _server_cpu_s(self) -> float:
        return sum(map(cpu_seconds, self._options.pid))

    async def _place(self, person: Walk, number: int) -> None:
        """Keep one place filled: when somebody has finished, the next one comes."""
        draw = random.Random(f"{self._options.seed} {number}")
        pause_s = self._options.pause
        if pause_s:
            await asyncio.sleep(draw.uniform(0, pause_s))
        try:
            while time.perf_counter() < self._until_s:
                if not await self._submitted(person):
                    person.close()
                    person = self._new()
                    await self._started(person)
                if pause_s:
                    await asyncio.sleep(min(draw.expovariate(1 / pause_s), self._left_s()))
        except (Exception, asyncio.CancelledError) as error:
            self.faults.append(f"{type(error).__name__}: {error}")
        finally:
            person.close()

    async def _started(self, person: Walk) -> None:
        began = time.perf_counter()
        await person.start()
        self.arrivals.append(time.perf_counter() - began)

    async def _submitted(self, person: Walk) -> bool:
        began = time.perf_counter()
        goes_on = await person.submit()
        now = time.perf_counter()
        self.done.append(Done(now, now - began))
        return goes_on

    def _left_s(self) -> float:
        return max(0.0, self._until_s - time.perf_counter())


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def put_on(options: argparse.Namespace) -> Crowd:
    """Put the load on a server and return the people when they have finished."""
    if options.walk.startswith("otree"):
        tokens = await new_people(options.address[0], options.people)
    else:
        tokens = [f"person-{options.seed}-{number}" for number in range(options.people)]
    crowd = Crowd(options, iter(tokens))
    await crowd.walk()
    return crowd


def figures(crowd: Crowd, n_events: int) -> dict[str, object]:
    """Return what the crowd met, in numbers."""
    waits_ms = sorted(1000 * submission.seconds for submission in crowd.done)
    n = len(waits_ms)
    return {
        "n": n,
        "n_events": n * n_events,
        "n_people": len(crowd.arrivals),
        "arrival_p50_ms": 1000 * sorted(crowd.arrivals)[len(crowd.arrivals) // 2],
        "seconds": crowd.seconds,
        "p50_ms": waits_ms[n // 2] if n else None,
        "p99_ms": waits_ms[min(n - 1, int(0.99 * n))] if n else None,
        "worst_ms": waits_ms[-1] if n else None,
        "server_cpu_s": crowd.server_cpu_s,
        "generator_cpu_s": crowd.own_cpu_s,
        "faults": sorted(set(crowd.faults))[:3],
    }


def main() -> None:
    """Read the options, put the load on, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--walk", choices=WALKS, required=True)
    parser.add_argument("--address", required=True, nargs="+", help="host:port of each server")
    parser.add_argument("--pid", type=int, required=True, nargs="+", help="the servers, whose CPU time is counted")
    parser.add_argument("--people", type=int, required=True, help="how many there are to come, one after the other")
    parser.add_argument("--at-once", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--pause", type=float, default=0.0, help="mean seconds on a page")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    crowd = asyncio.run(put_on(options))
    print(json.dumps(figures(crowd, WALKS[options.walk].n_events)))


if __name__ == "__main__":
    main()
