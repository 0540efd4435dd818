"""Study files: read strictly, written so that they come back, versioned by their digest."""

import json
from pathlib import Path
from typing import Any

import pytest
import tomli_w
import yaml

from tests.small_studies import two_group_plain, two_groups
from understudy.actions.study_files import MORE_MAY_FOLLOW, read_study, write_study
from understudy.errors import StudyError
from understudy.schema import Outcome, Study


def turned_around(value: Any) -> Any:
    """The same value, every table with its keys in the opposite order."""
    if isinstance(value, dict):
        return {name: turned_around(value[name]) for name in reversed(value)}
    return [turned_around(one) for one in value] if isinstance(value, list) else value


def paths_to_texts(value: Any, way: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(value, dict):
        return [path for name, one in value.items() for path in paths_to_texts(one, (*way, name))]
    if isinstance(value, list):
        return [path for place, one in enumerate(value) for path in paths_to_texts(one, (*way, place))]
    return [way] if isinstance(value, str) and way[-1] in ("title", "claim", "text", "prompt", "reason") else []


def test_the_order_of_keys_leaves_the_digest_alone() -> None:
    assert Study.model_validate(turned_around(two_group_plain())).digest == two_groups().digest


@pytest.mark.parametrize("path", paths_to_texts(two_group_plain()), ids=lambda path: ".".join(map(str, path)))
def test_one_comma_in_any_text_is_another_version(path: tuple[str | int, ...]) -> None:
    plain = json.loads(json.dumps(two_group_plain()))
    at = plain
    for part in path[:-1]:
        at = at[part]
    at[path[-1]] += ","
    assert Study.model_validate(plain).digest != two_groups().digest


def test_a_default_written_out_is_the_same_version() -> None:
    assert two_groups(language="en").digest == two_groups().digest


def test_all_three_formats_hold_the_same_study(tmp_path: Path) -> None:
    plain = two_group_plain()
    (tmp_path / "a.toml").write_text(tomli_w.dumps(plain), encoding="utf-8")
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(plain), encoding="utf-8")
    (tmp_path / "a.json").write_text(json.dumps(plain), encoding="utf-8")
    assert {read_study(path).digest for path in tmp_path.iterdir()} == {two_groups().digest}


def test_an_outcome_of_single_trials_survives_toml(tmp_path: Path) -> None:
    study = two_groups(plan={"outcomes": [{"name": "answers", "measure": "correct", "summary": None}]})
    again = read_study(write_study(study, tmp_path / "study.toml"))
    assert again.plan.outcomes == (Outcome(name="answers", measure="correct", summary=None),)


def with_null() -> Study:
    measure = {"name": "answer", "params": {"question": "guess", "row": None}}
    return two_groups(measures=[{"name": "correct", "measure": "correct"}, {"name": "said", "measure": measure}])


def test_a_null_parameter_survives_yaml(tmp_path: Path) -> None:
    assert read_study(write_study(with_null(), tmp_path / "study.yaml")) == with_null()


def test_a_null_parameter_is_refused_by_toml_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"holds a null in row, which TOML cannot express\. Write it to \.yaml\."):
        write_study(with_null(), tmp_path / "study.toml")
    assert list(tmp_path.iterdir()) == []


def test_a_number_in_quotes_is_text(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(tomli_w.dumps(two_group_plain(seed="1")), encoding="utf-8")
    with pytest.raises(StudyError, match=r"^study\.toml: seed is '1', but must be a whole number\.\n"):
        read_study(tmp_path / "study.toml")


def test_faults_of_the_form_hide_no_others(tmp_path: Path) -> None:
    plain = two_group_plain()
    plain |= {"assignment": {"quota": 0}, "sed": plain.pop("seed"), "bindings": [{"dataset": "loan_case"}]}
    path = tmp_path / "study.toml"
    path.write_text(tomli_w.dumps(plain), encoding="utf-8")
    with pytest.raises(StudyError) as found:
        read_study(path)
    told = str(found.value)
    assert "assignment.quota is 0, but must be at least 1." in told
    assert "sed is not a field that exists here; did you mean seed?" in told
    assert "'loan_case' is not among the datasets. Did you mean 'loan_cases'?" in told
    assert MORE_MAY_FOLLOW not in told


def test_a_study_that_cannot_be_checked_further_says_so(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(tomli_w.dumps(two_group_plain(seed="1")), encoding="utf-8")
    with pytest.raises(StudyError) as found:
        read_study(path)
    assert found.value.faults[-1] == f"study.toml: {MORE_MAY_FOLLOW}"


def test_writing_to_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"study\.txt ends in '\.txt'; write a study to \.toml or \.yaml\."):
        write_study(two_groups(), tmp_path / "study.txt")


def test_a_yaml_file_that_is_larger_than_it_looks_is_refused_at_once(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 9)]
    (tmp_path / "bomb.yaml").write_text("\n".join(lines))
    with pytest.raises(StudyError, match="its aliases expand to more than 2,000,000 values"):
        read_study(tmp_path / "bomb.yaml")


def test_a_yaml_file_inside_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ring.yaml").write_text("a: &a [*a]")
    with pytest.raises(StudyError, match="its aliases expand to more than"):
        read_study(tmp_path / "ring.yaml")


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_a_deep_file_is_refused_with_a_sentence(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"deep.{suffix}").write_text('{"a": ' + "[" * 5000 + "]" * 5000 + "}")
    with pytest.raises(StudyError, match=f"deep.{suffix} is not {suffix.upper()}"):
        read_study(tmp_path / f"deep.{suffix}")


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.toml").open("wb") as stream:
        stream.truncate(65 * 1024**2)
    with pytest.raises(StudyError, match="larger than 64 MB"):
        read_study(tmp_path / "huge.toml")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"seed": 10**400}, "seed is 1000"),
        ({"item_sets": [{"name": "cases", "n_items": 100_000_000}]}, "n_items is 100000000, but must be at most 100,000."),
        (
            {"factors": [{"name": f"f{k}", "scope": "between", "levels": list("abcdefghij")} for k in range(9)]},
            "cross to 1,000,000,000 conditions, but a study may have 10,000",
        ),
        (
            {"exclusions": [{"exclusion_id": "slow", "reason": "Slow", "rule": "n_correct < 9**9**7"}]},
            "'n_correct < 9**9**7' computes 9 ** 9 ** 7, which has no value",
        ),
    ],
)  # fmt: skip
def test_what_would_fill_the_memory_is_refused_with_what_is_allowed(
    changes: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    plain = {**two_group_plain(), **changes}
    (tmp_path / "big.json").write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(StudyError) as raised:
        read_study(tmp_path / "big.json")
    assert sentence in str(raised.value)


def test_loops_within_loops_are_counted(tmp_path: Path) -> None:
    levels = [f"level{k}" for k in range(30)]
    names = ("first", "second", "third")
    plain = two_group_plain()
    blocks: Any = plain["flow"]
    for name in names:
        blocks = [{"kind": "loop", "block_id": f"over_{name}", "over": name, "blocks": blocks}]
    factors = [{"name": name, "scope": "within", "levels": levels} for name in names]
    (tmp_path / "big.json").write_text(json.dumps({**plain, "factors": factors, "flow": blocks}), encoding="utf-8")
    with pytest.raises(StudyError, match=r"lead a person through [0-9,]+ blocks, but 10,000 are allowed"):
        read_study(tmp_path / "big.json")
