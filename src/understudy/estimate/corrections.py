"""Corrections for multiple tests, and the order in which gated hypotheses are decided."""

from collections.abc import Sequence
from dataclasses import dataclass

from understudy.analyses.kernels.multiplicity import benjamini_hochberg, bonferroni, holm
from understudy.schema import AnalysisPlan, Family, Hypothesis


@dataclass(frozen=True)
class CorrectionGroup:
    """Hypotheses decided together: a family, or a single hypothesis."""

    family: Family | None
    members: tuple[Hypothesis, ...]


def correction_groups(plan: AnalysisPlan) -> tuple[CorrectionGroup, ...]:
    """Return the groups in an order in which every gate is decided before the hypotheses behind it.

    Groups whose gates form a cycle are left out, because they have no such order.
    """
    families = {family.name: family for family in plan.families}
    members: dict[str, list[Hypothesis]] = {}
    for hypothesis in plan.hypotheses:
        members.setdefault(group_key(hypothesis), []).append(hypothesis)
    key_of = {h.hypothesis_id: group_key(h) for h in plan.hypotheses}
    needs = {
        key: {key_of[h.requires] for h in hypotheses if h.requires in key_of} for key, hypotheses in members.items()
    }  # fmt: skip
    ordered: list[str] = []
    # A topological sort (Kahn 1962): each round takes the groups whose gates are all decided.
    while ready := [key for key in members if key not in ordered and needs[key] <= set(ordered)]:
        ordered.extend(ready)
    return tuple(CorrectionGroup(families.get(members[key][0].family or ""), tuple(members[key])) for key in ordered)


def group_key(hypothesis: Hypothesis) -> str:
    """Return the key of a hypothesis's group: its family, or itself."""
    return f"family {hypothesis.family}" if hypothesis.family else f"hypothesis {hypothesis.hypothesis_id}"


def adjusted_p_values(p_values: Sequence[float | None], family: Family | None) -> list[float | None]:
    """Correct the p-values of one group; a test without a p-value still counts as one of the family."""
    if family is None or family.correction == "none":
        return list(p_values)
    adjust = {"bonferroni": bonferroni, "holm": holm, "fdr": benjamini_hochberg}[family.correction]
    n_tests = max(family.n_tests or 0, len(p_values))
    # A missing p-value counts as 1, so that it takes part in the correction but is never rejected.
    adjusted = adjust([1.0 if p is None else p for p in p_values], family_size=n_tests)
    return [None if p is None else float(value) for p, value in zip(p_values, adjusted, strict=True)]
