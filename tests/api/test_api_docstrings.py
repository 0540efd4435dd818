import doctest
from types import ModuleType

import pytest

from understudy.api import analyses, explaining, studies, worlds
from understudy.api import studies as checking
from understudy.protocols import builders


@pytest.mark.parametrize("module", [analyses, checking, builders, explaining, studies, worlds])
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
