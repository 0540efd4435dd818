"""Plain words: the claims of a plan as people who took part can read them."""

from collections.abc import Iterable, Mapping

from understudy.schema import Hypothesis


def with_plain_words(hypotheses: Iterable[Hypothesis], words: Mapping[str, str]) -> tuple[Hypothesis, ...]:
    """Return the hypotheses; those whose id has plain words carry them."""
    return tuple(
        claim.model_copy(update={"plain": words[claim.hypothesis_id]}) if claim.hypothesis_id in words else claim
        for claim in hypotheses
    )
