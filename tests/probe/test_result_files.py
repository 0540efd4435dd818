"""Results on disk: folders, four tables, one long table, repeated runs."""

from pathlib import Path

import pandas as pd
import pytest

from tests.probe.result_samples import STEMS, Frames, frames, write_folder
from understudy.errors import ResultsError
from understudy.probe import FourResults, probe, results_from_files, results_from_frames

NAMES = {"PP": ("M+", "D+"), "PD": ("M+", "D"), "MP": ("M", "D+"), "MD": ("M", "D")}


def long_table(made: Frames) -> pd.DataFrame:
    return pd.concat([frame.assign(model=NAMES[one][0], data=NAMES[one][1]) for one, frame in made.items()])


def fault_of(*paths: Path) -> str:
    with pytest.raises(ResultsError) as found:
        results_from_files(paths)
    return str(found.value)


def same(found: FourResults, made: Frames) -> bool:
    return bool((found.correctness == results_from_frames(made).correctness).all())


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_folder_of_four_tables_is_read(tmp_path: Path, suffix: str) -> None:
    [found] = results_from_files([write_folder(tmp_path / "rotation", suffix=suffix)])
    assert (found.name, same(found, frames())) == ("rotation", True)


def test_four_paths_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    paths = [folder / f"{STEMS[word]}.csv" for word in ("MD", "MP", "PD", "PP")]
    [found] = results_from_files(paths)
    assert same(found, frames())


def test_one_long_table_is_split_by_model_and_data(tmp_path: Path) -> None:
    long_table(frames()).sample(frac=1, random_state=0).to_csv(tmp_path / "all.csv", index=False)
    [found] = results_from_files([tmp_path / "all.csv"])
    expected = probe(results_from_frames(frames()))
    assert [analysis.p for analysis in probe(found).analyses] == pytest.approx(
        [analysis.p for analysis in expected.analyses]
    )


def test_a_folder_for_each_run_makes_repeats(tmp_path: Path) -> None:
    for seed in (1, 2, 3):
        write_folder(tmp_path / f"seed-{seed}", frames(seed=seed))
    assert [file.name for file in results_from_files([tmp_path])] == ["seed-1", "seed-2", "seed-3"]


def test_a_column_of_runs_makes_repeats(tmp_path: Path) -> None:
    made = {
        stem: pd.concat([frames(seed=seed)[stem].assign(run=seed) for seed in (1, 2)]) for stem in STEMS
    }  # fmt: skip
    found = results_from_files([write_folder(tmp_path, made)])
    assert [one.name for one in found] == ["1", "2"]
    assert same(found[1], frames(seed=2))


def test_a_run_missing_in_one_table_is_named(tmp_path: Path) -> None:
    made = {stem: pd.concat([frames(seed=k)[stem].assign(run=k) for k in (1, 2)]) for stem in STEMS}
    made["MD"] = made["MD"][made["MD"]["run"] == 1]
    assert fault_of(write_folder(tmp_path, made)) == "M.D.csv lacks run 2."


def test_ids_and_labels_stay_as_they_are_written(tmp_path: Path) -> None:
    made = {one: frame.assign(id=[f"{k:04d}" for k in range(400)]) for one, frame in frames().items()}
    [found] = results_from_files([write_folder(tmp_path, made)])
    assert found.ids[7] == "0007"


# Faults


def test_an_empty_folder_says_what_files_are_called(tmp_path: Path) -> None:
    assert fault_of(tmp_path).endswith(
        "contains no results. Its files should be called M_plus.D_plus.csv, M_plus.D.csv, M.D_plus.csv, M.D.csv."
    )


def test_a_missing_table_of_a_folder_is_named(tmp_path: Path) -> None:
    (write_folder(tmp_path) / "M.D.csv").unlink()
    assert fault_of(tmp_path) == f"{tmp_path} lacks M.D.csv (or .parquet)."


def test_two_tables_for_one_set_are_refused(tmp_path: Path) -> None:
    write_folder(tmp_path)
    frames()["MD"].to_parquet(tmp_path / "M.D.parquet")
    assert "has both M.D.csv and M.D.parquet; keep one." in fault_of(tmp_path)


def test_faults_name_the_file(tmp_path: Path) -> None:
    made = frames()
    made["MD"] = made["MD"].iloc[:-1]
    assert fault_of(write_folder(tmp_path, made)).startswith("M.D.csv has 399 rows and lacks 1 of the 400 ids")


def test_files_that_are_not_there_are_all_named(tmp_path: Path) -> None:
    assert len(fault_of(*[tmp_path / f"{k}.csv" for k in range(4)]).splitlines()) == 4


def test_two_paths_are_refused(tmp_path: Path) -> None:
    assert fault_of(tmp_path, tmp_path).startswith(
        "2 paths are given; give one folder, one long table, or four tables."
    )


def test_a_single_table_needs_model_and_data(tmp_path: Path) -> None:
    frames()["MD"].to_csv(tmp_path / "M.D.csv", index=False)
    assert "has no column 'model' and no column 'data'" in fault_of(tmp_path / "M.D.csv")


def test_an_unknown_model_is_refused(tmp_path: Path) -> None:
    long_table(frames()).replace({"model": {"M+": "better"}}).to_csv(tmp_path / "all.csv", index=False)
    assert fault_of(tmp_path / "all.csv").endswith("has 'better' as model; choose from M, M+, M_plus.")


def test_a_missing_combination_is_named(tmp_path: Path) -> None:
    table = long_table(frames())
    table[(table["model"] != "M") | (table["data"] != "D+")].to_csv(tmp_path / "all.csv", index=False)
    assert "has no rows of M on D+" in fault_of(tmp_path / "all.csv")


@pytest.mark.parametrize(
    ("name", "text"), [("a.csv", ""), ("a.csv", "id,truth\n"), ("a.txt", "id"), ("a.parquet", "no")]
)
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert str(tmp_path / name) in fault_of(tmp_path / name)
