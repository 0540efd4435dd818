"""Sources of simulation studies: cases, the classifiers trained on them, and what they are about, in words."""

from typing import NamedTuple

from understudy.schema import Json, Ref
from understudy.studies.hase2020_flow import Matter


class Source(NamedTuple):
    """A dataset and the names of its two classifiers."""

    matter: Matter
    dataset: Ref
    model: str
    prototypes: str


INCOME = Source(
    Matter(
        ("above average", "below average"),
        "A computer model reads eight facts about a person and says whether this person earns **above** or **below** "
        "the average. The people are made up.",
        "person",
    ),
    Ref(name="income_cases"),
    "income-mlp",
    "income-prototypes",
)


def lime(dataset: Ref) -> Ref:
    """Return LIME, whose perturbed rows are cases that nobody is tested on."""
    return Ref(name="lime", params={"background": _background(dataset)})


def _background(dataset: Ref) -> Json:
    return {"name": dataset.name, "params": {**dataset.params, "split": "validation"}}
