"""Parquet files: pyarrow, which understudy does not need, reads what is written, and all comes back."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from understudy.errors import MissingExtra, TableError
from understudy.estimate.reanalysis import table_from_file
from understudy.parquet import Column, ParquetReader, ParquetWriter, frame_of, read_frame, varint, write_frame

COLUMNS = [Column("word", "text"), Column("share", "number"), Column("count", "integer"), Column("is_kept", "boolean")]


def rows(n: int) -> list[dict[str, object]]:
    rng = np.random.default_rng(n)
    return [
        {
            "word": [None, "a", "Zug fährt", "", f"only {number}"][rng.integers(5)],
            "share": None if rng.random() < 0.2 else float(rng.normal()),
            "count": int(rng.integers(-(2**60), 2**60)),
            "is_kept": [None, True, False][rng.integers(3)],
        }
        for number in range(n)
    ]


def written(path: Path, parts: list[list[dict[str, object]]]) -> Path:
    with path.open("wb") as stream:
        writer = ParquetWriter(stream, COLUMNS)
        for part in parts:
            writer.append(part)
        writer.close()
    return path


@pytest.mark.parametrize("sizes", [[], [0], [1], [7, 8], [9, 0, 300], [70_000]])
def test_pyarrow_reads_every_value(tmp_path: Path, sizes: list[int]) -> None:
    parts = [rows(size) for size in sizes]
    table = pq.read_table(written(tmp_path / "t.parquet", parts))
    assert table.to_pylist() == [row for part in parts for row in part]
    assert table.column_names == [column.name for column in COLUMNS]


@pytest.mark.parametrize("sizes", [[0], [7, 8], [9, 300]])
def test_what_is_read_back_is_what_memory_holds(tmp_path: Path, sizes: list[int]) -> None:
    parts = [rows(size) for size in sizes]
    with ParquetReader(written(tmp_path / "t.parquet", parts)) as reader:
        pd.testing.assert_frame_equal(reader.frame(), frame_of(COLUMNS, [row for part in parts for row in part]))
        for number, part in enumerate(parts):
            pd.testing.assert_frame_equal(reader.part(number), frame_of(COLUMNS, part))
        assert list(reader.part(0, {"count", "word"}).columns) == ["word", "count"]


def test_equal_tables_are_equal_bytes(tmp_path: Path) -> None:
    one, other = (written(tmp_path / name, [rows(40)]).read_bytes() for name in ("a.parquet", "b.parquet"))
    assert one == other


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "group": pd.Categorical(["x", "y", None]),
            "day": pd.to_datetime(["2026-01-01", "2026-01-02", "2026-01-03"]),
            "score": [1.5, np.nan, -2.0],
            "n": pd.array([1, None, 3], dtype="Int64"),
            "yes": [True, False, True],
            "note": [None, "ä", "b"],
        }
    )


def test_a_data_frame_comes_back_as_plain_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    with path.open("wb") as stream:
        write_frame(frame(), stream)
    back = read_frame(path)
    assert back["group"].fillna("-").tolist() == ["x", "y", "-"]
    assert back["day"].tolist()[0] == "2026-01-01 00:00:00"
    assert back["score"].fillna(9.0).tolist() == [1.5, 9.0, -2.0]
    assert back["n"].fillna(9).tolist() == [1, 9, 3]
    assert back["yes"].tolist() == [True, False, True]
    pd.testing.assert_frame_equal(back, pd.read_parquet(path), check_dtype=False)


def test_a_column_of_several_kinds_is_one_sentence(tmp_path: Path) -> None:
    with (
        (tmp_path / "t").open("wb") as stream,
        pytest.raises(TableError, match=r"'a' holds values of several kinds \(int, str\)"),
    ):
        write_frame(pd.DataFrame({"a": [1, "x"]}), stream)


def test_files_of_other_programs_need_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame().to_parquet(tmp_path / "t.parquet")
    assert read_frame(tmp_path / "t.parquet")["yes"].tolist() == [True, False, True]
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'understudy\[parquet\]'"):
        read_frame(tmp_path / "t.parquet")


@pytest.mark.parametrize("content", [b"", b"no", b"PAR1" + b"x" * 40 + b"PAR1"])
def test_a_file_that_is_not_parquet_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.parquet").write_bytes(content)
    with pytest.raises(ValueError, match="does not end as a Parquet file does"):
        read_frame(tmp_path / "t.parquet")


def test_damaged_and_lying_files_get_a_sentence_and_no_memory(tmp_path: Path) -> None:
    sound = written(tmp_path / "t.parquet", [rows(40)]).read_bytes()
    rng = np.random.default_rng(5)
    for _ in range(600):
        body = bytearray(sound)
        for place in rng.integers(len(body), size=rng.integers(1, 4)):
            body[int(place)] = int(rng.integers(256))
        (tmp_path / "fuzzed.parquet").write_bytes(bytes(body))
        # Whatever is not read ends in a sentence, and never in another kind of error.
        with suppress(TableError):
            table_from_file(tmp_path / "fuzzed.parquet")
    lying = sound.replace(varint(40 << 1), varint(2**37 << 1))
    for content in (lying, sound.replace(b"\x15\x50", b"\x15" + varint(2**37 << 1))):
        (tmp_path / "lying.parquet").write_bytes(content)
        with pytest.raises(TableError, match=r"lying\.parquet"):
            table_from_file(tmp_path / "lying.parquet")


def test_a_small_file_with_very_many_rows_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    column = pa.array(np.zeros(3_000_000, dtype=np.int8))
    table = pa.table({f"c{k}": column for k in range(80)})
    pq.write_table(table, tmp_path / "bomb.parquet")
    with pytest.raises(TableError, match="3,000,000 rows of 80 columns, and at most 200,000,000 cells are read"):
        table_from_file(tmp_path / "bomb.parquet")
