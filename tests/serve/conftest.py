"""What several tests of the server share."""

from pathlib import Path

import pytest

from tests.serve.accounts import PASSWORD
from understudy.record import desk_in
from understudy.serve.desk.researchers import Researchers


@pytest.fixture(scope="module")
def stored_accounts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One account for each role; made once, because Argon2 is slow on purpose."""
    path = tmp_path_factory.mktemp("accounts") / "researchers.sqlite"
    made = Researchers(desk_in(path))
    for role in ("owner", "researcher", "annotator", "viewer"):
        made.add(f"an-{role}", role, PASSWORD)
    return path
