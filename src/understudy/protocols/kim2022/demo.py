"""A small study of four kinds of pages: one map, four maps, prototypes, and a tree; everything comes with the package."""

from understudy.protocols.kim2022.blocks import MOMENT, MOMENTS, RISKS, UNDERSTANDING, Arm, arm_blocks, closing, opening
from understudy.protocols.kim2022.lessons import simplification_of
from understudy.protocols.kim2022.photos import AGREED, PHOTOS, creatures
from understudy.protocols.kim2022.plan import (
    BONUS,
    MODEL_IS,
    ONE_MAP,
    PLAIN_WORDS,
    RISK,
    measures,
    risk_factor,
    row_factor,
)
from understudy.protocols.kim2022.study import PER_RIGHT, item_sets, most_bonus
from understudy.protocols.kim2022.variants import Budget, Method, Task
from understudy.protocols.pages import with_plain_words
from understudy.schema import (
    AnalysisPlan,
    AssignmentRule,
    Binding,
    Bonus,
    Description,
    Factor,
    Hypothesis,
    Outcome,
    Pay,
    Ref,
    Study,
)

METHOD = "method"
BUDGET = Budget(n_right=3, n_wrong=3, minutes=11.0)
_ARMS: tuple[tuple[str, Method, Task], ...] = (
    ("one_map", "gradcam", "agreement"),
    ("four_maps", "gradcam", "distinction"),
    ("prototypes", "protopnet", "agreement"),
    ("tree", "prototree", "tree-aware"),
)
_PHOTOS = Ref(name="picture_folder", params={"folder": PHOTOS, "table": AGREED})
"""Photos to which all three networks give the same answer, so that groups differ in the explanation and not in the photos."""


def kim2022_demo(*, quota: int = 25) -> Study:
    """Build the study: six photos a person, half of the predictions wrong, with one of four kinds of pages."""
    arms = tuple(Arm(method, task, creatures(method), level=level) for level, method, task in _ARMS)
    rows = row_factor(arms)
    return Study(
        name="kim2022-demo",
        title="Can people tell right predictions from wrong ones? A small study (after Kim et al., 2022)",
        shown_title="Predictions about photos",
        question="Which explanations let people see whether a prediction is right?",
        factors=(
            Factor(name=METHOD, scope="between", levels=tuple(arm.level for arm in arms)),
            Factor(name=MODEL_IS, scope="item", levels=("right", "wrong")),
            Factor(name=MOMENT, scope="within", levels=MOMENTS, order=Ref(name="fixed_order")),
            risk_factor(),
            *([rows] if rows else []),
        ),
        bindings=(
            Binding(dataset=_PHOTOS),
            *(
                Binding(
                    when=arm.when,
                    model=arm.photos.model,
                    explainer=arm.photos.explainer_of(arm.method, arm.task),
                    model_explainer=arm.tree_explainer,
                )
                for arm in arms
            ),
        ),
        simplifications={arm.level: simplification_of(arm.method, arm.task) for arm in arms},
        assignment=AssignmentRule(quota=quota),
        item_sets=item_sets(BUDGET, 1, {}),
        flow=(
            *opening(pay="$2.40, plus a small bonus in some groups."),
            *(block for arm in arms for block in arm_blocks(arm)),
            *closing(),
        ),
        measures=measures(arms),
        pay=Pay(
            base=2.4,
            bonuses=(Bonus(measure=BONUS, per_unit=PER_RIGHT, at_most=most_bonus(6)),),
            expected_minutes=BUDGET.minutes,
        ),
        plan=_plan(),
        seed=2022,
    )


def _plan() -> AnalysisPlan:
    by = (MODEL_IS,)
    return AnalysisPlan(
        outcomes=(
            Outcome(name="recognised", measure="recognised", by=by),
            Outcome(name="rating", measure="rating", by=by),
            Outcome(name="distinction", measure="distinction", by=by),
            Outcome(name="output", measure="output", by=by),
            Outcome(name="similarity_rating", measure="similarity_rating", summary=None),
            Outcome(name="model_similarity", measure="model_similarity", summary=None),
            Outcome(name=UNDERSTANDING, measure=UNDERSTANDING, by=(MOMENT,)),
            Outcome(name="wanted_accuracy", measure="wanted_accuracy", by=(RISK,)),
            Outcome(name="warm_up", measure="warm_up"),
            Outcome(name="minutes", measure="minutes_taken"),
        ),
        hypotheses=with_plain_words(_hypotheses(), PLAIN_WORDS | ONE_MAP),
        descriptions=(
            Description(description_id="recognised_by_truth", outcome="recognised", by=(METHOD, MODEL_IS)),
            Description(description_id="rating_by_truth", outcome="rating", by=(METHOD, MODEL_IS)),
            Description(description_id="distinction_by_truth", outcome="distinction", by=by),
            Description(description_id="output_by_truth", outcome="output", by=by),
            Description(description_id="understanding_by_moment", outcome=UNDERSTANDING, by=(METHOD, MOMENT)),
            Description(description_id="wanted_accuracy_by_risk", outcome="wanted_accuracy", by=(METHOD, RISK)),
            Description(description_id="warm_up", outcome="warm_up"),
            Description(description_id="minutes", outcome="minutes", by=(METHOD,)),
        ),
    )


def _hypotheses() -> list[Hypothesis]:
    chance = Ref(name="one_sample_t")
    return [
        Hypothesis(
            hypothesis_id="right_believed", claim="With one map, people believe more than half of the right predictions.",
            outcome="recognised", where=f"{METHOD} == 'one_map' and {MODEL_IS} == 'right'", against=0.5, expects="greater", analysis=chance,
        ),
        Hypothesis(
            hypothesis_id="wrong_recognised", claim="With one map, people recognise fewer than half of the wrong predictions.",
            outcome="recognised", where=f"{METHOD} == 'one_map' and {MODEL_IS} == 'wrong'", against=0.5, expects="less", analysis=chance,
        ),
        Hypothesis(
            hypothesis_id="distinction_right", claim="With four maps, people find the class of a right prediction above chance.",
            outcome="distinction", where=f"{MODEL_IS} == 'right'", against=0.25, expects="greater", analysis=chance,
        ),
        Hypothesis(
            hypothesis_id="distinction_wrong", claim="With four maps, people find the correct class above chance when the model is wrong.",
            outcome="distinction", where=f"{MODEL_IS} == 'wrong'", against=0.25, expects="greater", analysis=chance,
        ),
        Hypothesis(
            hypothesis_id="prototypes_over_map", claim="People recognise wrong predictions better by prototypes than by a map.",
            outcome="recognised", where=f"{MODEL_IS} == 'wrong'", factor=METHOD, contrast=("prototypes", "one_map"),
            expects="greater", analysis=Ref(name="welch_t"), is_confirmatory=False,
        ),
        Hypothesis(
            hypothesis_id="similarity_agrees", claim="The more similar the model finds two regions, the more similar people find them.",
            outcome="similarity_rating", other="model_similarity", expects="greater",
            analysis=Ref(name="clustered_correlation"), is_confirmatory=False,
        ),
        Hypothesis(
            hypothesis_id="understanding_drops", claim="After their results, people rate their understanding lower than before.",
            outcome=UNDERSTANDING, factor=MOMENT, contrast=("results", "task"), expects="less",
            analysis=Ref(name="paired_t"), is_confirmatory=False,
        ),
        Hypothesis(
            hypothesis_id="risk_raises_demands", claim="People ask for more accuracy at high risk than at low risk.",
            outcome="wanted_accuracy", factor=RISK, contrast=(RISKS[2], RISKS[0]), expects="greater",
            analysis=Ref(name="paired_t"), is_confirmatory=False,
        ),
    ]  # fmt: skip
