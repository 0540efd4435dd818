"""`understudy analyze`, as its user meets it."""

import json
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.table_samples import plain, write_plan, write_table
from understudy.cli.main import run
from understudy.schema import Findings


class Shown(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> "Shell":
    monkeypatch.setenv("COLUMNS", "160")
    return Shell(monkeypatch, capsys)


class Shell:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *words: str | Path) -> Shown:
        self._monkeypatch.setattr(sys, "argv", ["understudy", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            run()
        captured = self._capsys.readouterr()
        return Shown(int(ended.value.code or 0), captured.out, captured.err)


def test_it_prints_a_summary_to_read(shell: Shell, tmp_path: Path) -> None:
    shown = shell("analyze", write_table(tmp_path), "--plan", write_plan(tmp_path, plain()))
    assert shown.code == 0
    assert "An answer under 100 ms" in shown.out
    assert "Published and recomputed: 1 of 2 agree to the printed digit" in shown.out
    assert shown.out.strip().splitlines()[-1].startswith("Next: understudy analyze")


def test_json_is_the_findings_record_and_nothing_else(shell: Shell, tmp_path: Path) -> None:
    shown = shell("analyze", write_table(tmp_path), "--plan", write_plan(tmp_path, plain()), "--json")
    findings = Findings.model_validate(json.loads(shown.out))
    assert (findings.title, findings.flow.n_analysed) == ("A small table", 4)


def test_two_runs_give_the_same_findings(shell: Shell, tmp_path: Path) -> None:
    words = ("analyze", write_table(tmp_path), "--plan", write_plan(tmp_path, plain()), "--json")
    assert shell(*words) == shell(*words)


def test_the_findings_name_their_data_and_software(shell: Shell, tmp_path: Path) -> None:
    shown = shell("analyze", write_table(tmp_path), "--plan", write_plan(tmp_path, plain()), "--json", "--seed", "7")
    provenance = Findings.model_validate_json(shown.out).provenance
    assert (provenance.seed, provenance.is_synthetic, len(provenance.data_digest)) == (7, False, 64)
    assert {"understudy", "python", "scipy"} <= set(provenance.software)


def test_a_mistake_is_a_sentence_and_exit_code_2(shell: Shell, tmp_path: Path) -> None:
    shown = shell("analyze", tmp_path / "none.csv", "--plan", write_plan(tmp_path, plain()))
    assert (shown.code, shown.out) == (2, "")
    assert shown.err == f"There is no file {tmp_path / 'none.csv'}. Give the path of a .csv or .parquet table.\n"


def test_every_mistake_has_a_line_of_its_own(shell: Shell, tmp_path: Path) -> None:
    table = plain()["table"] | {"participant": "id", "item": "thing"}
    shown = shell("analyze", write_table(tmp_path), "--plan", write_plan(tmp_path, plain(table=table)))
    assert shown.code == 2
    assert [line.split(",")[0] for line in shown.err.splitlines()] == [
        "The column of participants is 'id'",
        "The column of items is 'thing'",
    ]


def test_help_shows_an_example(shell: Shell) -> None:
    assert "understudy analyze responses.csv --plan plan.toml" in shell("analyze", "--help").out


def test_it_warns_of_tests_without_a_family_and_of_words_against_the_direction(shell: Shell, tmp_path: Path) -> None:
    arm = {"outcome": "accuracy", "factor": "arm", "direction": "greater"}
    wrong = {"hypothesis_id": "h1", "claim": "Accuracy is lower with helped.", "analysis": "welch_t", **arm}
    again = {"hypothesis_id": "h2", "claim": "Accuracy differs.", "analysis": "independent_t", **arm}
    plan = plain()["plan"] | {"hypotheses": [wrong, again]}
    shown = shell("analyze", write_table(tmp_path), "--plan", write_plan(tmp_path, plain(plan=plan)))
    said = " ".join(shown.out.split())
    assert "Warning: Hypotheses h1, h2 test one outcome several times without a family" in said
    assert (
        "Warning: Hypothesis 'h1' says 'lower' in its claim, but the plan claims 'greater' (helped minus plain)."
        in said
    )
