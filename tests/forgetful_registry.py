"""A registry that forgets what a test registers."""

from collections.abc import Iterator

import pytest

from understudy import registry


@pytest.fixture
def forgetful_registry() -> Iterator[None]:
    """A registry that forgets what a test registers, and keeps our own entries that it imported meanwhile."""
    before = set(registry._entries)
    yield
    for key in set(registry._entries) - before - set(registry._modules):
        del registry._entries[key]
