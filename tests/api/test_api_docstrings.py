import doctest
from types import ModuleType

import pytest

from understudy.api import analyses, checking, explaining, studies, worlds
from understudy.protocols.builders import designs


@pytest.mark.parametrize("module", [analyses, checking, designs, explaining, studies, worlds])
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
