"""The twelve hypotheses, the six comparisons they are judged by, and what each verdict says in plain language."""

from collections.abc import Mapping
from typing import NamedTuple, get_args

from understudy.schema.probe import AnalysisId, HypothesisId, SetId, State

SETS: tuple[SetId, ...] = get_args(SetId)
ANALYSES: dict[AnalysisId, tuple[SetId, SetId]] = {
    "A1": ("PP", "MD"),
    "A2": ("PP", "MP"),
    "A3": ("PP", "PD"),
    "A4": ("PD", "MD"),
    "A5": ("PD", "MP"),
    "A6": ("MP", "MD"),
}
"""Left and right result set of each comparison."""
SET_NAMES: dict[SetId, str] = {"PP": "M+ on D+", "PD": "M+ on D", "MP": "M on D+", "MD": "M on D"}
OPPOSED: tuple[tuple[HypothesisId, HypothesisId], ...] = (
    ("H1", "H2"), ("H5", "H6"), ("H7", "H8"), ("H9", "H10"), ("H11", "H12"),
)  # fmt: skip
"""Pairs that cannot both be true."""


class Wording(NamedTuple):
    """A hypothesis in words: a statement, and a sentence for each state."""

    statement: str
    confirmed: str
    unproven: str
    rejected: str


WORDINGS: Mapping[HypothesisId, Wording] = {
    "H1": Wording(
        "The concept is useful to M+, and would be to M",
        "Information about {concept} is useful to the model.",
        "It is open whether information about {concept} is useful to the model.",
        "Information about {concept} is not useful to the model.",
    ),
    "H2": Wording(
        "The concept is harmful to M+, and would be to M",
        "Information about {concept} is harmful to the model.",
        "It is open whether information about {concept} is harmful to the model.",
        "Information about {concept} is not harmful to the model.",
    ),
    "H3": Wording(
        "M has already learned the concept adequately",
        "The model without help has already learned {concept} well enough.",
        "It is open whether the model without help has already learned {concept}.",
        "The model without help has not learned {concept} well enough: help changes what it does.",
    ),
    "H4": Wording(
        "M+ has learned the concept adequately",
        "The model trained with help has taken {concept} in.",
        "It is open whether the model trained with help has taken {concept} in.",
        "The model trained with help has not taken {concept} in.",
    ),
    "H5": Wording(
        "The extra information in D+ has a positive effect on M",
        "Showing {concept} helps even a model that was never trained with it.",
        "It is open whether showing {concept} helps a model that was never trained with it.",
        "Showing {concept} does not help a model that was never trained with it.",
    ),
    "H6": Wording(
        "The extra information in D+ has a negative effect on M",
        "Showing {concept} disturbs a model that was never trained with it.",
        "It is open whether showing {concept} disturbs a model that was never trained with it.",
        "Showing {concept} does not disturb a model that was never trained with it.",
    ),
    "H7": Wording(
        "The extra information in D+ has a positive effect on M+",
        "Showing {concept} helps the model that was trained with it.",
        "It is open whether showing {concept} helps the model that was trained with it.",
        "Showing {concept} does not help the model that was trained with it.",
    ),
    "H8": Wording(
        "The extra information in D+ has a negative effect on M+",
        "Showing {concept} harms the model that was trained with it.",
        "It is open whether showing {concept} harms the model that was trained with it.",
        "Showing {concept} does not harm the model that was trained with it.",
    ),
    "H9": Wording(
        "Learning with the extra training data affects the extra part of M+ positively",
        "Training with {concept} taught the model to make good use of the extra information.",
        "It is open whether training with {concept} taught the model to make good use of the extra information.",
        "Training with {concept} did not teach the model to make good use of the extra information.",
    ),
    "H10": Wording(
        "Learning with the extra training data affects the extra part of M+ negatively",
        "Training with {concept} taught the model to be misled by the extra information.",
        "It is open whether training with {concept} taught the model to be misled by the extra information.",
        "Training with {concept} did not teach the model to be misled by the extra information.",
    ),
    "H11": Wording(
        "Learning with the extra training data affects the M part of M+ positively",
        "Trained with {concept}, the model does better even where the information is missing.",
        "It is open whether the model trained with {concept} does better where the information is missing.",
        "Trained with {concept}, the model does not do better where the information is missing.",
    ),
    "H12": Wording(
        "Learning with the extra training data affects the M part of M+ negatively",
        "Trained with {concept}, the model does worse where the information is missing: it leans on it.",
        "It is open whether the model trained with {concept} does worse where the information is missing.",
        "Trained with {concept}, the model does not do worse where the information is missing.",
    ),
}
HYPOTHESES: tuple[HypothesisId, ...] = tuple(WORDINGS)


def claims_of(hypothesis: HypothesisId, concept: str) -> dict[State, str]:
    """Return what each state of a hypothesis says about a concept."""
    words = WORDINGS[hypothesis]
    return {
        "confirmed": words.confirmed.format(concept=concept),
        "unproven": words.unproven.format(concept=concept),
        "rejected": words.rejected.format(concept=concept),
    }
