"""Heavy libraries that are imported when they are first used, so that commands which need none of them start fast.

`from understudy.deferred.scipy import stats` reads, types and works like `from scipy import stats`; the library itself
loads at the first attribute that is asked of it (decision 29).
"""

from importlib import import_module
from typing import Any


class Deferred:
    """A module under its name, not imported before one of its attributes is used."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        """Import the module, which costs nothing the second time, and return its attribute."""
        value = getattr(import_module(self._module), name)
        # Kept here, so that a function called in a loop is looked up once.
        self.__dict__[name] = value
        return value

    def __reduce__(self) -> tuple[type["Deferred"], tuple[str]]:
        """Pickle the name alone: a worker process imports the module for itself."""
        return Deferred, (self._module,)
