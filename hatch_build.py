"""Builds the front end into the wheel when it is missing, so that nobody who installs understudy needs Node."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class FrontEndHook(BuildHookInterface[Any]):
    """Makes src/understudy/_web before a wheel is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build what is missing, for an editable install, too; `make web` builds it again after a change."""
        root = Path(self.root)
        if self.target_name != "wheel":
            return
        if not (root / "src" / "understudy" / "_web" / "BUILD.json").exists():
            _with_node(root).run_script("build")


def _with_node(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("with_node", root / "frontend" / "with_node.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError("frontend/with_node.py is missing from the sources.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
