"""Scripts of the front end, run by the Node that its own script finds."""

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

FRONTEND = Path(__file__).parents[1] / "frontend"


def script(name: str) -> ModuleType:
    """Load a Python script of the front end, which is not a package."""
    spec = importlib.util.spec_from_file_location(name, FRONTEND / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def npm_run(*words: str, said: str = "") -> str:
    """Run a script of package.json, with `said` as its input, and return what it prints."""
    command, environment = script("with_node").npm_command()
    done = subprocess.run(
        [*command, "run", "--silent", *words],
        cwd=FRONTEND, env=environment, input=said, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
