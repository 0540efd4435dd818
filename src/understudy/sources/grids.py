"""Grid folders: `grid.json` with its PNG files, written and read."""

import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image
from pydantic import JsonValue, ValidationError

from understudy.errors import MaterialsError, refuse_large
from understudy.roles import Pixels
from understudy.schema import GridFile, Json, sentences_from_validation
from understudy.schema.record import json_from_record
from understudy.sources.files import path_fault
from understudy.sources.pictures import picture_fault

FILE = "grid.json"


def picture_name(row: int, column: int) -> str:
    """Return the file name of a picture, by its place in the grid."""
    return f"row{row + 1:02}-column{column + 1:02}.png"


def write_grid_folder(folder: Path, grid: GridFile, pictures: Sequence[Sequence[Pixels | None]]) -> None:
    """Write a grid and its pictures; pictures of an earlier grid in the folder are removed."""
    if len(pictures) != len(grid.rows):
        raise MaterialsError(
            f"There are {len(pictures)} rows of pictures for a grid of {len(grid.rows)}. Give as many."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"):
        old.unlink()
    for cells, row in zip(grid.rows, pictures, strict=True):
        for cell, pixels in zip(cells, row, strict=True):
            if cell is not None and pixels is not None:
                (folder / cell.file).write_bytes(small_png(pixels))
    (folder / FILE).write_text(_text(json_from_record(grid)), encoding="utf-8")


def read_grid_folder(folder: Path) -> GridFile:
    """Read a grid whose pictures are all there, or say what is wrong in one sentence."""
    path = folder / FILE
    if not path.is_file():
        raise MaterialsError(f"{str(folder)!r} has no {FILE}. Write one with understudy.explainers.record_grid.")
    refuse_large(path, 64, MaterialsError, "Write it again with record_grid.")
    try:
        grid = GridFile.model_validate_json(path.read_text(encoding="utf-8"))
    except ValidationError as error:
        raise MaterialsError(f"{str(path)!r}: {sentences_from_validation(error, GridFile)[0]}") from None
    except UnicodeDecodeError:
        raise MaterialsError(f"{str(path)!r} is not UTF-8 text. Write it again with record_grid.") from None
    for cell in grid.cells:
        fault = path_fault(folder, cell.file) or picture_fault(folder / cell.file)
        if fault is not None:
            raise MaterialsError(f"{str(path)!r} names {cell.file!r}, which {fault}")
    return grid


def _text(plain: Json) -> str:
    """Write one field in each line, and of the rows one cell in each line, so that changes can be compared."""
    rows = plain.pop("rows")
    lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in plain.items()]
    cells = ["[\n" + ",\n".join(json.dumps(cell, ensure_ascii=False) for cell in row) + "\n]" for row in _lists(rows)]
    return "{\n" + ",\n".join([*lines, '"rows": [' + ",".join(cells) + "]"]) + "\n}\n"


def _lists(rows: JsonValue) -> list[list[JsonValue]]:
    return [list(row) for row in rows if isinstance(row, list)] if isinstance(rows, list) else []


def small_png(pixels: Pixels) -> bytes:
    """Write a picture as a PNG file, packed as tightly as Pillow can."""
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
        raise MaterialsError(
            f"A picture has shape {pixels.shape} and type {pixels.dtype}. Give uint8 values (row, column, 3 channels)."
        )
    stream = BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(stream, format="PNG", optimize=True)
    return stream.getvalue()
