"""The command line as its user meets it, without starting a process."""

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from understudy.cli.main import run


class Shown(NamedTuple):
    """What a command left on the screen, and its exit code."""

    code: int
    out: str
    err: str


def understudy(*words: str | Path | int) -> Shown:
    """Run one command; the terminal is wide, so that no sentence is broken."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    argv = ["understudy", *map(str, words)]
    screen = {"COLUMNS": "200", "NO_COLOR": "1"}
    with (
        patch.object(sys, "argv", argv),
        patch.dict(os.environ, screen),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            run()
        except SystemExit as ended:
            code = int(ended.code or 0)
    return Shown(code, out.getvalue(), err.getvalue())
