"""The studies of Ross et al. (2021): sound, complete, and rehearsed from the first page to the printed table."""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.playing import Player
from tests.shell import understudy
from understudy import registry
from understudy.actions.casts import DIALS, cast_from
from understudy.actions.study_files import read_study, write_study
from understudy.check.study_check import faults_of
from understudy.conduct import Script
from understudy.estimate.tables import frames_from_sessions
from understudy.prepare import Prepared, prepare
from understudy.protocols import (
    published_results,
    ready_names,
    ready_study,
    ross2021_mnist,
    ross2021_synthetic,
    ross2021_thinkaloud,
    training_advice,
)
from understudy.protocols.loan_demo import loan_demo
from understudy.protocols.ross2021.calibration_rows import one_cell
from understudy.protocols.ross2021.digits import decoder_folder
from understudy.protocols.ross2021.synthetic import DECODERS, MODELS
from understudy.schema import Stage, Study, blocks_in
from understudy.simulate import rehearse

NAMES = ("ross2021-mnist", "ross2021-synthetic", "ross2021-thinkaloud")
STAND_INS = {key: "sinelines-gt" if key[0] == "sinelines" else "practice-disc" for key in DECODERS}
has_measures = pytest.mark.skipif(
    not {"solved", "error_auc", "slide_distance"} <= set(registry.names("measures")),
    reason="The measures of the interactive task are not in the catalogue.",
)


def stages(study: Study) -> dict[str, Stage]:
    return {block.block_id: block for block in blocks_in(study.flow) if isinstance(block, Stage)}


def test_the_studies_are_known_by_name() -> None:
    assert set(NAMES) <= set(ready_names())
    assert [ready_study(name).name for name in NAMES] == list(NAMES)


@pytest.mark.parametrize(
    ("name", "n_people"), [("ross2021-synthetic", 90), ("ross2021-mnist", 105), ("ross2021-thinkaloud", 10)]
)
def test_each_study_wants_as_many_people_as_the_paper_had(name: str, n_people: int) -> None:
    study = ready_study(name)
    assert sum(study.quota_of(cell) for cell in study.cells) == n_people


@pytest.mark.parametrize("name", NAMES)
def test_every_test_is_corrected_over_all_of_the_paper(name: str) -> None:
    plan = ready_study(name).plan
    assert [(family.correction, family.n_tests) for family in plan.families] == [("bonferroni", 435)]
    assert {hypothesis.family for hypothesis in plan.hypotheses} == {"paper"}


@pytest.mark.parametrize("name", NAMES)
def test_a_ready_study_survives_its_file(name: str, tmp_path: Path) -> None:
    study = ready_study(name)
    assert read_study(write_study(study, tmp_path / "copy.yaml")).digest == study.digest


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_participants_read_names_a_model_or_a_condition(name: str) -> None:
    study = ready_study(name)
    words = " ".join(str(block.task.params) for block in blocks_in(study.flow)).lower() + study.shown_title.lower()
    telling = (
        "autoencoder",
        "vae",
        "disentangle",
        "exemplar",
        "traversal",
        "sinelines",
        "dsprites",
        "mnist",
        "condition",
    )
    assert [one for one in telling if one in words] == []


@has_measures
def test_the_synthetic_study_is_sound() -> None:
    assert faults_of(ross2021_synthetic(), Path()) == []


@pytest.mark.parametrize("make", [ross2021_mnist, ross2021_thinkaloud])
def test_decoders_that_are_not_there_are_named_with_the_command_that_makes_them(make: object, tmp_path: Path) -> None:
    study = make()  # type: ignore[operator]
    (sentence,) = training_advice(study, tmp_path)
    assert "understudy train ross2021/mnist-ae5 --out decoders" in sentence


def test_check_prints_the_training_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("UNDERSTUDY_DATA", raising=False)
    shown = understudy("check", "ross2021-mnist")
    assert shown.code == 2
    assert "Train them first: understudy train ross2021/mnist-ae5 --out decoders" in shown.err


def test_decoders_lie_in_the_data_folder_where_it_has_some(tmp_path: Path) -> None:
    environment = {"UNDERSTUDY_DATA": str(tmp_path)}
    assert decoder_folder(environment) == "decoders"
    (tmp_path / "decoders").mkdir()
    assert decoder_folder(environment) == str(tmp_path / "decoders")


@pytest.fixture(scope="module")
def stand_ins() -> Prepared:
    """The synthetic study with decoders that are quick."""
    return prepare(ross2021_synthetic(decoders=STAND_INS), Path())


@has_measures
def test_people_meet_two_questions_about_each_dial_in_a_row_and_the_dials_in_an_order_of_their_own(
    stand_ins: Prepared,
) -> None:
    script = Script(stand_ins.study, stand_ins.materials, stand_ins.key, stand_ins.files)
    orders = []
    for arrival in range(6):
        player = Player(script, arrival=arrival, condition="sinelines-exemplars").finish()
        asked = [step.trial.trial_id for step in player.steps if step.trial.block_id == "judge_dials"]
        dials = [script.truth[one]["dial"] for one in asked]
        assert dials[0::2] == dials[1::2]
        assert [len(set(dials[k : k + 10])) for k in (0, 10, 20)] == [5, 5, 5]
        orders.append(tuple(dials[:10:2]))
    assert len(set(orders)) > 3


def taught(study: Study) -> set[str]:
    """Return the controls that have to be used in practice, and skip where the first look offers it."""
    practice = [stage.task.params for stage in stages(study).values() if stage.purpose == "practice"]
    skips = {"skip" for one in practice if one.get("skip_after_s") == 0}
    return {str(use) for one in practice for use in one.get("uses", [])} | skips  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("make", "controls"),
    [
        (ross2021_synthetic, {"slider", "overlay", "skip"}),
        (ross2021_mnist, {"slider", "options", "overlay", "labels", "skip"}),
        (ross2021_thinkaloud, {"slider", "options", "overlay", "labels", "skip"}),
    ],
)
def test_practice_teaches_every_control_of_the_study(make: Callable[[], Study], controls: set[str]) -> None:
    assert taught(make()) == controls


@has_measures
def test_no_answer_lies_in_what_is_served(stand_ins: Prepared) -> None:
    shown = " ".join(str(trial.params) for trial in stand_ins.materials.trials.values())
    assert not any(word in shown for word in ("'regime'", "target_code", "is_distinct", "nearest_is_right"))


@has_measures
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_rehearsal_fills_every_cell_and_the_printed_table(tmp_path: Path) -> None:
    whole = ross2021_synthetic(decoders=STAND_INS, quota=2)
    # Four of the tests stand for all, since every one of them is drawn in the report.
    study = whole.model_copy(update={"plan": whole.plan.model_copy(update={"hypotheses": whole.plan.hypotheses[:4]})})
    file = write_study(study, tmp_path / "ross.yaml")
    cast = "dial_visual_matcher" if "dial_visual_matcher" in registry.names("participants") else "mixed"
    run = tmp_path / "run"
    assert understudy("rehearse", file, "--people", 12, "--cast", cast, "--out", run, "--json").code == 0
    shown = understudy("report", run)
    page = (run / "paper-comparison.html").read_text(encoding="utf-8")
    assert "paper-comparison.html" in shown.out
    assert "<title>SYNTHETIC" in page
    assert "163.5 ± 90.0" in page


@has_measures
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_rehearsal_meets_every_strategy_in_every_cell_with_every_model(tmp_path: Path) -> None:
    whole = ross2021_synthetic(decoders=STAND_INS)
    plan = whole.plan.model_copy(update={"hypotheses": (), "families": ()})
    study = whole.model_copy(update={"plan": plan, "exclusions": ()})
    file = write_study(study, tmp_path / "ross.yaml")
    shown = understudy("rehearse", file, "--people", 30, "--seed", 1, "--out", tmp_path / "run", "--json")
    rows = json.loads(shown.out)["kinds"]
    met = {(row["condition"], row["kind"], row["levels"]["model"]) for row in rows}
    strategies = [member.participant.name for member in DIALS.members]
    assert met == set(product([cell.name for cell in study.cells], strategies, MODELS))
    assert all(row["is_synthetic"] and row["n_came"] >= row["n_analysed"] >= 1 for row in rows)
    solving = [row["outcomes"] for row in rows if row["condition"].endswith("interactive")]
    assert all({"completion", "error_auc", "learning"} <= set(one) for one in solving)


@has_measures
def test_simulated_people_practise_before_they_meet_a_model() -> None:
    study = one_cell(ross2021_synthetic(decoders=STAND_INS), "sinelines-interactive")
    prepared = prepare(study, Path())
    script = Script(study, prepared.materials, prepared.key, prepared.files)
    (events,) = rehearse(script, cast_from("dial_random", study), seed=1, n_people=1)
    blocks = frames_from_sessions(script, [events]).trials["block"].tolist()
    practised = ["practice_intro", "practice_first", "practice_sliders", "practice_sliders", "practice_skip"]
    assert [block for block in blocks if block.startswith("practice_")] == practised
    assert blocks.index("practice_skip") < blocks.index("solve_targets")


def test_other_studies_have_nothing_printed_beside_them() -> None:
    assert published_results(loan_demo()) is None


@pytest.mark.parametrize("name", NAMES)
def test_what_is_printed_points_at_descriptions_and_hypotheses_of_the_plan(name: str) -> None:
    study = ready_study(name)
    printed = published_results(study)
    assert printed is not None
    assert {column.description for column in printed.columns} <= {
        description.description_id for description in study.plan.descriptions
    }
    assert {test.hypothesis for test in printed.tests} <= {
        hypothesis.hypothesis_id for hypothesis in study.plan.hypotheses
    }
    assert {block for strip in printed.strips for block in strip.blocks} <= set(stages(study))


def test_the_printed_completion_rates_rise_from_ae_over_vae_to_gt() -> None:
    printed = published_results(ross2021_synthetic())
    assert printed is not None
    means = np.array([row.cells[0].mean for row in printed.rows if row.cells[0] is not None]).reshape(2, 3)
    assert (np.diff(means, axis=1) > 0).all()


def test_voices_are_recorded_only_when_the_study_is_asked_to() -> None:
    plain, heard = ross2021_thinkaloud(), ross2021_thinkaloud(audio=True)
    (asking,) = [block for block in blocks_in(heard.flow) if block.task.name == "microphone"]
    assert asking.task.params["blocks"] == ["solve_targets"]
    assert [block for block in blocks_in(heard.flow) if block is not asking] == list(blocks_in(plain.flow))
