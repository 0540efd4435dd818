"""`understudy probe`, as its user meets it."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tests.probe.result_samples import frames, write_folder
from tests.shell import understudy
from understudy.cli.commands.probe import PathsOrCommands
from understudy.schema import Verdicts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "rotation")


def test_it_prints_results_tests_and_hypotheses(folder: Path) -> None:
    shown = understudy("probe", folder)
    assert shown.code == 0
    assert "Concept: rotation" in shown.out
    assert "400 objects; left out: 0 not in all four tables, 0 missing a value" in shown.out
    assert "Information about rotation is useful to the model. Shown by A1." in shown.out
    assert shown.out.rstrip().splitlines()[-1] == f"Next: understudy probe {folder} --json > verdicts.json"


def test_json_is_the_document_and_nothing_else(folder: Path) -> None:
    found = Verdicts.model_validate_json(understudy("probe", folder, "--json", "--alpha", "0.01").out)
    assert (found.concept, found.alpha, len(found.hypotheses)) == ("rotation", 0.01, 12)


def test_options_may_come_before_the_path(folder: Path) -> None:
    assert understudy("probe", "--json", folder).out == understudy("probe", "results", folder, "--json").out


def test_the_four_tables_can_be_named(folder: Path) -> None:
    named = [f"--{one}={folder / name}.csv" for one, name in (("pp", "M_plus.D_plus"), ("pd", "M_plus.D"), ("mp", "M.D_plus"), ("md", "M.D"))]  # fmt: skip
    found = Verdicts.model_validate_json(understudy("probe", *named, "--json").out)
    whole = Verdicts.model_validate_json(understudy("probe", folder, "--json").out)
    assert found.analyses == whole.analyses


def test_groups_correction_and_test_are_chosen(folder: Path) -> None:
    words = ("--group-by", "size", "--correction", "holm", "--test", "sign_flip", "--json")
    found = Verdicts.model_validate_json(understudy("probe", folder, *words).out)
    assert (found.correction, found.test, [group.name for group in found.groups]) == (
        "holm",
        "sign_flip",
        ["large", "small"],
    )


def test_rule_options_are_taken_by_name(folder: Path) -> None:
    words = ("--option", "caution=vote", "--option", "less_confirms_h4=false", "--json")
    found = Verdicts.model_validate_json(understudy("probe", folder, *words).out)
    assert (found.options.caution, found.options.less_confirms_h4) == ("vote", False)


def test_groups_sizes_and_runs_have_tables(tmp_path: Path) -> None:
    for seed in (1, 2, 3):
        write_folder(tmp_path / "rotation" / f"seed-{seed}", frames(seed=seed))
    shown = understudy("probe", tmp_path / "rotation", "--group-by", "size", "--difference", "0.03")
    assert "3 training runs" in shown.out
    assert "By size" in shown.out
    assert "To see a difference of 0.03 with power 0.8 at threshold 0.05" in shown.out


def test_dropped_objects_are_counted_on_the_screen(tmp_path: Path) -> None:
    made = frames()
    made["MD"] = made["MD"].iloc[:-7]
    shown = understudy("probe", write_folder(tmp_path, made), "--incomplete", "drop")
    assert "393 objects; left out: 7 not in all four tables, 0 missing a value" in shown.out


def test_values_are_scored_by_a_named_function(tmp_path: Path) -> None:
    made = {one: frame.assign(truth=range(400), label=range(1, 401)) for one, frame in frames().items()}
    shown = understudy("probe", write_folder(tmp_path, made), "--correctness", "linear:2", "--json")
    assert Verdicts.model_validate_json(shown.out).results[0].mean == 0.5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "There is no file nowhere."),
        (["--alpha", "0.05"], "Give a folder of results, one or four tables, or --md, --mp, --pd, --pp."),
        (["--md", "a.csv"], "--mp, --pd, --pp is missing"),
        (["a", "--md", "a.csv"], "but not both."),
    ],
)
def test_a_mistake_is_a_sentence_and_exit_code_2(words: list[str], said: str) -> None:
    shown = understudy("probe", *words)
    assert (shown.code, shown.out) == (2, "")
    assert said in shown.err


def test_a_table_in_another_encoding_is_named(folder: Path) -> None:
    (folder / "M.D.csv").write_bytes("id,truth,label\n0,Stra\u00dfe,x\n".encode("latin-1"))
    assert understudy("probe", folder).err.strip().endswith("M.D.csv is not written in UTF-8. Save it as CSV in UTF-8.")


@pytest.mark.parametrize("option", ["caution=never", "colour=red", "less_confirms_h4"])
def test_an_unknown_option_lists_the_known_ones(folder: Path, option: str) -> None:
    shown = understudy("probe", folder, "--option", option)
    assert shown.code == 2
    assert "Choose from: score (certain by default or as_printed or correctness);" in shown.err


def test_help_of_the_group_and_of_results_show_examples() -> None:
    assert "Example: understudy probe results/rotation --alpha 0.01" in understudy("probe", "--help").out
    assert "--group-by" in understudy("probe", "results", "--help").out


def test_another_command_of_the_group_is_not_taken_for_a_path() -> None:
    app = typer.Typer(cls=PathsOrCommands)
    app.command("results")(lambda path: typer.echo(f"results {path}"))
    app.command("run")(lambda concept: typer.echo(f"run {concept}"))
    said = [CliRunner().invoke(app, words).stdout for words in (["run", "rotation"], ["folder"], ["results", "run"])]
    assert said == ["run rotation\n", "results folder\n", "results run\n"]


def test_no_word_at_all_shows_the_help() -> None:
    assert "Usage:" in understudy("probe").out
