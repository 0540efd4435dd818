"""Journey: a second server or a rehearsal on a folder that is served is sent away; a dead server keeps nobody out."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.workflow.study_file import write_study

IN_USE = "is in use by another understudy serve or rehearse; stop that one first"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return write_study(two_groups(), tmp_path / "study.toml")


@pytest.fixture
def folder(study: Path, tmp_path: Path) -> Path:
    understudy("prepare", study, "--out", tmp_path / "run")
    return tmp_path / "run"


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """Serve a folder in a process of its own, from the moment it says so."""
    words = [sys.executable, "-m", "understudy", "serve", str(folder), "--port", str(free_port()), "--web", str(folder)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("Participants:")
            yield process
        finally:
            process.kill()


def test_a_second_server_gets_one_sentence_and_exit_code_2(folder: Path) -> None:
    with serving(folder):
        second = understudy("serve", folder, "--port", free_port(), "--web", folder)
    assert (second.code, second.out) == (2, "")
    assert IN_USE in second.err
    assert len(second.err.strip().splitlines()) == 1


def test_a_rehearsal_stays_out_of_a_served_folder(study: Path, folder: Path) -> None:
    with serving(folder):
        rehearsal = understudy("rehearse", study, "--out", folder)
    assert rehearsal.code == 2
    assert IN_USE in rehearsal.err


def test_a_killed_server_leaves_its_folder_free(folder: Path) -> None:
    with serving(folder) as first:
        first.kill()
        first.wait()
        assert first.returncode == -signal.SIGKILL
        with serving(folder) as second:
            assert second.poll() is None


def test_a_folder_given_twice_is_told_as_that(folder: Path) -> None:
    shown = understudy("serve", folder, folder, "--port", free_port(), "--web", folder)
    assert (shown.code, "is given twice" in shown.err) == (2, True)
