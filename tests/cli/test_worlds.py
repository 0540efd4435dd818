"""`understudy worlds`, as its user meets it."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.shell import understudy
from tests.workflow.worlds.picture_files import write_reddener
from tests.workflow.worlds.small_world import WORLD
from understudy.schema import relevance_key_from_text
from understudy.worlds.world import toml_from_world

MINE = """
name = "mine"
classes = ["a", "b"]
{more}
[[attributes]]
name = "hue"
low = 0
high = 1
law = {{ kind = "{kind}", {law} }}
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(toml_from_world(WORLD), encoding="utf-8")
    return path


def written(folder: Path, *, kind: str = "uniform", law: str = "low = 0, high = 1", more: str = "") -> Path:
    path = folder / "faulty.toml"
    path.write_text(MINE.format(kind=kind, law=law, more=more), encoding="utf-8")
    return path


def test_without_a_command_the_worlds_are_listed() -> None:
    shown = understudy("worlds")
    assert shown.code == 0
    assert "sixt2022-code" in shown.out
    assert "what the code of its study draws" in " ".join(shown.out.split())
    assert shown.out.splitlines()[-1] == "Next: understudy worlds audit sixt2022"
    assert [*json.loads(understudy("worlds", "--json").out)] == ["sixt2022", "sixt2022-code"]


def test_rows_come_as_csv_on_the_screen_or_in_a_file(tmp_path: Path, mine: Path) -> None:
    shown = understudy("worlds", "sample", mine, "--n", 5)
    assert len(shown.out.splitlines()) == 6
    wrote = understudy("worlds", "sample", mine, "--n", 5, "--out", tmp_path / "rows.csv")
    assert wrote.out == f"Wrote 5 rows to {tmp_path / 'rows.csv'}.\nNext: understudy worlds audit {mine}\n"
    assert (tmp_path / "rows.csv").read_text() == shown.out
    assert len(json.loads(understudy("worlds", "sample", mine, "--n", 5, "--json").out)) == 5


def test_an_unbiased_sample_keeps_only_what_is_named(mine: Path) -> None:
    plain, unbiased, kept = (
        pd.DataFrame(json.loads(understudy("worlds", "sample", mine, "--n", 300, "--json", *more).out))
        for more in ((), ("--unbiased",), ("--unbiased", "--keep", "hue"))
    )
    means = [table.groupby("class")["hue"].mean() for table in (plain, unbiased, kept)]
    gaps = [mean["warm"] - mean["cold"] for mean in means]
    assert gaps[0] == gaps[2] > 0.3 > abs(gaps[1])
    assert "--keep belongs to --unbiased" in understudy("worlds", "sample", mine, "--keep", "hue").err


def test_an_audit_says_what_attributes_give_away(mine: Path) -> None:
    pytest.importorskip("sklearn", reason="needs the extra sklearn")
    shown = understudy("worlds", "audit", mine, "--n-train", 500, "--n-test", 200)
    assert shown.code == 0
    assert "Boosted trees find the class of" in shown.out
    assert shown.out.splitlines()[-1] == f"Next: understudy worlds sheet {mine} --out sheet.png"
    plain = json.loads(understudy("worlds", "audit", mine, "--n-train", 500, "--n-test", 200, "--json").out)
    assert plain["rules"][0]["attributes"] == ["hue"]
    assert plain["trees"]["importances"]["hue"] > 0.8


def test_pictures_are_drawn_into_shards_and_found_again(tmp_path: Path, mine: Path) -> None:
    pytest.importorskip("numba", reason="needs the extra scenes")
    words = ("worlds", "render", mine, tmp_path / "pictures", "--n", 6, "--edge", 16)
    shown = understudy(*words)
    assert shown.code == 0
    assert f"Next: understudy worlds importance {mine} --model model.onnx --edge 16" in shown.out
    shard = tmp_path / "pictures" / "pictures-00000.npy"
    assert np.load(shard).shape == (6, 16, 16, 3)
    before = shard.stat().st_mtime_ns
    assert understudy(*words).code == 0
    assert shard.stat().st_mtime_ns == before
    assert "holds other pictures" in understudy(*words, "--seed", 2).err


def test_a_sheet_and_a_figure_of_joint_distributions_are_drawn(tmp_path: Path, mine: Path) -> None:
    pytest.importorskip("numba", reason="needs the extra scenes")
    sheet, figure = tmp_path / "sheet.png", tmp_path / "joint.svg"
    drawn = understudy("worlds", "sheet", mine, "--out", sheet, "--rows", 1, "--columns", 2, "--edge", 16)
    assert drawn.code == 0
    assert sheet.read_bytes().startswith(b"\x89PNG")
    assert understudy("worlds", "sheet", "sixt2022", "--joint", "legs", "--out", figure).code == 0
    text = figure.read_text()
    assert all(name in text for name in ("background", "shape", "hue", "Peeky", "Stretchy"))


def test_importance_is_a_table_and_a_key(tmp_path: Path, mine: Path) -> None:
    pytest.importorskip("numba", reason="needs the extra scenes")
    model = write_reddener(tmp_path / "model.onnx")
    words = ("worlds", "importance", mine, "--model", model, "--n", 60)
    shown = understudy(*words, "--out", tmp_path / "key.json")
    assert shown.code == 0
    assert "Relevance: colour relevant, wall relevant, posture undecided." in shown.out
    assert "paper" not in shown.out
    key = relevance_key_from_text((tmp_path / "key.json").read_text(), "key.json")
    assert (key.model, key.edge, key.n) == ("model", 16, 60)
    assert relevance_key_from_text(understudy(*words, "--json").out, "screen") == key


def test_the_table_of_the_papers_world_shows_the_papers_numbers(tmp_path: Path) -> None:
    pytest.importorskip("numba", reason="needs the extra scenes")
    model = write_reddener(tmp_path / "model.onnx")
    shown = understudy("worlds", "importance", "sixt2022", "--model", model, "--n", 20)
    assert "0.933" in shown.out
    assert "Tables 1 and 3 of Sixt et al. (2022)" in shown.out
    again = f"Next: understudy worlds importance sixt2022 --model {model} --n 20 --out answer_key.json"
    assert shown.out.splitlines()[-1] == again


def test_another_threshold_is_said_to_be_chosen_by_hand(tmp_path: Path, mine: Path) -> None:
    pytest.importorskip("numba", reason="needs the extra scenes")
    model = write_reddener(tmp_path / "model.onnx")
    shown = understudy("worlds", "importance", mine, "--model", model, "--n", 20, "--threshold", "0.97", "--json")
    key = relevance_key_from_text(shown.out, "screen")
    assert (key.rule.r_squared, key.rule.reason) == (0.97, "The threshold was chosen by hand.")


@pytest.mark.parametrize(
    ("faults", "said"),
    [
        ({"law": "low = -1, high = 2"}, "'hue' is drawn from -1 to 2, outside its bounds 0 to 1."),
        ({"more": "prior = [1, 0]"}, "The class 'b' never occurs: its prior is not above 0."),
        (
            {
                "kind": "between",
                "law": 'low = 0, high = { parent = "hue", intercept = 0, slope = 1, low = 0, high = 1 }',
            },
            "Causes go in a circle: hue depends on hue.",
        ),
        (
            {
                "kind": "between",
                "law": 'low = 0, high = { parent = "tail", intercept = 0, slope = 1, low = 0, high = 1 }',
            },
            "'hue' depends on 'tail', which is not an attribute.",
        ),
    ],
    ids=["outside its bounds", "a class that never occurs", "circular causes", "unknown attribute"],
)
def test_a_faulty_world_is_refused_in_one_sentence(tmp_path: Path, faults: dict[str, str], said: str) -> None:
    shown = understudy("worlds", "sample", written(tmp_path, **faults))
    assert (shown.code, shown.out) == (2, "")
    assert shown.err.startswith(said)
    assert len(shown.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("sample", "sixt2023"), "'sixt2023' is not a world. Choose from:"),
        (("sheet", "sixt2022", "--joint", "tail"), "has no attribute 'tail'"),
        (("sheet", "sixt2022", "--against", "legs"), "--against belongs to --joint"),
        (("sheet", "sixt2022", "--joint", "legs", "--out", "figure.jpg"), "ends in '.jpg'; draw to .svg or .png"),
        (("sample", "sixt2022", "--unbiased", "--keep", "tail"), "has no attribute 'tail'"),
        (("importance", "sixt2022", "--model", "none.onnx"), "none.onnx is not a file"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(words: tuple[str, ...], said: str) -> None:
    shown = understudy("worlds", *words)
    assert shown.code == 2
    assert said in shown.err
    assert len(shown.err.splitlines()) == 1


def test_a_file_that_is_no_model_and_a_model_of_another_size_are_refused(tmp_path: Path, mine: Path) -> None:
    (tmp_path / "text.onnx").write_text("hello")
    shown = understudy("worlds", "importance", mine, "--model", tmp_path / "text.onnx")
    assert "is not an ONNX model that can be run" in shown.err
    model = write_reddener(tmp_path / "grey.onnx", (1, 16, 16))
    assert "takes pictures with 1 channels" in understudy("worlds", "importance", mine, "--model", model).err
