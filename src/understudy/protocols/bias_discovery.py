"""Bias discovery about any model: people look at a grid of pictures and say what the model relies on."""

from collections.abc import Mapping
from typing import NamedTuple

from understudy.errors import MaterialsError
from understudy.protocols.pages import consent_page, screen
from understudy.schema import (
    AnalysisPlan,
    AssignmentRule,
    Binding,
    Description,
    Factor,
    Hypothesis,
    MeasureUse,
    Outcome,
    Pay,
    Ref,
    RelevanceKey,
    Screen,
    Study,
)

MAIN = "judge_attributes"
CHANCE = 0.5


class Discovered(NamedTuple):
    """What people find out about: a model, how it is shown, and what it relies on."""

    key: RelevanceKey
    """The right answers, which `understudy worlds importance` measures; one question for each of its groups."""
    model: Ref
    grids: Mapping[str, Ref]
    """Condition -> explainer of the whole model; the first is what the others are compared with."""
    dataset: Ref | None = None
    """The pictures of explainers that name none themselves."""
    words: Mapping[str, str] = {}
    """Group -> how people read it in the middle of a sentence, such as "the colour of the wall"."""


class Terms(NamedTuple):
    """How many people are asked, and what they are paid."""

    quota: int
    """Completed participants in each condition."""
    minutes: int
    reward: float
    """In dollars."""
    min_chars: int = 40
    """How long a reason has to be; 0 asks for none."""


def bias_discovery_study(name: str, title: str, about: Discovered, terms: Terms, *, seed: int) -> Study:
    """Build a study with one page: the grid, and for each group of attributes whether the model relies on it."""
    if not about.grids:
        raise MaterialsError("No grid is named. Give at least one explainer of the whole model.")
    groups, conditions = tuple(about.key.verdicts), tuple(about.grids)
    is_compared = len(conditions) > 1
    between = (Factor(name="explanation", scope="between", levels=conditions),) if is_compared else ()
    return Study(
        name=name,
        title=title,
        shown_title="How does the model decide?",
        question="How often do people say rightly what a model relies on, after looking at pictures and its answers?",
        factors=(*between, Factor(name="attribute", scope="question", levels=groups)),
        bindings=(
            Binding(model=about.model, dataset=about.dataset),
            *(
                Binding(when={"explanation": condition} if is_compared else {}, model_explainer=grid)
                for condition, grid in about.grids.items()
            ),
        ),
        assignment=AssignmentRule(quota=terms.quota, release_after_min=6 * terms.minutes),
        flow=(_consent(), _main(about, terms), screen("debrief", "debrief", "debrief", {"text": _THANKS})),
        measures=(
            MeasureUse(name="right", measure=Ref(name="correct"), over="attribute"),
            MeasureUse(name="accuracy", measure=Ref(name="correct"), over="attribute", summary="mean"),
            MeasureUse(name="answer_seconds", measure=Ref(name="response_time"), summary="sum"),
        ),
        pay=Pay(currency="USD", base=terms.reward, expected_minutes=terms.minutes),
        plan=_plan(conditions),
        seed=seed,
    )


_THANKS = (
    "Models sometimes rely on things that they should not use. We want to know whether people find that out from pictures "
    "and a model's answers. Thank you for taking part."
)


def _consent() -> Screen:
    return consent_page(
        "A computer model sorts pictures into two classes. You will see how it sorts some of them, and say what it relies "
        "on.\n\n- You must be 18 or older."
    )


def _main(about: Discovered, terms: Terms) -> Screen:
    attributes = [
        {"attribute_id": name, "name": about.words.get(name, f"the {name.replace('_', ' ')}")}
        for name in about.key.verdicts
    ]
    page = screen(
        MAIN,
        "main",
        "relevance",
        {
            "text": "The pictures show how the model answers. For each question, choose what you think.",
            "attributes": [{**attribute} for attribute in attributes],
            "prompt": "How relevant is {attribute} for the model?",
            "min_chars": terms.min_chars,
            "key": {**about.key.verdicts},
        },
    )
    return page.model_copy(update={"explains_model": True})


def _plan(conditions: tuple[str, ...]) -> AnalysisPlan:
    first, *others = conditions
    compared = [
        Hypothesis(
            hypothesis_id=f"{name}_against_{first}",
            claim=f"People are more often right with {name} than with {first}.",
            plain=f"“{name}” helps people find out what the model relies on, more than “{first}” does.",
            outcome="accuracy",
            factor="explanation",
            contrast=(name, first),
            direction="greater",
            analysis=Ref(name="rank_sum"),
        )
        for name in others
    ]
    alone = Hypothesis(
        hypothesis_id="better_than_chance",
        claim="People say more often than by chance what the model relies on.",
        plain="People find out more often than by guessing what the model relies on.",
        outcome="accuracy",
        against=CHANCE,
        direction="greater",
        analysis=Ref(name="one_sample_t"),
    )
    by = ("explanation",) if others else ()
    return AnalysisPlan(
        outcomes=(
            Outcome(name="accuracy", measure="accuracy"),
            Outcome(name="attribute_right", measure="right", summary="max", by=("attribute",)),
        ),
        hypotheses=tuple(compared) or (alone,),
        descriptions=(
            Description(description_id="overall", outcome="accuracy", by=by),
            Description(
                description_id="by_attribute", outcome="attribute_right", by=(*by, "attribute"), interval="wilson"
            ),
        ),
    )
