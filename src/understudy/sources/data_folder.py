"""The data folder, for downloaded datasets."""

from collections.abc import Mapping
from pathlib import Path

VARIABLE = "UNDERSTUDY_DATA"


def data_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder that UNDERSTUDY_DATA names, or one in the home folder."""
    named = environment.get(VARIABLE, "")
    return Path(named) if named else Path.home() / ".understudy" / "data"
