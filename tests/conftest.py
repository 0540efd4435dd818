"""What every test can use: the data folder, where there is one."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def shared_data() -> Path:
    """The folder of real data; a test that needs it is skipped where it is absent."""
    setting = os.environ.get("UNDERSTUDY_DATA", "")
    if not setting or not Path(setting).is_dir():
        pytest.skip("UNDERSTUDY_DATA does not name a data folder")
    return Path(setting)
