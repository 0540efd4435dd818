import doctest
from types import ModuleType

import pytest

from understudy.report import catalogue_words, dataset_description, numbers, pay, phrasebook, translation, wording


@pytest.mark.parametrize(
    "module", [catalogue_words, dataset_description, numbers, pay, phrasebook, translation, wording]
)
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
