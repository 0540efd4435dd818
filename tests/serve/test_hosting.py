"""Where a server listens and whom it believes."""

import os
import socket
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.actions.study_files import write_study
from understudy.serve import hosting
from understudy.serve.hosting import inherited_socket, listening_at


def test_without_systemd_no_socket_is_inherited() -> None:
    assert inherited_socket({}) is None
    assert inherited_socket({"LISTEN_PID": "1", "LISTEN_FDS": "1"}) is None
    assert inherited_socket({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "0"}) is None


def test_the_socket_of_systemd_is_taken_over() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        environment = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
        with patch.object(hosting, "_FIRST_INHERITED", os.dup(listening.fileno())):
            inherited = inherited_socket(environment)
        assert inherited is not None
        with inherited:
            assert inherited.getsockname() == listening.getsockname()


@pytest.mark.parametrize("proxy", ["caddy", "10.0.0.300", "172.30.0.0/99"])
def test_a_proxy_that_is_no_address_is_refused(proxy: str) -> None:
    shown = understudy("serve", "nowhere", "--proxy", proxy)
    assert (shown.code, shown.err) == (
        2, f"--proxy {proxy!r} is not an address or a network; write 10.0.0.5 or 172.30.0.0/24.\n",
    )  # fmt: skip


def test_a_port_that_is_taken_is_named_before_any_address_is_printed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    understudy("prepare", write_study(two_groups(), tmp_path / "study.toml"), "--out", folder)
    with listening_at("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        shown = understudy("serve", folder, "--port", port)
    assert (shown.code, shown.out) == (2, "")
    assert shown.err == (
        f"Cannot listen on 127.0.0.1:{port}: Address already in use. Stop what uses it, or choose another --port or "
        "--host.\n"
    )
