"""The studies with MNIST: their decoders, the reconstruction task, and thinking aloud."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from understudy import schema
from understudy.protocols.pages import closing, dials_opening, screen, statements, with_plain_words
from understudy.protocols.ross2021 import practice as measures
from understudy.protocols.ross2021.practice import (
    DESCRIBED,
    PAPER,
    SOLVING,
    answered,
    dials_practice,
    naming_measures,
    naming_outcome,
    next_model,
    paper_tests,
    solving_measures,
    solving_outcomes,
)
from understudy.schema import (
    AnalysisPlan,
    AssignmentRule,
    Binding,
    Description,
    Exclusion,
    Factor,
    ItemSet,
    Json,
    Outcome,
    Pay,
    Ref,
    Stage,
    Study,
)
from understudy.tasks.questionnaire import SCALES

FOLDER = "decoders"
"""The default folder of trained decoders, relative to the study."""


def decoder_folder(environment: Mapping[str, str]) -> str:
    """Return the folder of decoders in UNDERSTUDY_DATA if it exists, and `decoders` otherwise."""
    data = environment.get("UNDERSTUDY_DATA", "")
    inside = Path(data) / FOLDER
    return str(inside) if data and inside.is_dir() else FOLDER


def mnist_questions(name: str, folder: str) -> Ref:
    """Return the questions of one MNIST model as in the paper, with the same digits for every model."""
    params: Json = {
        "file": str(Path(folder) / f"{name}.onnx"),
        "distance": {"name": "binary_jaccard"},
        "threshold": 0.75,
        "matched_seed": 2021,
    }
    return Ref(name="reconstruction", params=params)


def training_advice(study: Study, root: Path) -> tuple[str, ...]:
    """Return the commands that train the missing decoders of a study, if any are missing."""
    paths = [
        Path(str(binding.dataset.params["file"]))
        for binding in study.bindings
        if binding.dataset and "file" in binding.dataset.params
    ]
    absent = [path for path in paths if path.stem.startswith("mnist-") and not (root / path).is_file()]
    return _sentence(absent) if absent else ()


def _sentence(absent: Sequence[Path]) -> tuple[str, ...]:
    folder = absent[0].parent
    commands = "; ".join(f"understudy train ross2021/{path.stem} --out {folder}" for path in absent)
    return (f"These decoders do not come with understudy. Train them first: {commands}.",)


# Ross et al. (2021), MNIST: seven models of digits between people, seven questions each.

_PLAIN_WORDS = {
    "completion_any": "With some of the computer models, people match more pictures than with others.",
    "difficulty_any": "Some of the computer models feel harder to use than others.",
    "response_time_any": "With some of the computer models, people need more time for a picture than with others.",
}
SKIP_AFTER_S = 45
MODELS = ("ae5", "vae5", "ig5", "tc5", "ss5", "ae10", "ss10")


def ross2021_mnist(*, folder: str = FOLDER, quota: int = 15) -> Study:
    """Build the study; `folder` holds the decoders that `understudy train` makes."""
    solve = Ref(
        name="reconstruct",
        params={"skip_after_s": SKIP_AFTER_S, "overlay": False, "edge": 150, "labels": True},
    )
    # Everyone practises choices and names, so that no group is better prepared than another.
    practice = dials_practice(has_labels=True, taught_skip_s=SKIP_AFTER_S, overlay=False, skip_after_s=120)
    return Study(
        name="ross2021-mnist",
        title="Interactive reconstruction of digits (after Ross et al., 2021)",
        shown_title="Pictures with dials",
        question="With which of seven models of handwritten digits do people rebuild a given digit most often?",
        factors=(Factor(name="model", scope="between", levels=MODELS),),
        bindings=tuple(
            Binding(when={"model": model}, dataset=mnist_questions(f"mnist-{model}", folder)) for model in MODELS
        ),
        assignment=AssignmentRule(quota=quota, release_after_min=90),
        item_sets=(*practice.item_sets, ItemSet(name="targets", n_items=7)),
        flow=(
            *dials_opening(),
            *practice.blocks,
            next_model("The model"),
            Stage(block_id="solve_targets", items="targets", task=solve, feedback="continuous"),
            screen("ease", "questionnaire", "seq", {}),
            *closing(
                "You worked with one of seven computer models that write digits. We want to know which of them people "
                "understand best. Thank you."
            ),
        ),
        measures=(*solving_measures(), *naming_measures(), answered("difficulty_rating", "difficulty", "ease")),
        exclusions=(
            Exclusion(exclusion_id="none_solved", rule="n_solved < 1", reason="Solved none of the seven questions."),
        ),
        pay=Pay(currency="USD", base=3.75, expected_minutes=15),
        plan=_plan(),
        seed=2021,
    )


def _plan() -> AnalysisPlan:
    difficulty = Outcome(name="difficulty", measure="difficulty_rating")
    return AnalysisPlan(
        outcomes=(*solving_outcomes(), difficulty, naming_outcome()),
        descriptions=tuple(
            Description(description_id=f"interactive_{outcome}", outcome=outcome, by=("model",))
            for outcome in (*DESCRIBED, "learning", "named_dials")
        ),
        hypotheses=with_plain_words(paper_tests(SOLVING, MODELS, scope="between"), _PLAIN_WORDS),
        families=(PAPER,),
    )


# Ross et al. (2021), thinking aloud: three models of digits, five or ten dials, watched by a researcher.

THINKALOUD_MODELS = ("ae", "tc", "ss")
SIZES = ("5", "10")
UNDERSTOOD = "I understood what many of the dials did."
STATEMENTS = ("I worked with a plan.", "I mostly tried things at random.", UNDERSTOOD)
ALOUD = (
    "From now on, please think aloud while you work: say what you try, what you expect and what surprises you. "
    "Name a dial whenever you have an idea of what it does."
)
VOICE = (
    "We would like to record what you say while you work with the models, so that we do not have to write everything down.\n\n"
    "- The recording is kept with your answers on the computer that runs this study, and never published.\n"
    "- Only the researchers of this study listen to it.\n"
    "- If you stop and erase your data, it is deleted with them."
)
WORDS = {
    **measures.SOLVING,
    "understanding": "The felt understanding of the dials",
    **{scale: f"The {scale} load" for scale in SCALES},
}


def ross2021_thinkaloud(
    *, folder: str = FOLDER, quota: int = 5, audio: bool = False, voice: str = VOICE
) -> schema.Study:
    """Build the study; `folder` holds the decoders that `understudy train` makes.

    With `audio`, people are asked for permission to record their voice; `voice` explains how recordings are used.
    """
    practice = dials_practice(has_labels=True, taught_skip_s=0, overlay=False, skip_after_s=0)
    return schema.Study(
        name="ross2021-thinkaloud",
        title="Interactive reconstruction of digits, thinking aloud (after Ross et al., 2021)",
        shown_title="Pictures with dials",
        question="What do people say that the dials of three models of digits do, and how hard is it to find out?",
        factors=(
            schema.Factor(name="n_dials", scope="between", levels=SIZES),
            schema.Factor(name="model", scope="within", levels=THINKALOUD_MODELS),
        ),
        bindings=tuple(
            schema.Binding(
                when={"n_dials": size, "model": model}, dataset=mnist_questions(f"mnist-{model}{size}", folder)
            )
            for size in SIZES
            for model in THINKALOUD_MODELS
        ),
        assignment=schema.AssignmentRule(policy=schema.Ref(name="parity"), quota=quota, release_after_min=180),
        item_sets=(
            *practice.item_sets,
            schema.ItemSet(name="targets", n_items=21, rotates_over="model"),
        ),
        flow=(
            *dials_opening(),
            *practice.blocks,
            screen("think_aloud", "instructions", "instructions", {"pages": [ALOUD]}),
            *_voice_consent(voice if audio else None),
            _models(),
            *closing(
                "The computer models write digits. In some of them each dial is meant to do one thing "
                "only. We want to know what people make of them. Thank you."
            ),
        ),
        measures=(
            *measures.solving_measures(),
            *measures.naming_measures(),
            measures.answered("difficulty_rating", "difficulty", "ease"),
            measures.answered("understood", "after", "statements", row=UNDERSTOOD),
            *(measures.answered(f"{scale}_rating", scale, "load") for scale in SCALES),
        ),
        pay=schema.Pay(currency="USD", base=20.0, expected_minutes=60),
        plan=_thinkaloud_plan(),
        seed=2021,
    )


def _voice_consent(voice: str | None) -> tuple[schema.Screen, ...]:
    if voice is None:
        return ()
    return (screen("voice", "check", "microphone", {"text": voice, "blocks": ["solve_targets"]}),)


def _models() -> schema.Loop:
    solve = schema.Ref(name="reconstruct", params={"skip_after_s": 0, "overlay": False, "edge": 150, "labels": True})
    return schema.Loop(
        block_id="models",
        over="model",
        blocks=(
            next_model(),
            schema.Stage(block_id="solve_targets", items="targets", task=solve, minutes=10, feedback="continuous"),
            screen("ease", "questionnaire", "seq", {}),
            screen("load", "questionnaire", "nasa_tlx", {}),
            statements("statements", "after", STATEMENTS),
        ),
    )


def _thinkaloud_plan() -> schema.AnalysisPlan:
    by = ("model",)
    ratings = (
        schema.Outcome(name="difficulty", measure="difficulty_rating", by=by),
        schema.Outcome(name="understanding", measure="understood", by=by),
        *(schema.Outcome(name=scale, measure=f"{scale}_rating", by=by) for scale in SCALES),
    )
    within = [
        test
        for size in SIZES
        for test in paper_tests(
            WORDS, THINKALOUD_MODELS, scope="within", prefix=f"dials{size}_", where=f"n_dials == '{size}'"
        )
    ]
    more_dials = schema.Hypothesis(
        hypothesis_id="understanding_ss_more_dials",
        claim="The felt understanding of the dials differs between five and ten of them.",
        outcome="understanding",
        factor="n_dials",
        contrast=SIZES,
        where="model == 'ss'",
        analysis=schema.Ref(name="independent_t"),
        family=PAPER.name,
    )
    return schema.AnalysisPlan(
        outcomes=(*measures.solving_outcomes(by), *ratings, measures.naming_outcome(by)),
        descriptions=tuple(
            schema.Description(description_id=f"interactive_{outcome}", outcome=outcome, by=("n_dials", "model"))
            for outcome in (*WORDS, "solved_response_time", "named_dials")
        ),
        hypotheses=(*within, more_dials),
        families=(PAPER,),
    )
