"""What a relevance key says about an attribute, and how the text form of `us.importance` words it."""

import understudy as us
from understudy.schema import Measured, RelevanceKey
from understudy.schema.relevance import AttributeImportance, GroupVerdict, Relevance


def row(name: str, low: float, high: float) -> AttributeImportance:
    """An attribute whose R² has this interval."""
    middle = Measured(value=(low + high) / 2, low=low, high=high)
    verdict: Relevance = "relevant" if low > 0.1 else "irrelevant"
    return AttributeImportance(
        attribute=name, flip_rate=middle, median_change=middle, r_squared=middle, verdict=verdict
    )


KEY = RelevanceKey(
    world="mine",
    model="net",
    label="warm",
    edge=16,
    n=20,
    seed=0,
    attributes=(row("legs", 0.3, 0.6), row("wall", 0.072, 0.85), row("hue", 0.0, 0.01), row("y", 0.2, 0.4)),
    groups=(
        GroupVerdict(name="posture", attributes=("legs", "hue"), verdict="relevant"),
        GroupVerdict(name="background", attributes=("wall",), verdict="irrelevant"),
    ),
)


def test_an_interval_across_the_threshold_leaves_an_attribute_undecided() -> None:
    assert [KEY.reading(name) for name in ("legs", "wall", "hue")] == ["relevant", "undecided", "irrelevant"]
    assert us.Importance(KEY).table().set_index("attribute")["verdict"]["wall"] == "undecided"


def test_the_verdicts_name_relevant_attributes_that_no_group_has() -> None:
    assert "Relevance: posture relevant, background undecided, y relevant." in str(us.Importance(KEY))


def test_python_is_not_advised_to_use_an_option_of_the_command_line() -> None:
    assert "More pictures could change the verdict on wall: give a larger n." in str(us.Importance(KEY))
