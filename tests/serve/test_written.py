"""What is written around parts is the record itself, whatever its parts."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.stage_door import folder_of, played, server
from tests.small_studies import two_groups
from understudy.schema.wire import Skin, State, StudyHeading
from understudy.serve.wire import written, written_around

HEADING = StudyHeading(name="n", title='A "title"', language="de", digest="d")
STATE = State(study=HEADING, next_seq=3, step=None, preload=("a.png",))


@pytest.mark.parametrize("parts", [{}, {"study": written(HEADING)}, {"study": written(HEADING), "step": b"null"}])
def test_a_record_is_the_same_around_written_parts(parts: dict[str, bytes]) -> None:
    assert State.model_validate_json(written_around(STATE, parts)) == STATE


def test_a_record_of_nothing_but_written_parts_is_whole() -> None:
    assert json.loads(written_around(Skin(), {"is_preview": b"true"})) == {"is_preview": True}


def test_what_is_none_can_be_left_out() -> None:
    assert "step" not in json.loads(written_around(STATE, {}, leaves_out_none=True))


def test_every_state_of_a_session_is_one_of_the_record(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        answer = await client.post("/api/s/two-groups/start", json={"preview": True})
        return answer.json()

    with server(folder_of(two_groups(), tmp_path)) as app:
        plain = played(app, play)
    assert State.model_validate(plain).model_dump(mode="json") == plain
