"""What every test can use: the data folder, where there is one."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

# Two workers share two cores. Threads of numerical libraries would wait for each other there. Set before anything imports numpy or torch, and inherited by the processes that tests start.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
# Processes that share the work of a command are worth their start on a free machine only. Tests of sharing say how many.
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")

# Imported after the lines above, because it imports the package.
pytest_plugins = ["tests.forgetful_registry"]

# Nothing that collecting tests makes is garbage; see pytest_collection_finish.
gc.disable()

# No test asserts a time, so no example may fail for being slow on a busy machine.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


def pytest_collection_finish() -> None:
    """Take the modules and the thousands of collected tests out of garbage collection, which searched them in vain.

    A full collection took two seconds, and all of them together a sixth of the time of the tests.
    """
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture
def shared_data() -> Path:
    """The folder of real data; a test that needs it is skipped where it is absent."""
    setting = os.environ.get("UNDERSTUDY_DATA", "")
    if not setting or not Path(setting).is_dir():
        pytest.skip("UNDERSTUDY_DATA does not name a data folder")
    return Path(setting)
