"""Assembling a server: secrets, completion addresses and the built front end."""

import json
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.serve.stage_door import Person, folder_of, played, server
from tests.small_studies import two_groups
from understudy.actions.serve import (
    built_front_end,
    completion_urls_from,
    digest_of_sources,
    require_named_by,
    secrets_from,
    served_from_folder,
)
from understudy.errors import MaterialsError, UnderstudyError
from understudy.serve.access import Keyring
from understudy.serve.people import People


def test_the_first_start_makes_a_secret_only_its_owner_can_read(tmp_path: Path) -> None:
    made = secrets_from({}, tmp_path / "serve.secret")
    assert made.is_new
    assert (tmp_path / "serve.secret").stat().st_mode & 0o777 == 0o600
    assert secrets_from({}, tmp_path / "serve.secret") == made._replace(is_new=False)


def test_the_environment_comes_before_the_file(tmp_path: Path) -> None:
    environment = {"UNDERSTUDY_SECRET": "s" * 32, "UNDERSTUDY_ADMIN_TOKEN": "a token of twenty letters"}
    assert secrets_from(environment, tmp_path / "none") == (b"s" * 32, "a token of twenty letters", False, False)
    assert not (tmp_path / "none").exists()


def test_a_short_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnderstudyError, match="has 5 characters, but needs 32"):
        secrets_from({"UNDERSTUDY_SECRET": "short", "UNDERSTUDY_ADMIN_TOKEN": "t"}, tmp_path / "none")


@pytest.mark.parametrize("token", ["", "t", "a-short-admin-token", "a" * 40, "abababababababababababab"])
def test_an_admin_token_that_can_be_guessed_is_refused(tmp_path: Path, token: str) -> None:
    environment = {"UNDERSTUDY_SECRET": "s" * 32, "UNDERSTUDY_ADMIN_TOKEN": token}
    (tmp_path / "serve.secret").write_text(json.dumps({"secret": "s" * 32, "admin_token": token}))
    with pytest.raises(UnderstudyError, match="too easy to guess: it needs 20 characters, 8 of them different"):
        secrets_from(environment, tmp_path / "serve.secret")


def test_a_damaged_secret_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "serve.secret").write_text("{}")
    with pytest.raises(UnderstudyError, match="delete it"):
        secrets_from({}, tmp_path / "serve.secret")


def test_a_secret_that_would_not_know_people_again_is_refused(tmp_path: Path) -> None:
    people = People(tmp_path / "people.sqlite")
    people.remember(Keyring(b"a" * 32).participant_id("5f1"), {"PROLIFIC_PID": "5f1"})
    people.remember("p-by-chance", {"utm_source": "mail"})
    require_named_by(Keyring(b"a" * 32), [tmp_path / "people.sqlite"])
    with pytest.raises(UnderstudyError, match="came under another secret"):
        require_named_by(Keyring(b"b" * 32), [tmp_path / "people.sqlite"])


def test_completion_addresses_come_from_the_environment() -> None:
    environment = {"UNDERSTUDY_COMPLETION_URL_MY_STUDY": "https://recruiter.example/{code}"}
    assert completion_urls_from(environment, ["my-study", "other"]) == {"my-study": "https://recruiter.example/{code}"}


def test_a_completion_address_must_be_a_web_address() -> None:
    with pytest.raises(UnderstudyError, match="must start with https"):
        completion_urls_from({"UNDERSTUDY_COMPLETION_URL_S": "javascript:alert(1)"}, ["s"])


def test_an_absent_or_stale_front_end_is_refused_with_the_command_that_mends_it(tmp_path: Path) -> None:
    package = tmp_path / "src" / "understudy"
    (package / "_web").mkdir(parents=True)
    with pytest.raises(MaterialsError, match="Run: make web"):
        built_front_end(package)
    sources = tmp_path / "frontend" / "src"
    sources.mkdir(parents=True)
    (sources / "a.ts").write_text("1")
    (package / "_web" / "BUILD.json").write_text(json.dumps({"frontend_digest": digest_of_sources(sources)}))
    assert built_front_end(package) == package / "_web"
    (sources / "a.ts").write_text("2")
    with pytest.raises(MaterialsError, match="older than frontend/src"):
        built_front_end(package)


def test_a_report_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    served = served_from_folder(folder_of(two_groups(), tmp_path))
    served.log.close()
    assert served.report is not None
    with pytest.raises(UnderstudyError, match="has no sessions yet"):
        served.report()


def test_the_archive_is_made_by_a_process_of_its_own(tmp_path: Path) -> None:
    folder = folder_of(two_groups(), tmp_path)
    with server(folder) as app:
        played(app, whole_session)
    served = served_from_folder(folder)
    served.log.close()
    assert served.export is not None
    assert served.export().startswith(b"PK")


def test_files_of_the_working_folder_are_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A researcher may have a `statistics.py` where the server was started."""
    folder, here = folder_of(two_groups(), tmp_path / "run"), tmp_path / "here"
    with server(folder) as app:
        played(app, whole_session)
    here.mkdir()
    for name in sys.stdlib_module_names - set(sys.builtin_module_names):
        (here / f"{name}.py").write_text(
            f"open({str(here / 'ran')!r}, 'a').write({name + ' '!r})\nraise SystemExit(3)\n"
        )
    monkeypatch.chdir(here)
    served = served_from_folder(folder)
    served.log.close()
    assert served.report is not None
    assert served.export is not None
    assert served.report().startswith(b"<!doctype html>")
    assert served.export().startswith(b"PK")
    power = [
        "power",
        "loan-demo",
        "--on",
        "explanation=shown",
        "--n",
        "8",
        "--effects",
        "0",
        "--simulations",
        "4",
        "--workers",
        "2",
    ]
    command = [str(Path(sys.executable).with_name("understudy")), *power]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stderr.strip()) == (0, "")
    assert not (here / "ran").exists()


async def whole_session(client: httpx.AsyncClient) -> None:
    person = Person(client, "two-groups", PROLIFIC_PID="one")
    await person.start()
    await person.finish()
