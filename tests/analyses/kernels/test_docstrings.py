import doctest
import importlib
import pkgutil

import pytest

from understudy import statistics

MODULES = [info.name for info in pkgutil.iter_modules(statistics.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name: str) -> None:
    module = importlib.import_module(f"understudy.statistics.{name}")
    assert doctest.testmod(module).failed == 0
