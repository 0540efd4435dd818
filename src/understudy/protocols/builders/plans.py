"""The plans of built studies: one claim about each explanation, tested as the design asks for."""

from understudy.schema import AnalysisPlan, Description, Family, Hypothesis, Outcome, Ref

EXPLANATION = "explanation"
_FAMILY = "explanations"


def between_plan(levels: tuple[str, ...], control: str) -> AnalysisPlan:
    """Compare each explanation with the control by Welch's t test."""
    return _contrasts(levels, control, Outcome(name="accuracy", measure="correct"), "welch_t")


def within_plan(levels: tuple[str, ...], control: str) -> AnalysisPlan:
    """Compare each explanation with the control by a paired t test."""
    return _contrasts(levels, control, Outcome(name="accuracy", measure="correct", by=(EXPLANATION,)), "paired_t")


def mixed_plan(levels: tuple[str, ...], control: str) -> AnalysisPlan:
    """Test whether predictions change more with an explanation: the interaction of both factors."""
    others = " or ".join(level for level in levels if level != control)
    hypothesis = Hypothesis(
        hypothesis_id="H1",
        claim=f"From before to after, accuracy changes differently with {others} than with {control}.",
        plain="Explanations change how much better people predict the model from the first time to the second.",
        outcome="accuracy",
        factor=EXPLANATION,
        crossed_with="phase",
        direction="different",
        analysis=Ref(name="mixed_anova"),
    )
    return AnalysisPlan(
        outcomes=(Outcome(name="accuracy", measure="correct", by=("phase",)),),
        descriptions=(Description(description_id="accuracy", outcome="accuracy", by=(EXPLANATION, "phase")),),
        hypotheses=(hypothesis,),
    )


def factorial_plan(levels: tuple[str, ...]) -> AnalysisPlan:
    """Test both main effects and their interaction."""
    outcome = Outcome(name="accuracy", measure="correct")
    claims = {
        "H1": (
            f"Accuracy differs between {', '.join(levels)}.",
            "How well people predict the models depends on the explanation they see.",
            [EXPLANATION],
        ),
        "H2": ("Accuracy differs between the models.", "Some models are easier to predict than others.", ["model"]),
        "H3": (
            "The effect of explanations on accuracy depends on the model.",
            "Explanations help more with some models than with others.",
            [EXPLANATION, "model"],
        ),
    }
    hypotheses = tuple(
        Hypothesis(
            hypothesis_id=hypothesis_id,
            claim=claim,
            plain=plain,
            outcome="accuracy",
            factor=EXPLANATION,
            crossed_with="model",
            direction="different",
            analysis=Ref(name="factorial_anova", params={"effect": effect}),
        )
        for hypothesis_id, (claim, plain, effect) in claims.items()
    )
    return AnalysisPlan(
        outcomes=(outcome,),
        descriptions=(Description(description_id="accuracy", outcome="accuracy", by=(EXPLANATION, "model")),),
        hypotheses=hypotheses,
    )


def _contrasts(levels: tuple[str, ...], control: str, outcome: Outcome, analysis: str) -> AnalysisPlan:
    others = [level for level in levels if level != control]
    family = _FAMILY if len(others) > 1 else None
    hypotheses = tuple(
        Hypothesis(
            hypothesis_id=f"H{number}",
            claim=f"People predict the model better with {level} than with {control}.",
            plain=f"People predict the model better with “{_words(level)}” than with “{_words(control)}”.",
            outcome=outcome.name,
            factor=EXPLANATION,
            contrast=(level, control),
            direction="greater",
            analysis=Ref(name=analysis),
            family=family,
        )
        for number, level in enumerate(others, start=1)
    )
    return AnalysisPlan(
        outcomes=(outcome,),
        descriptions=(Description(description_id="accuracy", outcome=outcome.name, by=(EXPLANATION,)),),
        hypotheses=hypotheses,
        families=(Family(name=_FAMILY, correction="holm"),) if family else (),
    )


def _words(level: str) -> str:
    return level.replace("_", " ")
