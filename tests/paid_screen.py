"""Prints what `understudy pay` shows for a few people at the fake Prolific, for a picture in the documentation."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from tests.cli.test_recruit_and_pay import came, published
from tests.fake_prolific import TOKEN, FakeProlific, served
from tests.paid_people import Person
from tests.paid_studies import paid_study
from tests.serve.stage_door import ADMIN, SECRET, folder_of
from tests.shell import understudy

PEOPLE = (
    *(Person(f"done-{k}", "completed", bonus=0.1 * k) for k in range(1, 7)),
    Person("left-out", "excluded"),
    Person("out", "screened_out"),
)


def main() -> None:
    """Let them come, and print what is due."""
    fake = FakeProlific()
    with TemporaryDirectory() as root, served(fake) as address:
        folder = folder_of(paid_study(), Path(root) / "my-study")
        secrets = {
            "UNDERSTUDY_PROLIFIC_URL": address, "UNDERSTUDY_PROLIFIC_TOKEN": TOKEN,
            "UNDERSTUDY_SECRET": SECRET.decode(), "UNDERSTUDY_ADMIN_TOKEN": ADMIN,
        }  # fmt: skip
        with patch.dict(os.environ, secrets):
            published(folder)
            came(folder, fake, *PEOPLE)
            sys.stdout.write(understudy("pay", folder, "--dry-run").out)


if __name__ == "__main__":
    main()
