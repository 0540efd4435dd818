"""What every test can use: the data folder, where there is one."""

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

TESTS = Path(__file__).parent

# Three workers share two cores. Threads of numerical libraries would wait for each other there. Set before anything imports numpy or torch, and inherited by the processes that tests start.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
# Without compiled files, every worker rewrites all tests and every process that a test starts compiles the package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Processes that share the work of a command are worth their start on a free machine only. Tests of sharing say how many.
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")

# Imported after the lines above, because it imports the package.
pytest_plugins = ["tests.forgetful_registry"]

# Nothing that collecting tests makes is garbage; see pytest_collection_finish.
gc.disable()

# No test asserts a time, so no example may fail for being slow on a busy machine.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

LONGEST = (
    "protocols/test_harm_rehearsal.py", "house/test_recomputed_pages.py", "workflow/test_consent_gaps.py",
    "journeys/test_power.py", "house/test_docs.py", "analyses/test_catalogue_false_positives.py",
    "journeys/test_hive_pages.py", "journeys/test_demo.py", "journeys/test_erased_people.py",
    "journeys/test_paid_crowd.py", "protocols/kim2022/test_shipped.py", "journeys/test_site.py",
    "journeys/test_reanalyses.py", "contracts/test_analyses.py", "journeys/test_killed_group.py",
    "journeys/test_backup_under_load.py",
)  # fmt: skip
"""Files that take longest, slow tests or not, longest first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files, so that no worker is alone with one of them at the end."""
    places = {TESTS / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


def pytest_collection_finish() -> None:
    """Take the modules and the thousands of collected tests out of garbage collection, which searched them in vain.

    A full collection took two seconds, and all of them together a sixth of the time of the tests. Even one here would
    take as long as hundreds of tests, and find next to nothing.
    """
    gc.freeze()
    gc.enable()


@pytest.fixture
def shared_data() -> Path:
    """The folder of real data; a test that needs it is skipped where it is absent."""
    setting = os.environ.get("UNDERSTUDY_DATA", "")
    if not setting or not Path(setting).is_dir():
        pytest.skip("UNDERSTUDY_DATA does not name a data folder")
    return Path(setting)
