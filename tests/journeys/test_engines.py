"""The same short study in Firefox and in WebKit: from consent over judge and reconstruct to the completion code."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.dials_study import LINES
from tests.journeys.engine_hands import EngineHands
from tests.journeys.engines import Engine, firefox, webkit
from tests.journeys.player_stage import SECRET, served
from tests.journeys.player_study import short_study
from understudy.schema import ResponseGiven, SessionEnded, Study
from understudy.serve.access import Keyring


def engine_study() -> Study:
    """Consent, one case to judge, one picture to reconstruct, and the end."""
    plain: dict[str, Any] = short_study().model_dump(mode="json")
    consent, predict, debrief = plain["flow"]
    lines = {"kind": "stage", "block_id": "lines", "items": "lines", "task": {"name": "reconstruct", "params": {}}}
    plain["flow"] = [consent, {**predict, "n_items": 1}, lines, debrief]
    dataset = {"name": "reconstruction", "params": LINES}
    plain["item_sets"] = [*plain["item_sets"], {"name": "lines", "n_items": 1, "dataset": dataset}]
    return Study.model_validate(plain)


@pytest.mark.parametrize("started", [firefox, webkit])
def test_every_engine_leads_from_consent_to_the_completion_code(
    tmp_path: Path, started: Callable[[Path], AbstractContextManager[Engine]]
) -> None:
    with started(tmp_path) as engine, served(engine_study(), tmp_path / "run") as stage:
        hands = EngineHands(engine, stage)
        code = hands.play()
        events = stage.events()
        faults = engine.faults()
    ended = [event for event in events if isinstance(event, SessionEnded)]
    dials = [
        event.response["dials"] for event in events if isinstance(event, ResponseGiven) if "dials" in event.response
    ]
    assert (hands.seen, faults) == (["consent", "judge", "reconstruct", "debrief"], [])
    assert code == Keyring(SECRET).completion_code(ended[0].session_id, "completed")
    assert [dial["outcome"] for dial in dials if isinstance(dial, dict)] == ["solved"]
