import doctest
from types import ModuleType

import pytest

from understudy.report import archive_texts, pay, theme, translation, wording
from understudy.report import translation as phrasebook
from understudy.report import wording as catalogue_words


@pytest.mark.parametrize("module", [catalogue_words, archive_texts, theme, pay, phrasebook, translation, wording])
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
