"""Puts the known datasets into the catalogue for the length of a test."""

from collections.abc import Iterator

import pytest

from tests.explainers.stage import KnownRows, KnownSentences, known_datasets


@pytest.fixture(autouse=True)
def _known_datasets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from known_datasets(monkeypatch, known_rows=KnownRows, known_sentences=KnownSentences)
