"""The tests of Ross et al. (2021): all levels together, then every pair, Bonferroni over all that the paper ran."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal

from understudy.schema import Family, Hypothesis, Ref

N_TESTS = 435
"""Tests in the whole paper, which its threshold of 0.05 / 435 corrects for."""
PAPER = Family(name="paper", correction="bonferroni", n_tests=N_TESTS)
_ANALYSES = {
    # The paper's degrees of freedom are whole, so it did not correct for sphericity.
    "within": (Ref(name="rm_anova", params={"sphericity": "none"}), Ref(name="paired_t")),
    "between": (Ref(name="oneway_anova"), Ref(name="independent_t")),
}


def paper_tests(
    outcomes: Mapping[str, str],
    levels: Sequence[str],
    *,
    scope: Literal["within", "between"],
    prefix: str = "",
    where: str | None = None,
) -> Iterator[Hypothesis]:
    """Yield, for each outcome, one test of all models and one of every pair; `outcomes` maps names to words."""
    together, in_pairs = _ANALYSES[scope]
    for outcome, words in outcomes.items():
        stem = f"{prefix}{outcome}"
        yield Hypothesis(
            hypothesis_id=f"{stem}_any", claim=f"{words} differs between models.", outcome=outcome, factor="model",
            where=where, analysis=together, family=PAPER.name,
        )  # fmt: skip
        for first, second in combinations(levels, 2):
            yield Hypothesis(
                hypothesis_id=f"{stem}_{second}_{first}", claim=f"{words} differs between {second.upper()} and {first.upper()}.",
                outcome=outcome, factor="model", contrast=(second, first), where=where, analysis=in_pairs,
                family=PAPER.name,
            )  # fmt: skip
