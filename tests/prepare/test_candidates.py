"""Candidate classes: the likeliest and the label, in random order, explained on one scale, and known to the server alone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.journeys.own_cases import (
    COUNTS,
    TOPIC_SOURCE,
    TOPICS,
    Newsroom,
    topic_weights,
    topics_of,
    write_topic_model,
)
from tests.playing import stage, study_of
from tests.prepare.tile_world import TileModel, Tiles, register_tiles
from understudy import explain, registry
from understudy.errors import MaterialsError
from understudy.explainers import record_attributions, record_heatmaps
from understudy.prepare import Explaining, Prepared, prepare
from understudy.prepare.candidates import targets_of_answers
from understudy.roles import Rng, Sample
from understudy.schema import (
    Alternatives,
    Attribution,
    Heatmap,
    Json,
    Record,
    Ref,
    Several,
    Study,
    canonical_json,
    json_from_record,
    layer_values,
)
from understudy.sources.picture_pools import model_inputs

OPTIONS = {"kind": "choice", "question_id": "which", "prompt": "Which is right?", "options": ["1", "2", "3", "4"]}
JUDGED = {"name": "judge", "params": {"questions": [OPTIONS], "keys": {"which": "option_of_label"}}}


class KnownTiles(Record):
    """Always the same tiles."""

    def draw(self, n: int, rng: Rng) -> Sample:
        return Tiles().draw(400, np.random.default_rng(1))


@pytest.fixture(autouse=True)
def _tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    register_tiles(monkeypatch)
    monkeypatch.setitem(registry._entries, ("datasets", "known_tiles"), KnownTiles)


def choosing(explainer: str = "target_maps", *, n: int = 12, model: Any = "tile_model", **more: Any) -> Study:
    return study_of(
        {**stage("choose", explains=True, candidates=4), "task": JUDGED},
        bindings=[{"dataset": more.get("dataset", "tiles"), "model": model, "explainer": explainer}],
        item_sets=[{"name": "cases", "n_items": n, "strata": ["model_is"]}],
    )


def prepared_choice(explainer: str = "target_maps", how: Explaining | None = None) -> Prepared:
    return prepare(choosing(explainer), Path(), how or Explaining())


def truths(prepared: Prepared) -> list[Json]:
    return [prepared.key.truth[trial_id] for trial_id in prepared.key.truth]


def kind(number: int) -> str:
    return f"kind {number % 6}"


def test_right_items_get_the_likeliest_four_and_wrong_items_the_likeliest_three_with_the_label() -> None:
    found = truths(prepared_choice())
    assert {truth["model_is"] for truth in found} == {"right", "wrong"}
    for truth in found:
        answer = int(str(truth["prediction"]).split()[1])
        likeliest = [kind(answer + k) for k in range(4)]
        wanted = set(likeliest) if truth["label"] in likeliest else {*likeliest[:3], truth["label"]}
        assert set(truth["options"]) == wanted  # type: ignore[arg-type]


def test_the_truth_names_the_options_of_label_and_prediction() -> None:
    for truth in truths(prepared_choice()):
        options = truth["options"]
        assert isinstance(options, list)
        assert options[int(str(truth["option_of_label"])) - 1] == truth["label"]
        assert options[int(str(truth["option_of_prediction"])) - 1] == truth["prediction"]


def test_the_order_of_options_is_random_and_the_same_for_the_same_seed() -> None:
    first = [truth["option_of_prediction"] for truth in truths(prepared_choice())]
    assert len(set(first)) > 1
    assert first == [truth["option_of_prediction"] for truth in truths(prepared_choice())]


def test_maps_of_all_options_share_one_scale_and_name_no_class() -> None:
    prepared = prepared_choice()
    for trial_id, truth in prepared.key.truth.items():
        shown = prepared.materials.trials[trial_id].explanation
        assert isinstance(shown, Heatmap)
        classes = [int(str(name).split()[1]) for name in truth["options"]]  # type: ignore[union-attr]
        assert shown.limits == (0.0, float(max(classes)))
        assert [layer.label for layer in shown.layers] == ["", "", "", ""]
        peaks = [layer_values(layer, shown.limits).max() for layer in shown.layers]
        assert peaks == pytest.approx(classes, abs=0.02)


def test_other_kinds_become_alternatives_whose_hidden_rows_say_their_option() -> None:
    prepared = prepared_choice("target_rows")
    trial_id, truth = next(iter(prepared.key.truth.items()))
    shown = prepared.materials.trials[trial_id].explanation
    assert isinstance(shown, Alternatives)
    assert len(shown.options) == 4
    rows = truth["rows"]
    assert isinstance(rows, list)
    assert [(row["option"], row["rank"]) for row in rows] == [(str(k), r) for k in range(1, 5) for r in (2, 1)]  # type: ignore[index,call-overload]


def test_hidden_facts_are_not_part_of_the_materials() -> None:
    prepared = prepared_choice("target_rows")
    public = canonical_json(json_from_record(prepared.materials))
    assert "similarity" not in public
    assert "option_of_label" not in public
    assert "kind 1" not in public


def test_explanations_are_kept_for_each_class_with_their_hidden_facts(tmp_path: Path) -> None:
    counted: list[int] = []
    once = prepared_choice("target_rows", Explaining(tmp_path))
    again = prepared_choice("target_rows", Explaining(tmp_path, on_progress=counted.append))
    assert counted == [48]
    assert again.key == once.key
    assert again.materials == once.materials


def test_a_model_with_too_few_classes_is_refused_in_one_sentence() -> None:
    small = {"name": "tile_model", "params": {"n_classes": 3}}
    tiles = {"name": "tiles", "params": {"n_classes": 3}}
    with pytest.raises(MaterialsError, match=r"explained for 4 classes each, but the model knows 3: kind 0, kind 1"):
        prepare(choosing(model=small, dataset=tiles), Path())


def test_a_pool_without_mistakes_is_refused_in_one_sentence() -> None:
    tiles = {"name": "tiles", "params": {"is_always_right": True}}
    with pytest.raises(MaterialsError, match="right about all 400 items, and item set 'cases' needs wrong"):
        prepare(choosing(dataset=tiles), Path())


def test_a_label_that_the_model_does_not_know_is_refused() -> None:
    with pytest.raises(MaterialsError, match=r"which the model does not know, so no option could be right"):
        prepare(choosing(model={"name": "tile_model", "params": {"n_classes": 5}}), Path())


def test_a_set_can_be_limited_to_items_that_the_model_gets_right() -> None:
    study = study_of(
        {**stage("choose", explains=True, candidates=4), "task": JUDGED},
        bindings=[{"dataset": "tiles", "model": "tile_model", "explainer": "target_maps"}],
        item_sets=[{"name": "cases", "n_items": 12, "only": {"model_is": "right"}}],
    )
    assert {truth["model_is"] for truth in truths(prepare(study, Path()))} == {"right"}


def test_a_limit_that_no_item_meets_is_refused_in_one_sentence() -> None:
    study = study_of(
        stage("choose"),
        bindings=[{"dataset": {"name": "tiles", "params": {"is_always_right": True}}, "model": "tile_model"}],
        item_sets=[{"name": "cases", "n_items": 12, "only": {"model_is": "wrong"}}],
    )
    with pytest.raises(MaterialsError, match=r"wants 12 items with model_is 'wrong', but its dataset gives too few"):
        prepare(study, Path())


def test_a_limit_by_what_items_do_not_have_is_refused() -> None:
    study = study_of(
        stage("choose"),
        bindings=[{"dataset": "tiles", "model": "tile_model"}],
        item_sets=[{"name": "cases", "n_items": 12, "only": {"colour": "red"}}],
    )
    with pytest.raises(MaterialsError, match=r"is to be chosen by 'colour', which its items do not have"):
        prepare(study, Path())


# The answer that a page shows

ANSWERED = {"name": "judge", "params": {"reveals": ["prediction"]}}


@pytest.fixture(scope="module")
def newsroom(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("newsroom")
    write_topic_model(folder)
    return folder


def topics_explained(newsroom: Path, explainer: Any, task: Any = ANSWERED, model: Any = None) -> Prepared:
    study = study_of(
        {**stage("learn", explains=True), "task": task},
        bindings=[
            {
                "dataset": json_from_record(TOPIC_SOURCE),
                "model": model or {"name": "pickled_classifier", "params": {"path": "news.joblib"}},
                "explainer": explainer,
            }
        ],
        item_sets=[{"name": "cases", "n_items": 12, "strata": ["prediction"]}],
    )
    return prepare(study, newsroom)


def lime(**params: Any) -> Json:
    background = json_from_record(TOPIC_SOURCE)
    return {"name": "lime", "params": {"background": background, "n_background": 200, "n_samples": 300, **params}}


def recorded_topics(newsroom: Path, weights: Any, **said: Any) -> Json:
    return json_from_record(record_attributions(newsroom / "said.json", topics_of(newsroom), weights, **said))


def towards(prepared: Prepared) -> list[tuple[str, str | None]]:
    """Return the answer that each page shows, and the class that its weights speak for."""
    trials = [trial for trial in prepared.materials.trials.values() if isinstance(trial.explanation, Attribution)]
    return [(str(trial.params["revealed"]["prediction"]), trial.explanation.toward) for trial in trials]  # type: ignore[index, call-overload, union-attr]


@pytest.mark.parametrize(
    "method", ["recorded", "one toward for each", "lime", "weighted features", "composite", "composite of recorded"]
)
def test_with_three_labels_weights_are_of_the_answer_that_the_page_shows(method: str, newsroom: Path) -> None:
    table = pd.read_csv(newsroom / "topics.csv")
    weights, answers = topic_weights(table), Newsroom().predict_proba(table).argmax(axis=1)
    of_answer = weights[np.arange(len(table)), :, answers]
    explainers: dict[str, Callable[[], Json]] = {
        "recorded": lambda: recorded_topics(newsroom, weights, labels=TOPICS),
        "one toward for each": lambda: recorded_topics(newsroom, of_answer, toward=[TOPICS[k] for k in answers]),
        "lime": lime,
        "weighted features": lambda: {"name": "weighted_features", "params": {"features": [*COUNTS]}},
        "composite": lambda: {"name": "composite", "params": {"parts": [lime(), lime(n_features=2)]}},
        "composite of recorded": lambda: {
            "name": "composite",
            "params": {"parts": [lime(), recorded_topics(newsroom, weights, labels=TOPICS)]},
        },
    }
    explainer = explainers[method]()
    prepared = topics_explained(newsroom, explainer)
    explanations = [trial.explanation for trial in prepared.materials.trials.values() if trial.explanation]
    assert len(explanations) == 12
    pages = towards(prepared) or [
        (str(trial.params["revealed"]["prediction"]), part.toward)  # type: ignore[index, call-overload]
        for trial in prepared.materials.trials.values()
        for part in (trial.explanation.parts if isinstance(trial.explanation, Several) else ())
        if isinstance(part, Attribution)
    ]
    assert {answer for answer, _ in pages} == {*TOPICS}
    assert all(answer == toward for answer, toward in pages)


def test_the_weights_on_a_page_are_those_that_were_recorded_for_its_answer(newsroom: Path) -> None:
    table = pd.read_csv(newsroom / "topics.csv")
    prepared = topics_explained(newsroom, recorded_topics(newsroom, topic_weights(table), labels=TOPICS))
    for trial in prepared.materials.trials.values():
        if not isinstance(trial.explanation, Attribution):
            continue
        case = pd.DataFrame([{name: int(str(value)) for name, value in trial.params["content"].items()}])  # type: ignore[union-attr]
        wanted = topic_weights(case)[0, :, TOPICS.index(str(trial.explanation.toward))]
        said = dict(zip(trial.explanation.features, trial.explanation.weights, strict=True))
        assert [said.get(name, 0.0) for name in COUNTS] == pytest.approx(wanted, abs=1e-6)


def test_in_a_notebook_each_of_three_labels_is_explained_by_itself(newsroom: Path) -> None:
    model = Ref(name="pickled_classifier", params={"path": str(newsroom / "news.joblib")})
    path = str(newsroom / "topics.csv")
    background = {"name": "coded_table", "params": {**TOPIC_SOURCE.params, "path": path}}
    inputs = topics_of(newsroom).inputs
    assert inputs is not None
    method = {"background": background, "n_background": 200, "n_samples": 300}
    answers = Newsroom().predict_proba(pd.read_csv(path)[:20]).argmax(axis=1)
    said = explain(model, Ref(name="lime", params=method), inputs[:20])
    assert [getattr(item, "toward", None) for item in said] == [TOPICS[k] for k in answers]
    named = explain(model, Ref(name="lime", params={**method, "toward": "science"}), inputs[:20])
    assert {getattr(item, "toward", None) for item in named} == {"science"}


@pytest.mark.parametrize("method", ["one column", "lime", "composite", "two of three labels"])
def test_weights_of_another_class_than_the_shown_answer_are_refused(method: str, newsroom: Path) -> None:
    weights = topic_weights(pd.read_csv(newsroom / "topics.csv"))
    explainers: dict[str, Callable[[], Json]] = {
        "one column": lambda: recorded_topics(newsroom, weights[:, :, 1], toward="science"),
        "lime": lambda: lime(toward="science"),
        "composite": lambda: {"name": "composite", "params": {"parts": [lime(), lime(toward="science")]}},
        "two of three labels": lambda: recorded_topics(newsroom, weights[:, :, 1:], labels=TOPICS[1:]),
    }
    explainer = explainers[method]()
    words = {
        "two of three labels": "no weights for 'politics'",
        "composite": "a part of its explanation is always about 'science'",
    }
    with pytest.raises(MaterialsError, match=words.get(method, r"shows the model's answer, but for \d+ of 12")):
        topics_explained(newsroom, explainer)


def test_a_part_that_keeps_every_label_is_told_the_answer_among_two_labels_too(newsroom: Path) -> None:
    inputs, weights = topics_of(newsroom).inputs, topic_weights(pd.read_csv(newsroom / "topics.csv"))
    assert inputs is not None
    parts = [recorded_topics(newsroom, weights[:, :, :2], labels=TOPICS[:2]), lime(toward="science")]
    explainer = registry.create("explainers", Ref(name="composite", params={"parts": parts}))
    answers = ["politics", "science", "science"]
    assert targets_of_answers(explainer, TOPICS[:2], answers, inputs[:3]) == [0, 1, 1]


def test_a_page_without_the_answer_shows_one_named_class_and_never_the_answer_s(newsroom: Path) -> None:
    weights = topic_weights(pd.read_csv(newsroom / "topics.csv"))
    task = {"name": "judge", "params": {"reveals": ["label"]}}
    for explainer in (lime(toward="science"), recorded_topics(newsroom, weights, labels=TOPICS, toward="science")):
        prepared = topics_explained(newsroom, explainer, task)
        said = [
            t.explanation.toward for t in prepared.materials.trials.values() if isinstance(t.explanation, Attribution)
        ]
        assert said == ["science"] * 12
    with pytest.raises(MaterialsError, match="this page does not show the model's answer"):
        topics_explained(newsroom, recorded_topics(newsroom, weights, labels=TOPICS), task)


@pytest.mark.parametrize(
    ("explainer", "other"),
    [
        ({"name": "occlusion", "params": {"n_cells": 2}}, None),
        ({"name": "occlusion", "params": {"n_cells": 2, "toward": "kind 1"}}, "kind 1"),
        ({"name": "occlusion", "params": {"n_cells": 2, "toward": "kind 1", "names_class": True}}, "kind 1"),
        ("recorded", None),
        ("recorded toward kind 1", "kind 1"),
        ("recorded for each answer", None),
        ("recorded for every class", None),
    ],
)
def test_maps_of_another_class_than_the_shown_answer_are_refused(
    explainer: Any, other: str | None, tmp_path: Path
) -> None:
    sample = Tiles().draw(400, np.random.default_rng(1))
    assert sample.pictures is not None
    answers = TileModel().predict(model_inputs(sample.pictures.read(range(400)))).argmax(axis=1)
    said: dict[str, dict[str, Any]] = {
        "recorded": {},
        "recorded toward kind 1": {"toward": "kind 1"},
        "recorded for each answer": {"toward": [kind(int(k)) for k in answers]},
        "recorded for every class": {"labels": [kind(k) for k in range(6)]},
    }
    if isinstance(explainer, str):
        shape = (400, 6, 2, 2) if "every" in explainer else (400, 2, 2)
        maps = np.random.default_rng(2).random(shape)
        explainer = json_from_record(record_heatmaps(tmp_path / "maps", sample, maps, **said[explainer]))
    study = study_of(
        {**stage("learn", explains=True), "task": ANSWERED},
        bindings=[{"dataset": "known_tiles", "model": "tile_model", "explainer": explainer}],
        item_sets=[{"name": "cases", "n_items": 12, "strata": ["prediction"]}],
    )
    if other is None:
        assert sum(trial.explanation is not None for trial in prepare(study, tmp_path).materials.trials.values()) == 12
        return
    with pytest.raises(MaterialsError, match=rf"for 10 of 12 items .* the explanation is about '{other}'"):
        prepare(study, tmp_path)
