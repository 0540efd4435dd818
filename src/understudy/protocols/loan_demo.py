"""The demonstration study: do feature weights help people predict what a loan model decides?"""

from collections.abc import Callable

from understudy.datasets.cases import FEATURES
from understudy.protocols.pages import consent_page
from understudy.schema import (
    AnalysisPlan,
    AssignmentRule,
    Binding,
    Bonus,
    Choice,
    Description,
    Direction,
    Exclusion,
    Factor,
    Gate,
    Hypothesis,
    ItemSet,
    MeasureUse,
    Outcome,
    Pay,
    Rating,
    Ref,
    Reference,
    Screen,
    Stage,
    Study,
)

_MODEL_WEIGHTS = (1.5, 0.2, 0.9, -0.6)
_PREDICTION = Choice(
    question_id="prediction", prompt="What will the model say about this application?", options=("repaid", "defaulted")
)
_CONFIDENCE = Rating(
    question_id="confidence", prompt="How sure are you?", points=5, low_label="Not at all", high_label="Very"
)
_DIFFICULTY = Rating(
    question_id="difficulty", prompt="How hard was this task?", points=7, low_label="Very easy", high_label="Very hard"
)


def loan_demo() -> Study:
    """Build the study: explanations shown or hidden while learning, then twelve predictions without them."""
    return Study(
        name="loan-demo",
        title="Do feature weights help people predict a loan model?",
        shown_title="Predict a loan model",
        question="After studying twelve decisions of a model, with or without feature weights, how often do people "
        "predict its next decisions?",
        factors=(Factor(name="explanation", scope="between", levels=("shown", "hidden")),),
        bindings=(
            Binding(
                dataset=Ref(name="loan_cases"),
                model=Ref(
                    name="linear_classifier",
                    params={"weights": list(_MODEL_WEIGHTS), "labels": ["defaulted", "repaid"]},
                ),
            ),
            Binding(
                when={"explanation": "shown"},
                explainer=Ref(name="weighted_features", params={"features": list(FEATURES)}),
            ),
        ),
        assignment=AssignmentRule(quota=30, release_after_min=60),
        item_sets=(
            ItemSet(name="examples", n_items=12, strata=("prediction", "model_is")),
            ItemSet(name="cases", n_items=12, strata=("prediction", "model_is"), apart_from=("examples",)),
        ),
        flow=(*_opening(), *_task(), *_closing()),
        measures=(
            MeasureUse(name="correct", measure=Ref(name="correct", params={"question": "prediction"})),
            MeasureUse(name="n_correct", measure=Ref(name="correct", params={"question": "prediction"}), summary="sum"),
            MeasureUse(name="confidence", measure=Ref(name="answer", params={"question": "confidence"})),
            MeasureUse(name="seconds", measure=Ref(name="response_time")),
            MeasureUse(name="mean_seconds", measure=Ref(name="response_time"), summary="mean"),
            MeasureUse(name="same_answer", measure=Ref(name="straight_lining", params={"question": "prediction"})),
            MeasureUse(
                name="difficulty",
                measure=Ref(name="answer", params={"question": "difficulty"}),
                blocks=("after",),
                summary="first",
            ),
        ),
        exclusions=(
            Exclusion(
                exclusion_id="too_fast",
                rule="mean_seconds < 2",
                reason="Took less than two seconds per case on average.",
            ),
            Exclusion(
                exclusion_id="one_answer", rule="same_answer >= 1", reason="Gave the same prediction for every case."
            ),
        ),
        pay=Pay(
            currency="USD",
            base=2.0,
            bonuses=(Bonus(measure="n_correct", per_unit=0.1, at_most=1.2),),
            expected_minutes=6,
        ),
        plan=_plan(),
        seed=2026,
    )


def _opening() -> tuple[Screen, ...]:
    quiz = Choice(
        question_id="who",
        prompt="Whose decision do you predict?",
        options=("The model's", "My own", "The bank clerk's"),
    )
    return (
        consent_page("In this study, you look at decisions of a computer model and predict new ones."),
        Screen(
            block_id="method",
            purpose="instructions",
            task=Ref(name="instructions", params={"pages": ["A model reads four numbers from a loan application and predicts whether the loan will be repaid.", "First you see twelve applications with the model's answer. Then you predict its answer for twelve new ones."]}),
        ),
        Screen(
            block_id="comprehension",
            purpose="comprehension",
            task=Ref(name="questionnaire", params={"questions": [quiz.model_dump(mode="json")], "answers": {"who": "The model's"}}),
            gate=Gate(at_least=1, tries=2, restudy=("method",), pay_share=0.25),
        ),
    )  # fmt: skip


def _task() -> tuple[Stage, ...]:
    return (
        Stage(
            block_id="learn",
            purpose="learning",
            items="examples",
            explains=True,
            task=Ref(name="judge", params={"text": "What the model said", "reveals": ["prediction"]}),
        ),
        Stage(
            block_id="predict",
            items="cases",
            order="balanced",
            references=(Reference(block="method"),),
            task=Ref(
                name="judge",
                params={
                    "questions": [_PREDICTION.model_dump(mode="json"), _CONFIDENCE.model_dump(mode="json")],
                    "keys": {"prediction": "prediction"},
                },
            ),
        ),
    )


def _closing() -> tuple[Screen, ...]:
    return (
        Screen(
            block_id="after",
            purpose="questionnaire",
            task=Ref(name="questionnaire", params={"questions": [_DIFFICULTY.model_dump(mode="json")]}),
        ),
        Screen(block_id="result", purpose="feedback", task=Ref(name="feedback", params={"text": "Your result", "measures": ["n_correct"]})),
        Screen(
            block_id="debrief",
            purpose="debrief",
            task=Ref(name="debrief", params={"text": "Half of the participants saw how much each number mattered for the model's answer. We want to know whether that helped. Thank you."}),
        ),
    )  # fmt: skip


def _plan() -> AnalysisPlan:
    return AnalysisPlan(
        outcomes=(
            Outcome(name="accuracy", measure="correct"),
            Outcome(name="single_answers", measure="correct", summary=None),
            Outcome(name="sureness", measure="confidence"),
            Outcome(name="pace", measure="seconds"),
        ),
        descriptions=(
            Description(description_id="accuracy", outcome="accuracy", by=("explanation",)),
            Description(description_id="pace", outcome="pace", by=("explanation",)),
        ),
        hypotheses=(
            _claim(
                "H1",
                "People who saw feature weights predict the model better.",
                "accuracy",
                "welch_t",
                plain="People who saw how much each number mattered predict the model better.",
            ),
            _claim(
                "H2",
                "People who saw feature weights predict the model better, allowing for differences between cases.",
                "single_answers",
                Ref(name="logistic_mixed", params={"random": "maximal"}),
            ),
            # Exploratory: weights may make people more sure, or less.
            _claim(
                "H3",
                "Seeing feature weights changes how sure people are.",
                "sureness",
                "rank_sum",
                plain="Seeing how much each number mattered changes how sure people are.",
                direction="different",
                is_confirmatory=False,
            ),
        ),
    )


def _claim(
    hypothesis_id: str,
    claim: str,
    outcome: str,
    analysis: str | Ref,
    *,
    plain: str | None = None,
    direction: Direction = "greater",
    is_confirmatory: bool = True,
) -> Hypothesis:
    return Hypothesis(
        hypothesis_id=hypothesis_id,
        claim=claim,
        plain=plain,
        outcome=outcome,
        factor="explanation",
        contrast=("shown", "hidden"),
        direction=direction,
        analysis=Ref(name=analysis) if isinstance(analysis, str) else analysis,
        is_confirmatory=is_confirmatory,
    )


def ready_studies() -> dict[str, Callable[[], Study]]:
    """Return the builder of the ready study."""
    return {"loan-demo": loan_demo}
