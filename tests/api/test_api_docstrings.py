import doctest
from types import ModuleType

import pytest

from understudy.api import checking, studies
from understudy.protocols.builders import designs


@pytest.mark.parametrize("module", [checking, designs, studies])
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
