"""The plan: right and wrong items apart, against chance, and what goes with belief, results and risk.

Kim et al. (2022) test shares against chance with two-sided t tests and correct for nothing. Claims state the direction
that the paper found; a finding the other way counts against them.
"""

from collections.abc import Iterator
from typing import Final

from understudy.protocols.kim2022.blocks import (
    AGREEMENT,
    CORRECT,
    EXPERIENCE,
    MAIN,
    MOMENT,
    N_OPTIONS,
    PREDICTED,
    RISKS,
    UNDERSTANDING,
    WARM_UPS,
    Arm,
)
from understudy.protocols.kim2022.variants import Method, Task, has_ratings, is_agreement
from understudy.protocols.pages import with_plain_words
from understudy.schema import AnalysisPlan, Description, Factor, Hypothesis, Json, MeasureUse, Outcome, Ref, Summary

# Plain words: what the HIVE studies expect, as people who took part can read it.

PLAIN_WORDS: Final = {
    "right_believed": "People believe more than half of the correct predictions.",
    "wrong_recognised": "People notice fewer than half of the wrong predictions.",
    "overall": "People can tell correct predictions from wrong ones better than by guessing.",
    "distinction_right": "When the model is right, people find the correct answer more often than by guessing.",
    "distinction_wrong": "When the model is wrong, people still find the correct answer more often than by guessing.",
    "output_right": "When the model is right, people find out what it predicts more often than by guessing.",
    "output_wrong": "When the model is wrong, people find out what it predicts more often than by guessing.",
    "decisions_right": "People make the same two decisions as the model more often than by guessing.",
    "belief_follows_truth": "People believe correct predictions more often than wrong ones.",
    "right_easier": "People choose better when the model is right than when it is wrong.",
    "prototypes_over_map": "People notice wrong predictions better with prototypes than with a map.",
    "similarity_agrees": "People and the model agree on which regions of photos look similar.",
    "understanding_drops": "After they see their results, people say that they understand the model less well.",
    "risk_raises_demands": "People want a more accurate model when its mistakes would be more serious.",
}
ONE_MAP: Final = {
    "right_believed": "With one map, people believe more than half of the correct predictions.",
    "wrong_recognised": "With one map, people notice fewer than half of the wrong predictions.",
}
"""In the small study, where one group sees one map."""


# What the studies measure. One scoring for each purpose: the analysis calls ratings from 3 on belief, whatever people were told.

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


MODEL_IS = "model_is"
SETS = "stimulus_set"
HALF, QUARTER = 0.5, 0.25
_BY = (MODEL_IS,)


def plan_of(method: Method, task: Task, *, has_sets: bool = True) -> AnalysisPlan:
    """Return the plan of one study."""
    scored = _scored(method, task)
    return AnalysisPlan(
        outcomes=tuple(_outcomes(method, task)),
        hypotheses=(
            *with_plain_words((*_against_chance(method, task), *_further(method, task)), PLAIN_WORDS),
            *(_sets(scored, method, task) if has_sets else ()),
        ),
        descriptions=tuple(_descriptions(method, task, has_sets=has_sets)),
    )  # fmt: skip


def has_wrong_items(method: Method, task: Task) -> bool:
    """Tell whether people also see photos that the model got wrong."""
    return is_agreement(task) or method in ("gradcam", "bagnet")


def _scored(method: Method, task: Task) -> tuple[str, ...]:
    """Return the shares that are tested against chance."""
    if is_agreement(task):
        return ("recognised",)
    if method == "prototree":
        return ("decided",)
    return ("distinction",) if method == "protopnet" else ("distinction", "output")


def _outcomes(method: Method, task: Task) -> Iterator[Outcome]:
    for name in _scored(method, task):
        yield Outcome(name=name, measure=name, by=_BY)
        yield Outcome(name=f"{name}_overall", measure=name)
    if is_agreement(task):
        yield Outcome(name="rating", measure="rating", by=_BY)
        yield Outcome(name="believed_items", measure="believed", summary=None)
    if has_ratings(method, task):
        yield Outcome(name="similarity_rating", measure="similarity_rating", summary=None)
        yield Outcome(name="model_similarity", measure="model_similarity", summary=None)
        yield Outcome(name="model_rank", measure="model_rank", summary=None)
        yield Outcome(name="rating_if_believed", measure="rating_if_believed")
        yield Outcome(name="rating_if_doubted", measure="rating_if_doubted")
        yield Outcome(name="belief_gap", measure="belief_gap")
    if method == "prototree":
        yield Outcome(name="warm_up", measure="warm_up")
    yield Outcome(name=UNDERSTANDING, measure=UNDERSTANDING, by=(MOMENT,))
    yield Outcome(name="extra_accuracy", measure="extra_accuracy", by=(RISK,))
    yield Outcome(name=EXPERIENCE, measure=EXPERIENCE)
    yield Outcome(name="minutes", measure="minutes_taken")


def _against_chance(method: Method, task: Task) -> Iterator[Hypothesis]:
    if is_agreement(task):
        yield _chance(
            "right_believed", "recognised", "right", "People believe more than half of the right predictions."
        )
        yield _chance(
            "wrong_recognised",
            "recognised",
            "wrong",
            "People recognise fewer than half of the wrong predictions as wrong.",
        )
        yield Hypothesis(
            hypothesis_id="overall", claim="People tell right from wrong predictions better than by guessing.",
            outcome="recognised_overall", against=HALF, expects="greater", analysis=Ref(name="one_sample_t"),
            is_confirmatory=False,
        )  # fmt: skip
        return
    if method == "prototree":
        claim = "People make the model's two decisions at a fork more often than by guessing."
        yield _chance("decisions_right", "decided", "right", claim)
        return
    yield _chance(
        "distinction_right",
        "distinction",
        "right",
        "Among four classes, people find that of a right prediction above chance.",
    )
    if not has_wrong_items(method, task):
        return
    yield _chance(
        "distinction_wrong",
        "distinction",
        "wrong",
        "Among four classes, people find the correct one above chance when the model is wrong.",
    )
    yield _chance(
        "output_right", "output", "right", "People find the predicted class of a right prediction above chance."
    )
    yield _chance(
        "output_wrong", "output", "wrong", "People find the predicted class of a wrong prediction above chance."
    )


def _chance(hypothesis_id: str, outcome: str, model_is: str, claim: str) -> Hypothesis:
    return Hypothesis(
        hypothesis_id=hypothesis_id,
        claim=claim,
        outcome=outcome,
        where=f"{MODEL_IS} == '{model_is}'",
        against=HALF if outcome == "recognised" else QUARTER,
        expects="less" if outcome == "recognised" and model_is == "wrong" else "greater",
        analysis=Ref(name="one_sample_t"),
    )


def _further(method: Method, task: Task) -> Iterator[Hypothesis]:
    if is_agreement(task):
        yield Hypothesis(
            hypothesis_id="belief_follows_truth", claim="People believe right predictions more often than wrong ones.",
            outcome="believed_items", factor=MODEL_IS, contrast=("right", "wrong"), direction="greater",
            analysis=Ref(name="logistic_mixed", params={"random": "maximal"}), is_confirmatory=False,
        )  # fmt: skip
    elif has_wrong_items(method, task):
        yield Hypothesis(
            hypothesis_id="right_easier", claim="People choose better when the model is right than when it is wrong.",
            outcome="distinction", factor=MODEL_IS, contrast=("right", "wrong"), expects="greater",
            analysis=Ref(name="paired_t"), is_confirmatory=False,
        )  # fmt: skip
    if has_ratings(method, task):
        yield from _similarity()
    yield Hypothesis(
        hypothesis_id="understanding_drops", claim="After their results, people rate their understanding lower than before.",
        outcome=UNDERSTANDING, factor=MOMENT, contrast=("results", "task"), expects="less",
        analysis=Ref(name="paired_t"), is_confirmatory=False,
    )  # fmt: skip
    yield Hypothesis(
        hypothesis_id="risk_raises_demands", claim="People ask for more accuracy at high risk than at low risk.",
        outcome="extra_accuracy", factor=RISK, contrast=(RISKS[2], RISKS[0]), expects="greater",
        analysis=Ref(name="paired_t"), is_confirmatory=False,
    )  # fmt: skip


def _similarity() -> Iterator[Hypothesis]:
    yield Hypothesis(
        hypothesis_id="similarity_agrees", claim="The more similar the model finds two regions, the more similar people find them.",
        outcome="similarity_rating", other="model_similarity", expects="greater",
        analysis=Ref(name="clustered_correlation"), is_confirmatory=False,
    )  # fmt: skip
    yield Hypothesis(
        hypothesis_id="ranks_agree", claim="Rows that the model finds most similar, at rank 1, get the highest ratings.",
        outcome="similarity_rating", other="model_rank", expects="less",
        analysis=Ref(name="clustered_correlation", params={"averaged": True}), is_confirmatory=False,
    )  # fmt: skip
    yield Hypothesis(
        hypothesis_id="ratings_follow_belief", claim="People rate rows of a class higher if they believe in that class.",
        outcome="belief_gap", against=0.0, expects="greater", analysis=Ref(name="one_sample_t"), is_confirmatory=False,
    )  # fmt: skip


def _sets(scored: tuple[str, ...], method: Method, task: Task) -> Iterator[Hypothesis]:
    kinds = ("right", "wrong") if has_wrong_items(method, task) else ("right",)
    for name in scored:
        for kind in kinds:
            yield Hypothesis(
                hypothesis_id=f"sets_differ_{name}_{kind}", claim=f"Stimulus sets differ in the share of {name} for {kind} predictions.",
                outcome=name, where=f"{MODEL_IS} == '{kind}'", factor=SETS, analysis=Ref(name="oneway_anova"), is_confirmatory=False,
            )  # fmt: skip


def _descriptions(method: Method, task: Task, *, has_sets: bool) -> Iterator[Description]:
    for name in _scored(method, task):
        yield Description(description_id=f"{name}_by_truth", outcome=name, by=_BY)
        yield Description(description_id=f"{name}_overall", outcome=f"{name}_overall")
        if has_sets:
            yield Description(description_id=f"{name}_by_set", outcome=name, by=(MODEL_IS, SETS))
    if is_agreement(task):
        yield Description(description_id="rating_by_truth", outcome="rating", by=_BY)
    if has_ratings(method, task):
        yield Description(description_id="ratings_if_believed", outcome="rating_if_believed")
        yield Description(description_id="ratings_if_doubted", outcome="rating_if_doubted")
    if method == "prototree":
        yield Description(description_id="warm_up", outcome="warm_up")
    yield Description(description_id="understanding_by_moment", outcome=UNDERSTANDING, by=(MOMENT,))
    yield Description(description_id="extra_accuracy_by_risk", outcome="extra_accuracy", by=(RISK,))
    yield Description(description_id="experience", outcome=EXPERIENCE)
    yield Description(description_id="minutes", outcome="minutes")
