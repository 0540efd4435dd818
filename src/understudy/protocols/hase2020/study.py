"""Simulation studies: how well people predict a model before and after explanations, compared with a control arm."""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from understudy.protocols.hase2020.lessons import kinds_of
from understudy.protocols.hase2020.measures import TOO_FAST, simulation_measures
from understudy.protocols.hase2020.plan import Domain, simulatability_plan, with_pace
from understudy.protocols.hase2020.simulation_blocks import (
    CONTROL,
    PredictionProblem,
    SimulationSetup,
    consent_pages,
    counterfactual,
    forward,
    lessons,
    procedure,
    screening,
)
from understudy.protocols.pages import closing
from understudy.registry import entry
from understudy.schema import (
    AssignmentRule,
    Binding,
    Block,
    Factor,
    ItemSet,
    Json,
    Loop,
    Pay,
    Ref,
    Study,
)

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
