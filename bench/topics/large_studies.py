"""Large studies: the report, the dashboard, and participants while dashboards are open, by the number of sessions."""

import os
import resource
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

from crowds import N_TRIALS, CrowdTiming, Plan, Running, cores, crowd_at, our_server
from dashboards import PERIOD_S, dashboards, poll
from large_runs import SEED, reported_run, served_run
from load.generator import cpu_seconds
from measured import Bench, Row, Timing

SIZES = (2_000, 20_000)
N_POLLS, N_DASHBOARDS, N_CROWD, N_ROUNDS = 20, 4, 100, 3


class _Spent(NamedTuple):
    wall_s: float
    cpu_s: float
    peak_mib: float


def report(n_sessions: int, _is_quick: bool) -> Row:
    """Measure the command that writes a report, and the same again when nothing has changed."""
    folder = reported_run(n_sessions)
    made = _spent("report", str(folder), "--again")
    kept = _spent("report", str(folder))
    return Row(
        what=f"Report of {n_sessions:,} sessions",
        n=n_sessions,
        seed=SEED,
        ours=Timing(made.wall_s, made.wall_s, 1, "wall"),
        peer=None,
        method="No peer measured. The command `understudy report` on a run of the loan demo that simulated people went "
        "through: every session replayed into tables, three hypotheses (one by a mixed model of people and items), page.",
        reads=f"{made.cpu_s:.1f} s CPU, peak memory {made.peak_mib:.0f} MiB, page {_size_mb(folder):.1f} MB; "
        f"{kept.wall_s:.1f} s when nothing has changed",
        target="<= 120 s and 1,024 MiB with 20,000 sessions",
    )


def dashboard(n_sessions: int, _is_quick: bool) -> Row:
    """Measure what one poll of a dashboard costs the server."""
    with our_server(served_run(n_sessions, N_TRIALS)) as running:
        began_s = cpu_seconds(running.pid)
        n_listed = poll(running.address)
        first_s = cpu_seconds(running.pid) - began_s
        began_s = cpu_seconds(running.pid)
        for _ in range(N_POLLS):
            poll(running.address)
        poll_s = (cpu_seconds(running.pid) - began_s) / N_POLLS
    return Row(
        what=f"Poll of a dashboard, {n_listed:,} sessions",
        n=N_POLLS,
        seed=SEED,
        ours=Timing(poll_s, poll_s, N_POLLS, "cpu"),
        peer=None,
        method="No peer measured. CPU of the server for the counts of the study and the first 25 sessions; mean of "
        f"{N_POLLS} polls.",
        reads=f"{1000 * poll_s:.1f} ms CPU each; the first one after the start takes {1000 * first_s:.0f} ms; started in "
        f"{running.start_s:.1f} s",
        target="< 100 ms of CPU with 20,000 sessions",
    )


def participants(n_sessions: int, is_quick: bool) -> Row:
    """Measure how long participants wait without and with open dashboards."""
    plan = Plan(at_once=N_CROWD, seconds=6.0 if is_quick else 12.0, n_people=2 * N_CROWD, pause_s=2.0)
    with our_server(served_run(n_sessions, N_TRIALS)) as running:
        poll(running.address)
        rounds = [_round(running, plan, number) for number in range(N_ROUNDS)]
    alone, watched = (min(met, key=lambda timing: timing.p99_ms) for met in zip(*rounds, strict=True))
    return Row(
        what=f"Wait for the next trial with {N_DASHBOARDS} dashboards, {n_sessions:,} earlier sessions",
        n=watched.n,
        seed=SEED,
        ours=Timing(watched.p99_ms / 1000, max(with_them.p99_ms for _, with_them in rounds) / 1000, N_ROUNDS, "wall"),
        peer=None,
        method=f"No peer measured. The time is the 99th percentile, the best of {N_ROUNDS} rounds each. {N_CROWD} people who send a page every 2 s; "
        f"{N_DASHBOARDS} dashboards that ask every {PERIOD_S:g} s; {cores()}.",
        reads=f"p50 {watched.p50_ms:.1f} ms, p99 {watched.p99_ms:.1f} ms over {watched.n:,} submissions; without "
        f"dashboards p50 {alone.p50_ms:.1f} ms, p99 {alone.p99_ms:.1f} ms: {watched.p99_ms / alone.p99_ms:.2f}×",
        target="p99 <= 1.5x of none",
    )


def _round(running: Running, plan: Plan, number: int) -> tuple[CrowdTiming, CrowdTiming]:
    """Let a crowd come without dashboards, and another one with them, so that both meet the same machine."""
    alone = crowd_at(running, plan._replace(seed=2 * number))
    with dashboards(running.address, N_DASHBOARDS):
        return alone, crowd_at(running, plan._replace(seed=2 * number + 1))


def _spent(*words: str) -> _Spent:
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "understudy", *words], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"understudy {' '.join(words)} failed.")
    return _Spent(time.perf_counter() - began, used.ru_utime + used.ru_stime, _mib(used))


def _mib(used: resource.struct_rusage) -> float:
    return used.ru_maxrss / 1024


def _size_mb(folder: Path) -> float:
    return (folder / "report.html").stat().st_size / 1e6


ROWS = tuple(
    Bench(f"{name}, {n_sessions:,} sessions", partial(measure, n_sessions), is_slow=n_sessions > SIZES[0])
    for name, measure in (("report", report), ("dashboard", dashboard), ("participants", participants))
    for n_sessions in SIZES
)
