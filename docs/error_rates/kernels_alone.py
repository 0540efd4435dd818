"""Makes the kernels importable with numpy and scipy alone, so that simulations run on any machine with Python."""

import os
import sys
import types
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[2] / "src" / "understudy"


def prepare() -> None:
    """Limit the threads and replace what is not installed; call it before numpy is imported."""
    # One thread per worker: the matrices are small, and workers would wait for each other.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    for package, folder in (("understudy", SOURCE), ("understudy.analyses", SOURCE / "analyses")):
        # The kernels import nothing but each other; the packages around them would load the whole catalogue.
        sys.modules.setdefault(package, types.ModuleType(package)).__path__ = [str(folder)]
    if find_spec("threadpoolctl") is None:
        # Without it, the limits above do the same.
        sys.modules["threadpoolctl"] = types.ModuleType("threadpoolctl")
        vars(sys.modules["threadpoolctl"])["ThreadpoolController"] = _Unlimited


class _Unlimited:
    def wrap(self, **_: object) -> Callable[[Any], Any]:
        return lambda fit: fit
