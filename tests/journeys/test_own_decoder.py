"""Your own decoder, with ten dials of which two are discrete: from the documented five lines to its measures."""

import json
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.journeys.dials_hands import DialHands, told
from tests.journeys.own_files import DIALS, EDGE, write_large, write_net, write_something_else
from tests.journeys.player_stage import served
from tests.shell import understudy
from understudy.actions.run_folder import existing_run
from understudy.actions.study_files import read_study, write_study
from understudy.measures.dial_paths import dial_path
from understudy.registry import create
from understudy.schema import Event, Ref, ResponseGiven, SessionStarted, Study

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "bring-your-own-decoder.md"


def documented(kind: str, holding: str) -> str:
    """Return the block of the how-to that holds a text."""
    blocks = re.findall(rf"^```{kind}[^\n]*\n(.*?)^```$", HOW_TO.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return next(str(block) for block in blocks if holding in block)


def own_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a stranger's file into a folder, run the five lines there, and write the documented study."""
    monkeypatch.chdir(folder)
    write_net(folder / "net.onnx")
    lines = documented("python", "again.onnx").replace("mine.onnx", "net.onnx").replace("again.onnx", "mine.onnx")
    (folder / "five.py").write_text(lines, encoding="utf-8")
    assert len([line for line in lines.splitlines() if line]) == 5
    runpy.run_path(str(folder / "five.py"))
    (folder / "own.toml").write_text(documented("toml", "mine.onnx"), encoding="utf-8")
    return folder


def questions(events: list[Event]) -> list[list[Event]]:
    """Part a session's events into questions about dials."""
    steps = [event.step for event in events if isinstance(event, ResponseGiven) and "dials" in event.response]
    return [[event for event in events if getattr(event, "step", None) == step] for step in steps]


def test_five_lines_and_two_commands_rehearse_a_strangers_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_folder(tmp_path, monkeypatch)
    checked = understudy("check", "own.toml")
    assert (checked.code, checked.out.split(".")[0]) == (0, "own is valid")
    words: list[str | int] = ["--people", 3, "--cast", "dial_visual_matcher", "--out", "runs/own", "--json"]
    assert understudy("rehearse", "own.toml", *words).code == 0
    run = existing_run(tmp_path / "runs" / "own")
    with run.open_log() as log:
        paths = [dial_path(question) for events in log.sessions("own") for question in questions(list(events))]
    assert [path.n_dials if path else None for path in paths] == [10] * 15
    assert all(path is not None and path.layout.inputs == (3, 2, *[1] * 8) for path in paths)


def test_a_person_plays_it_in_the_browser_and_every_choice_counts_as_a_width(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: Page
) -> None:
    study = read_study(own_folder(tmp_path, monkeypatch) / "own.toml")
    with served(study, tmp_path / "run", root=tmp_path) as stage:
        page.goto(stage.address)
        hands = DialHands(page, stage)
        hands.go_on()
        hands.drawn()
        (first, second), (*_, last) = hands.targets()[:2], hands.targets()
        for place, wanted in ((0, (first + 1) % 3), (1, 1 - second), (0, first), (9, last)):
            hands.turn(place, int(wanted))
            hands.drawn()
        hands.play()
        started, events = told(stage, "question_started"), list(stage.events())
    assert [one["inputs"] for one in started] == [[3, 2, *[1] * 8]] * 5
    by_question = questions(events)
    paths = [dial_path(one) for one in by_question]
    assert [path.n_dials for path in paths if path is not None] == [10] * 5
    scores = [create("measures", Ref(name="slide_distance")).score(one, {}) for one in by_question]
    assert scores == [pytest.approx(path.distance) for path in paths if path is not None]
    choices = [snapshot for snapshot in paths[0].snapshots if snapshot.dial in (0, 1)] if paths[0] else []
    assert [choice.distance for choice in choices] == [1.0] * len(choices)
    assert len(choices) >= 3


def broken_study(folder: Path) -> Path:
    """A study over a file without a card, whose dials stand in the study."""
    plain: dict[str, Any] = read_plain(folder)
    params: Any = {"file": "net.onnx", "dials": DIALS, "shape": [EDGE, EDGE]}
    plain["bindings"] = [{"dataset": {"name": "reconstruction", "params": params}}]
    return write_study(Study.model_validate(plain), folder / "own.yaml")


def read_plain(folder: Path) -> dict[str, Any]:
    (folder / "own.toml").write_text(documented("toml", "mine.onnx"), encoding="utf-8")
    plain: dict[str, Any] = json.loads(read_study(folder / "own.toml").model_dump_json())
    return plain


BROKEN: list[tuple[Callable[[Path], None], str]] = [
    (
        lambda path: write_net(path, n_inputs=10),
        "Decoder 'net' takes inputs of shape ['rows', 10], but its dials make codes of 13 numbers (shape [rows, 13]). "
        "Correct the list of dials, or export the right part of the model.",
    ),
    (
        lambda path: write_net(path, ends_in="Sqrt"),
        "Decoder 'net' gives values that are not finite within the ranges of its dials. Narrow the ranges, or correct the model.",
    ),
    (
        write_large,
        "Decoder 'net' has 200 MiB; a page can take 100. Export it in half precision, or make it smaller.",
    ),
    (
        write_something_else,
        "Decoder 'net' is not an ONNX model that can be run",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("write", "sentence"), BROKEN, ids=["wrong input size", "NaN", "200 MB", "another file"])
@pytest.mark.parametrize("command", ["check", "prepare"])
def test_a_broken_file_gets_one_sentence(
    command: str, write: Callable[[Path], None], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "net.onnx")
    shown = understudy(command, broken_study(tmp_path), *(["--out", "run"] if command == "prepare" else []))
    assert (shown.code, len(shown.err.splitlines())) == (2, 1)
    assert sentence in shown.err


def test_a_sound_file_needs_no_card_when_the_study_says_what_its_dials_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_net(tmp_path / "net.onnx")
    assert understudy("check", broken_study(tmp_path)).code == 0


def test_pca_and_another_model_of_scikit_learn_become_two_conditions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    runpy.run_path(str(Path(__file__).parent / "two_linear_models.py"))
    factor = {"name": "model", "scope": "between", "levels": ["pca", "nmf"]}
    bindings = [
        {"when": {"model": name}, "dataset": {"name": "reconstruction", "params": {"file": f"{name}.onnx", "matched_seed": 1}}}
        for name in ("pca", "nmf")
    ]  # fmt: skip
    study = Study.model_validate({**read_plain(tmp_path), "factors": [factor], "bindings": bindings})
    file = write_study(study, tmp_path / "two.yaml")
    shown = understudy("rehearse", file, "--people", 4, "--cast", "dial_number_watcher", "--out", "run", "--json")
    assert (shown.code, shown.err) == (0, "")
    run = existing_run(tmp_path / "run")
    with run.open_log() as log:
        met = {
            events[0].assignment.condition for events in log.sessions("own") if isinstance(events[0], SessionStarted)
        }
    assert met == {"pca", "nmf"}
