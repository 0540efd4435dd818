"""Ross et al. (2021), thinking aloud: three models of digits, five or ten dials, watched by a researcher."""

from understudy.protocols.pages import closing, dials_opening, screen, statements
from understudy.protocols.ross2021.decoders import FOLDER, mnist_questions
from understudy.protocols.ross2021.measures import (
    SOLVING,
    answered,
    naming_measures,
    naming_outcome,
    solving_measures,
    solving_outcomes,
)
from understudy.protocols.ross2021.plan import PAPER, paper_tests
from understudy.protocols.ross2021.practice import dials_practice, next_model
from understudy.schema import (
    AnalysisPlan,
    AssignmentRule,
    Binding,
    Description,
    Factor,
    Hypothesis,
    ItemSet,
    Loop,
    Outcome,
    Pay,
    Ref,
    Screen,
    Stage,
    Study,
)
from understudy.tasks.nasa_tlx import SCALES

MODELS = ("ae", "tc", "ss")
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
    **SOLVING,
    "understanding": "The felt understanding of the dials",
    **{scale: f"The {scale} load" for scale in SCALES},
}


def ross2021_thinkaloud(*, folder: str = FOLDER, quota: int = 5, audio: bool = False, voice: str = VOICE) -> Study:
    """Build the study; `folder` holds the decoders that `understudy train` makes.

    With `audio`, people are asked for permission to record their voice; `voice` explains how recordings are used.
    """
    practice = dials_practice(has_labels=True, has_skip=True, overlay=False, skip_after_s=0)
    return Study(
        name="ross2021-thinkaloud",
        title="Interactive reconstruction of digits, thinking aloud (after Ross et al., 2021)",
        shown_title="Pictures with dials",
        question="What do people say that the dials of three models of digits do, and how hard is it to find out?",
        factors=(
            Factor(name="n_dials", scope="between", levels=SIZES),
            Factor(name="model", scope="within", levels=MODELS),
        ),
        bindings=tuple(
            Binding(when={"n_dials": size, "model": model}, dataset=mnist_questions(f"mnist-{model}{size}", folder))
            for size in SIZES
            for model in MODELS
        ),
        assignment=AssignmentRule(policy=Ref(name="parity"), quota=quota, release_after_min=180),
        item_sets=(
            *practice.item_sets,
            ItemSet(name="targets", n_items=21, rotates_over="model"),
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
            *solving_measures(),
            *naming_measures(),
            answered("difficulty_rating", "difficulty", "ease"),
            answered("understood", "after", "statements", row=UNDERSTOOD),
            *(answered(f"{scale}_rating", scale, "load") for scale in SCALES),
        ),
        pay=Pay(currency="USD", base=20.0, expected_minutes=60),
        plan=_plan(),
        seed=2021,
    )


def _voice_consent(voice: str | None) -> tuple[Screen, ...]:
    if voice is None:
        return ()
    return (screen("voice", "check", "microphone", {"text": voice, "blocks": ["solve_targets"]}),)


def _models() -> Loop:
    solve = Ref(name="reconstruct", params={"skip_after_s": 0, "overlay": False, "edge": 150, "labels": True})
    return Loop(
        block_id="models",
        over="model",
        blocks=(
            next_model(),
            Stage(block_id="solve_targets", items="targets", task=solve, minutes=10, feedback="continuous"),
            screen("ease", "questionnaire", "seq", {}),
            screen("load", "questionnaire", "nasa_tlx", {}),
            statements("statements", "after", STATEMENTS),
        ),
    )


def _plan() -> AnalysisPlan:
    by = ("model",)
    ratings = (
        Outcome(name="difficulty", measure="difficulty_rating", by=by),
        Outcome(name="understanding", measure="understood", by=by),
        *(Outcome(name=scale, measure=f"{scale}_rating", by=by) for scale in SCALES),
    )
    within = [
        test
        for size in SIZES
        for test in paper_tests(WORDS, MODELS, scope="within", prefix=f"dials{size}_", where=f"n_dials == '{size}'")
    ]
    more_dials = Hypothesis(
        hypothesis_id="understanding_ss_more_dials",
        claim="The felt understanding of the dials differs between five and ten of them.",
        outcome="understanding",
        factor="n_dials",
        contrast=SIZES,
        where="model == 'ss'",
        analysis=Ref(name="independent_t"),
        family=PAPER.name,
    )
    return AnalysisPlan(
        outcomes=(*solving_outcomes(by), *ratings, naming_outcome(by)),
        descriptions=tuple(
            Description(description_id=f"interactive_{outcome}", outcome=outcome, by=("n_dials", "model"))
            for outcome in (*WORDS, "solved_response_time", "named_dials")
        ),
        hypotheses=(*within, more_dials),
        families=(PAPER,),
    )
