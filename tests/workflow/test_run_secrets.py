"""Codes and links of a run are made with the secret of its server, wherever that is kept."""

from pathlib import Path
from unittest.mock import patch

import pytest

from tests.paid_studies import paid_study
from tests.serve.stage_door import ADMIN, SECRET, folder_of
from tests.shell import understudy
from understudy.actions.access import keyring_of, secret_path, sent_out, use_secret
from understudy.actions.serve import secrets_from
from understudy.cli import serve as serve_command
from understudy.errors import UnderstudyError
from understudy.serve.access import Keyring

ADDRESS = ("--address", "https://study.example")


@pytest.fixture
def parts(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs, of which the first was served before."""
    first, second = (folder_of(paid_study(name=name), tmp_path / name) for name in ("first", "second"))
    secrets_from({}, first / "serve.secret")
    return first, second


def served(*words: str | Path) -> tuple[str, ...]:
    """Start a server that never listens, and return the fixed codes of its last study."""
    with patch.object(serve_command, "host_app") as host, patch.object(serve_command, "listening_at"):
        shown = understudy("serve", *words, "--web", words[0])
        assert shown.code == 0, shown.err
    state = host.call_args.args[0].state.server
    name = list(state.studies)[-1]
    return tuple(state.keyring.outcome_code(name, ending) for ending in ("completed", "declined"))


def test_a_draft_has_the_codes_of_a_server_with_several_studies(parts: tuple[Path, Path]) -> None:
    codes = served(*parts)
    shown = understudy("recruit", "draft", parts[1], *ADDRESS, "--dry-run")
    assert [code in shown.out for code in codes] == [True, True]
    assert not (parts[1] / "serve.secret").exists()


def test_a_dry_run_leaves_the_link_that_works_once_to_the_first_start(tmp_path: Path) -> None:
    folder = folder_of(paid_study(), tmp_path / "run")
    assert understudy("recruit", "draft", folder, *ADDRESS, "--dry-run").code == 0
    with patch.object(serve_command, "host_app"), patch.object(serve_command, "listening_at"):
        told = [understudy("serve", folder, "--web", folder).out for _ in range(2)]
    assert ["works once" in out for out in told] == [True, False]


def test_a_draft_has_the_codes_of_the_pilot_that_is_served(tmp_path: Path) -> None:
    folder = folder_of(paid_study(), tmp_path / "run")
    codes = served(folder, "--pilot-places", "3")
    shown = understudy("recruit", "draft", folder / "pilot", *ADDRESS, "--dry-run")
    assert [code in shown.out for code in codes] == [True, True]


def test_links_sent_out_under_one_secret_are_not_served_under_another(parts: tuple[Path, Path], tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("ann\n")
    assert understudy("links", parts[1], ids).code == 0
    shown = understudy("serve", *parts, "--web", parts[0])
    assert shown.code != 0
    assert f"--secret-file {parts[1] / 'serve.secret'}" in shown.err
    assert served(parts[1]) != ()


def test_a_server_with_its_secret_in_the_environment_is_asked_for_it(tmp_path: Path) -> None:
    environment = {"UNDERSTUDY_SECRET": SECRET.decode(), "UNDERSTUDY_ADMIN_TOKEN": ADMIN}
    use_secret([tmp_path], Keyring(SECRET), tmp_path / "serve.secret", environment)
    assert keyring_of(tmp_path, environment).fingerprint == Keyring(SECRET).fingerprint
    with pytest.raises(UnderstudyError, match="Set UNDERSTUDY_SECRET"):
        keyring_of(tmp_path, {})
    assert not (tmp_path / "serve.secret").exists()


def test_another_secret_file_is_refused(parts: tuple[Path, Path], tmp_path: Path) -> None:
    served(*parts)
    secrets_from({}, tmp_path / "other.secret")
    with pytest.raises(UnderstudyError, match="another secret than"):
        keyring_of(parts[1], {}, tmp_path / "other.secret")


def test_a_run_that_nothing_was_sent_out_of_may_change_its_server(tmp_path: Path) -> None:
    for secret in (b"a" * 32, b"b" * 32):
        use_secret([tmp_path], Keyring(secret), tmp_path / "serve.secret", {})
    sent_out(tmp_path, Keyring(b"b" * 32), {})
    with pytest.raises(UnderstudyError, match="were sent out under another secret"):
        use_secret([tmp_path], Keyring(b"a" * 32), tmp_path / "serve.secret", {})


def test_a_later_part_alone_is_served_under_the_secret_of_the_earlier_one(parts: tuple[Path, Path]) -> None:
    assert secret_path(parts[1], [parts[0]]) == parts[0] / "serve.secret"


def test_a_damaged_note_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "secret-used.json").write_text("{")
    with pytest.raises(UnderstudyError, match="delete it and serve the run again"):
        secret_path(tmp_path)
