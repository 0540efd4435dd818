"""Packages that offer names without importing the modules they are from.

A package writes its imports in an `if TYPE_CHECKING:` block, where type checkers, editors and the import contracts see
ordinary imports. At run time the same block says which module has a name, and the first use of the name imports it.
"""

import ast
import sys
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

_MODULES = "__deferred_names__"
_BORDER = "__border__"


class OfferingPackage(ModuleType):
    """A package that imports the modules behind its names when they are first used."""

    def __getattr__(self, name: str) -> Any:
        """Import the module that has the name."""
        modules = self.__dict__[_MODULES]
        if name not in modules:
            near = get_close_matches(name, self.__dict__.get("__all__", modules), n=1)
            meant = f". Did you mean {near[0]!r}?" if near else ""
            # Without the object, since Python would add the same question once more.
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}{meant}", name=name, obj=None)
        value = getattr(import_module(modules[name]), name)
        if self.__dict__[_BORDER] and isinstance(value, FunctionType | type):
            value = import_module(self.__dict__[_BORDER]).offered(name, value)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: object) -> None:
        """Keep an offered name: Python sets each imported module in its package, and one may have the same name."""
        if not (isinstance(value, ModuleType) and name in self.__dict__[_MODULES]):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        """List what the package offers, for shells that complete names; modules behind it are private."""
        dunder = {name for name in self.__dict__ if name.startswith("__") and name not in (_MODULES, _BORDER)}
        offered = self.__dict__.get("__all__", self.__dict__[_MODULES])
        return sorted({*dunder, *offered})


def defer_names(package: str, *, border: str = "") -> None:
    """Make a package offer the names that it imports for type checkers only.

    A border is a module whose function `offered` gets the name of each function or class and the thing itself, and
    returns what the package offers in its place.
    """
    offering = sys.modules[package]
    setattr(offering, _BORDER, border)
    setattr(offering, _MODULES, _modules_by_name(Path(str(offering.__file__))))
    offering.__class__ = OfferingPackage


def _modules_by_name(path: Path) -> dict[str, str]:
    """Return which module has each name that a file imports for type checkers."""
    return {
        alias.name: imported.module or ""
        for block in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for imported in block.body
        if isinstance(imported, ast.ImportFrom)
        for alias in imported.names
    }
