"""Software: the versions that the numbers of a training run depend on."""

import platform

import numpy as np
import torch


def software_versions() -> dict[str, str]:
    """Return package -> version."""
    return {"python": platform.python_version(), "torch": str(torch.__version__), "numpy": np.__version__}
