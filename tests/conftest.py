"""What every test can use: the data folder, where there is one."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# No test asserts a time, so no example may fail for being slow on a busy machine.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture
def shared_data() -> Path:
    """The folder of real data; a test that needs it is skipped where it is absent."""
    setting = os.environ.get("UNDERSTUDY_DATA", "")
    if not setting or not Path(setting).is_dir():
        pytest.skip("UNDERSTUDY_DATA does not name a data folder")
    return Path(setting)
