"""Puts the known datasets into the catalogue for the length of a test."""

from collections.abc import Iterator

import pytest

from tests.explainers.stage import KnownRows, KnownSentences
from understudy import registry
from understudy.explainers import background


@pytest.fixture(autouse=True)
def _known_datasets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    registry.names("datasets")
    monkeypatch.setitem(registry._entries, ("datasets", "known_rows"), KnownRows)
    monkeypatch.setitem(registry._entries, ("datasets", "known_sentences"), KnownSentences)
    yield
    background._background.cache_clear()
