"""Power by simulation agrees with theory, and depends on the seed alone."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import shell
from tests.small_studies import two_group_plain
from understudy.actions.power import PowerQuestion, power_points
from understudy.actions.study_files import write_study
from understudy.schema import Cast, CastMember, Effect, PowerPoint, Ref, Study
from understudy.statistics.t_tests import power_two_sample

CAREFUL = Cast(members=(CastMember(participant=Ref(name="careful"), share=1),))


def one_score_study() -> Study:
    """Two groups, one open number per person: the design whose power is known exactly."""
    plain: dict[str, Any] = two_group_plain()
    plain["item_sets"] = [
        {"name": "cases", "n_items": 1, "dataset": {"name": "listed", "params": {"items": [{"content": {"n": 1}}]}}}
    ]
    score = {"kind": "number", "question_id": "score", "prompt": "How many?"}
    plain["flow"][1]["task"] = {"name": "judge", "params": {"questions": [score]}}
    plain["measures"] = [
        {"name": "score", "measure": {"name": "answer", "params": {"question": "score", "kind": "continuous"}}}
    ]
    plain["plan"]["outcomes"] = [{"name": "accuracy", "measure": "score"}]
    plain["plan"]["hypotheses"][0].update(analysis="independent_t", direction="different")
    return Study.model_validate(plain)


def question(*, sizes: tuple[int, ...], effects: tuple[float, ...], n_simulations: int) -> PowerQuestion:
    on = Effect(when={"explanation": "shown"}, shift=0)
    return PowerQuestion(one_score_study(), Path(), CAREFUL, sizes, effects, on, n_simulations, seed=4)


@pytest.fixture(scope="module")
def points() -> tuple[PowerPoint, ...]:
    return power_points(question(sizes=(15, 40), effects=(0.0, 0.8), n_simulations=300), n_workers=2)


@pytest.mark.slow
def test_simulated_power_agrees_with_the_analytic_power(points: tuple[PowerPoint, ...]) -> None:
    for point in points:
        exact = power_two_sample(point.effect, (point.quota, point.quota))
        error = (exact * (1 - exact) / point.n_simulations) ** 0.5
        assert abs(point.power - exact) < 3.3 * error


@pytest.mark.slow
def test_no_effect_gives_alpha(points: tuple[PowerPoint, ...]) -> None:
    nulls = [point for point in points if point.effect == 0]
    assert len(nulls) == 2
    assert all(abs(point.power - 0.05) < 3.3 * (0.05 * 0.95 / point.n_simulations) ** 0.5 for point in nulls)


def test_one_worker_and_two_give_the_same_numbers() -> None:
    asked = question(sizes=(10,), effects=(0.5,), n_simulations=30)
    assert power_points(asked, n_workers=1) == power_points(asked, n_workers=2)


def test_a_dask_cluster_gives_the_same_numbers(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="the dask extra is not installed")
    file = write_study(one_score_study(), tmp_path / "study.toml")
    asked = ["power", str(file), "--on", "explanation=shown", "--n", "10", "--effects", "0.5", "--simulations", "30",
             "--cast", "careful", "--json"]  # fmt: skip
    with dask_cluster(tmp_path) as address:
        there = understudy(*asked, "--engine", f"dask://{address}")
    assert json.loads(there) == json.loads(shell.understudy(*asked, "--workers", "1").out)


def test_explanations_from_a_dask_cluster_are_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="the dask extra is not installed")
    with dask_cluster(tmp_path) as address:
        understudy("prepare", "simulatability-demo", "--out", str(tmp_path / "there"), "--engine", f"dask://{address}")
    shell.understudy("prepare", "simulatability-demo", "--out", tmp_path / "here", "--workers", "1")
    there, here = (tmp_path / name / "public" / "materials.json" for name in ("there", "here"))
    assert there.read_bytes() == here.read_bytes()


def understudy(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", "understudy", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def dask_cluster(folder: Path) -> Iterator[str]:
    """A scheduler and one worker in processes of their own, on this machine only."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", address.split(":")[1], "--no-dashboard"]
    worker = [
        *dask,
        "worker",
        f"tcp://{address}",
        "--host",
        "127.0.0.1",
        "--nthreads",
        "1",
        "--no-dashboard",
        "--no-nanny",
    ]
    processes = [subprocess.Popen(command, **quiet) for command in (scheduler, worker)]  # type: ignore[call-overload]
    try:
        yield address
    finally:
        for process in processes:
            process.terminate()
            process.wait(timeout=30)
