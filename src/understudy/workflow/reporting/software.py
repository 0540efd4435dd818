"""The software versions that produced a finding."""

import platform
from importlib.metadata import version

PACKAGES = ("understudy", "numpy", "pandas", "scipy")


def software_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that compute results."""
    return {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
