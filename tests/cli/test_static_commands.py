"""Exporting a folder that needs no server, and collecting what comes back."""

import json
from pathlib import Path

import pytest

from tests.shell import understudy
from tests.workflow.result_files import result_of, small_study, written
from understudy.actions.run_folder import existing_run, new_run
from understudy.protocols import loan_demo


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return new_run(small_study(), tmp_path, tmp_path / "run").folder


def test_export_and_collect_go_together(folder: Path, tmp_path: Path) -> None:
    shown = understudy("export", folder, "--static", tmp_path / "site", "--sessions", 3)
    assert shown.out.splitlines() == [
        f"Wrote {tmp_path / 'site'} with 3 sessions drawn ahead. Upload it to a web host, then open index.html.",
        f"Bring the results back: understudy collect {folder} FILES",
    ]
    file = written(result_of(existing_run(folder)), tmp_path / "result.json")
    collected = understudy("collect", folder, file)
    assert collected.out == "1 new sessions, 0 continued (1 completed); 0 already known; 0 rejected.\n"
    assert json.loads(understudy("status", folder, "--json").out)[0]["kind"] == "person"


def test_collect_counts_as_json(folder: Path, tmp_path: Path) -> None:
    understudy("export", folder, "--static", tmp_path / "site")
    file = written(result_of(existing_run(folder)), tmp_path / "result.json")
    told = json.loads(understudy("collect", folder, file, file, "--json").out)
    assert (told["n_new"], told["n_known"], told["outcomes"], told["faults"]) == (1, 1, {"completed": 1}, [])


def test_collect_names_each_refused_file_and_takes_the_others(folder: Path, tmp_path: Path) -> None:
    understudy("export", folder, "--static", tmp_path / "site")
    good = written(result_of(existing_run(folder)), tmp_path / "good.json")
    bad = written([], tmp_path / "bad.json")
    shown = understudy("collect", folder, bad, tmp_path / "none.json", good)
    assert shown.code == 2
    assert shown.out == "1 new sessions, 0 continued (1 completed); 0 already known; 2 rejected.\n"
    assert sorted(line.split()[0] for line in shown.err.splitlines()) == [f"{bad}:", f"{tmp_path / 'none.json'}"]


def test_collect_before_an_export_knows_no_place(folder: Path, tmp_path: Path) -> None:
    understudy("export", folder, "--static", tmp_path / "site")
    file = written(result_of(existing_run(folder)), tmp_path / "result.json")
    (folder / "places.json").unlink()
    assert "was not drawn from" in understudy("collect", folder, file).err


def test_a_study_that_needs_its_key_is_refused_in_one_sentence(tmp_path: Path) -> None:
    run = new_run(loan_demo(), tmp_path, tmp_path / "run")
    shown = understudy("export", run.folder, "--static", tmp_path / "site")
    assert (shown.code, shown.out) == (2, "")
    assert shown.err.splitlines() == [
        "'loan-demo' needs right answers while people take part, for the results shown by 'result'. A folder without "
        "a server would have to hold them in clear: take that out of the study, use understudy serve, or add "
        "--reveal-answers if people may read them."
    ]


def test_revealing_answers_is_said_aloud(tmp_path: Path) -> None:
    run = new_run(loan_demo(), tmp_path, tmp_path / "run")
    shown = understudy("export", run.folder, "--static", tmp_path / "site", "--reveal-answers", "--sessions", 1)
    assert "It contains the right answers in plain text: anybody who takes part can read them." in shown.out


@pytest.mark.parametrize("option", [["--sessions", "3"], ["--post", "https://lab.example"], ["--reveal-answers"]])
def test_options_of_a_folder_need_one(folder: Path, option: list[str]) -> None:
    assert understudy("export", folder, *option).err == (
        "--sessions, --post and --reveal-answers need --static with a folder.\n"
    )


def test_a_folder_is_no_archive(folder: Path, tmp_path: Path) -> None:
    shown = understudy("export", folder, "--static", tmp_path / "site", "--out", tmp_path / "a.zip")
    assert shown.err == "--static writes a folder of pages; leave out --out, --preregistration and --audio.\n"


def test_the_completion_address_comes_from_the_environment(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_COMPLETION_URL_SMALL", "https://recruiter.example/done?how={outcome}")
    understudy("export", folder, "--static", tmp_path / "site")
    manifest = json.loads((tmp_path / "site" / "manifest.json").read_text())
    assert manifest["redirect"] == "https://recruiter.example/done?how={outcome}"
