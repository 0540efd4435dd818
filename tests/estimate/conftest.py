"""Puts the toy analyses into the registry for the time of one test, so that no other suite meets them."""

import pytest

from tests.estimate.plan_samples import ENTRIES
from understudy import registry


@pytest.fixture(autouse=True)
def toy_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.names("analyses")
    for key, entry in ENTRIES.items():
        monkeypatch.setitem(registry._entries, key, entry)
