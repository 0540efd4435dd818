"""Ross et al. (2021), MNIST: seven models of digits between people, seven questions each."""

from understudy.protocols.pages import closing, dials_opening, screen
from understudy.protocols.plain_words import with_plain_words
from understudy.protocols.ross2021.decoders import FOLDER, mnist_questions
from understudy.protocols.ross2021.measures import (
    DESCRIBED,
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
    Exclusion,
    Factor,
    ItemSet,
    Outcome,
    Pay,
    Ref,
    Stage,
    Study,
)

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
