"""The studies after Kim et al. (2022): every method and task, ten sets of ten photos, right and wrong ones, fair pay."""

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.protocols.kim2022.stand_ins import stand_in
from understudy.check.study_check import declared_faults
from understudy.conduct import Ledger, Script, assign
from understudy.conduct.visits import visits_for
from understudy.errors import StudyError
from understudy.prepare import Prepared, prepare
from understudy.protocols.kim2022.photos import ACCURACIES, paper_photos
from understudy.protocols.kim2022.printed import published_tables
from understudy.protocols.kim2022.study import Kim2022, kim2022
from understudy.protocols.kim2022.variants import PAPER_STUDIES, TASKS, Method, PaperStudy, Task
from understudy.schema import (
    Alternatives,
    Heatmap,
    Ref,
    Stage,
    Study,
    TreePath,
    blocks_in,
    canonical_json,
    json_from_record,
)

VARIANTS = [(method, task) for method, tasks in TASKS.items() for task in tasks]
JARGON = re.compile(
    r"\b(images?|training set|heat ?maps?|normali[sz]\w*|ground truth|logits?|neural|CNN|saliency)\b", re.IGNORECASE
)
every = pytest.mark.parametrize(("method", "task"), VARIANTS)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("photos")


def study_of(root: Path, method: Method, task: Task, *, n_sets: int = 2) -> Study:
    return kim2022(method=method, task=task, data=stand_in(root, method), choices=Kim2022(n_sets=n_sets))


def prepared_study(root: Path, method: Method, task: Task) -> Prepared:
    return prepare(study_of(root, method, task), root)


def main_trials(prepared: Prepared) -> list[str]:
    return [trial_id for trial_id, trial in prepared.materials.trials.items() if trial.block_id == "task"]


def test_the_paper_has_nineteen_studies() -> None:
    assert len(set(PAPER_STUDIES)) == 19
    assert Counter(study.data for study in PAPER_STUDIES) == {"CUB": 11, "ImageNet": 8}


@every
def test_a_study_has_no_faults(method: Method, task: Task, root: Path) -> None:
    assert declared_faults(study_of(root, method, task, n_sets=10), root) == []


@every
def test_pages_avoid_jargon(method: Method, task: Task, root: Path) -> None:
    study = study_of(root, method, task)
    pages = [canonical_json(json_from_record(block.task)) for block in blocks_in(study.flow)]
    assert [found.group() for page in pages for found in [JARGON.search(page)] if found] == []


@every
def test_understanding_is_asked_three_times_in_the_same_words(method: Method, task: Task, root: Path) -> None:
    asked = [
        question
        for block in blocks_in(study_of(root, method, task).flow)
        for question in block.task.params.get("questions", ())  # type: ignore[union-attr]
        if isinstance(question, dict) and question["question_id"] == "understanding"
    ]
    assert len(asked) == 3
    assert asked[0] == asked[1] == asked[2]


@every
def test_the_method_can_be_read_again_during_the_task(method: Method, task: Task, root: Path) -> None:
    main = next(block for block in blocks_in(study_of(root, method, task).flow) if block.block_id == "task")
    assert main.references[0].block == "method"


@every
def test_every_study_says_how_its_explanations_are_simplified(method: Method, task: Task, root: Path) -> None:
    profile = study_of(root, method, task).simplifications[method]
    assert profile.shown
    assert "names of classes" in profile.hidden


@every
def test_people_see_as_many_photos_as_the_paper_showed(method: Method, task: Task, root: Path) -> None:
    prepared = prepared_study(root, method, task)
    script, ledger = Script(*prepared), Ledger(prepared.study)
    assignment = assign(ledger, 0)
    assert assignment is not None
    visit = next(visit for visit in visits_for(prepared.study.flow, assignment) if visit.block.block_id == "task")
    shown = Counter(str(prepared.key.truth[name]["model_is"]) for name in script.trial_ids(visit, assignment, {}))
    right_only = {("protopnet", "distinction"): 4, ("prototree", "distinction"): 10}
    expected = right_only.get((method, task))
    assert shown == ({"right": expected} if expected else {"right": 5, "wrong": 5})


@every
def test_worked_examples_are_one_right_and_one_wrong_photo_that_never_come_again(
    method: Method, task: Task, root: Path
) -> None:
    prepared = prepared_study(root, method, task)
    trials = prepared.materials.trials.values()
    examples = [trial for trial in trials if trial.block_id == "worked_examples"]
    truths = [prepared.key.truth[trial.trial_id] for trial in examples]
    assert {truth["model_is"] for truth in truths} == {"right", "wrong"}
    assert len({truth["label"] for truth in truths}) == len({truth["prediction"] for truth in truths}) == 2
    assert not {trial.stimulus_id for trial in examples} & {
        prepared.materials.trials[trial_id].stimulus_id for trial_id in main_trials(prepared)
    }


def test_ten_sets_of_ten_photos_have_five_people_each(root: Path) -> None:
    study = study_of(root, "gradcam", "agreement", n_sets=10)
    assert study.item_sets[1].n_items == 100
    assert [study.quota_of(cell) for cell in study.cells] == [5] * 10


@pytest.mark.parametrize(
    ("method", "task", "base", "most"),
    [("gradcam", "agreement", 1.4, None), ("bagnet", "distinction", 2.0, 0.5), ("protopnet", "distinction", 3.4, 0.2)],
)
def test_pay_is_twelve_dollars_an_hour_and_a_promised_bonus_is_computed(
    method: Method, task: Task, base: float, most: float | None, root: Path
) -> None:
    pay = study_of(root, method, task).pay
    assert pay is not None
    assert pay.base == pytest.approx(base)
    assert [bonus.at_most for bonus in pay.bonuses] == ([] if most is None else [most])


@pytest.mark.parametrize(
    ("method", "task", "kind"),
    [
        ("gradcam", "distinction", Heatmap),
        ("protopnet", "distinction", Alternatives),
        ("prototree", "tree-aware", TreePath),
    ],
)
def test_pages_show_the_kind_of_explanation_of_their_method(method: Method, task: Task, kind: type, root: Path) -> None:
    prepared = prepared_study(root, method, task)
    assert all(isinstance(prepared.materials.trials[name].explanation, kind) for name in main_trials(prepared))


def test_scores_reach_the_page_only_where_people_check_them(root: Path) -> None:
    tasks: tuple[Task, ...] = ("agreement", "tree-aware")
    rated, checked = (
        canonical_json([json_from_record(prepared.materials.trials[name]) for name in main_trials(prepared)])
        for prepared in (prepared_study(root, "prototree", task) for task in tasks)
    )
    assert '"similarity"' not in rated
    assert '"similarity"' in checked


@pytest.mark.parametrize(
    ("method", "task", "sentence"),
    [
        ("lime", "agreement", "'lime' is not a method. Choose from: gradcam, bagnet, protopnet, prototree."),
        ("protopnet", "tree-aware", "'tree-aware' is not a task for protopnet. Choose from: agreement, distinction."),
    ],
)
def test_what_does_not_exist_is_refused_in_one_sentence(method: str, task: str, sentence: str, root: Path) -> None:
    with pytest.raises(StudyError, match=re.escape(sentence)):
        kim2022(method=method, task=task, data=stand_in(root, "gradcam"))  # type: ignore[arg-type]


def test_the_stage_of_the_task_explains_four_classes_where_people_choose(root: Path) -> None:
    stages = {
        (method, task): block.candidates
        for method, task in VARIANTS
        for block in blocks_in(study_of(root, method, task).flow)
        if isinstance(block, Stage) and block.block_id == "task"
    }
    assert {variant for variant, candidates in stages.items() if candidates == 4} == {
        ("gradcam", "distinction"), ("gradcam", "distinction-label"), ("bagnet", "distinction"),
        ("bagnet", "distinction-label"), ("protopnet", "distinction"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("task", "expected"), [("agreement", None), ("distinction", "shared"), ("distinction-label", "shared")]
)
def test_the_maps_of_four_classes_share_a_scale_whatever_explains_them(
    task: Task, expected: str | None, root: Path
) -> None:
    data = stand_in(root, "gradcam")._replace(explainer=Ref(name="rise"))
    assert data.explainer_of("gradcam", task).params.get("scale") == expected


def test_a_scale_for_each_of_four_maps_is_refused(root: Path) -> None:
    data = stand_in(root, "gradcam")._replace(explainer=Ref(name="rise", params={"scale": "per_map"}))
    with pytest.raises(StudyError, match=r"hides which of the four classes has most evidence\. Leave `scale` out"):
        kim2022(method="gradcam", task="distinction", data=data)


@pytest.mark.parametrize("wanted", PAPER_STUDIES, ids="-".join)
def test_every_study_of_the_paper_can_be_built_for_photos_that_somebody_has(wanted: PaperStudy) -> None:
    dataset = Ref(name="picture_folder", params={"folder": wanted.data})
    model = Ref(name="map_model", params={"folder": wanted.method})
    data = paper_photos(wanted.data, dataset, model, accuracy=ACCURACIES[wanted.data, wanted.method])
    study = kim2022(method=wanted.method, task=wanted.task, data=data)
    assert study.name == f"kim2022-{wanted.data.lower()}-{wanted.method}-{wanted.task}"
    assert sum(study.quota_of(cell) for cell in study.cells) == 50
    assert published_tables(study) is not None


@pytest.mark.parametrize(
    ("accuracy", "low"), [(76.1, 60), (66.7, 50), (79.9, 70), (81.7, 70)], ids=["objects", "bag", "protopnet", "tree"]
)
def test_sliders_run_as_far_as_in_the_paper(accuracy: float, low: int, root: Path) -> None:
    study = kim2022(method="gradcam", task="agreement", data=stand_in(root, "gradcam")._replace(accuracy=accuracy))
    page = next(block for block in blocks_in(study.flow) if block.task.name == "trade_off")
    assert page.task.params["low"] == low
