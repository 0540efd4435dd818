"""Declared kinds: an explainer may only return the kinds that it declares, so that its entry says what pages must draw."""

from understudy.errors import MaterialsError
from understudy.roles import Explained


def refuse_undeclared(explained: Explained, declared: frozenset[str], owner: str) -> None:
    """Raise a sentence about the first explanation whose kind its explainer does not declare."""
    for explanation in explained.explanations:
        if explanation.kind not in declared:
            raise MaterialsError(
                f"{owner} returned an explanation of the kind {explanation.kind!r}, but declares only "
                f"{', '.join(sorted(declared))}. Add the kind to its `kinds`."
            )
