"""The attributes that people judge, how they read them, and which of them the system relies on."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from understudy.errors import MaterialsError
from understudy.schema import relevance_key_from_text
from understudy.tasks.relevance import JudgedAttribute

Verdict: TypeAlias = Literal["relevant", "irrelevant"]
ATTRIBUTES: Mapping[str, JudgedAttribute] = MappingProxyType(
    {
        attribute.attribute_id: attribute
        for attribute in (
            JudgedAttribute(
                attribute_id="legs", name="the position of the legs", meaning="Where the sliding legs are on the spine."
            ),
            JudgedAttribute(attribute_id="colour", name="the colour of the animal", meaning="From blue to red."),
            JudgedAttribute(attribute_id="background", name="the background", meaning="The colour behind the animal."),
            JudgedAttribute(attribute_id="shape", name="the shape of the blocks", meaning="Round or square."),
            JudgedAttribute(
                attribute_id="posture",
                name="the posture of the animal",
                meaning="How the animal is turned, and how its body is bent.",
            ),
        )
    }
)
NAMES = tuple(ATTRIBUTES)
PAPER_TRUTH: Mapping[str, Verdict] = MappingProxyType(
    {
        "legs": "relevant",
        "colour": "relevant",
        "background": "irrelevant",
        "shape": "relevant",
        "posture": "irrelevant",
    }
)
"""The ground truth that the paper scored by."""


def chosen_attributes(names: Sequence[str]) -> tuple[JudgedAttribute, ...]:
    """Return the named attributes, in the given order."""
    unknown = [name for name in names if name not in ATTRIBUTES]
    if unknown or not names:
        found = f"{unknown[0]!r} is not an attribute of this protocol." if unknown else "No attribute is named."
        raise MaterialsError(f"{found} Choose from: {', '.join(NAMES)}.")
    return tuple(ATTRIBUTES[name] for name in names)


def truth_from(key_file: Path | None, names: Sequence[str]) -> dict[str, Verdict]:
    """Return the right verdict on each attribute: measured, if there is a key, and else that of the paper."""
    if key_file is None:
        return {name: PAPER_TRUTH[name] for name in names}
    verdicts = relevance_key_from_text(key_file.read_text(encoding="utf-8"), key_file.name).verdicts
    absent = [name for name in names if name not in verdicts]
    if absent:
        raise MaterialsError(
            f"The relevance key {key_file.name} has no verdict on {absent[0]!r}. It has: {', '.join(verdicts)}."
        )
    return {name: verdicts[name] for name in names}
