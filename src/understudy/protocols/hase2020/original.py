"""Hase and Bansal (2020) with their own stimuli: ten arms, forward and counterfactual simulation, before and after.

What the paper leaves open is settled here: the two tests come in an order drawn for each person, cases are shuffled for
each person with every prefix balanced, and the screening test is our own.
"""

from collections.abc import Iterator, Sequence

from understudy import schema
from understudy.protocols.hase2020 import blocks
from understudy.protocols.hase2020.blocks import TOO_FAST, simulation_measures
from understudy.protocols.hase2020.plan import simulatability_plan, with_pace
from understudy.protocols.pages import closing

DOMAINS = {
    "text": blocks.PredictionProblem(
        ("positive", "negative"),
        "A computer model reads a sentence from a film review and says whether the review is **positive** or "
        "**negative**.",
        "sentence",
        is_text=True,
    ),
    "tabular": blocks.PredictionProblem(
        ("above $50K", "below $50K"),
        "A computer model reads twelve facts about a person from a 1994 census and says whether this person earns "
        "**above** or **below** 50,000 dollars a year.",
        "person",
    ),
}
METHODS = {
    "lime": "LIME",
    "anchor": "Anchor",
    "prototype": "prototype",
    "decision_boundary": "decision_boundary",
    "composite": "composite",
}
"""Method -> its name in the released sheets."""
KINDS: dict[str, tuple[str, ...]] = {
    "lime": ("attribution",),
    "anchor": ("rule",),
    "prototype": ("similar_case",),
    "decision_boundary": ("path",),
    "composite": ("attribution", "rule", "path", "similar_case"),
}
"""Method -> the kinds of explanation the sheets hold for it."""
PARTS = ("learning", "forward", "counterfactual")


def hase2020_original(*, n_items: int = 32, n_examples: int = 16, quota: int = 4) -> schema.Study:
    """Build the study; 16 cases in each test are the paper's short form, and any multiple of 8 keeps the balance."""
    domains = [_tested(domain, n_items, n_examples) for domain in DOMAINS]
    return schema.Study(
        name="hase2020-original",
        title="Forward and counterfactual simulation with the original stimuli (after Hase and Bansal, 2020)",
        shown_title="Predict a computer model",
        question="Do explanations of a text or a tabular model help people to predict its answers to new cases, and to "
        "edited ones, and which of five methods helps?",
        factors=(
            schema.Factor(name="domain", scope="between", levels=tuple(DOMAINS)),
            schema.Factor(name="method", scope="between", levels=tuple(METHODS)),
            schema.Factor(name="test", scope="within", levels=("forward", "counterfactual")),
            schema.Factor(name="phase", scope="within", levels=("before", "after")),
            schema.Factor(name="model_is", scope="item", levels=("right", "wrong")),
        ),
        bindings=tuple(_bindings()),
        assignment=schema.AssignmentRule(quota=quota, release_after_min=120),
        item_sets=tuple(_item_sets()),
        flow=(
            *blocks.consent_pages(),
            *_screening(domains),
            _tests(domains),
            *_closing(),
        ),
        measures=simulation_measures(
            tuple(f"{block}_{domain}" for domain in DOMAINS for block in ("explained", "edit_after")),
            edited=tuple(f"edit_after_{domain}" for domain in DOMAINS),
        ),
        exclusions=(TOO_FAST,),
        pay=schema.Pay(currency="USD", base=20.0, expected_minutes=80),
        plan=with_pace(
            simulatability_plan(tuple(METHODS), domains=("text", "tabular"), control=None, correction="none")
        ),
        seed=2020,
    )


def _bindings() -> Iterator[schema.Binding]:
    for domain in DOMAINS:
        yield schema.Binding(
            when={"domain": domain}, model=schema.Ref(name="imported_answers", params={"domain": domain})
        )
        for method, sheet in METHODS.items():
            params: schema.Json = {"domain": domain, "method": sheet}
            yield schema.Binding(
                when={"domain": domain, "method": method},
                explainer=schema.Ref(name="imported_explanations", params=params),
            )


def _item_sets() -> Iterator[schema.ItemSet]:
    for domain in DOMAINS:
        for part in PARTS:
            edited = ("keeps",) if part == "counterfactual" else ()
            params: schema.Json = {"domain": domain, "part": part}
            yield schema.ItemSet(
                name=f"{part}_{domain}",
                n_items=16 if part == "learning" else 32,
                dataset=schema.Ref(name="hase_stimuli", params=params),
                strata=("prediction", "model_is", *edited),
            )


def _tested(domain: str, n_items: int, n_examples: int) -> blocks.SimulationSetup:
    return blocks.SimulationSetup(
        DOMAINS[domain], n_items, n_examples, KINDS, end=f"_{domain}", when={"domain": domain}
    )


def _screening(domains: Sequence[blocks.SimulationSetup]) -> Iterator[schema.Block]:
    """The procedure, the method, and a test of both."""
    for tested in domains:
        yield from blocks.procedure(tested)
    for tested in domains:
        yield from blocks.lessons(tested)
    procedures = tuple(f"procedure_{domain}" for domain in DOMAINS)
    read_again = {method: (*procedures, *(f"lesson_{method}_{domain}" for domain in DOMAINS)) for method in METHODS}
    yield from blocks.screening(KINDS, read_again)


def _tests(domains: Sequence[blocks.SimulationSetup]) -> schema.Loop:
    tests = [block for tested in domains for block in (*blocks.forward(tested), *blocks.counterfactual(tested))]
    return schema.Loop(block_id="tests", over="test", blocks=tuple(tests))


def _closing() -> tuple[schema.Screen, ...]:
    return closing(
        "You saw explanations made by one of five methods. We want to know which of them best helps people learn what "
        "a model will answer. Hase and Bansal made the cases and explanations for a study in 2020. Thank you."
    )


def arms() -> tuple[str, ...]:
    """Return the names of the ten arms."""
    return tuple(f"{domain}-{method}" for domain in DOMAINS for method in METHODS)
