"""Builders of studies: pages, designs and plans that several protocols share."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack, cast

from pydantic import JsonValue, NonNegativeFloat, NonNegativeInt, PositiveInt

from understudy.errors import StudyError
from understudy.protocols.pages import consent_page
from understudy.registry import Catalogue, entry
from understudy.schema import (
    AnalysisPlan,
    AssignmentRule,
    Binding,
    Block,
    Choice,
    Description,
    Factor,
    Family,
    Gate,
    Hypothesis,
    ItemSet,
    Json,
    Loop,
    MeasureUse,
    Outcome,
    Pay,
    Ref,
    Screen,
    Stage,
    Study,
    json_from_record,
)
from understudy.schema.scales import PublishedScale, ScaleItem

PHASE = "phase"
PREDICTION = "prediction"
_TASK = "A computer model answers questions about cases."
_DEBRIEFING = "We want to know whether explanations help people to predict a model. Thank you for taking part."


def gate(questions: Mapping[str, Sequence[str]], *, tries: PositiveInt = 2, block_id: str = "comprehension") -> Screen:
    """Return a check that people must pass: question -> answers, the right one first; they are shown in sorted order.

    Examples
    --------
    >>> gate({"Whose decision do you predict?": ["The model's", "My own"]}).block_id  # doctest: +SKIP
    """
    if not questions:
        raise StudyError(['A gate has no question. Give at least one, such as {"Who decides?": ["The model", "I"]}.'])
    faults = [
        f"The question {prompt!r} has {len(answers)} answer. Give the right one first, then at least one wrong one."
        for prompt, answers in questions.items()
        if len(answers) < 2
    ]
    if faults:
        raise StudyError(faults)
    asked = [
        Choice(question_id=f"check_{number}", prompt=prompt, options=tuple(sorted(answers)))
        for number, (prompt, answers) in enumerate(questions.items(), start=1)
    ]
    keys = dict(zip((question.question_id for question in asked), questions.values(), strict=True))
    params: Json = {
        "questions": [json_from_record(question) for question in asked],
        "answers": {name: answers[0] for name, answers in keys.items()},
    }
    return Screen(
        block_id=block_id,
        purpose="comprehension",
        task=Ref(name="questionnaire", params=params),
        gate=Gate(at_least=1, tries=tries, restudy=("method",)),
    )


def scale(
    name: str,
    prompt: str,
    items: Sequence[str],
    *,
    points: PositiveInt = 7,
    ends: tuple[str, str] = ("Not at all", "Completely"),
) -> PublishedScale:
    """Return a questionnaire scale; an item that starts with "(-)" counts the other way round.

    Examples
    --------
    >>> scale("trust", "How much do you agree?", ["I trust the model.", "(-) I doubt it."])  # doctest: +SKIP
    """
    rows = tuple(ScaleItem(text=item.removeprefix("(-)").strip(), is_reversed=item.startswith("(-)")) for item in items)
    return PublishedScale(name=name, prompt=prompt, points=points, low_label=ends[0], high_label=ends[1], items=rows)


def opening(task: str, gates: Sequence[Screen]) -> tuple[Screen, ...]:
    """Return consent, instructions and checks."""
    pages: list[JsonValue] = [
        task or _TASK,
        "First you see examples with the model's answer. Then you predict its answer to new cases.",
    ]
    return (
        consent_page("In this study, you look at answers of a computer model and predict new ones."),
        Screen(block_id="method", purpose="instructions", task=Ref(name="instructions", params={"pages": pages})),
        *gates,
    )


def examples() -> Stage:
    """Return the stage in which people see the model's answers, with the explanation of their condition."""
    return Stage(
        block_id="learn",
        purpose="learning",
        items="examples",
        explains=True,
        task=Ref(name="judge", params={"text": "What the model said", "reveals": [PREDICTION]}),
    )


def predictions(answers: tuple[str, ...]) -> Stage:
    """Return the stage in which people predict the model's answers."""
    asked = Choice(question_id=PREDICTION, prompt="What will the model say?", options=answers)
    params: Json = {"questions": [json_from_record(asked)], "keys": {PREDICTION: PREDICTION}}
    return Stage(block_id="predict", items="cases", order="balanced", task=Ref(name="judge", params=params))


def closing(scales: Sequence[PublishedScale]) -> tuple[Screen, ...]:
    """Return a page for each scale, and the debriefing."""
    return (
        *(
            Screen(
                block_id=published.name,
                purpose="questionnaire",
                task=Ref(name="questionnaire", params={"questions": [json_from_record(published.question)]}),
            )
            for published in scales
        ),
        Screen(block_id="debrief", purpose="debrief", task=Ref(name="debrief", params={"text": _DEBRIEFING})),
    )


def measures() -> tuple[MeasureUse, ...]:
    """Return what is measured in every built study: right predictions, and the time they took."""
    return (
        MeasureUse(name="correct", measure=Ref(name="correct", params={"question": PREDICTION})),
        MeasureUse(name="seconds", measure=Ref(name="response_time")),
    )


def scale_measures(scales: Sequence[PublishedScale]) -> tuple[MeasureUse, ...]:
    """Return the score of each scale."""
    return tuple(
        MeasureUse(
            name=f"{published.name}_score",
            measure=Ref(
                name="scale_score",
                params={
                    "question": published.name,
                    "points": published.points,
                    "reversed": list(published.reversed_rows),
                    "summary": published.score,
                },
            ),
            blocks=(published.name,),
            summary="first",
        )
        for published in scales
    )


# The plans of built studies: one claim about each explanation, tested as the design asks for.

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


# Studies of common designs, as short in Python as in a file: people learn from examples, then predict a model.
#
# What varies is the explanation with the examples: between people, within each person, between people and over time, or
# together with a second factor. Everything that a builder writes can be changed afterwards with `study.model_copy`.

Explanations = Mapping[str, Ref | str | None]
"""Level -> explainer; None for people who see no explanation."""
_N_CASES = 12


class DesignOptions(TypedDict, total=False):
    """What every builder takes besides its design."""

    dataset: Ref | str
    model: Ref | str
    answers: Sequence[str]
    """The model's labels, from which people choose."""
    task: str
    """One or two sentences that tell people what the model does."""
    title: str
    n_items: PositiveInt
    """Cases that each person predicts; a multiple of 4 keeps right and wrong answers of the model balanced."""
    n_examples: PositiveInt
    people: PositiveInt
    """Completed participants in each condition."""
    gates: Sequence[Screen]
    """Comprehension checks, made by `gate`."""
    scales: Sequence[PublishedScale]
    """Questionnaires at the end, made by `scale`."""
    minutes: PositiveInt
    """The minutes that people are told. Default: an estimate from the cases and questions."""
    reward: NonNegativeFloat
    currency: str
    seed: NonNegativeInt


def between(name: str, explanations: Explanations, **options: Unpack[DesignOptions]) -> Study:
    """Build a study in which each person sees one kind of explanation, or none.

    Examples
    --------
    >>> study = between(
    ...     "weights",
    ...     {"shown": "weighted_features", "hidden": None},
    ...     dataset="loan_cases",
    ...     model=Ref(name="linear_classifier", params={"weights": [1.5, 0.2, 0.9, -0.6], "labels": ["no", "yes"]}),
    ...     answers=("no", "yes"),
    ... )
    >>> [cell.name for cell in study.cells]
    ['shown', 'hidden']
    """
    levels = _levels(explanations)
    factor = Factor(name=EXPLANATION, scope="between", levels=levels)
    flow = (examples(), predictions(_answers(options)))
    return _study(name, (factor,), flow, between_plan(levels, _control(explanations)), _Parts(explanations, options))


def within(name: str, explanations: Explanations, **options: Unpack[DesignOptions]) -> Study:
    """Build a study in which each person sees every kind of explanation, in a balanced order, with different cases for each.

    Examples
    --------
    >>> study = within("loans", {"shown": "lime", "hidden": None}, dataset="loan_cases", model=model)  # doctest: +SKIP
    """
    levels = _levels(explanations)
    factor = Factor(name=EXPLANATION, scope="within", levels=levels, order=Ref(name="latin_square"))
    loop = Loop(block_id="rounds", over=EXPLANATION, blocks=(examples(), predictions(_answers(options))))
    plan = within_plan(levels, _control(explanations))
    return _study(name, (factor,), (loop,), plan, _Parts(explanations, options, rotates_over=EXPLANATION))


def mixed(name: str, explanations: Explanations, **options: Unpack[DesignOptions]) -> Study:
    """Build a study in which each person predicts before and after one kind of explanation, or none.

    Examples
    --------
    >>> study = mixed("loans", {"shown": "lime", "hidden": None}, dataset="loan_cases", model=model)  # doctest: +SKIP
    """
    levels = _levels(explanations)
    factors = (
        Factor(name=EXPLANATION, scope="between", levels=levels),
        Factor(name=PHASE, scope="within", levels=("before", "after"), order=Ref(name="fixed_order")),
    )
    seen = examples().model_copy(update={"when": {PHASE: "after"}})
    loop = Loop(block_id="rounds", over=PHASE, blocks=(seen, predictions(_answers(options))))
    return _study(
        name, factors, (loop,), mixed_plan(levels, _control(explanations)), _Parts(explanations, options, PHASE)
    )


def factorial(
    name: str, explanations: Explanations, models: Mapping[str, Ref | str], **options: Unpack[DesignOptions]
) -> Study:
    """Build a study in which each person sees one of several models with one kind of explanation, or none.

    Examples
    --------
    >>> study = factorial("loans", levels, models={"linear": linear, "tree": tree}, dataset="loan_cases")  # doctest: +SKIP
    """
    levels = _levels(explanations)
    factors = (
        Factor(name=EXPLANATION, scope="between", levels=levels),
        Factor(name="model", scope="between", levels=_levels(models)),
    )
    flow = (examples(), predictions(_answers(options)))
    return _study(name, factors, flow, factorial_plan(levels), _Parts(explanations, options, models=models))


class _Parts:
    """What the builders share beyond factors, flow and plan."""

    def __init__(
        self,
        explanations: Explanations,
        options: DesignOptions,
        rotates_over: str | None = None,
        models: Mapping[str, Ref | str] | None = None,
    ) -> None:
        self.options = options
        self.rotates_over = rotates_over
        self.bindings = (
            Binding(
                dataset=_entry("datasets", _required(options, "dataset")),
                model=None if models else _entry("models", _required(options, "model")),
            ),
            *(Binding(when={"model": level}, model=_entry("models", model)) for level, model in (models or {}).items()),
            *(
                Binding(when={EXPLANATION: level}, explainer=_entry("explainers", explainer))
                for level, explainer in explanations.items()
                if explainer is not None
            ),
        )


def _study(name: str, factors: tuple[Factor, ...], flow: tuple[Block, ...], plan: AnalysisPlan, parts: _Parts) -> Study:
    options = parts.options
    scales = tuple(options.get("scales", ()))
    sets: dict[str, Any] = {"rotates_over": parts.rotates_over}
    strata = ("prediction", "model_is")
    return Study(
        name=name,
        title=options.get("title", "Do explanations help people to predict the model?"),
        factors=factors,
        bindings=parts.bindings,
        assignment=AssignmentRule(quota=options.get("people", 30), release_after_min=60),
        item_sets=(
            ItemSet(name="examples", n_items=options.get("n_examples", _N_CASES), strata=strata, **_for_examples(sets)),
            ItemSet(name="cases", n_items=options.get("n_items", _N_CASES), strata=strata, apart_from=("examples",), **sets),
        ),
        flow=(*opening(options.get("task", ""), options.get("gates", ())), *flow, *closing(scales)),
        measures=(*measures(), *scale_measures(scales)),
        pay=Pay(
            currency=options.get("currency", "USD"),
            base=options.get("reward", 2.0),
            expected_minutes=options.get("minutes", _expected_minutes(options)),
        ),
        plan=plan,
        seed=options.get("seed", 1),
    )  # fmt: skip


def _expected_minutes(options: DesignOptions) -> int:
    """Return about what `understudy check` expects: seven seconds a case, and more for reading and for other questions."""
    n_cases = options.get("n_examples", _N_CASES) + options.get("n_items", _N_CASES)
    n_questions = sum(len(asked.items) for asked in options.get("scales", ()))
    return max(1, round(0.5 + 0.12 * n_cases + 0.1 * n_questions + 0.5 * len(options.get("gates", ()))))


def _for_examples(sets: dict[str, Any]) -> dict[str, Any]:
    # Before and after share their examples, which are shown once.
    return {} if sets["rotates_over"] == PHASE else sets


def _levels(named: Mapping[str, Ref | str | None]) -> tuple[str, ...]:
    if len(named) < 2:
        raise StudyError(
            [f"A factor needs at least two levels to compare, but {len(named)} is given. Name at least two."]
        )
    return tuple(named)


def _control(explanations: Explanations) -> str:
    """Return the level without an explanation, or else the first: the others are compared with it."""
    return next((level for level, explainer in explanations.items() if explainer is None), next(iter(explanations)))


def _answers(options: DesignOptions) -> tuple[str, ...]:
    return tuple(_required(options, "answers"))


def _required(options: DesignOptions, name: str) -> Any:
    if name not in options:
        raise StudyError([f"A study of predictions needs {name}=. Give all of dataset=, model= and answers=."])
    return cast("Mapping[str, Any]", options)[name]


def _entry(catalogue: Catalogue, named: Ref | str) -> Ref:
    """Return the reference to an entry of a catalogue; a misspelt name is refused here, not when the study runs."""
    ref = Ref(name=named) if isinstance(named, str) else named
    entry(catalogue, ref.name)
    return ref
