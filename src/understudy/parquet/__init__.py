"""Parquet files of plain tables, without a library of 170 MB (decision 51).

A file holds texts, numbers, whole numbers and truths, each of which may be missing. Any reader of Parquet opens it; to
read files that others wrote, the extra `parquet` is needed.
"""

from understudy.parquet.frames import frame_from_file, read_frame, write_frame
from understudy.parquet.reader import ParquetReader
from understudy.parquet.values import Column, Kind, frame_of
from understudy.parquet.writer import ParquetWriter

__all__ = [
    "Column",
    "Kind",
    "ParquetReader",
    "ParquetWriter",
    "frame_from_file",
    "frame_of",
    "read_frame",
    "write_frame",
]
