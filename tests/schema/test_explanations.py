"""Every kind of explanation is a record that is read back as it was written, also from files of version 0.1.0."""

from typing import Any, Literal

import numpy as np
import pytest

from understudy.errors import RecordError
from understudy.schema import (
    Attribution,
    Edit,
    EditPath,
    Explanation,
    Heatmap,
    PathStep,
    RuleCondition,
    RuleExplanation,
    Several,
    ShownPicture,
    Stimulus,
    Trial,
    explanation_from_json,
    explanation_kinds,
    files_named_in,
    heatmap_from_arrays,
    heatmap_layer,
    json_from_record,
    layer_values,
)

ADDRESS = f"{'0' * 64}.png"
PICTURE = ShownPicture(file=ADDRESS, width=4, height=3)
PATH = EditPath(toward="no", steps=(PathStep(margin=0.5, edits=(Edit(feature="sky", old="sun", new="rain"),)),))
RULE = RuleExplanation(label="yes", conditions=(RuleCondition(token="rain", position=2),))
SEVERAL = Several(parts=(PATH, RULE, Attribution(features=("a",), weights=(0.5,))))


def trial(explanation: Any) -> Trial:
    return Trial(trial_id="t", block_id="b", task="judge", params={}, explanation=explanation)


def test_a_trial_keeps_the_kind_of_its_explanation_on_disk() -> None:
    written = trial(SEVERAL).model_dump_json()
    assert Trial.model_validate_json(written).explanation == SEVERAL
    assert Trial.model_validate(json_from_record(trial(SEVERAL))).explanation == SEVERAL


def test_the_file_form_is_flat() -> None:
    assert json_from_record(RULE) == {
        "kind": "rule", "label": "yes", "conditions": [{"token": "rain", "position": 2}],
    }  # fmt: skip


def test_what_version_0_1_0_wrote_is_still_read() -> None:
    edit = {"feature": "sky", "from": "sun", "to": "rain"}
    path = {"kind": "path", "payload": {"toward": "no", "steps": [{"margin": 0.5, "edits": [edit]}]}}
    rule = {"kind": "rule", "payload": {"label": "yes", "conditions": [{"token": "rain", "position": 2}]}}
    weights = {"kind": "attribution", "payload": {"features": ["a"], "weights": [0.5]}}
    old = {"kind": "several", "payload": {"parts": [path, rule, weights]}}
    assert trial(old).explanation == SEVERAL
    assert Stimulus(stimulus_id="s", content={}, explanation=old).explanation == SEVERAL


def test_an_unknown_kind_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(
        RecordError, match=r"'smoke' is not known. Known kinds are: alternatives, attribution, .* Install"
    ):
        trial({"kind": "smoke"})


def test_a_weight_too_many_is_refused() -> None:
    with pytest.raises(RecordError, match="there are 1 features, 2 weights and 0 values"):
        Attribution(features=("a",), weights=(0.5, 1.0))


def test_a_kind_has_one_owner() -> None:
    with pytest.raises(TypeError, match="The explanation kind 'rule' is taken by understudy"):

        class Other(Explanation):
            kind: Literal["rule"] = "rule"

    assert explanation_kinds()["rule"] is RuleExplanation


@pytest.mark.parametrize("limits", [(0.0, 1.0), (-3.0, 5.0)])
def test_the_numbers_of_a_heat_map_come_back_within_half_a_step(limits: tuple[float, float]) -> None:
    values = np.random.default_rng(1).uniform(*limits, size=(7, 5))
    back = layer_values(heatmap_layer(values, limits), limits)
    assert np.abs(back - values).max() <= (limits[1] - limits[0]) / 255 / 2 + 1e-12


def test_maps_of_several_classes_share_one_scale() -> None:
    made = heatmap_from_arrays(PICTURE, [np.eye(3), 4 * np.eye(3)], ["cat", "dog"])
    assert (made.limits, [layer.label for layer in made.layers]) == ((0.0, 4.0), ["cat", "dog"])
    assert layer_values(made.layers[0], made.limits).max() == pytest.approx(1.0, abs=4 / 255 / 2)


def test_a_signed_scale_reaches_equally_far_to_both_sides() -> None:
    assert heatmap_from_arrays(PICTURE, [[[-0.5, 2.0]]], is_signed=True).limits == (-2.0, 2.0)


@pytest.mark.parametrize("is_signed", [False, True])
def test_a_map_without_differences_still_has_a_scale(is_signed: bool) -> None:
    made = heatmap_from_arrays(PICTURE, [np.zeros((2, 2))], is_signed=is_signed)
    assert explanation_from_json(json_from_record(made)) == made


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_a_map_with_a_hole_is_refused_in_one_sentence(odd: float) -> None:
    with pytest.raises(ValueError, match="1 of the 4 values of a heat map are NaN or infinite"):
        heatmap_layer([[0.0, 1.0], [2.0, odd]], (0.0, 1.0))


def test_a_map_without_places_is_refused() -> None:
    with pytest.raises(ValueError, match=r"has the shape \(3,\). Give rows x columns"):
        heatmap_from_arrays(PICTURE, [[0.0, 1.0, 2.0]])


def test_files_are_found_in_an_explanation_however_deep() -> None:
    made = Several(parts=(heatmap_from_arrays(PICTURE, [np.eye(2)]), RULE))
    assert isinstance(made.parts[0], Heatmap)
    assert list(files_named_in(made, frozenset({ADDRESS}))) == [ADDRESS]
