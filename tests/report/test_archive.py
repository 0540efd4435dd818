import gzip
import json
import re
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from tests.report import report_samples as samples
from understudy.errors import LogError, TableError, UnderstudyError
from understudy.parquet import write_frame
from understudy.report import ArchiveContents, ArchiveTable, write_archive
from understudy.schema import (
    Assignment,
    CodebookEntry,
    Event,
    Interacted,
    SessionStarted,
    Study,
    event_from_json,
)

DATA_FILE = re.compile(r"([a-z]+-[a-zA-Z0-9]+)(_[a-z]+-[a-zA-Z0-9]+)*_data\.csv")
OFFICIAL = {"study", "site", "subject", "session", "task", "condition", "trial", "stimulus", "description"}


def session(k: int, *, n_events: int = 2, kind: str = "person") -> tuple[Event, ...]:
    name = f"s{k}"
    start = SessionStarted.model_validate(
        {
            "session_id": name,
            "seq": 1,
            "at_ms": k,
            "study_name": "saliency-helps",
            "study_digest": "d",
            "participant_id": f"p{k}",
            "participant_kind": kind,
            "assignment": Assignment(arrival=k, condition="none", levels={}, seed=k),
        }
    )
    moves = [
        Interacted(session_id=name, seq=j + 1, at_ms=j, step=0, trial_id="t", action="move", payload={"z": [0.5] * 8})
        for j in range(n_events - 1)
    ]
    return (start, *moves)


def contents(**changes: object) -> ArchiveContents:
    trials = pd.DataFrame({"session_id": ["s0", "s1"], "correct": [1.0, None], "text": ['a "b", c', "line\nbreak"]})
    sessions = pd.DataFrame({"session_id": ["s0", "s1"], "minutes": [12.5, 14.0]})
    who = CodebookEntry(variable="session_id", description="Pseudonym of the session.", type="text", source="log")
    right = CodebookEntry(variable="correct", description="Right answer.", scale="binary", levels=("0", "1"))
    words = CodebookEntry(variable="text", description="What they wrote | why.", type="text")
    minutes = CodebookEntry(variable="minutes", description="Length.", unit="min", scale="time")
    whole: dict[str, object] = {
        "study": samples.study(),
        "trials": ArchiveTable(trials, (who, right, words)),
        "sessions": ArchiveTable(sessions, (who, minutes)),
        "is_synthetic": False,
        "version": "0.1.0",
        "events": iter([session(0), session(1)]),
        "findings": samples.findings(),
    }
    return ArchiveContents(**(whole | changes))  # type: ignore[arg-type]


def test_the_archive_keeps_the_rules_of_psych_ds(tmp_path: Path) -> None:
    with zipfile.ZipFile(write_archive(tmp_path / "a.zip", contents())) as archive:
        about = json.loads(archive.read("dataset_description.json"))
        tables = {name: archive.read(name) for name in archive.namelist() if name.endswith("_data.csv")}
    assert about["@context"] == "https://schema.org/"
    assert about["@type"] == "Dataset"
    assert about["name"]
    assert about["description"]
    described = {variable["name"] for variable in about["variableMeasured"]}
    assert len(tables) == 2
    for name, table in tables.items():
        assert DATA_FILE.fullmatch(name.removeprefix("data/"))
        assert set(re.findall(r"([a-z]+)-", name)) <= OFFICIAL
        assert set(table.decode().splitlines()[0].split(",")) <= described


def test_the_archive_holds_everything_once_in_order(tmp_path: Path) -> None:
    with zipfile.ZipFile(write_archive(tmp_path / "a.zip", contents())) as archive:
        assert archive.namelist() == [
            ".psychdsignore",
            "CHANGES.md",
            "README.md",
            "data/parquet/study-saliencyhelps_description-sessions_data.parquet",
            "data/parquet/study-saliencyhelps_description-trials_data.parquet",
            "data/raw/study-saliencyhelps_description-events.jsonl",
            "data/study-saliencyhelps_description-sessions_data.csv",
            "data/study-saliencyhelps_description-sessions_data.json",
            "data/study-saliencyhelps_description-trials_data.csv",
            "data/study-saliencyhelps_description-trials_data.json",
            *samples.DESCRIPTIVE_FILES,
            "results/findings.json",
        ]


def test_the_same_contents_give_the_same_bytes(tmp_path: Path) -> None:
    first = write_archive(tmp_path / "a.zip", contents()).read_bytes()
    assert write_archive(tmp_path / "b.zip", contents()).read_bytes() == first


def test_the_study_in_the_archive_is_the_study(tmp_path: Path) -> None:
    with zipfile.ZipFile(write_archive(tmp_path / "a.zip", contents())) as archive:
        kept = Study.model_validate_json(archive.read("materials/study.json"))
        digests = json.loads(archive.read("materials/digests.json"))
    assert kept == samples.study()
    assert digests["study"] == samples.study().digest


def test_both_forms_of_a_table_hold_the_same_rows(tmp_path: Path) -> None:
    with zipfile.ZipFile(write_archive(tmp_path / "a.zip", contents())) as archive:
        stem = "study-saliencyhelps_description-trials_data"
        with archive.open(f"data/{stem}.csv") as csv, archive.open(f"data/parquet/{stem}.parquet") as parquet:
            pd.testing.assert_frame_equal(pd.read_csv(csv), pd.read_parquet(parquet))


@pytest.mark.parametrize("is_gzip", [False, True])
def test_events_come_back_as_they_were(tmp_path: Path, *, is_gzip: bool) -> None:
    path = write_archive(tmp_path / "a.zip", contents(gzips_events=is_gzip))
    with zipfile.ZipFile(path) as archive:
        raw = archive.read(next(name for name in archive.namelist() if ".jsonl" in name))
    lines = (gzip.decompress(raw) if is_gzip else raw).splitlines()
    assert tuple(event_from_json(line) for line in lines) == (*session(0), *session(1))


def test_memory_does_not_grow_with_the_number_of_sessions(tmp_path: Path) -> None:
    def many() -> Iterator[tuple[Event, ...]]:
        for k in range(400):
            yield session(k, n_events=50)

    write_archive(tmp_path / "warm.zip", contents())
    tracemalloc.start()
    path = write_archive(tmp_path / "a.zip", contents(events=many()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("data/raw/study-saliencyhelps_description-events.jsonl").file_size
    assert size > 2_000_000
    assert peak < size / 2


def test_tables_can_come_as_parquet_files(tmp_path: Path) -> None:
    plain = contents()
    assert isinstance(plain.trials.rows, pd.DataFrame)
    with (tmp_path / "trials.parquet").open("wb") as stream:
        write_frame(plain.trials.rows, stream)
    filed = contents(trials=ArchiveTable(tmp_path / "trials.parquet", plain.trials.codebook))
    assert (
        write_archive(tmp_path / "b.zip", filed).read_bytes() == write_archive(tmp_path / "a.zip", plain).read_bytes()
    )


def test_synthetic_data_are_named_so_in_every_file(tmp_path: Path) -> None:
    sessions = [session(0, kind="synthetic")]
    path = write_archive(tmp_path / "a.zip", contents(is_synthetic=True, events=sessions))
    with zipfile.ZipFile(path) as archive:
        data = [name for name in archive.namelist() if name.startswith("data/")]
        assert all("synthetic" in name for name in data)
        for name in ("README.md", "dataset_description.json", "documentation/codebook.md"):
            assert "SYNTHETIC DATA" in archive.read(name).decode()


def test_simulated_sessions_cannot_pass_as_people(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="Session s0 is synthetic"):
        write_archive(tmp_path / "a.zip", contents(events=[session(0, kind="synthetic")]))
    assert list(tmp_path.iterdir()) == []


def test_columns_without_words_are_all_named(tmp_path: Path) -> None:
    bare = contents()
    nothing = contents(trials=ArchiveTable(bare.trials.rows, ()), sessions=ArchiveTable(bare.sessions.rows, ()))
    with pytest.raises(TableError) as caught:
        write_archive(tmp_path / "a.zip", nothing)
    assert str(caught.value) == (
        "The codebook of trials does not describe session_id, correct, text; add an entry for each. "
        "The codebook of sessions does not describe session_id, minutes; add an entry for each."
    )


@pytest.mark.parametrize("name", ["README.md", "../outside", "/absolute", "back\\slash", ""])
def test_attachments_stay_inside_and_replace_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnderstudyError, match="cannot be a file of the archive"):
        write_archive(tmp_path / "a.zip", contents(attachments={name: b""}))


def test_attachments_are_kept(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a.zip", contents(attachments={"results/report.html": b"<p>"}))
    with zipfile.ZipFile(path) as archive:
        assert archive.read("results/report.html") == b"<p>"


def test_the_codebook_reads_as_a_table(tmp_path: Path) -> None:
    with zipfile.ZipFile(write_archive(tmp_path / "a.zip", contents())) as archive:
        assert archive.read("documentation/codebook.md").decode().splitlines() == [
            "# Codebook",
            "",
            "## Trials",
            "",
            "| variable | description | type | unit | scale | levels | source |",
            "|---|---|---|---|---|---|---|",
            "| session_id | Pseudonym of the session. | text |  |  |  | log |",
            "| correct | Right answer. | number |  | binary | 0; 1 |  |",
            "| text | What they wrote \\| why. | text |  |  |  |  |",
            "",
            "## Sessions",
            "",
            "| variable | description | type | unit | scale | levels | source |",
            "|---|---|---|---|---|---|---|",
            "| session_id | Pseudonym of the session. | text |  |  |  | log |",
            "| minutes | Length. | number | min | time |  |  |",
        ]
