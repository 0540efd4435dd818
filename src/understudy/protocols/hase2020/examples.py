"""Made-up explanations for lessons, one of each kind, on topics that no study uses."""

from understudy import schema
from understudy.protocols.hase2020.picture_example import picture_example
from understudy.tasks.instructions import Example

_FLAT: schema.Json = {"rooms": "4", "floor": "ground floor", "balcony": "none", "garden": "shared"}
_OTHER_FLAT: schema.Json = {"rooms": "4", "floor": "third floor", "balcony": "none", "garden": "shared"}
_FLAT_CAPTION = "A model says whether a flat is **cheap** or **expensive**. Here it said “expensive”."
_WORDS = ("we", "had", "soup", "on", "the", "night", "train", ".")
_OTHER_WORDS = ("they", "left", "by", "the", "last", "train", ".")
_WORDS_CAPTION = "A model says whether a sentence is about **travel** or **food**. Here it said “travel”."

_OF_ROWS: dict[str, schema.Explanation] = {
    "attribution": schema.Attribution(
        features=("rooms", "garden", "balcony"),
        weights=(0.32, 0.11, -0.18),
        values=("4", "shared", "none"),
        baseline=0.41,
        total=0.66,
        toward="expensive",
    ),
    "rule": schema.RuleExplanation(
        label="expensive",
        conditions=(
            schema.RuleCondition(feature="rooms", value="4"),
            schema.RuleCondition(feature="garden", value="shared"),
        ),
        precision=0.97,
        coverage=0.12,
    ),
    "similar_case": schema.SimilarCase(
        case=_OTHER_FLAT,
        input=_FLAT,
        label="expensive",
        similarity=0.81,
        importance=schema.Importance(features=("rooms", "garden", "balcony"), weights=(0.4, 0.15, -0.1)),
        toward="expensive",
    ),
    "path": schema.EditPath(
        input=_FLAT,
        toward="cheap",
        margin=0.9,
        labels=("cheap", "expensive"),
        steps=(
            schema.PathStep(margin=0.3, edits=(schema.Edit(feature="rooms", old="4", new="3"),)),
            schema.PathStep(
                margin=-0.4,
                edits=(
                    schema.Edit(feature="rooms", old="4", new="3"),
                    schema.Edit(feature="garden", old="shared", new="none"),
                ),
            ),
        ),
    ),
}
_OF_WORDS: dict[str, schema.Explanation] = {
    "attribution": schema.TokenAttribution(
        tokens=_WORDS,
        weights=(0.0, 0.0, -0.24, 0.0, 0.0, 0.1, 0.45, 0.0),
        baseline=0.44,
        total=0.75,
        toward="travel",
    ),
    "rule": schema.RuleExplanation(
        label="travel",
        conditions=(schema.RuleCondition(token=_WORDS[6], position=6),),
        tokens=_WORDS,
        precision=0.97,
        coverage=0.5,
    ),
    "similar_case": schema.SimilarCase(
        case={"tokens": [*_OTHER_WORDS]},
        input={"tokens": [*_WORDS]},
        label="travel",
        similarity=0.81,
        importance=schema.Importance(tokens=_WORDS, weights=(0.0, 0.0, -0.2, 0.0, 0.0, 0.1, 0.4, 0.0)),
        toward="travel",
    ),
    "path": schema.EditPath(
        input={"tokens": [*_WORDS]},
        toward="food",
        margin=0.9,
        labels=("food", "travel"),
        steps=(
            schema.PathStep(margin=0.2, edits=(schema.Edit(position=6, old="train", new="menu"),)),
            schema.PathStep(
                margin=-0.5,
                edits=(
                    schema.Edit(position=6, old="train", new="menu"),
                    schema.Edit(position=5, old="night", new="lunch"),
                ),
            ),
        ),
    ),
}


def example_of(kind: str, *, is_text: bool) -> Example:
    """Return a made-up case with an explanation of one kind."""
    if kind == "heatmap":
        return picture_example()
    content: schema.Json = {"tokens": [*_WORDS]} if is_text else _FLAT
    caption = _WORDS_CAPTION if is_text else _FLAT_CAPTION
    return Example(caption=caption, content=content, explanation=(_OF_WORDS if is_text else _OF_ROWS)[kind])
