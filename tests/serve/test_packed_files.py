"""Files that browsers take packed are packed once for all servers of a process, and again when they have changed."""

import gzip
import os
from pathlib import Path

from starlette.requests import Request

from tests.loops import finished
from understudy.serve.files import web_shelf

PACKED = Request({"type": "http", "headers": [(b"accept-encoding", b"gzip")]})


def sent(web: Path) -> bytes:
    response = finished(web_shelf(web).response("player.js", PACKED))
    assert response is not None
    return bytes(response.body)


def test_two_servers_send_the_same_packed_bytes(tmp_path: Path) -> None:
    (tmp_path / "player.js").write_text("let answer = 1;")
    assert sent(tmp_path) is sent(tmp_path)


def test_a_file_that_was_built_again_is_packed_again(tmp_path: Path) -> None:
    (tmp_path / "player.js").write_text("let answer = 1;")
    sent(tmp_path)
    (tmp_path / "player.js").write_text("let answer = 2;")
    os.utime(tmp_path / "player.js", ns=(0, 0))
    assert gzip.decompress(sent(tmp_path)) == b"let answer = 2;"
