"""Studies of common designs, as short in Python as in a file: people learn from examples, then predict a model.

What varies is the explanation with the examples: between people, within each person, between people and over time, or
together with a second factor. Everything that a builder writes can be changed afterwards with `study.model_copy`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack, cast

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from understudy.errors import StudyError
from understudy.protocols.builders.pages import (
    PHASE,
    closing,
    examples,
    gate,
    measures,
    opening,
    predictions,
    scale,
    scale_measures,
)
from understudy.protocols.builders.plans import between_plan, factorial_plan, mixed_plan, within_plan
from understudy.registry import Catalogue, entry
from understudy.schema import (
    AnalysisPlan,
    AssignmentRule,
    Binding,
    Block,
    Factor,
    ItemSet,
    Loop,
    Pay,
    Ref,
    Screen,
    Study,
)
from understudy.schema.scale import PublishedScale

__all__ = ["DesignOptions", "between", "factorial", "gate", "mixed", "scale", "within"]

Explanations = Mapping[str, Ref | str | None]
"""Level -> explainer; None for people who see no explanation."""
EXPLANATION = "explanation"
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
