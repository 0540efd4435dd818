"""Simulation studies: how well people predict a model before and after explanations, compared with a control arm."""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from understudy.protocols.hase2020.blocks import (
    CONTROL,
    TOO_FAST,
    PredictionProblem,
    SimulationSetup,
    consent_pages,
    counterfactual,
    forward,
    lessons,
    procedure,
    screening,
    simulation_measures,
)
from understudy.protocols.hase2020.lessons import kinds_of
from understudy.protocols.hase2020.original import DOMAINS
from understudy.protocols.hase2020.plan import Domain, simulatability_plan, with_pace
from understudy.protocols.pages import closing
from understudy.registry import entry
from understudy.schema import AssignmentRule, Binding, Block, Factor, ItemSet, Json, Loop, Pay, Ref, Study

# Sources of simulation studies: cases, classifiers, descriptions and explainers.

Data: TypeAlias = Literal["generated", "paper"]
"""generated: cases and classifiers that come with the package; paper: the paper's data, from the data folder."""


class Source(NamedTuple):
    """A dataset and the names of its two classifiers."""

    problem: PredictionProblem
    dataset: Ref
    model: str
    prototypes: str


_POLARITY_NAMES = {"pos": "positive", "neg": "negative"}
INCOME = Source(
    PredictionProblem(
        ("above average", "below average"),
        "A computer model reads eight facts about a person and says whether this person earns **above** or **below** "
        "the average. The people are made up.",
        "person",
    ),
    Ref(name="income_cases"),
    "income-mlp",
    "income-prototypes",
)
REVIEWS = Source(
    PredictionProblem(
        ("pos", "neg"),
        "A computer model reads a sentence about a play and says whether it is **positive** or **negative**. "
        "The sentences are made up.",
        "sentence",
        _POLARITY_NAMES,
        is_text=True,
    ),
    Ref(name="review_lines"),
    "reviews-lstm",
    "reviews-prototypes",
)
ADULT = Source(DOMAINS["tabular"], Ref(name="adult"), "adult-mlp", "adult-prototypes")
POLARITY = Source(
    DOMAINS["text"]._replace(labels=("pos", "neg"), value_names=_POLARITY_NAMES),
    Ref(name="rt_polarity"),
    "polarity-lstm",
    "polarity-prototypes",
)


def classifier(name: str) -> Ref:
    """Return the model of a trained classifier."""
    return Ref(name="trained_classifier", params={"name": name})


def with_prototypes(name: str) -> Ref:
    """Return the model of a trained classifier that keeps prototypes."""
    return Ref(name="trained_prototypes", params={"name": name})


def lime(dataset: Ref) -> Ref:
    """Return LIME, which perturbs validation cases and never tested ones."""
    return Ref(name="lime", params={"background": _part(dataset, "validation")})


def five_explainers(source: Source) -> dict[str, Ref]:
    """Return the five methods of Hase and Bansal (2020); the composite shows the last step of a path only."""
    params: Json = {"background": _part(source.dataset, "validation")}
    anchor = Ref(name="anchor", params=params)
    prototype = Ref(
        name="prototype",
        params={
            "background": _part(source.dataset, "train"),
            "model": with_prototypes(source.prototypes).model_dump(mode="json"),
        },
    )
    boundary = Ref(name="decision_boundary", params=params)
    last_step = Ref(name="decision_boundary", params={**params, "n_steps": 1})
    parts = [ref.model_dump(mode="json") for ref in (lime(source.dataset), anchor, last_step, prototype)]
    return {
        "lime": lime(source.dataset),
        "anchor": anchor,
        "prototype": prototype,
        "decision_boundary": boundary,
        "composite": Ref(name="composite", params={"parts": parts}),
    }


def _part(dataset: Ref, part: str) -> Json:
    return {"name": dataset.name, "params": {**dataset.params, "split": part}}


Test: TypeAlias = Literal["forward", "counterfactual"]


class Simulated(NamedTuple):
    """What people predict: cases, the model that answers them, and its explainers."""

    problem: PredictionProblem
    dataset: Ref
    """With splits, learning cases come from `validation` and tested ones from `test`; without, the two sets are kept
    disjoint."""
    model: Ref
    explainers: Mapping[str, Ref]
    """Method -> explainer; a control arm is always added."""
    also_model: Ref | None = None
    """A second model, such as one with prototypes, that must agree on every case."""
    domain: Domain = "own"
    """The domain of the paper to compare with; `own` for none."""


class Scope(NamedTuple):
    """The size of a study, its duration and its pay."""

    n_items: int
    """In each test; a multiple of 8 keeps the balance."""
    n_examples: int
    """A multiple of 4."""
    quota: int
    """Completed participants in each arm."""
    minutes: int
    reward: float
    """In dollars."""
    tests: tuple[Test, ...] = ("forward", "counterfactual")
    """`forward` alone for cases that cannot be edited, such as pictures."""


def simulation_study(name: str, title: str, about: Simulated, scope: Scope, *, seed: int) -> Study:
    """Build a study with forward and counterfactual simulation, an arm for each explainer, and a control arm.

    All arms see the same cases: only the explanations differ.

    Examples
    --------
    >>> simulation_study("my-study", "Do they help?", simulated, scope, seed=1)  # doctest: +SKIP
    """
    methods = tuple(about.explainers)
    kinds = {method: kinds_of(explainer) for method, explainer in about.explainers.items()}
    has_edits = "counterfactual" in scope.tests
    edited = ("edit_after",) if has_edits else ()
    tested = SimulationSetup(
        about.problem, scope.n_items, scope.n_examples, kinds, has_control=True, has_edits=has_edits
    )
    stages = {"forward": tuple(forward(tested)), "counterfactual": tuple(counterfactual(tested))}
    return Study(
        name=name,
        title=title,
        shown_title="Predict a computer model",
        question=f"Do explanations help people predict a model's answers to new cases{', and to edited ones,' if has_edits else ''} "
        "more than seeing the same cases a second time does?",
        factors=(
            Factor(name="method", scope="between", levels=(*methods, CONTROL)),
            Factor(name="test", scope="within", levels=scope.tests),
            Factor(name="phase", scope="within", levels=("before", "after")),
            Factor(name="model_is", scope="item", levels=("right", "wrong")),
        ),
        bindings=(
            Binding(model=about.model),
            *(Binding(when={"method": method}, explainer=ref) for method, ref in about.explainers.items()),
        ),
        assignment=AssignmentRule(quota=scope.quota, release_after_min=120),
        item_sets=tuple(_item_sets(about, scope)),
        flow=(
            *consent_pages(),
            *procedure(tested),
            *lessons(tested),
            *_screening(kinds),
            Loop(block_id="tests", over="test", blocks=tuple(block for test in scope.tests for block in stages[test])),
            *closing(_DEBRIEFING),
        ),
        measures=simulation_measures(("explained", *edited), edited=edited),
        exclusions=(TOO_FAST,),
        pay=Pay(currency="USD", base=scope.reward, expected_minutes=scope.minutes),
        plan=with_pace(simulatability_plan(methods, domains=(about.domain,), tests=scope.tests)),
        seed=seed,
    )


def _item_sets(about: Simulated, scope: Scope) -> Iterator[ItemSet]:
    strata = ("prediction", "model_is")
    apart = () if _has_parts(about.dataset) else ("learning",)
    for name, part, n_items, apart_from in (
        ("learning", "validation", scope.n_examples, ()),
        ("forward", "test", scope.n_items, apart),
    ):
        source = _part_of(about.dataset, part)
        if about.also_model is not None:
            models = [_plain(about.model), _plain(about.also_model)]
            source = Ref(name="agreed_cases", params={"source": _plain(source), "models": [*models]})
        yield ItemSet(name=name, n_items=n_items, dataset=source, strata=strata, apart_from=apart_from)
    if "counterfactual" not in scope.tests:
        return
    params: Json = {"source": _plain(_part_of(about.dataset, "test")), "model": _plain(about.model)}
    if about.also_model is not None:
        params["also_model"] = _plain(about.also_model)
    yield ItemSet(
        name="counterfactual",
        n_items=scope.n_items,
        dataset=Ref(name="counterfactuals", params=params),
        strata=(*strata, "keeps"),
        # In the original study, "two or more edits mean a change" was right on 72 % of the items.
        matched_on=("n_edits",),
        matching="exact",
    )


def _has_parts(dataset: Ref) -> bool:
    return "split" in entry("datasets", dataset.name).model_fields


def _part_of(dataset: Ref, part: str) -> Ref:
    if not _has_parts(dataset):
        return dataset
    return Ref(name=dataset.name, params={**dataset.params, "split": part})


def _plain(ref: Ref) -> Json:
    return {"name": ref.name, "params": ref.params}


def _screening(kinds: dict[str, tuple[str, ...]]) -> Iterator[Block]:
    read_again = {method: ("procedure", f"lesson_{method}") for method in kinds}
    yield from screening({**kinds, CONTROL: ()}, {**read_again, CONTROL: (f"procedure_{CONTROL}",)})


_DEBRIEFING = (
    "Some participants saw explanations of the model's answers, made by one method; others saw the same cases again "
    "without any. We want to know whether explanations help people learn what a model will answer. Thank you."
)


# A small simulation study: does LIME help people to predict a model of incomes? Everything comes with the package.


def simulatability_demo(*, quota: int = 20) -> Study:
    """Build the study: eight examples, eight new and eight edited cases, with LIME or without explanations."""
    return simulation_study(
        "simulatability-demo",
        "Does LIME help people to predict a model of incomes?",
        Simulated(
            problem=INCOME.problem,
            dataset=INCOME.dataset,
            model=classifier(INCOME.model),
            explainers={"lime": lime(INCOME.dataset)},
        ),
        Scope(n_items=8, n_examples=8, quota=quota, minutes=15, reward=3.0),
        seed=2020,
    )


# Hase and Bansal (2020) with our models and explainers: five methods and a control arm, tabular and text.
#
# By default the studies use generated cases and the classifiers in the package. With `data="paper"` they use the paper's
# cases from the data folder, under different study names.

_PER_HOUR = 15.0
"""US dollars, as the paper paid."""


def hase2020_tabular(*, data: Data = "generated", n_items: int = 32, n_examples: int = 16, quota: int = 20) -> Study:
    """Build the study with tables: generated people, or census records; 16 cases in each test are the short form."""
    return _study(
        "hase2020-tabular" if data == "generated" else "hase2020-tabular-adult",
        "tabular",
        INCOME if data == "generated" else ADULT,
        _scope(n_items, n_examples, quota),
    )


def hase2020_text(*, data: Data = "generated", n_items: int = 32, n_examples: int = 16, quota: int = 20) -> Study:
    """Build the study with sentences: generated ones, or film reviews; 16 cases in each test are the short form."""
    return _study(
        "hase2020-text" if data == "generated" else "hase2020-text-polarity",
        "text",
        REVIEWS if data == "generated" else POLARITY,
        # Generated sentences are half as long as film reviews.
        _scope(n_items, n_examples, quota, minutes=55 if data == "generated" else 60),
    )


def _scope(n_items: int, n_examples: int, quota: int, minutes: int = 60) -> Scope:
    return Scope(n_items, n_examples, quota, minutes=minutes, reward=_PER_HOUR * minutes / 60)


def _study(name: str, domain: Literal["text", "tabular"], source: Source, scope: Scope) -> Study:
    return simulation_study(
        name,
        f"Forward and counterfactual simulation of a {domain} model, five methods and a control (after Hase and Bansal, 2020)",
        Simulated(
            problem=source.problem,
            dataset=source.dataset,
            model=classifier(source.model),
            explainers=five_explainers(source),
            also_model=with_prototypes(source.prototypes),
            domain=domain,
        ),
        scope,
        seed=2020,
    )
