"""Sixt, Schuessler et al. (2022): three tutorials, one page with an explanation of a system, and what it relies on."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from understudy.errors import MaterialsError
from understudy.protocols.pages import consent_page, screen
from understudy.protocols.sixt2022.plans import (
    MAIN,
    PAID_1,
    PAID_2,
    PayTable,
    annotation,
    comparison_plan,
    exclusions,
    measures,
    validation_plan,
)
from understudy.protocols.sixt2022.tutorials import ANIMALS, EXPLANATIONS, SYSTEMS, Condition, Tutorials
from understudy.schema import (
    AnalysisPlan,
    AssignmentRule,
    Binding,
    Block,
    Bonus,
    Choice,
    Factor,
    Json,
    Pay,
    Ref,
    Reference,
    Screen,
    Stop,
    Study,
    json_from_record,
    relevance_key_from_text,
)
from understudy.sources.files import located
from understudy.tasks.judge import JudgedAttribute

# The attributes that people judge, how they read them, and which of them the system relies on.

Verdict: TypeAlias = Literal["relevant", "irrelevant"]
ATTRIBUTES: Mapping[str, JudgedAttribute] = MappingProxyType(
    {
        attribute.attribute_id: attribute
        for attribute in (
            JudgedAttribute(
                attribute_id="legs", name="the position of the legs", meaning="Where the sliding legs are on the spine."
            ),
            JudgedAttribute(attribute_id="colour", name="the colour of the animal", meaning="From blue to red."),
            JudgedAttribute(attribute_id="background", name="the background", meaning="The colour behind the animal."),
            JudgedAttribute(attribute_id="shape", name="the shape of the blocks", meaning="Round or square."),
            JudgedAttribute(
                attribute_id="posture",
                name="the posture of the animal",
                meaning="How the animal is turned, and how its body is bent.",
            ),
        )
    }
)
NAMES = tuple(ATTRIBUTES)
PAPER_TRUTH: Mapping[str, Verdict] = MappingProxyType(
    {
        "legs": "relevant",
        "colour": "relevant",
        "background": "irrelevant",
        "shape": "relevant",
        "posture": "irrelevant",
    }
)
"""The ground truth that the paper scored by."""


def chosen_attributes(names: Sequence[str]) -> tuple[JudgedAttribute, ...]:
    """Return the named attributes, in the given order."""
    unknown = [name for name in names if name not in ATTRIBUTES]
    if unknown or not names:
        found = f"{unknown[0]!r} is not an attribute of this protocol." if unknown else "No attribute is named."
        raise MaterialsError(f"{found} Choose from: {', '.join(NAMES)}.")
    return tuple(ATTRIBUTES[name] for name in names)


def truth_from(key_file: Path | None, names: Sequence[str]) -> dict[str, Verdict]:
    """Return the right verdict on each attribute: measured, if there is a key, and else that of the paper."""
    if key_file is None:
        return {name: PAPER_TRUTH[name] for name in names}
    verdicts = relevance_key_from_text(key_file.read_text(encoding="utf-8"), key_file.name).verdicts
    absent = [name for name in names if name not in verdicts]
    if absent:
        raise MaterialsError(
            f"The relevance key {key_file.name} has no verdict on {absent[0]!r}. It has: {', '.join(verdicts)}."
        )
    return {name: verdicts[name] for name in names}


SHIPPED = "shipped:sixt2022"
SHIPPED_WORLD = (
    "Pictures and classifier come from the world sixt2022-code: what the code of the paper's study draws, which differs from "
    "what the paper says."
)
CONDITIONS: tuple[Condition, ...] = ("baseline", "counterfactuals", "concepts")
MIN_EDGE_PX = 600
_MINUTES = 30.0
"""A guess that follows from our films, which take two minutes each; those of the paper take up to four."""
_JUDGING_S = 1100.0
"""A guess for the main page, which is mostly looking at pictures."""


class Sixt2022(NamedTuple):
    """What a study of this protocol can choose."""

    conditions: tuple[Condition, ...] = CONDITIONS
    attributes: tuple[str, ...] = NAMES
    pay: PayTable = PAID_2
    quota: int = 80
    """People in each condition."""
    material: str = SHIPPED
    """The folder of films and grids, from the folder of the study; by default what comes with understudy."""
    key_file: Path | None = None
    """A measured relevance key; by default the one of the material, and without one the ground truth of the paper."""
    min_chars: int = 40
    """How long a justification has to be."""


def sixt2022_validation(choices: Sixt2022 | None = None) -> Study:
    """Build the first study: one condition, in which people find the legs more often than colour or shape."""
    chosen = choices or Sixt2022(conditions=("baseline",), pay=PAID_1, quota=50)
    return _study(
        chosen,
        name="sixt2022-validation",
        title="Is the baseline hard enough? (after Sixt et al., 2022, study 1)",
        question="Do people who look at sorted pictures find colour or shape less often than the legs?",
        plan=validation_plan(chosen.attributes),
    )


def sixt2022_comparison(choices: Sixt2022 | None = None) -> Study:
    """Build the second study: counterfactuals and concepts against the baseline, between people."""
    chosen = choices or Sixt2022()
    return _study(
        chosen,
        name="sixt2022-comparison",
        title="Do counterfactuals or concepts help people to find biases? (after Sixt et al., 2022, study 2)",
        question="Do counterfactuals or concepts help people say which attributes a classifier relies on, compared with "
        "sorted pictures?",
        plan=comparison_plan(chosen.conditions, chosen.attributes),
    )


def _study(chosen: Sixt2022, *, name: str, title: str, question: str, plan: AnalysisPlan) -> Study:
    if not chosen.conditions:
        raise MaterialsError(f"No condition is named. Choose from: {', '.join(CONDITIONS)}.")
    is_compared = len(chosen.conditions) > 1
    between = (Factor(name="explanation", scope="between", levels=chosen.conditions),) if is_compared else ()
    return Study(
        name=name,
        title=title,
        shown_title="How does the system decide?",
        question=f"{question} {SHIPPED_WORLD}" if chosen.material == SHIPPED else question,
        factors=(*between, Factor(name="attribute", scope="question", levels=chosen.attributes)),
        bindings=tuple(
            Binding(when={"explanation": condition} if is_compared else {}, model_explainer=_grid(chosen, condition))
            for condition in chosen.conditions
        ),
        assignment=AssignmentRule(
            policy=Ref(name="permuted_blocks"),
            quota=chosen.quota,
            release_after_min=90,
            blocks_participants_of=("sixt2022-validation",) if name != "sixt2022-validation" else (),
        ),
        flow=(
            *_opening(chosen),
            *_tutorials(chosen, is_compared=is_compared),
            _main_page(chosen, is_compared=is_compared),
            *_closing(chosen),
        ),
        measures=measures(chosen.conditions if is_compared else ()),
        exclusions=exclusions(),
        annotation=annotation(chosen.attributes),
        pay=Pay(
            currency="GBP",
            base=chosen.pay.base,
            bonuses=(
                Bonus(
                    measure="n_right",
                    per_unit=chosen.pay.per_answer,
                    at_most=round(chosen.pay.per_answer * len(chosen.attributes), 2),
                ),
            ),
            expected_minutes=_MINUTES,
        ),
        plan=plan,
        seed=2022,
    )


def _grid(chosen: Sixt2022, condition: Condition) -> Ref:
    # The same number of pictures in every condition, since attention is limited.
    return Ref(name="recorded_grid", params={"folder": f"{chosen.material}/{condition}", "n_pictures": 50})


def _opening(chosen: Sixt2022) -> tuple[Screen, ...]:
    most = chosen.pay.base + chosen.pay.per_answer * len(chosen.attributes)
    device = screen("device", "check", "device_check", {"min_width_px": MIN_EDGE_PX, "min_height_px": 400})
    too_small = Stop(
        rule=f"width_px < {MIN_EDGE_PX} and height_px < {MIN_EDGE_PX}",
        reason="The screen is too small for the pictures. Please come back with a computer or a tablet.",
    )
    text = (
        "A computer system sorts pictures of two animals. You will watch three short videos, and then find out what the "
        "system relies on.\n\n"
        "- After each video there is a short test. You can take each test twice. If you do not pass, the study ends there "
        "and you are paid for your time so far.\n"
        "- Please watch each video to its end. The videos have no sound: you read what they say on the screen.\n"
        "- You must be 18 or older.\n"
        "- We know of no risks beyond those of everyday life.\n"
        "- Each person can take part once."
    )
    pay = (
        f"£{chosen.pay.base:.2f}, and £{chosen.pay.per_answer:.2f} more for each correct answer at the end: up to "
        f"£{most:.2f} in total."
    )
    return device.model_copy(update={"stops": (too_small,)}), consent_page(text, pay=pay)


def _tutorials(chosen: Sixt2022, *, is_compared: bool) -> tuple[Screen, ...]:
    tutorials = Tutorials(f"{chosen.material}/films", chosen.pay)
    third = [
        block
        for condition in chosen.conditions
        for block in tutorials.blocks(3, EXPLANATIONS[condition], condition=condition if is_compared else None)
    ]
    return (*tutorials.blocks(1, ANIMALS), *tutorials.blocks(2, SYSTEMS), *third)


def _main_page(chosen: Sixt2022, *, is_compared: bool) -> Screen:
    attributes = chosen_attributes(chosen.attributes)
    key_file = chosen.key_file or located(Path(), f"{chosen.material}/answer_key.json").path
    key = truth_from(key_file if key_file.is_file() else None, chosen.attributes)
    params: Json = {
        "text": "This system tells Peekies from Stretchies. The pictures tell you something about it, as the last video "
        "explained. You can click on a picture to enlarge it. The button **Show again** at the top shows what the videos said."
        "\n\n"
        "For each question, choose what you think, and tell us why. Please write full sentences.",
        "attributes": [json_from_record(attribute) for attribute in attributes],
        "why": "Why do you think so? What did you see about {attribute}?",
        "min_chars": chosen.min_chars,
        "key": {**key},
    }
    page = screen(MAIN, "main", "relevance", params)
    # How to read the pictures comes first; of the third summaries, people find that of their own condition.
    third = [f"summary_3_{condition}" for condition in chosen.conditions] if is_compared else ["summary_3"]
    references = tuple(Reference(block=block_id) for block_id in (*third, "summary_2", "summary_1"))
    return page.model_copy(update={"explains_model": True, "seconds": _JUDGING_S, "references": references})


def _closing(chosen: Sixt2022) -> tuple[Block, ...]:
    expertise = Choice(
        question_id="expertise",
        prompt="How much do you know about machine learning?",
        options=("I am a complete novice", "I have some expertise", "I am an expert"),
    )
    about = (
        "Many computer systems learn from examples. Some of them rely on things that they should not use. We compare ways "
        "to show how a system decides, and want to know which of them help people to find out what it relies on.\n\n"
        f"You earn £{chosen.pay.per_answer:.2f} for each correct answer. The next page shows what you receive in total. "
        "Thank you for your time."
    )
    return (
        screen("expertise", "questionnaire", "questionnaire", {"questions": [json_from_record(expertise)]}),
        screen("debrief", "debrief", "debrief", {"text": about}),
    )
