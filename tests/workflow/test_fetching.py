"""Fetching: nothing is kept that was not expected."""

import gzip
import hashlib
from pathlib import Path

import pytest

from understudy.errors import MaterialsError, UnknownName
from understudy.workflow import fetching
from understudy.workflow.fetching import PublishedFile, fetch, is_there

CONTENTS = {name: f"content of {name}".encode() for name in ("one", "two")}


@pytest.fixture(autouse=True)
def _published(monkeypatch: pytest.MonkeyPatch) -> None:
    files = tuple(
        PublishedFile(f"{name}.gz", f"https://example.org/{name}.gz", hashlib.sha256(content).hexdigest())
        for name, content in CONTENTS.items()
    )
    monkeypatch.setattr(fetching, "PUBLISHED", {"letters": files})


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
    with pytest.raises(UnknownName, match=r"'numbers' cannot be fetched\. These can: letters"):
        fetch("numbers", tmp_path)


def test_an_unreachable_address_says_what_to_do() -> None:
    with pytest.raises(MaterialsError, match="Go online and try again"):
        fetching.content_from_web("file:///no/such/file")


def test_a_missing_dataset_is_not_there(tmp_path: Path) -> None:
    assert not is_there("mnist", tmp_path)
