"""Fetching Oxford pets from a server on this machine: archives, interruptions, and what is kept of them."""

import hashlib
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from tests.photo_files import encoded
from tests.shell import understudy
from understudy.datasets import OxfordPets
from understudy.errors import MaterialsError
from understudy.sources.downloads import LargeFile, download_large, fetch_pets, has_pets

N_EACH = 3


class Served:
    """What the server sends, and what it was asked for."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.ranges: list[str] = []
        self.knows_ranges = True
        self.cut_at: int | None = None


@pytest.fixture
def served() -> Served:
    return Served()


@pytest.fixture
def address(served: Served) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = served.files[self.path[1:]]
            asked = self.headers.get("Range", "")
            served.ranges.append(asked)
            start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and served.knows_ranges else 0
            if start >= len(content):
                self.send_response(416)
                self.end_headers()
                return
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            self.wfile.write(content[start : served.cut_at])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def large(served: Served, address: str, name: str, content: bytes) -> LargeFile:
    served.files[name] = content
    return LargeFile(name, f"{address}/{name}", hashlib.md5(content).hexdigest(), len(content))


def packed(files: dict[str, bytes]) -> bytes:
    made = BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, content in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, BytesIO(content))
    return made.getvalue()


def published(served: Served, address: str) -> tuple[LargeFile, LargeFile]:
    """Photos of 40 x 20 pixels with the head in the left half; one has no box, and one is damaged."""
    trimap = np.full((20, 40), 2, dtype=np.uint8)
    trimap[:10] = 1
    box = "<xmin>0</xmin><ymin>0</ymin><xmax>20</xmax><ymax>20</ymax>"
    xml = f"<annotation><size><width>40</width><height>20</height></size><object><bndbox>{box}</bndbox></object></annotation>"
    photos: dict[str, bytes] = {}
    notes: dict[str, bytes] = {}
    lines: list[str] = []
    for number, breed in enumerate(("Bengal", "pug"), start=1):
        for k in range(N_EACH + 1):
            name = f"{breed}_{k}"
            photos[f"images/{name}.jpg"] = encoded(np.full((20, 40, 3), 90, dtype=np.uint8), "JPEG")
            notes[f"annotations/trimaps/{name}.png"] = encoded(trimap, "PNG")
            lines.append(f"{name} {number} {number} 1")
            if k < N_EACH:
                notes[f"annotations/xmls/{name}.xml"] = xml.encode()
    notes["annotations/trimaps/._pug_0.png"] = b"hidden"
    notes["annotations/trainval.txt"] = "\n".join(lines).encode()
    photos["images/pug_0.jpg"] = b"damaged"
    return (
        large(served, address, "annotations.tar.gz", packed(notes)),
        large(served, address, "images.tar.gz", packed(photos)),
    )


def test_pets_are_fetched_made_small_and_read_as_a_dataset(served: Served, address: str, tmp_path: Path) -> None:
    n_bytes: list[int] = []
    files = published(served, address)
    out = fetch_pets(tmp_path, files=files, on_bytes=n_bytes.append)
    dataset = OxfordPets(folder=str(out), part="all")
    sample = dataset.whole()
    assert [*sample.attributes["label"]] == ["Bengal"] * 3 + ["pug"] * 2
    assert [*sample.attributes["kind"]] == ["cat"] * 3 + ["dog"] * 2
    assert sample.pictures is not None
    assert sample.pictures.read([0]).shape == (1, 128, 128, 3)
    assert dataset.regions(sample, of="head").mean() == pytest.approx(0.5)
    assert dataset.regions(sample).mean() == pytest.approx(0.5)
    assert sum(n_bytes) == sum(file.n_bytes for file in files)


def test_pets_that_are_there_are_not_fetched_again(served: Served, address: str, tmp_path: Path) -> None:
    files = published(served, address)
    fetch_pets(tmp_path, files=files)
    n_asked = len(served.ranges)
    fetch_pets(tmp_path, files=files)
    assert has_pets(tmp_path)
    assert len(served.ranges) == n_asked


def test_an_interrupted_download_continues_where_it_stopped(served: Served, address: str, tmp_path: Path) -> None:
    file = large(served, address, "large", bytes(range(256)) * 40)
    served.cut_at = 4000
    with pytest.raises(MaterialsError, match="4,000 bytes are kept; run the command again to continue"):
        download_large(file, tmp_path)
    served.cut_at = None
    assert download_large(file, tmp_path).read_bytes() == served.files["large"]
    assert served.ranges == ["", "bytes=4000-"]


def test_a_server_without_ranges_sends_everything_again(served: Served, address: str, tmp_path: Path) -> None:
    file = large(served, address, "large", b"abcdef")
    (tmp_path / "large.part").write_bytes(b"abc")
    served.knows_ranges = False
    assert download_large(file, tmp_path).read_bytes() == b"abcdef"


def test_a_part_that_is_whole_already_is_only_checked(served: Served, address: str, tmp_path: Path) -> None:
    file = large(served, address, "large", b"abcdef")
    (tmp_path / "large.part").write_bytes(b"abcdef")
    assert download_large(file, tmp_path).read_bytes() == b"abcdef"


def test_another_file_than_expected_is_not_kept(served: Served, address: str, tmp_path: Path) -> None:
    file = large(served, address, "large", b"abcdef")
    served.files["large"] = b"<html>"
    with pytest.raises(MaterialsError, match=r"its digest differs \(6 bytes received\)"):
        download_large(file, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_is_away_is_one_sentence(tmp_path: Path) -> None:
    file = LargeFile("large", "http://127.0.0.1:9/large", "", 1)
    with pytest.raises(MaterialsError, match=r"cannot be fetched .* 0 bytes are kept"):
        download_large(file, tmp_path)


def test_the_list_says_how_to_get_pets(tmp_path: Path) -> None:
    shown = understudy("data", "list", "--folder", tmp_path)
    assert "oxford-pets: not there; run: understudy data get oxford-pets (0.8 GB)" in shown.out.splitlines()


def test_pets_that_are_there_are_named_with_their_licence(tmp_path: Path) -> None:
    (tmp_path / "oxford-pets-128").mkdir()
    for name in ("annotations.csv", "images.zip", "trimaps.zip"):
        (tmp_path / "oxford-pets-128" / name).touch()
    shown = understudy("data", "get", "oxford-pets", "--folder", tmp_path)
    assert "CC BY-SA 4.0" in shown.out
    assert "already" in shown.out
