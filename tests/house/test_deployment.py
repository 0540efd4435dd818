"""The files for deployment: their commands exist, and the programs that read them accept them where they are here."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from understudy.cli.main import app_of

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted(path.name for path in DEPLOY.glob("understudy*.*"))
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


def commands() -> list[list[str]]:
    """Return the words after `understudy` in every file."""
    found = [shlex.split(line) for path in DEPLOY.glob("*.service") for line in _values(path, "ExecStart")]
    served = [service["command"] for service in COMPOSE["services"].values() if service.get("image") == "understudy"]
    contained = re.search(r"^CMD (\[.+\])$", (DEPLOY / "Containerfile").read_text(), re.MULTILINE)
    assert contained is not None
    return [*(words[1:] for words in found), *served, yaml.safe_load(contained[1])]


def _values(path: Path, name: str) -> list[str]:
    return re.findall(rf"^{name}=(.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_in_them_can_be_parsed(words: list[str]) -> None:
    group: Any = typer.main.get_command(app_of([words[0]]))
    command = group.commands[words[0]] if hasattr(group, "commands") else group
    context = command.make_context(words[0], words[1:])
    assert context.params["folder" if words[0] == "backup" else "folders"]


def test_units_are_accepted_by_systemd(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not on this machine")
    for name in UNITS:
        # The program is not installed here, and systemd asks whether it exists.
        text = (DEPLOY / name).read_text(encoding="utf-8").replace("/opt/understudy/bin/understudy", "/bin/true")
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / name) for name in UNITS)],
        capture_output=True, text=True, check=False, env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
    )  # fmt: skip
    assert [line for line in done.stderr.splitlines() if str(tmp_path) in line] == []


def test_the_server_and_the_copy_wait_for_what_they_need() -> None:
    services = COMPOSE["services"]
    assert services["server"]["depends_on"]["database"]["condition"] == "service_healthy"
    subnet = COMPOSE["networks"]["inside"]["ipam"]["config"][0]["subnet"]
    assert services["server"]["command"][-1] == subnet
    assert set(COMPOSE["volumes"]) == {"database", "certificates"}
    assert all(service["networks"] == ["inside"] for service in services.values())


def test_user_data_of_the_cloud_server_names_the_folders_of_the_units() -> None:
    made = yaml.safe_load((DEPLOY / "cloud-init.yaml").read_text(encoding="utf-8"))
    folders = {word for command in made["runcmd"] if command[0] == "install" for word in command[1:]}
    for name in ("understudy.service", "understudy-backup.service"):
        wanted = {path for value in _values(DEPLOY / name, "ReadWritePaths") for path in value.split()}
        assert wanted <= folders
    assert "understudy" in {account["name"] for account in made["users"] if isinstance(account, dict)}
