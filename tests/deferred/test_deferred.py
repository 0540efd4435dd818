"""Libraries and packages that are imported late behave as if they had been imported at once."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from understudy.deferred import Deferred
from understudy.deferred.scipy import stats

PACKAGE = """
from typing import TYPE_CHECKING
from understudy.deferred.names import defer_names
if TYPE_CHECKING:
    from {name}.colour import Colour, colour
__all__ = ["Colour", "colour"]
defer_names(__name__)
"""
COLOUR = """
class Colour: ...
def colour(): return "red"
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a package that offers two names, one of which is also the name of its module."""
    name = f"offering_{tmp_path.name}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text(PACKAGE.format(name=name))
    (tmp_path / name / "colour.py").write_text(COLOUR)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def test_a_library_is_imported_with_its_first_attribute() -> None:
    code = (
        "import sys; from understudy.deferred.scipy import stats; before = 'scipy' in sys.modules; "
        "stats.norm; print(before, 'scipy.stats' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["False", "True"]


def test_a_deferred_library_has_the_attributes_of_the_library() -> None:
    assert stats.norm.cdf(0) == 0.5


def test_a_deferred_library_survives_the_way_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(Deferred("math"))).floor(1.5) == 1


def test_a_package_imports_a_module_with_its_first_name(package: str) -> None:
    offering = __import__(package)
    assert f"{package}.colour" not in sys.modules
    assert offering.Colour.__module__ == f"{package}.colour"


def test_a_package_lists_what_it_offers(package: str) -> None:
    assert {"Colour", "colour"} <= set(dir(__import__(package)))


def test_a_name_that_nothing_has_is_refused_as_usual(package: str) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'shape'"):
        __import__(package).shape  # noqa: B018  the look-up itself is refused


def test_a_module_does_not_take_the_place_of_a_name(package: str) -> None:
    __import__(f"{package}.colour")
    assert __import__(package).colour() == "red"
