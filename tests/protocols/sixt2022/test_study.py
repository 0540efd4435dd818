"""The studies of Sixt et al. (2022): what is shown, what is paid, and what simulated people find."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy import stats

from tests.playing import Player
from tests.protocols.sixt2022.stand_in import cast_of, write_material
from understudy.check.study_check import declared_faults
from understudy.conduct import Script
from understudy.errors import MaterialsError
from understudy.estimate import Collected, FactorVariable, MeasureVariable, Tables, Variables, findings_from_tables
from understudy.estimate.study_findings import study_results
from understudy.estimate.tables import frames_from_sessions
from understudy.prepare import prepare
from understudy.protocols import Sixt2022, sixt2022_comparison, sixt2022_validation
from understudy.protocols.sixt2022.plans import PAID_1, REGISTERED_1, comparison_plan
from understudy.protocols.sixt2022.printed import STUDY_2
from understudy.schema import PaySettled, PictureGrid, Study, Verdict, blocks_in
from understudy.simulate import rehearse

KINDS = ("column_looker", "probabilistic_reasoner", "deterministic_reasoner", "relevance_guesser")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    write_material(folder / "material")
    return folder


def comparison(**chosen: Any) -> Study:
    return sixt2022_comparison(Sixt2022(material="material")._replace(**chosen))


def validation() -> Study:
    return sixt2022_validation(Sixt2022(conditions=("baseline",), pay=PAID_1, quota=50, material="material"))


@pytest.fixture(scope="module")
def script(root: Path) -> Script:
    return Script(*prepare(comparison(), root))


@pytest.mark.parametrize("study", [comparison(), validation()], ids=lambda study: study.name)
def test_the_studies_have_no_faults(study: Study, root: Path) -> None:
    assert declared_faults(study, root) == []


def test_every_condition_shows_fifty_pictures(script: Script) -> None:
    grids = [trial.explanation for trial in script.trials.values() if trial.explanation is not None]
    shown = [
        sum(cell is not None for row in grid.rows for cell in row) for grid in grids if isinstance(grid, PictureGrid)
    ]
    assert shown == [50, 50, 50]


def test_a_page_shows_the_grid_of_its_condition_and_no_answer(script: Script) -> None:
    pages = [trial for trial in script.trials.values() if trial.task == "relevance"]
    assert len({trial.explanation for trial in pages if trial.explanation is not None}) == 3
    assert not any("key" in trial.params for trial in pages)
    assert all(script.answers[trial.trial_id]["legs"] == "Relevant" for trial in pages)


def paid(player: Player) -> tuple[float, float]:
    (settled,) = (event for event in player.log if isinstance(event, PaySettled))
    return settled.base, settled.bonus


@pytest.mark.parametrize(("test", "amount"), [("test_1", 0.5), ("test_2", 1.75), ("test_3_baseline", 3.5)])
def test_failing_a_test_twice_pays_the_amount_of_its_tutorial(script: Script, test: str, amount: float) -> None:
    player = Player(script, condition="baseline").until(test)
    wrong: dict[str, Any] = {question.question_id: "False" for question in player.step.trial.asks}
    player.answer(**wrong)
    player.until(test).answer(**wrong)
    assert player.session.outcome == "screened_out"
    assert paid(player) == (amount, 0.0)


@pytest.mark.parametrize(("film", "amount"), [("film_1", 0.0), ("film_2", 1.0), ("film_3_concepts", 2.0)])
def test_leaving_a_film_pays_the_amount_of_its_tutorial(script: Script, film: str, amount: float) -> None:
    player = Player(script, condition="concepts").until(film)
    player.answer(watched_share=0.4)
    assert player.session.outcome == "screened_out"
    assert paid(player) == (amount, 0.0)


def test_a_second_try_comes_after_the_film_and_its_summary(script: Script) -> None:
    player = Player(script, condition="baseline").until("test_1")
    wrong: dict[str, Any] = {question.question_id: "False" for question in player.step.trial.asks}
    player.answer(**wrong)
    assert player.step.visit.block.block_id == "film_1"
    assert player.step.visit.try_number == 2


def test_a_screen_that_is_small_both_ways_ends_the_session(script: Script) -> None:
    player = Player(script, condition="baseline").until("device")
    player.answer(width_px=360, height_px=590)
    assert player.session.outcome == "screened_out"


def test_every_right_answer_adds_to_the_pay(script: Script) -> None:
    player = Player(script, condition="baseline").until("judge_attributes")
    player.answer(seconds=60, legs="Irrelevant")
    player.finish()
    assert paid(player) == (4.5, 1.6)


def test_both_registered_pay_tables_can_be_chosen(root: Path) -> None:
    script = Script(*prepare(comparison(pay=REGISTERED_1), root))
    gates = [block.gate.pay_amount for block in blocks_in(script.study.flow) if block.gate is not None]
    assert gates == [0.0, 0.5, 1.75, 1.75, 1.75]


def test_an_unknown_attribute_is_refused_in_a_sentence() -> None:
    with pytest.raises(
        MaterialsError, match=r"'smell' is not an attribute of this protocol\. Choose from: legs, colour"
    ):
        comparison(attributes=("legs", "smell"))


@pytest.fixture(scope="module")
def answers(script: Script, root: Path) -> pd.DataFrame:
    cast = cast_of(*KINDS, observer=root / "material" / "observer.onnx")
    frames = frames_from_sessions(script, rehearse(script, cast, seed=3, n_people=120))
    kinds = frames.sessions[["session", "cast", "outcome"]]
    assert frames.answers is not None
    return frames.answers.merge(kinds, on="session").astype({"attribute": str, "cast": str, "explanation": str})


def share(answers: pd.DataFrame, **where: str) -> float:
    for column, value in where.items():
        answers = answers[answers[column] == value]
    return float(answers["says_relevant"].mean())


def test_people_who_look_at_columns_find_what_moves_with_them(answers: pd.DataFrame) -> None:
    looker = {"cast": "column_looker", "explanation": "baseline"}
    assert share(answers, **looker, attribute="legs") > 0.9
    assert share(answers, **looker, attribute="background") < 0.3


def test_a_deterministic_reasoner_misses_what_a_probabilistic_one_finds(answers: pd.DataFrame) -> None:
    colour = {"explanation": "baseline", "attribute": "colour"}
    strict = share(answers, cast="deterministic_reasoner", **colour)
    assert strict + 0.3 < share(answers, cast="probabilistic_reasoner", **colour)


def test_a_guesser_is_right_half_of_the_time(answers: pd.DataFrame) -> None:
    guessed = answers[answers["cast"] == "relevance_guesser"]["right"]
    assert 0.4 < guessed.mean() < 0.6


def test_without_columns_that_mean_something_nothing_seems_relevant(answers: pd.DataFrame) -> None:
    assert share(answers, cast="column_looker", explanation="concepts") < 0.3


def test_simulated_texts_are_marked_and_differ_between_attributes(answers: pd.DataFrame) -> None:
    assert answers["why_repeated"].mean() < 0.1
    assert answers["is_synthetic"].all()


def test_a_rehearsal_runs_the_whole_plan(script: Script, root: Path) -> None:
    cast = cast_of(*KINDS, observer=root / "material" / "observer.onnx")
    frames = frames_from_sessions(script, rehearse(script, cast, seed=1, n_people=120))
    found = {finding.hypothesis_id: finding for finding in study_results(script, frames).findings.findings}
    assert found["conditions_differ"].checks[0].check == "shapiro_wilk"
    assert found["conditions_differ"].analysis == "kruskal_wallis"
    assert found["concepts_against_baseline"].analysis == "rank_sum"
    assert found["counterfactuals_legs"].status == "exploratory"


TABLE_2 = {name: (row.n, [share / 100 for share in row.attributes]) for name, row in STUDY_2.items()}
NINETY = TABLE_2 | {"baseline": (71, [0.79] * 5), "counterfactuals": (62, [0.90] * 5)}
Rates = dict[str, tuple[int, list[float]]]
Shares = dict[str, npt.NDArray[np.float64]]


def people_of(rates: Rates, seed: int) -> Shares:
    """Draw each person's share of five right answers, outside of the engine."""
    rng = np.random.default_rng(seed)
    return {name: (rng.random((n, 5)) < shares).mean(axis=1) for name, (n, shares) in rates.items()}


def registered_verdict(people: Shares) -> Verdict:
    """Judge the registered contrast of the second study."""
    whole = comparison_plan([*TABLE_2], ["legs", "colour", "background", "shape", "posture"])
    registered = tuple(claim for claim in whole.hypotheses if claim.is_confirmatory)
    kept = {"outcomes": whole.outcomes[:1], "hypotheses": registered, "families": whole.families[:1]}
    plan = whole.model_copy(update=kept | {"descriptions": (), "sensitivity": ()})
    sessions = pd.DataFrame([(name, share) for name, shares in people.items() for share in shares])
    sessions.columns = pd.Index(["explanation", "accuracy"])
    sessions["participant"] = [f"p{number}" for number in sessions.index]
    variables = Variables(
        measures={"accuracy": MeasureVariable("session", "bounded")},
        factors={"explanation": FactorVariable("between", tuple(people))},
    )
    under = Collected("a" * 64, frozenset({"a" * 64}))
    rng = np.random.default_rng(1)
    tables = Tables(sessions, sessions)
    found = findings_from_tables(plan, tables, variables, collected=under, rng=rng, checks_assumptions=False)
    return next(f.verdict for f in found.findings if f.hypothesis_id == "counterfactuals_against_baseline")


def verdict_by_hand(people: Shares) -> Verdict:
    """Test as registered with SciPy: all conditions first, then the contrast at half of alpha on the claimed side."""
    if stats.kruskal(*people.values()).pvalue >= 0.05:
        return "not_tested"
    first, second = people["counterfactuals"], people["baseline"]
    test = stats.mannwhitneyu(first, second, method="asymptotic")
    if test.pvalue >= 0.025:
        return "not_supported"
    return "supported" if test.statistic > first.size * second.size / 2 else "opposite"


@pytest.mark.parametrize("rates", [TABLE_2, NINETY], ids=["Table 2", "90 against 79"])
def test_the_registered_claim_is_supported_as_often_as_its_test_finds_it(rates: Rates) -> None:
    drawn = [people_of(rates, seed) for seed in range(40)]
    verdicts = [registered_verdict(people) for people in drawn]
    assert verdicts == [verdict_by_hand(people) for people in drawn]
    assert "supported" in verdicts
