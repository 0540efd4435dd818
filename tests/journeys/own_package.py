"""A package of somebody's own, written from a page of the documentation and installed without a network."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.house.test_docs import fences

ROOT = Path(__file__).parents[2]


class Workplace(NamedTuple):
    """A folder with the files of a page, and an environment in which its package is installed."""

    folder: Path
    environment: dict[str, str]

    def run(self, *words: str) -> str:
        """Run a command as its user does, and return what it printed."""
        done = subprocess.run(
            self._command(words), cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def started(self, *words: str) -> Iterator[list[str]]:
        """Run a command until the block ends, and return its first lines, one for participants and one for researchers."""
        server = subprocess.Popen(
            self._command(words), cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        try:
            yield [server.stdout.readline() for _ in range(2)]
        finally:
            server.terminate()
            server.stdout.close()
            server.wait()

    def _command(self, words: tuple[str, ...]) -> list[str]:
        return [sys.executable, "-m", "understudy", *words]


def installed_from(page: Path, folder: Path) -> Workplace:
    """Write the files of a page and install its package the way an editable install does: metadata on the path."""
    for fence in fences(page):
        if fence.file_name:
            target = folder / fence.file_name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(fence.text, encoding="utf-8")
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = [
        line
        for group, names in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {module}" for name, module in names.items()))
    ]
    (metadata / "entry_points.txt").write_text("\n".join(points) + "\n", encoding="utf-8")
    path = os.pathsep.join([str(folder), str(ROOT / "src")])
    return Workplace(folder, {**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1", "COLUMNS": "200"})
