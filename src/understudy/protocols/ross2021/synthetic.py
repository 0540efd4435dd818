"""Ross et al. (2021), synthetic data: do people rebuild the pictures of clearer models more often?

Two datasets and three tasks between people, three models within them, 15 people in each cell.
"""

from collections.abc import Mapping
from typing import NamedTuple

from understudy.protocols.pages import JUDGING as JUDGING_PAGES
from understudy.protocols.pages import LAST_QUESTIONS, closing, dials_opening, screen, statements
from understudy.protocols.ross2021.practice import (
    DESCRIBED,
    JUDGING,
    PAPER,
    PRACTISING,
    SOLVING,
    answered,
    dials_practice,
    judging_outcomes,
    next_model,
    paper_tests,
    solving_measures,
    solving_outcomes,
)
from understudy.schema import (
    AnalysisPlan,
    AssignmentRule,
    Binding,
    Block,
    Description,
    Exclusion,
    Factor,
    Hypothesis,
    ItemSet,
    Json,
    Loop,
    MeasureUse,
    Outcome,
    Pay,
    Ref,
    Stage,
    Study,
)

MODELS = ("ae", "vae", "gt")
SINGLE = ("exemplars", "traversals")
DECODERS = {(data, model): f"{data}-{model}" for data in ("dsprites", "sinelines") for model in MODELS}
"""Dataset and model -> their decoder: the name of a shipped one, or an .onnx file."""
SKIP_AFTER_S = 30
PRACTICE = dials_practice(has_options=False, taught_skip_s=SKIP_AFTER_S, skip_after_s=120, when={"task": "interactive"})
"""Sliders, overlay and skipping: neither dataset has a dial with options."""


class Setting(NamedTuple):
    """What the paper fixed for one dataset."""

    distance: Ref
    threshold: float


SETTINGS = {
    "dsprites": Setting(Ref(name="soft_dice"), 0.9),
    "sinelines": Setting(Ref(name="tolerance_band"), 0.9),
}


def ross2021_synthetic(
    *,
    decoders: Mapping[tuple[str, str], str] = DECODERS,
    order: str = "random_order",
    regimes: str = "uniform",
    quota: int = 15,
    seed: int = 2021,
) -> Study:
    """Build the study; `order` latin_square and `regimes` balanced are better designs than the paper's.

    The paper drew targets anew for everybody. Here targets of a dataset are the same instances under every model and
    are dealt in a Latin square, so that no model has the easier ones. Another `seed` gives other targets.
    """
    return Study(
        name="ross2021-synthetic",
        title="Interactive reconstruction on synthetic data (after Ross et al., 2021)",
        shown_title="Pictures with dials",
        question="Do people rebuild pictures more often, and find it easier, with models whose dials mean one thing "
        "each; and do questions about single dials tell models apart as well?",
        factors=(
            Factor(name="dataset", scope="between", levels=tuple(SETTINGS)),
            Factor(name="task", scope="between", levels=("interactive", *SINGLE)),
            Factor(name="model", scope="within", levels=MODELS, order=Ref(name=order)),
        ),
        bindings=tuple(_bindings(decoders, regimes, seed)),
        assignment=AssignmentRule(quota=quota, release_after_min=90),
        item_sets=_item_sets(),
        flow=(*dials_opening(), *_practice(), _models(), *_afterwards()),
        measures=(
            *solving_measures(),
            MeasureUse(name="right", measure=Ref(name="correct", params={"question": "regime"})),
            answered("confidence", "confidence", "judge_dials"),
            answered("sense", "sense", "judge_dials"),
            answered("difficulty_rating", "difficulty", "ease"),
            MeasureUse(
                name="practice_right",
                measure=Ref(name="correct", params={"question": "regime"}),
                summary="mean",
                blocks=tuple(f"practice_{name}" for name in SINGLE),
            ),
        ),
        exclusions=(
            Exclusion(
                exclusion_id="practice",
                rule="practice_right < 1",
                reason="Answered a practice question about a single dial wrongly.",
            ),
        ),
        pay=Pay(currency="USD", base=6.0, expected_minutes=18),
        plan=_plan(),
        seed=seed,
    )


def _bindings(decoders: Mapping[tuple[str, str], str], regimes: str, seed: int) -> list[Binding]:
    bindings: list[Binding] = []
    for (data, model), decoder in decoders.items():
        source: Json = {"file" if decoder.endswith(".onnx") else "decoder": decoder}
        solving: Json = {
            **source,
            "distance": SETTINGS[data].distance.model_dump(mode="json"),
            "threshold": SETTINGS[data].threshold,
            "matched_seed": seed,
        }
        bindings.append(
            Binding(when={"dataset": data, "model": model}, dataset=Ref(name="reconstruction", params=solving))
        )
        for layout in SINGLE:
            # Three lists of two questions per dial; a person gets one list with each model.
            judging: Json = {**source, "layout": layout, "regimes": regimes, "per_dial": 6}
            bindings.append(
                Binding(
                    when={"dataset": data, "model": model, "task": layout},
                    dataset=Ref(name="single_dial", params=judging),
                )
            )
    return bindings


def _item_sets() -> tuple[ItemSet, ...]:
    return (
        *PRACTICE.item_sets,
        *(
            ItemSet(name=f"practice_{layout}", n_items=3, dataset=Ref(name="single_dial", params=_easy(layout)))
            for layout in SINGLE
        ),
        ItemSet(name="targets", n_items=15, rotates_over="model"),
        ItemSet(name="dials", n_items=30, rotates_over="model"),
    )


def _easy(layout: str) -> Json:
    """Return easy questions: one for each position of the disc's first dial."""
    return {
        "decoder": "practice-disc", "layout": layout, "asked": [1], "per_dial": 3, "regimes": "balanced",
        "unclear": "redraw", "min_apart": 0.3,
    }  # fmt: skip


def _practice() -> tuple[Block, ...]:
    return (
        *PRACTICE.blocks,
        screen(
            "how_to_judge", "instructions", "instructions", {"pages": list(JUDGING_PAGES)}, {"task": SINGLE}
        ).model_copy(update={"part": PRACTISING}),
        *(
            Stage(
                block_id=f"practice_{layout}", purpose="practice", when={"task": layout}, items=f"practice_{layout}",
                order="given", task=Ref(name="single_dial"), feedback="per_trial",
            )
            for layout in SINGLE
        ),
    )  # fmt: skip


def _models() -> Loop:
    solve = Ref(name="reconstruct", params={"skip_after_s": SKIP_AFTER_S, "overlay": True, "edge": 200})
    return Loop(
        block_id="models",
        over="model",
        blocks=(
            next_model(),
            Stage(
                block_id="solve_targets", when={"task": "interactive"}, items="targets", task=solve,
                feedback="continuous",
            ),
            Stage(
                block_id="judge_dials", when={"task": SINGLE}, items="dials", together="dial",
                task=Ref(name="single_dial"), feedback="per_trial",
            ),
            screen("ease", "questionnaire", "seq", {}),
        ),
    )  # fmt: skip


def _afterwards() -> tuple[Block, ...]:
    rows = (
        "The questions were frustrating.",
        "Model 1 was easy.",
        "Model 2 was easy.",
        "Model 3 was easy.",
    )
    about = (
        "In some of the models, each dial is meant to do one thing only. "
        "We want to know whether people notice, and how best to find that out. Thank you."
    )
    comments, *rest = closing(about)
    looking_back = statements("looking_back", "looking_back", rows).model_copy(update={"part": LAST_QUESTIONS})
    return looking_back, comments.model_copy(update={"part": None}), *rest


def _plan() -> AnalysisPlan:
    by = ("model",)
    difficulty = Outcome(name="difficulty", measure="difficulty_rating", by=by)
    return AnalysisPlan(
        outcomes=(*solving_outcomes(by), *judging_outcomes(by), difficulty),
        descriptions=tuple(_descriptions()),
        hypotheses=tuple(_hypotheses()),
        families=(PAPER,),
    )


def _descriptions() -> list[Description]:
    return [
        Description(
            description_id=f"{task}_{outcome}", outcome=outcome, by=("dataset", "model"), where=f"task == '{task}'"
        )
        for task in ("interactive", *SINGLE)
        for outcome in ((*DESCRIBED, "learning") if task == "interactive" else JUDGING)
    ]


def _hypotheses() -> list[Hypothesis]:
    return [
        test
        for data in SETTINGS
        for task in ("interactive", *SINGLE)
        for test in paper_tests(
            SOLVING if task == "interactive" else JUDGING,
            MODELS,
            scope="within",
            prefix=f"{data}_{task}_",
            where=f"dataset == '{data}' and task == '{task}'",
        )
    ]
