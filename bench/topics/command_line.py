"""Command line: what it costs to start a command, compared with programs of the same kind."""

import subprocess
import sys
from functools import partial
from typing import NamedTuple

from measured import Bench, Peer, Row, Timing
from peer_folder import NoPeer
from peer_venv import installed_program

N_REPEATS = 7
_RUN = "from understudy.cli.main import run; run()"
_WATCH = """
import os, sys
nowhere = os.open(os.devnull, os.O_RDWR)
streams = [(os.POSIX_SPAWN_DUP2, nowhere, stream) for stream in (0, 1, 2)]
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=streams)
_, status, used = os.wait4(process, 0)
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
"""Starts a program from a small process: Linux counts the memory of the process that starts another as its own."""


class Program(NamedTuple):
    """A program of somebody else, whose help does the same work."""

    package: str
    version: str
    command: str


DATASETTE = Program("datasette", "0.65.5", "datasette")
INSPECT = Program("inspect-ai", "0.3.285", "inspect")
OTREE = Program("otree", "6.0.15", "otree")


class Cost(NamedTuple):
    """What one process took."""

    cpu_s: float
    peak_mb: float


class Before(NamedTuple):
    """What the same command cost when every module was imported at once."""

    cpu_s: float
    peak_mb: float

    @property
    def words(self) -> str:
        """Say it for the page."""
        return f"Before imports were deferred (decision 29): {self.cpu_s:.1f} s and {self.peak_mb:.0f} MB."


def help_shown(words: tuple[str, ...], before: Before, program: Program, is_quick: bool) -> Row:
    """Measure help next to that of a peer."""
    n = 2 if is_quick else N_REPEATS
    peer = Peer(f"{program.command} --help", program.version, None)
    try:
        path = str(installed_program(program.package, program.version, program.command))
        theirs = repeated((path, "--help"), n)
        lightest = min(cost.peak_mb for cost in theirs)
        peer = peer._replace(seconds=min(cost.cpu_s for cost in theirs), note=f"{lightest:.0f} MB")
    except NoPeer as error:
        peer = peer._replace(note=f"peer not available: {error}")
    return _row(words, before, repeated(_ours(words), n))._replace(peer=peer, target="< 0.3 s and 80 MB")


def command_run(words: tuple[str, ...], before: Before, is_quick: bool) -> Row:
    """Measure a whole command."""
    return _row(words, before, repeated(_ours(words), 2 if is_quick else N_REPEATS))._replace(target="< 1 s")


def repeated(words: tuple[str, ...], n: int) -> list[Cost]:
    """Run a program several times, after once for the file cache."""
    return [cost_of(words) for _ in range(n + 1)][1:]


def cost_of(words: tuple[str, ...]) -> Cost:
    """Run a program to its end, and return CPU time and peak memory of its process."""
    done = subprocess.run([sys.executable, "-S", "-c", _WATCH, *words], capture_output=True, text=True, check=False)
    status, cpu_s, peak_kb = done.stdout.split()
    if status != "0":
        raise NoPeer(f"{' '.join(words)} ended with {status}")
    return Cost(float(cpu_s), float(peak_kb) / 1024)


def _ours(words: tuple[str, ...]) -> tuple[str, ...]:
    return (sys.executable, "-c", _RUN, *words)


def _row(words: tuple[str, ...], before: Before, costs: list[Cost]) -> Row:
    seconds = [cost.cpu_s for cost in costs]
    return Row(
        what=f"understudy {' '.join(words)}",
        n=1,
        seed=0,
        ours=Timing(min(seconds), max(seconds), len(costs), "cpu"),
        peer=None,
        method=f"CPU time of the whole process, the interpreter included. {before.words}",
        reads=f"{min(cost.peak_mb for cost in costs):.0f} MB at most",
    )


_HELP, _HELP_BEFORE = ("--help",), Before(3.9, 325)
ROWS = (
    Bench("help, with datasette", partial(help_shown, _HELP, _HELP_BEFORE, DATASETTE)),
    Bench("help, with inspect", partial(help_shown, _HELP, _HELP_BEFORE, INSPECT)),
    Bench("help, with otree", partial(help_shown, _HELP, _HELP_BEFORE, OTREE)),
    Bench("help of a command", partial(help_shown, ("serve", "--help"), Before(1.3, 101), DATASETTE)),
    Bench("check", partial(command_run, ("check", "loan-demo"), Before(2.9, 286))),
    Bench("check with pictures", partial(command_run, ("check", "kim2022-demo"), Before(4.6, 439))),
)
