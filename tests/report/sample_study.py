"""A sample study: two conditions, a within-factor, a gate, exclusions, pay, and a plan with a decision tree."""

from understudy.schema import (
    AnalysisPlan,
    AssignmentRule,
    Bonus,
    Check,
    Condition,
    Description,
    Exclusion,
    Factor,
    Family,
    Gate,
    Hypothesis,
    ItemSet,
    Loop,
    MeasureUse,
    Outcome,
    Pay,
    Ref,
    Screen,
    Stage,
    Study,
)


def study(**changes: object) -> Study:
    whole: dict[str, object] = {
        "name": "saliency-helps",
        "title": "Does a saliency map help people predict a classifier?",
        "question": "Whether people who see a saliency map foresee the classifier's answers better than people who do not.",
        "factors": (
            Factor(name="explanation", scope="between", levels=("saliency", "none")),
            Factor(name="model", scope="within", levels=("linear", "deep"), order=Ref(name="latin_square")),
        ),
        "conditions": (
            Condition(name="saliency", levels={"explanation": "saliency"}),
            Condition(name="none", levels={"explanation": "none"}, quota=25),
        ),
        "assignment": AssignmentRule(quota=30, release_after_min=90),
        "item_sets": (ItemSet(name="birds", n_items=16, strata=("label", "is_correct")),),
        "flow": _flow(),
        "measures": (
            MeasureUse(name="correct", measure=Ref(name="accuracy"), blocks=("predict",)),
            MeasureUse(name="rating", measure=Ref(name="answer", params={"question": "trust"})),
        ),
        "exclusions": _exclusions(),
        "pay": Pay(
            currency="GBP",
            base=3.0,
            bonuses=(Bonus(measure="correct", per_unit=0.1, at_most=1.5),),
            expected_minutes=15,
        ),
        "plan": _plan(),
        "seed": 7,
    }
    return Study.model_validate(whole | changes)


def _flow() -> tuple[Screen | Stage | Loop, ...]:
    return (
        Screen(block_id="consent", purpose="consent", task=Ref(name="consent")),
        Screen(
            block_id="quiz",
            purpose="comprehension",
            task=Ref(name="questionnaire"),
            gate=Gate(at_least=0.8, tries=2, pay_share=0.25),
        ),
        Loop(
            block_id="models",
            over="model",
            blocks=(Stage(block_id="predict", task=Ref(name="predict"), items="birds", explains=True),),
        ),
    )


def _exclusions() -> tuple[Exclusion, ...]:
    return (
        Exclusion(exclusion_id="too_fast", reason="Answered in less than two minutes.", rule="minutes < 2"),
        Exclusion(
            exclusion_id="nonsense",
            reason="Wrote text unrelated to the question.",
            applies="annotators",
            pay_share=0.5,
            keeps_bonus=False,
        ),
    )


def _plan() -> AnalysisPlan:
    return AnalysisPlan(
        outcomes=(
            Outcome(name="accuracy", measure="correct"),
            Outcome(name="by_model", measure="correct", by=("model",)),
            Outcome(name="trust", measure="rating"),
        ),
        hypotheses=_hypotheses(),
        descriptions=(Description(description_id="D1", outcome="accuracy", by=("explanation",)),),
        families=(Family(name="main", correction="holm"),),
    )


def _hypotheses() -> tuple[Hypothesis, ...]:
    return (
        Hypothesis(
            hypothesis_id="H1",
            claim="People predict the model better with an explanation.",
            outcome="accuracy",
            factor="explanation",
            contrast=("saliency", "none"),
            direction="greater",
            analysis=Check(
                check=Ref(name="shapiro_wilk"),
                if_holds=Ref(name="welch_t"),
                if_fails=Ref(name="rank_sum"),
            ),
            family="main",
        ),
        Hypothesis(
            hypothesis_id="H2",
            claim="The linear model is easier to predict than the deep one.",
            outcome="by_model",
            factor="model",
            contrast=("linear", "deep"),
            analysis=Ref(name="paired_t"),
            family="main",
        ),
        Hypothesis(
            hypothesis_id="H3",
            claim="Trust rises with accuracy.",
            outcome="accuracy",
            other="trust",
            analysis=Ref(name="pearson"),
            requires="H1",
            is_confirmatory=False,
        ),
    )
