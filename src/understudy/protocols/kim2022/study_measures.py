"""What the studies measure. One scoring for each purpose: the analysis calls ratings from 3 on belief, whatever people were told."""

from understudy.protocols.kim2022.blocks import MAIN, RISKS, WARM_UPS, Arm
from understudy.protocols.kim2022.questions import AGREEMENT, CORRECT, EXPERIENCE, PREDICTED, UNDERSTANDING
from understudy.protocols.kim2022.task_stage import N_OPTIONS
from understudy.protocols.kim2022.variants import has_ratings, is_agreement
from understudy.schema import Factor, Json, MeasureUse, Ref, Summary

ROW, RISK = "row", "risk"
BONUS = "n_right"


def measures(arms: tuple[Arm, ...]) -> tuple[MeasureUse, ...]:
    """Return the measures of a study with these arms."""
    blocks = tuple(arm.named(MAIN) for arm in arms)
    agreeing = tuple(arm.named(MAIN) for arm in arms if is_agreement(arm.task))
    choosing = tuple(arm.named(MAIN) for arm in arms if arm.has_options)
    predicting = tuple(arm.named(MAIN) for arm in arms if arm.has_options and arm.method != "protopnet")
    deciding = tuple(arm.named(MAIN) for arm in arms if arm.method == "prototree" and arm.task == "distinction")
    rated = tuple(arm for arm in arms if has_ratings(arm.method, arm.task))
    opening = tuple(arm.named(MAIN) for arm in arms if arm.tree_explainer)
    warm_ups = tuple(arm.named(name) for arm in arms if arm.method == "prototree" for name in WARM_UPS)
    return (
        *(_agreement_measures(agreeing) if agreeing else ()),
        *(_chosen_measures(choosing, predicting) if choosing else ()),
        *([_use("decided", "correct", deciding), _use(BONUS, "correct", deciding, summary="sum")] if deciding else []),
        *(_rating_measures(rated) if rated else ()),
        *([_use("warm_up", "correct", warm_ups)] if warm_ups else []),
        _use(UNDERSTANDING, "answer", _understood(arms), {"question": UNDERSTANDING, "kind": "bounded"}),
        *_extra(arms),
        _use(EXPERIENCE, "answer", ("background",), {"question": EXPERIENCE, "kind": "bounded"}),
        _use("description_opened", "actions", blocks, {"action": "reference_opened"}, summary="sum"),
        *([_use("tree_opened", "actions", opening, {"action": "tree_opened"}, summary="sum")] if opening else []),
        MeasureUse(name="minutes_taken", measure=Ref(name="session_minutes")),
    )


def row_factor(arms: tuple[Arm, ...]) -> Factor | None:
    """Return the factor whose levels are the rated rows; None if no rows are rated."""
    levels: dict[str, None] = {}
    for arm in arms:
        if has_ratings(arm.method, arm.task):
            rows = range(1, arm.photos.most_rows + 1)
            options = range(1, N_OPTIONS + 1) if arm.has_options else (None,)
            levels |= dict.fromkeys(
                f"row_{row}" if option is None else f"option_{option}_row_{row}" for option in options for row in rows
            )
    return Factor(name=ROW, scope="question", levels=tuple(levels)) if levels else None


def risk_factor() -> Factor:
    """Return the factor whose levels are the sliders of the trade-off."""
    return Factor(name=RISK, scope="question", levels=RISKS)


def _agreement_measures(blocks: tuple[str, ...]) -> tuple[MeasureUse, ...]:
    return (
        _use("recognised", "recognised", blocks, {"question": AGREEMENT}),
        _use("believed", "believed", blocks, {"question": AGREEMENT}),
        _use("rating", "answer", blocks, {"question": AGREEMENT, "kind": "bounded"}),
    )


def _chosen_measures(choosing: tuple[str, ...], predicting: tuple[str, ...]) -> tuple[MeasureUse, ...]:
    output = (_use("output", "correct", predicting, {"question": PREDICTED}),) if predicting else ()
    return (
        _use("distinction", "correct", choosing, {"question": CORRECT}),
        *output,
        _use(BONUS, "correct", choosing, {"question": CORRECT}, summary="sum"),
    )


def _rating_measures(arms: tuple[Arm, ...]) -> tuple[MeasureUse, ...]:
    blocks = tuple(arm.named(MAIN) for arm in arms)
    question = AGREEMENT if is_agreement(arms[0].task) else CORRECT
    return (
        _over_rows("similarity_rating", "answer", {"kind": "bounded"}, blocks),
        _over_rows("model_similarity", "row_fact", {"fact": "similarity"}, blocks),
        _over_rows("model_rank", "row_fact", {"fact": "rank"}, blocks),
        _use("rating_if_believed", "rating_by_belief", blocks, {"question": question, "of": "believed"}),
        _use("rating_if_doubted", "rating_by_belief", blocks, {"question": question, "of": "doubted"}),
        MeasureUse(name="belief_gap", measure=Ref(name="belief_gap", params={"question": question})),
    )


def _extra(arms: tuple[Arm, ...]) -> tuple[MeasureUse, ...]:
    """Return the accuracy that people ask for, and what it adds to the accuracy that they were told."""
    blocks = tuple(arm.named("trade_off") for arm in arms)
    asked = MeasureUse(
        name="wanted_accuracy", measure=Ref(name="answer", params={"kind": "bounded"}), over=RISK, blocks=blocks
    )
    if len({arm.photos.accuracy for arm in arms}) > 1:
        return (asked,)
    params: Json = {"kind": "continuous", "minus": arms[0].photos.accuracy}
    return asked, MeasureUse(name="extra_accuracy", measure=Ref(name="answer", params=params), over=RISK, blocks=blocks)


def _understood(arms: tuple[Arm, ...]) -> tuple[str, ...]:
    return tuple(
        arm.named(block) for arm in arms for block in ("understanding_introduction", "understanding_task", "results")
    )


def _use(
    name: str, measure: str, blocks: tuple[str, ...], params: Json | None = None, *, summary: Summary | None = None
) -> MeasureUse:
    return MeasureUse(name=name, measure=Ref(name=measure, params=params or {}), blocks=blocks, summary=summary)


def _over_rows(name: str, measure: str, params: Json, blocks: tuple[str, ...]) -> MeasureUse:
    return MeasureUse(name=name, measure=Ref(name=measure, params=params), over=ROW, blocks=blocks)
