"""The measures of studies in which people predict a model, and an exclusion for answering too fast."""

from understudy.schema import Exclusion, MeasureUse, Ref

TOO_FAST = Exclusion(
    exclusion_id="too_fast", rule="median_seconds < 1", reason="Spent less than a second on most predictions."
)


def simulation_measures(rated: tuple[str, ...]) -> tuple[MeasureUse, ...]:
    """Return the measures, with ratings from the blocks where explanations are rated."""
    return (
        MeasureUse(name="correct", measure=Ref(name="correct", params={"question": "prediction"})),
        MeasureUse(
            name="rating", measure=Ref(name="answer", params={"question": "rating", "kind": "bounded"}), blocks=rated
        ),
        MeasureUse(name="seconds", measure=Ref(name="response_time")),
        MeasureUse(name="median_seconds", measure=Ref(name="response_time"), summary="median"),
    )
