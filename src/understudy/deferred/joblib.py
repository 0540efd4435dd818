"""joblib, imported when work is first spread over threads or processes."""

from typing import Any

from understudy.deferred import Deferred

# joblib has no types, so that these lose none.
joblib: Any = Deferred("joblib")
