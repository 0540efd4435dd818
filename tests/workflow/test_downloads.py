"""Fetching: nothing is kept that was not expected."""

import gzip
import hashlib
import io
import os
import tarfile
from http.client import IncompleteRead
from pathlib import Path
from urllib.error import URLError

import pytest

from understudy.errors import MaterialsError, UnknownName
from understudy.sources import downloads
from understudy.sources.downloads import PublishedFile, fetch, is_downloaded

CONTENTS = {name: f"content of {name}".encode() for name in ("one", "two")}
PUBLISHED = downloads.PUBLISHED


@pytest.fixture(autouse=True)
def _published(monkeypatch: pytest.MonkeyPatch) -> None:
    files = tuple(
        PublishedFile(f"{name}.gz", f"https://example.org/{name}.gz", hashlib.sha256(content).hexdigest())
        for name, content in CONTENTS.items()
    )
    packed = [PublishedFile(name, "https://example.org/both.tar", _sha(name), 14, f"both/{name}") for name in CONTENTS]
    plain = (PublishedFile("one", "https://example.org/one", _sha("one"), len(CONTENTS["one"])),)
    monkeypatch.setattr(downloads, "PUBLISHED", {"letters": files, "packed": (*packed,), "plain": plain})


def _sha(name: str) -> str:
    return hashlib.sha256(CONTENTS[name]).hexdigest()


def archive(_: str) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as packed:
        for name, content in CONTENTS.items():
            about = tarfile.TarInfo(f"both/{name}")
            about.size = len(content)
            packed.addfile(about, io.BytesIO(content))
    return made.getvalue()


def sound(address: str) -> bytes:
    return gzip.compress(CONTENTS[Path(address).stem])


def refuse(address: str) -> bytes:
    raise AssertionError(f"{address} was downloaded although it is there")


def test_every_file_is_fetched_and_kept(tmp_path: Path) -> None:
    assert fetch("letters", tmp_path, download=sound) == 2
    assert gzip.decompress((tmp_path / "letters" / "two.gz").read_bytes()) == CONTENTS["two"]


def test_what_is_there_stays(tmp_path: Path) -> None:
    fetch("letters", tmp_path, download=sound)
    assert fetch("letters", tmp_path, download=refuse) == 0


def test_a_damaged_file_is_fetched_again(tmp_path: Path) -> None:
    fetch("letters", tmp_path, download=sound)
    (tmp_path / "letters" / "one.gz").write_bytes(b"half")
    assert fetch("letters", tmp_path, download=sound) == 1


@pytest.mark.parametrize("other", [b"<html>", gzip.compress(b"something else", mtime=0)], ids=["page", "archive"])
def test_an_unexpected_download_is_not_kept(other: bytes, tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="its digest differs"):
        fetch("letters", tmp_path, download=lambda _: other)
    assert list(tmp_path.rglob("*.gz")) == []


def test_an_unknown_dataset_names_those_that_can_be_fetched(tmp_path: Path) -> None:
    with pytest.raises(
        UnknownName, match=r"'numbers' cannot be downloaded\. Choose from: letters, packed, plain, oxford-pets"
    ):
        fetch("numbers", tmp_path)


@pytest.mark.parametrize("error", [IncompleteRead(b"half", 8), ConnectionResetError("reset"), URLError("no address")])
def test_a_download_that_fails_or_breaks_off_says_what_to_do(error: Exception, tmp_path: Path) -> None:
    def broken(_: str) -> bytes:
        raise error

    with pytest.raises(MaterialsError, match=r"Go online and try again, or put one\.gz into .*letters by hand\.$"):
        fetch("letters", tmp_path, download=broken)


def test_an_unreachable_address_is_no_content() -> None:
    with pytest.raises(URLError):
        downloads.content_from_web("file:///no/such/file")


def test_files_of_one_archive_are_taken_from_one_download(tmp_path: Path) -> None:
    asked: list[str] = []
    assert fetch("packed", tmp_path, download=lambda address: asked.append(address) or archive(address)) == 2  # type: ignore[func-returns-value]
    assert (tmp_path / "packed" / "two").read_bytes() == CONTENTS["two"]
    assert asked == ["https://example.org/both.tar"]


@pytest.mark.parametrize("other", [b"<html>", gzip.compress(b"no archive", mtime=0)], ids=["page", "other"])
def test_what_is_no_archive_is_not_kept(other: bytes, tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="its digest differs"):
        fetch("packed", tmp_path, download=lambda _: other)
    assert not (tmp_path / "packed").exists()


def test_a_plain_file_of_another_size_says_both_sizes(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match=r"differs \(6 bytes received, 14 expected\)\. Nothing was kept"):
        fetch("plain", tmp_path, download=lambda _: b"<html>")


def test_a_dataset_is_there_when_all_its_files_are_sound(tmp_path: Path) -> None:
    assert not is_downloaded("packed", tmp_path)
    fetch("packed", tmp_path, download=archive)
    assert is_downloaded("packed", tmp_path)
    (tmp_path / "packed" / "one").write_bytes(b"half")
    assert not is_downloaded("packed", tmp_path)


@pytest.mark.skipif("UNDERSTUDY_DATA" not in os.environ, reason="needs UNDERSTUDY_DATA")
@pytest.mark.parametrize("name", PUBLISHED)
def test_digests_and_sizes_are_those_of_the_files_we_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(os.environ["UNDERSTUDY_DATA"])
    if not (folder / name).is_dir():
        pytest.skip(f"the data folder has no {name}")
    monkeypatch.setattr(downloads, "PUBLISHED", PUBLISHED)
    assert is_downloaded(name, folder)
    sizes = {one.name: one.n_bytes for one in PUBLISHED[name] if one.n_bytes is not None}
    assert {size: (folder / name / size).stat().st_size for size in sizes} == sizes
