"""Optional dependencies: the one module that imports them, and says how to install them."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from understudy.errors import MissingExtra


def optional(module: str, *, extra: str) -> Any:
    """Import a module of an extra, or say which command installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise MissingExtra(
            f"This needs {module!r}, which is not installed. Run: pip install 'understudy[{extra}]'"
        ) from None


def is_installed(module: str) -> bool:
    """Tell whether a module of an extra can be imported, for work that is useful without it."""
    return find_spec(module) is not None
