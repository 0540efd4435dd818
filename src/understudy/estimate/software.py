"""The software versions that produced a finding."""

import platform
from importlib.metadata import version

from understudy.registry import foreign_packages

PACKAGES = ("understudy", "numpy", "pandas", "scipy")


def software_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that compute results."""
    return {"python": platform.python_version()} | {name: version(name) for name in PACKAGES} | foreign_packages()


def running_version() -> str:
    """Return the version of understudy, with the packages of others whose code runs with it."""
    others = [f"{name} {what}" for name, what in foreign_packages().items()]
    return version("understudy") + (f" with {', '.join(others)}" if others else "")
