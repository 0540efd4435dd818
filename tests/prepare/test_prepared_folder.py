"""A prepared folder: the same bytes every time, no answer in its public part, and clear words when it is broken."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.playing import Player, rich_study, stage, study_of
from tests.small_studies import two_groups
from understudy.conduct import Script
from understudy.errors import MaterialsError
from understudy.prepare import prepare, read_prepared, write_prepared
from understudy.schema import Study

SECRET = "zq-answer"
ROOT = Path(__file__).parents[2]
PREPARE_IN_A_PROCESS = """
import sys
from pathlib import Path
from tests.playing import rich_study
from understudy.prepare import prepare, write_prepared
write_prepared(prepare(rich_study(), Path()), Path(sys.argv[1]))
"""


def bytes_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def written(study: Study, folder: Path, root: Path = Path()) -> Path:
    return write_prepared(prepare(study, root), folder)


def secretive() -> Study:
    """Every item has a right answer in words, a hidden stratum and further truths, all of which are secret."""
    items = [
        {
            "content": {"name": f"case {k}"},
            "attributes": {"answer": f"{SECRET}-{k}", "zqstratum": f"zq-kind-{k % 2}", "zqtruth": f"zq-truth-{k}"},
        }
        for k in range(24)
    ]
    sets = [{"name": "cases", "n_items": 12, "strata": ["zqstratum"], "dataset": {"name": "listed", "params": {"items": items}}}]  # fmt: skip
    asks = {"kind": "text", "question_id": "guess", "prompt": "What will it say?"}
    task = {"name": "judge", "params": {"questions": [asks], "keys": {"guess": "answer"}}}
    quiz = {"name": "questionnaire", "params": {"questions": [{**asks, "question_id": "word"}], "answers": {"word": "zq-word"}}}  # fmt: skip
    test = {"kind": "screen", "block_id": "test", "purpose": "comprehension", "task": quiz}
    return study_of(test, {**stage("predict"), "task": task}, item_sets=sets)


def test_the_same_study_prepares_to_the_same_bytes(tmp_path: Path) -> None:
    first, second = (written(rich_study(), tmp_path / name) for name in ("a", "b"))
    assert bytes_in(first) == bytes_in(second)


def test_the_bytes_do_not_depend_on_the_process(tmp_path: Path) -> None:
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", PREPARE_IN_A_PROCESS, str(tmp_path / seed)]
        subprocess.run(command, check=True, env=environment, cwd=tmp_path)
    assert bytes_in(tmp_path / "1") == bytes_in(tmp_path / "2") == bytes_in(written(rich_study(), tmp_path / "here"))


def test_another_seed_draws_other_items() -> None:
    first, second = (prepare(two_groups(seed=seed), Path()).materials.trials for seed in (1, 2))
    assert {value.stimulus_id for value in first.values()} != {value.stimulus_id for value in second.values()}


def test_nothing_in_the_public_folder_tells_an_answer_a_stratum_or_a_truth(tmp_path: Path) -> None:
    folder = written(secretive(), tmp_path)
    assert b"zq" in (folder / "answers.json").read_bytes()
    assert [name for name, content in bytes_in(folder / "public").items() if b"zq" in content] == []


def test_names_of_the_key_stay_out_of_the_public_folder(tmp_path: Path) -> None:
    public = (written(secretive(), tmp_path) / "public" / "materials.json").read_text(encoding="utf-8")
    assert not [word for word in ('"answers"', '"strata"', '"truth"', '"keys"', '"answer"') if word in public]


def test_identifiers_of_trials_do_not_sort_by_answer() -> None:
    prepared = prepare(two_groups(), Path())
    ids = sorted(prepared.key.answers)
    answers = [prepared.key.answers[trial_id]["guess"] for trial_id in ids]
    assert answers not in (sorted(map(str, answers)), sorted(map(str, answers), reverse=True))


def test_what_is_written_is_read_back_whole(tmp_path: Path) -> None:
    prepared = prepare(rich_study(), Path())
    read = read_prepared(write_prepared(prepared, tmp_path))
    assert (read.study, read.materials, read.key) == (prepared.study, prepared.materials, prepared.key)


def test_a_session_from_the_folder_is_the_session_from_memory(tmp_path: Path) -> None:
    made = prepare(rich_study(), Path())
    read = read_prepared(write_prepared(made, tmp_path))
    logs = [Player(Script(one.study, one.materials, one.key), arrival=5).finish().log for one in (made, read)]
    assert logs[0] == logs[1]


def test_assets_are_served_under_the_digest_of_their_content(tmp_path: Path) -> None:
    (tmp_path / "film.webm").write_bytes(b"a film")
    film = {"name": "video", "params": {"asset": "film.webm"}}
    study = study_of({"kind": "screen", "block_id": "film", "purpose": "video", "task": film}, stage("predict"))
    folder = written(study, tmp_path / "out", tmp_path)
    (address,) = read_prepared(folder).files
    assert (folder / "public" / "assets" / address).read_bytes() == b"a film"
    assert address.endswith(".webm")
    assert b"film.webm" not in (folder / "public" / "materials.json").read_bytes()


def test_an_asset_that_is_not_there_is_named(tmp_path: Path) -> None:
    film = {"name": "video", "params": {"asset": "film.webm"}}
    study = study_of({"kind": "screen", "block_id": "film", "purpose": "video", "task": film}, stage("predict"))
    with pytest.raises(MaterialsError, match=r"'film\.webm' is not a file next to the study"):
        prepare(study, tmp_path)


@pytest.mark.parametrize("name", ["study.json", "answers.json", "public/materials.json"])
def test_a_missing_part_is_named(name: str, tmp_path: Path) -> None:
    folder = written(two_groups(), tmp_path)
    (folder / name).unlink()
    with pytest.raises(MaterialsError, match=f"{Path(name).name} is missing.*understudy prepare"):
        read_prepared(folder)


def test_a_file_in_place_of_the_folder_is_not_a_prepared_study(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(MaterialsError, match=r"is a file\. Give the folder"):
        read_prepared(tmp_path / "file")


@pytest.mark.parametrize("content", [b"", b"{", b"{}", b"\xff\xfe"])
@pytest.mark.parametrize("name", ["study.json", "answers.json", "public/materials.json"])
def test_a_damaged_part_is_refused(name: str, content: bytes, tmp_path: Path) -> None:
    folder = written(two_groups(), tmp_path)
    (folder / name).write_bytes(content)
    with pytest.raises(MaterialsError, match=r"are damaged\. Prepare the study again"):
        read_prepared(folder)


@pytest.mark.parametrize("name", ["study.json", "answers.json", "public/materials.json"])
def test_parts_of_different_versions_are_refused(name: str, tmp_path: Path) -> None:
    folder, other = written(two_groups(), tmp_path / "a"), written(two_groups(seed=2), tmp_path / "b")
    (folder / name).write_bytes((other / name).read_bytes())
    with pytest.raises(MaterialsError, match="different versions"):
        read_prepared(folder)


def test_a_changed_text_makes_another_version(tmp_path: Path) -> None:
    folder = written(two_groups(), tmp_path)
    plain: dict[str, Any] = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    (folder / "study.json").write_text(json.dumps({**plain, "title": plain["title"] + "!"}), encoding="utf-8")
    with pytest.raises(MaterialsError, match="different versions"):
        read_prepared(folder)


def test_only_the_owner_can_read_a_run_and_its_answers(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir(mode=0o755)
    (folder / "answers.json").touch(mode=0o644)
    write_prepared(prepare(two_groups(), Path()), folder)
    assert [path.stat().st_mode & 0o777 for path in (folder, folder / "answers.json")] == [0o700, 0o600]
