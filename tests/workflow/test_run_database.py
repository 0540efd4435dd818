"""A run whose events are in a database: its folder remembers where, and mistakes get one sentence."""

from pathlib import Path

import pytest

from tests.log_events import started
from tests.postgres_server import PostgresServer
from tests.serve.stage_door import SECRET, folder_of
from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.actions.run_folder import DATABASE, Run, existing_run, only_writer, use_database
from understudy.actions.serve import SharedDatabase, require_one_secret, secrets_from, served_from_folder
from understudy.errors import LogError, UnderstudyError

pytest_plugins = ["tests.log_places"]


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    return postgres_server.new_schema()


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return existing_run(folder_of(two_groups(), tmp_path / "run"))


def sentence(folder: Path, url: str) -> str:
    """What `understudy serve` says to an address."""
    shown = understudy("serve", folder, "--web", folder, "--database", url)
    assert (shown.code, len(shown.err.strip().splitlines())) == (2, 1)
    return shown.err


def test_a_folder_remembers_its_database_for_every_command(run: Run, url: str) -> None:
    use_database(run, url)
    with run.open_log() as log:
        assert log.is_shared
    assert understudy("status", run.folder).code == 0
    assert not run.log_path.exists()


def test_only_the_owner_can_read_where_the_database_is(run: Run, url: str) -> None:
    use_database(run, url)
    assert (run.folder / DATABASE).stat().st_mode & 0o777 == 0o600


def test_a_run_with_sessions_in_its_folder_stays_there(run: Run, url: str) -> None:
    with run.open_log() as log:
        log.append([started("a", study="two-groups")])
    with pytest.raises(LogError, match=r"has sessions or registrations in events\.sqlite already"):
        use_database(run, url)


def test_a_run_does_not_move_from_one_database_to_another(run: Run, postgres_server: PostgresServer) -> None:
    use_database(run, postgres_server.new_schema())
    with pytest.raises(LogError, match=r"keeps its events in postgresql.*and you gave another address"):
        use_database(run, postgres_server.new_schema())


def test_rehearsals_and_collected_results_stay_out_of_a_shared_database(run: Run, url: str) -> None:
    use_database(run, url)
    with pytest.raises(LogError, match="for real people on one or more servers; use another folder"), only_writer(run):
        pass


def test_two_servers_with_different_secrets_are_told(run: Run, url: str) -> None:
    served = served_from_folder(run.folder, SharedDatabase(url))
    require_one_secret([served], SECRET)
    require_one_secret([served], SECRET)
    with pytest.raises(UnderstudyError, match="came under another secret than that of this process"):
        require_one_secret([served], SECRET + b"!")
    served.log.close()


def test_studies_in_one_database_share_one_log(tmp_path: Path, url: str) -> None:
    shared = SharedDatabase(url)
    folders = [folder_of(two_groups(name=name), tmp_path / name) for name in ("one", "other")]
    first, second = (served_from_folder(folder, shared) for folder in folders)
    assert first.log is second.log
    first.log.close()


def test_secrets_that_two_processes_make_at_once_are_those_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faster = secrets_from({}, tmp_path / "serve.secret")
    monkeypatch.setattr(Path, "exists", lambda _: False)
    slower = secrets_from({}, tmp_path / "serve.secret")
    assert (slower.secret, slower.is_new) == (faster.secret, False)


@pytest.mark.parametrize("address", ["events.sqlite", "sqlite:///events.sqlite", "mysql://host/log"])
def test_other_databases_are_refused(run: Run, address: str) -> None:
    with pytest.raises(LogError, match=r"PostgreSQL|cannot be kept in 'mysql'"):
        use_database(run, address)


def test_a_wrong_host_is_told_without_the_password(run: Run) -> None:
    said = sentence(run.folder, "postgresql://kim:hunter2@no-such-host.invalid/log")
    assert "has a host that cannot be found; correct the name in the URL" in said
    assert "hunter2" not in said
    assert not (run.folder / DATABASE).exists()


def test_a_port_at_which_nobody_listens_is_told(run: Run) -> None:
    said = sentence(run.folder, "postgresql://kim@127.0.0.1:9/log")
    assert "cannot be reached; check that its URL is right and its server runs (Connection refused)" in said


def test_a_database_that_does_not_exist_is_told(run: Run, postgres_server: PostgresServer) -> None:
    said = sentence(run.folder, postgres_server.url("nowhere"))
    assert (
        'correct the name in the URL, or create the database or role first (database "nowhere" does not exist)' in said
    )


def test_a_wrong_password_is_told(run: Run, password_server: PostgresServer) -> None:
    url = password_server.url("postgres").replace("understudy@", "kim:hunter2@")
    said = sentence(run.folder, url)
    assert (
        'refuses the name or the password; correct them in the URL (password authentication failed for user "kim")'
        in said
    )
    assert "hunter2" not in said
