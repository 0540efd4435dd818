"""Files of numbers as somebody else wrote them: believed only as far as their bytes go."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from understudy.errors import MaterialsError
from understudy.sources.files import array_from_npy, arrays_from_npz
from understudy.sources.picture_pools import block_from_file


def header(shape: tuple[int, ...], kind: str) -> bytes:
    """The beginning of an .npy file that claims a shape."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"shape": shape, "fortran_order": False, "descr": kind})
    return stream.getvalue()


CLAIMS = {
    "a long row": header((2**40,), "<f8"),
    "many axes": header((2**20, 2**20, 2**20), "|u1"),
    "less than nothing": header((-5, 3), "<f8"),
    "wide texts": header((4,), "<U500000000"),
    "objects": header((3,), "|O") + b"x" * 100,
    "no numbers": b"PK\x03\x04nothing",
    "nothing": b"",
}


@pytest.mark.parametrize("kind", CLAIMS)
def test_a_file_that_claims_more_than_it_has_gets_one_sentence(tmp_path: Path, kind: str) -> None:
    (tmp_path / "a.npy").write_bytes(CLAIMS[kind])
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("labels.npy", CLAIMS[kind])
    for read in (lambda: array_from_npy(tmp_path / "a.npy"), lambda: arrays_from_npz(tmp_path / "a.npz")):
        with pytest.raises(MaterialsError, match=r"claims|is not a file of numbers|Python objects"):
            read()


def test_an_archive_that_would_fill_the_memory_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("labels.npy", header((3,), "|u1") + b"abc")
    content = bytearray(path.read_bytes())
    # The list at the end says how large a member is, and a few bytes can say anything.
    at = content.index(b"PK\x01\x02") + 24
    content[at : at + 4] = (2**32 - 2).to_bytes(4, "little")
    path.write_bytes(bytes(content))
    with pytest.raises(MaterialsError, match=r"holds 4\.0 GB, and at most 1 are read"):
        arrays_from_npz(path, ("labels",))


def test_pictures_that_are_not_in_the_file_are_not_counted(tmp_path: Path) -> None:
    (tmp_path / "p.npy").write_bytes(header((2**37, 64, 64, 3), "|u1") + b"x" * 64 * 64 * 3)
    with pytest.raises(MaterialsError, match="cannot be read as an array of pictures: claims"):
        block_from_file(tmp_path / "p.npy")


def test_pictures_and_labels_of_a_sound_file_come_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(12)
    pictures, labels = (
        rng.integers(0, 256, (7, 9, 5, 3), dtype=np.uint8),
        np.array(["cat", "dog", "ox"])[[0, 1, 2, 2, 1, 0, 0]],
    )
    np.savez(tmp_path / "all.npz", pictures=pictures, label=labels)
    np.save(tmp_path / "f.npy", np.asfortranarray(pictures[..., 0]))
    assert arrays_from_npz(tmp_path / "all.npz", but=("pictures",))["label"].tolist() == labels.tolist()
    assert (array_from_npy(tmp_path / "f.npy") == pictures[..., 0]).all()
    assert block_from_file(tmp_path / "all.npz").shape == pictures.shape
