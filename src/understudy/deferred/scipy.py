"""SciPy, imported by the parts that are used."""

from typing import TYPE_CHECKING

from understudy.deferred import Deferred

if TYPE_CHECKING:
    from scipy import integrate, interpolate, linalg, ndimage, optimize, sparse, special, stats
else:
    integrate, interpolate = Deferred("scipy.integrate"), Deferred("scipy.interpolate")
    linalg, ndimage = Deferred("scipy.linalg"), Deferred("scipy.ndimage")
    optimize, sparse = Deferred("scipy.optimize"), Deferred("scipy.sparse")
    special, stats = Deferred("scipy.special"), Deferred("scipy.stats")

__all__ = ["integrate", "interpolate", "linalg", "ndimage", "optimize", "sparse", "special", "stats"]
