"""The ready studies of this protocol, by name."""

from collections.abc import Callable

from understudy.protocols.sixt2022.study import sixt2022_comparison, sixt2022_validation
from understudy.schema import Study


def ready_studies() -> dict[str, Callable[[], Study]]:
    """Return the builders of the ready studies."""
    return {"sixt2022-comparison": sixt2022_comparison, "sixt2022-validation": sixt2022_validation}
