"""The measures of studies in which people predict a model, and an exclusion for answering too fast."""

from understudy.schema import Exclusion, MeasureUse, Ref

TOO_FAST = Exclusion(
    exclusion_id="too_fast", rule="median_seconds < 1", reason="Spent less than a second on most predictions."
)


def simulation_measures(rated: tuple[str, ...], *, edited: tuple[str, ...] = ()) -> tuple[MeasureUse, ...]:
    """Return the measures, with ratings from the blocks where explanations are rated.

    Those of edited cases also record whether the explanation names what was edited, and whether its rule still holds.
    """
    return (
        MeasureUse(name="correct", measure=Ref(name="correct", params={"question": "prediction"})),
        MeasureUse(
            name="rating", measure=Ref(name="answer", params={"question": "rating", "kind": "bounded"}), blocks=rated
        ),
        MeasureUse(name="seconds", measure=Ref(name="response_time")),
        MeasureUse(name="median_seconds", measure=Ref(name="response_time"), summary="median"),
        *(_flag(name, edited) for name in ("edits_named", "rule_holds") if edited),
    )


def _flag(name: str, edited: tuple[str, ...]) -> MeasureUse:
    """Return a fact about the explanation of an edited case, for analyses to relate answers to."""
    return MeasureUse(name=name, measure=Ref(name="item_is", params={"attribute": name, "value": "yes"}), blocks=edited)
