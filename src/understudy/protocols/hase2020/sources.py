"""Sources of simulation studies: cases, classifiers, descriptions and explainers."""

from typing import Literal, NamedTuple, TypeAlias

from understudy.protocols.hase2020.original import DOMAINS
from understudy.protocols.hase2020.simulation_blocks import PredictionProblem
from understudy.schema import Json, Ref

Data: TypeAlias = Literal["generated", "paper"]
"""generated: cases and classifiers that come with the package; paper: the paper's data, from the data folder."""


class Source(NamedTuple):
    """A dataset and the names of its two classifiers."""

    problem: PredictionProblem
    dataset: Ref
    model: str
    prototypes: str


_POLARITY_NAMES = {"pos": "positive", "neg": "negative"}
INCOME = Source(
    PredictionProblem(
        ("above average", "below average"),
        "A computer model reads eight facts about a person and says whether this person earns **above** or **below** "
        "the average. The people are made up.",
        "person",
    ),
    Ref(name="income_cases"),
    "income-mlp",
    "income-prototypes",
)
REVIEWS = Source(
    PredictionProblem(
        ("pos", "neg"),
        "A computer model reads a sentence about a play and says whether it is **positive** or **negative**. "
        "The sentences are made up.",
        "sentence",
        _POLARITY_NAMES,
        is_text=True,
    ),
    Ref(name="review_lines"),
    "reviews-lstm",
    "reviews-prototypes",
)
ADULT = Source(DOMAINS["tabular"], Ref(name="adult"), "adult-mlp", "adult-prototypes")
POLARITY = Source(
    DOMAINS["text"]._replace(labels=("pos", "neg"), value_names=_POLARITY_NAMES),
    Ref(name="rt_polarity"),
    "polarity-lstm",
    "polarity-prototypes",
)


def classifier(name: str) -> Ref:
    """Return the model of a trained classifier."""
    return Ref(name="trained_classifier", params={"name": name})


def with_prototypes(name: str) -> Ref:
    """Return the model of a trained classifier that keeps prototypes."""
    return Ref(name="trained_prototypes", params={"name": name})


def lime(dataset: Ref) -> Ref:
    """Return LIME, which perturbs validation cases and never tested ones."""
    return Ref(name="lime", params={"background": _part(dataset, "validation")})


def five_explainers(source: Source) -> dict[str, Ref]:
    """Return the five methods of Hase and Bansal (2020); the composite shows the last step of a path only."""
    params: Json = {"background": _part(source.dataset, "validation")}
    anchor = Ref(name="anchor", params=params)
    prototype = Ref(
        name="prototype",
        params={
            "background": _part(source.dataset, "train"),
            "model": with_prototypes(source.prototypes).model_dump(mode="json"),
        },
    )
    boundary = Ref(name="decision_boundary", params=params)
    last_step = Ref(name="decision_boundary", params={**params, "n_steps": 1})
    parts = [ref.model_dump(mode="json") for ref in (lime(source.dataset), anchor, last_step, prototype)]
    return {
        "lime": lime(source.dataset),
        "anchor": anchor,
        "prototype": prototype,
        "decision_boundary": boundary,
        "composite": Ref(name="composite", params={"parts": parts}),
    }


def _part(dataset: Ref, part: str) -> Json:
    return {"name": dataset.name, "params": {**dataset.params, "split": part}}
