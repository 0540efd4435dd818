"""The commands that take a study: new, check, prepare, rehearse, power, preregister, demo."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.shell import understudy
from tests.small_studies import helped_flow, two_groups
from understudy.actions.study_files import read_study, write_study
from understudy.schema import Findings, PowerPoint


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands with a default folder write into the test's own."""
    monkeypatch.chdir(tmp_path)


def study_file(name: str = "study.toml", **changes: Any) -> Path:
    return write_study(two_groups(**{"assignment": {"quota": 4}, **changes}), Path(name))


@pytest.mark.parametrize("name", ["mine.toml", "mine.yaml"])
def test_new_writes_a_sound_study_of_that_name(name: str) -> None:
    shown = understudy("new", name)
    assert (shown.code, shown.out) == (0, f"Wrote {name}. Change it, then: understudy check {name}\n")
    assert read_study(Path(name)).name == "mine"
    assert understudy("check", name).code == 0


def test_new_never_overwrites() -> None:
    Path("mine.toml").write_text("mine", encoding="utf-8")
    shown = understudy("new", "mine.toml")
    assert (shown.code, shown.err) == (2, "mine.toml exists already. Choose another name, so that nothing is lost.\n")
    assert Path("mine.toml").read_text(encoding="utf-8") == "mine"


NEW_MISTAKES: dict[tuple[str, ...], str] = {
    ("mine.toml", "--like", "other"): "'other' is not a ready study. Choose from: ",
    ("mine.txt",): "mine.txt ends in '.txt'; write a study to .toml or .yaml.",
    ("my study.toml",): "The file's name becomes the study's: name is 'my study', but must be a name: letters, ",
    ("nowhere/mine.toml",): "nowhere/mine.toml cannot be read or written: no such file or directory. Check the path",
}


@pytest.mark.parametrize("words", NEW_MISTAKES, ids=" ".join)
def test_new_refuses_with_a_sentence_and_writes_nothing(words: tuple[str, ...]) -> None:
    shown = understudy("new", *words)
    assert (shown.code, shown.err[: len(NEW_MISTAKES[words])]) == (2, NEW_MISTAKES[words])
    assert list(Path().iterdir()) == []


def test_check_says_what_the_study_holds_and_what_comes_next() -> None:
    shown = understudy("check", study_file(flow=helped_flow()))
    version = two_groups(assignment={"quota": 4}, flow=helped_flow()).digest[:12]
    lines = shown.out.splitlines()
    assert lines.pop(5).startswith(
        "Identity: Plain links carry an id and no proof. A stranger who knows somebody's id could"
    )
    assert lines.pop(5).startswith(
        "Warning: The consent page 'consent' does not say: institution (who runs the study),"
    )
    assert lines == [
        f"two-groups is valid. Conditions: 2, stages: 1, hypotheses: 1. Version {version}.",
        "Shortcuts: 1 simple rule tried on 1 question with known answers.",
        "  In predict, the rule “always answer 'yes'” is right on 50% of 12 items (25% to 75% with 95% confidence), the best "
        "of 1 rule. Guessing is right on 75% or less in 95% of cases, so this may be luck.",
        "  With 12 items, a shortcut that is right on at least 87% of such items is noticed 80% of the time; weaker ones may "
        "go unnoticed.",
        "Secrecy: No reply tells whether answers are right, so nobody can find them by trying again.",
        "Next: understudy rehearse study.toml --out runs/two-groups",
    ]


def test_check_takes_a_ready_study() -> None:
    assert understudy("check", "loan-demo").code == 0


def test_an_unknown_study_is_refused_with_the_nearest_one() -> None:
    shown = understudy("check", "lone-demo")
    assert (shown.code, shown.out) == (2, "")
    assert shown.err.startswith(
        "'lone-demo' is not a ready study. Did you mean 'loan-demo'? Otherwise, give a study file"
    )
    assert "hase2020" not in shown.err


def test_prepare_keeps_the_answers_out_of_the_public_folder() -> None:
    shown = understudy("prepare", study_file(), "--out", "run")
    assert shown.out.startswith("Prepared 14 trials and 0 files in run.\n")
    assert sorted(path.name for path in Path("run").iterdir()) == ["answers.json", "public", "study.json"]


def test_prepare_sends_people_to_a_folder_that_lets_them_in() -> None:
    understudy("rehearse", study_file(), "--out", "run", "--people", 2)
    shown = understudy("prepare", study_file(), "--out", "run")
    assert shown.out.splitlines()[-1] == "Next, for people: understudy prepare study.toml --out run-people"
    assert understudy("prepare", study_file(), "--out", "run-people").out.endswith("serve run-people\n")


def test_rehearse_as_json_is_the_findings_record_marked_synthetic() -> None:
    shown = understudy("rehearse", study_file(), "--out", "run", "--json", "--effect", "explanation=shown:1.5")
    findings = Findings.model_validate_json(shown.out)
    assert (shown.code, findings.provenance.is_synthetic, findings.flow.n_analysed) == (0, True, 8)


def test_rehearse_says_that_its_people_are_simulated() -> None:
    shown = understudy("rehearse", study_file(), "--people", 6)
    assert "SYNTHETIC: simulated people, not evidence about people." in shown.out
    assert shown.out.splitlines()[-1] == "Next: understudy report runs/two-groups"


def test_rehearse_says_that_there_are_fewer_places_than_people() -> None:
    shown = understudy("rehearse", study_file(), "--people", 12, "--json")
    assert shown.err.startswith("12 people were requested, but the study has places for 8, so 8 took part.")
    assert Findings.model_validate_json(shown.out).provenance.is_synthetic


@pytest.mark.parametrize("out", ["afile", "afile/run"])
@pytest.mark.parametrize("command", ["rehearse", "prepare"])
def test_a_file_in_place_of_a_folder_is_one_sentence(command: str, out: str) -> None:
    Path("afile").write_text("x")
    shown = understudy(command, study_file(), "--out", out)
    assert (shown.code, "afile is a file, and a run needs a folder." in shown.err) == (2, True)


def test_a_second_rehearsal_into_the_same_folder_is_refused() -> None:
    understudy("rehearse", study_file(), "--out", "run", "--people", 2)
    shown = understudy("rehearse", "study.toml", "--out", "run", "--people", 2)
    assert shown.code == 2
    assert "run already holds sessions; simulated and real people are never mixed" in shown.err


def test_a_folder_with_events_of_another_version_is_refused() -> None:
    understudy("rehearse", study_file(), "--out", "run", "--people", 2)
    shown = understudy("rehearse", study_file("other.toml", title="Another"), "--out", "run")
    digest = two_groups(assignment={"quota": 4}).digest[:12]
    assert (shown.code, shown.err) == (
        2,
        f"run holds events of another version of 'two-groups' ({digest}). "
        "Choose another folder, so that the two are never mixed.\n",
    )


REHEARSE_MISTAKES: dict[tuple[str, ...], str] = {
    ("--effect", "explanation=shown"): "'explanation=shown' is not an effect. Write factor=level:shift, such as ",
    (
        "--effect",
        "explanation=loud:1",
    ): "'explanation=loud' names no level of this study. Choose from: explanation=shown",
    ("--effect", "explanation=shown:inf"): "'explanation=shown:inf' is not an effect.",
    ("--cast", "nobody"): "'nobody' is not a cast. Choose from: mixed, dials, relevance",
    ("--cast", "cast.toml"): "cast.toml cannot be read: no such file or directory. Check the path.",
    ("--cast", "cast.txt"): "cast.txt ends in '.txt'. Give a file that ends in .toml, .yaml, .yml, .json.",
}


@pytest.mark.parametrize("words", REHEARSE_MISTAKES, ids=" ".join)
def test_rehearse_refuses_with_a_sentence_before_it_writes(words: tuple[str, ...]) -> None:
    shown = understudy("rehearse", study_file(), "--out", "run", *words)
    assert (shown.code, shown.err[: len(REHEARSE_MISTAKES[words])]) == (2, REHEARSE_MISTAKES[words])
    assert not Path("run").exists()


def test_power_as_json_is_one_point_for_each_cell() -> None:
    grid = ("--n", "3,4", "--effects", "0,2", "--simulations", 2, "--workers", 1)
    shown = understudy("power", study_file(), "--on", "explanation=shown", *grid, "--json")
    points = [PowerPoint.model_validate(record) for record in json.loads(shown.out)]
    assert [(point.quota, point.effect, point.n_simulations) for point in points] == [
        (3, 0, 2), (3, 2, 2), (4, 0, 2), (4, 2, 2),
    ]  # fmt: skip


def test_power_says_that_it_is_simulated_and_draws_its_curves() -> None:
    grid = ("--n", "3", "--effects", "0,2", "--simulations", 1, "--workers", 1, "--figure", "power.svg")
    shown = understudy("power", study_file(), "--on", "explanation=shown", *grid)
    assert "SIMULATED: share of 1 studies that support each hypothesis" in shown.out
    assert Path("power.svg").read_text(encoding="utf-8").startswith("<svg")


POWER_MISTAKES: dict[tuple[str, ...], str] = {
    ("--on", "explanation"): "'explanation' is not a level. Write factor=level, such as explanation=shown.",
    ("--on", "explanation=loud"): "'explanation=loud' names no level of this study.",
    ("--on", "explanation=shown", "--n", "ten"): "--n is 'ten'; give whole numbers separated by commas, such as 20,40",
    ("--on", "explanation=shown", "--n", "2.5"): "--n is '2.5'; give whole numbers",
    ("--on", "explanation=shown", "--n", "0,5"): "--n is '0,5'; every size must be at least 1.",
    ("--on", "explanation=shown", "--n", "9" * 30): f"--n is '{'9' * 30}'; every size must be at most 1,000,000.",
    (
        "--on",
        "explanation=shown",
        "--items",
        "100000000",
    ): "--items is '100000000'; every size must be at most 100,000.",
    (
        "--on",
        "explanation=shown",
        "--effects",
        "big",
    ): "--effects is 'big'; give numbers separated by commas, such as 0",
    ("--on", "explanation=shown", "--effects", "nan"): "--effects is 'nan'; every number must be finite.",
    ("--on", "explanation=shown", "--engine", "ray"): "--engine is 'ray'; give local, or dask://host:port of a Dask",
    ("--on", "explanation=shown", "--figure", "a.bmp"): "a.bmp ends in '.bmp'; draw to .svg or .png.",
    ("--on", "explanation=shown", "--cast", "nobody"): "'nobody' is not a cast.",
}


@pytest.mark.parametrize("words", POWER_MISTAKES, ids=" ".join)
def test_power_refuses_with_a_sentence_before_it_simulates(words: tuple[str, ...]) -> None:
    shown = understudy("power", study_file(), "--workers", 1, *words)
    assert (shown.code, shown.out, shown.err[: len(POWER_MISTAKES[words])]) == (2, "", POWER_MISTAKES[words])


def test_preregister_writes_the_form_and_its_digest() -> None:
    shown = understudy("preregister", study_file(), "--out", "frozen", "--authors", "A. Author")
    frozen = json.loads(Path("frozen/two-groups.preregistration.json").read_text(encoding="utf-8"))
    assert (shown.code, frozen["study_digest"]) == (0, read_study(Path("study.toml")).digest)
    assert "A. Author" in Path("frozen/two-groups.preregistration.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", ["--run", "--timestamp-token"])
def test_preregister_writes_nothing_if_another_file_is_missing(option: str) -> None:
    shown = understudy("preregister", study_file(), "--out", "frozen", option, "nowhere")
    assert (shown.code, Path("frozen").exists()) == (2, False)


def test_preregister_refuses_another_version_in_the_same_folder() -> None:
    understudy("preregister", study_file())
    shown = understudy("preregister", study_file("other.toml", title="Another"))
    assert shown.code == 2
    assert "freezes another version of 'two-groups'" in shown.err


def test_demo_once_ends_with_a_json_summary_that_says_synthetic() -> None:
    shown = understudy("demo", "--once", "--out", "run", "--people", 24)
    summary = json.loads(shown.out.splitlines()[-1])
    assert (shown.code, summary["synthetic"], summary["recruited"]) == (0, True, 24)
    assert Path(summary["report"]).is_file()
    assert understudy("demo", "--once", "--out", "run", "--people", 2).code == 2


def test_demo_once_comes_out_the_same_for_a_seed() -> None:
    once = [understudy("demo", "--once", "--people", 16, "--seed", 5, "--out", name).out for name in ("one", "two")]
    first, second = (json.loads(one.splitlines()[-1]) for one in once)
    assert first.pop("report") != second.pop("report")
    assert first == second
