"""Nobody can claim to have watched a film faster than it plays."""

import struct
from importlib.resources import files
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.stage_door import Hands, Person, page_events, played, server
from tests.small_studies import consent, debrief, two_group_plain
from understudy.prepare import prepare, write_prepared
from understudy.schema import Study
from understudy.serve.files import film_seconds

SHIPPED = Path(str(files("understudy"))) / "protocols" / "sixt2022" / "material" / "films" / "machine-learning.webm"


def mp4_of(seconds: int) -> bytes:
    """Return a file with the boxes that tell a length, behind a long box without any."""
    mvhd = struct.pack(">I4sIIIII", 28, b"mvhd", 0, 0, 0, 1000, 1000 * seconds)
    moov = struct.pack(">I4s", 8 + len(mvhd), b"moov") + mvhd
    return struct.pack(">I4s", 16, b"ftyp") + b"isom\0\0\0\0" + struct.pack(">I4s", 1008, b"mdat") + bytes(1000) + moov


def film_study(root: Path) -> Path:
    """Prepare a study with a film of a minute."""
    (root / "film.mp4").write_bytes(mp4_of(60))
    film = {"kind": "screen", "block_id": "film", "purpose": "video",
            "task": {"name": "video", "params": {"asset": "film.mp4"}}}  # fmt: skip
    study = Study.model_validate(two_group_plain(flow=[consent(), film, two_group_plain()["flow"][1], debrief()]))
    return write_prepared(prepare(study, root), root / "run")


@pytest.mark.parametrize(("passed_s", "status"), [(5, 422), (59, 200)])
def test_a_film_counts_as_watched_once_it_can_have_played(tmp_path: Path, passed_s: int, status: int) -> None:
    clock = Hands()

    async def play(client: httpx.AsyncClient) -> int:
        person = Person(client, "two-groups")
        await person.start()
        await person.answer()
        clock.ms += 1000 * passed_s
        response: dict[str, Any] = {"watched_share": 1.0}
        return (await person.send(page_events(person.state, response))).status_code

    with server(film_study(tmp_path), clock=clock) as app:
        assert played(app, play) == status


def test_the_lengths_of_both_kinds_of_file_are_read(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_bytes(mp4_of(90))
    shipped = film_seconds(SHIPPED)
    assert film_seconds(tmp_path / "film.mp4") == 90
    assert shipped is not None
    assert 5 < shipped < 1000


@pytest.mark.parametrize("content", [b"", b"\x1a\x45\xdf\xa3", b"\x1a\x45\xdf\xa3\x44\x89\x84", b"not a film" * 9])
def test_a_file_that_tells_no_length_has_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "film").write_bytes(content)
    assert film_seconds(tmp_path / "film") is None
