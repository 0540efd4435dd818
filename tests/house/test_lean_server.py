"""The participant server carries no statistics and no models: it starts fast and stays small."""

import os
import subprocess
import sys
from pathlib import Path

from tests.serve.stage_door import folder_of
from tests.small_studies import two_groups

ROOT = Path(__file__).parents[2]


def test_a_served_session_imports_no_statistics(tmp_path: Path) -> None:
    folder = folder_of(two_groups(), tmp_path)
    words = [sys.executable, "-m", "tests.house.lean_session", str(folder)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
