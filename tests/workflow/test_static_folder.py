"""Exported folders: what is in them, what must not be, and which studies they refuse."""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.playing import page, quiz, stage, study_of
from tests.small_studies import numbered_items, two_group_plain
from tests.workflow.result_files import built_web, exported_run, small_study
from understudy.actions.casts import MIXED
from understudy.actions.rehearse import rehearse_run
from understudy.actions.run_folder import Run, existing_run, new_run
from understudy.actions.static_site import StaticOptions, places_of, static_folder
from understudy.errors import MaterialsError, StudyError, UnderstudyError
from understudy.protocols import loan_demo
from understudy.schema import Study

NUMBER = {"kind": "number", "question_id": "guess", "prompt": "What will the model say?"}
CHECK = {"kind": "number", "question_id": "check", "prompt": "How many cases are there?"}
TRUTHS = [7_310_000_000 + 9_973 * k for k in range(24)]
CHECKED = 8_420_000_017


def numeric_study() -> Study:
    """Right answers, in the check and in the task, that are like nothing else in the study."""
    plain = two_group_plain(name="numeric")
    plain["item_sets"] = [{"name": "cases", "n_items": 24, "dataset": numbered_items(24, answer=TRUTHS)}]
    plain["flow"][1]["task"] = {"name": "judge", "params": {"questions": [NUMBER], "keys": {"guess": "answer"}}}
    asked = {"name": "questionnaire", "params": {"questions": [CHECK], "answers": {"check": CHECKED}}}
    gate = {"at_least": 1, "tries": 3}
    check = {"kind": "screen", "block_id": "check", "purpose": "comprehension", "task": asked, "gate": gate}
    plain["flow"].insert(1, check)
    return Study.model_validate(plain)


def forms_of(value: Any) -> Iterator[bytes]:
    """Every way an answer could lie in a file."""
    for text in {str(value), json.dumps(value), json.dumps({"guess": value}, separators=(",", ":"))}:
        raw = text.encode()
        yield raw
        yield from (base64.b64encode(raw).rstrip(b"="), base64.urlsafe_b64encode(raw).rstrip(b"="), raw.hex().encode())
        yield from (hashlib.new(kind, raw).hexdigest().encode() for kind in ("sha256", "sha1", "md5"))
        yield base64.b64encode(hashlib.sha256(raw).digest())


def bytes_in(folder: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def manifest_in(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "manifest.json").read_text()))


def refusal_of(tmp_path: Path, study: Study, **options: Any) -> str:
    with pytest.raises(StudyError) as refused:
        exported_run(tmp_path, study, **options)
    assert not (tmp_path / "site").exists()
    return str(refused.value)


def test_no_byte_of_the_folder_holds_an_answer(tmp_path: Path) -> None:
    exported_run(tmp_path, numeric_study(), n_sessions=4)
    found = bytes_in(tmp_path / "site")
    assert [form for value in [*TRUTHS, CHECKED] for form in forms_of(value) if form in found] == []


def test_the_search_for_answers_can_find_them(tmp_path: Path) -> None:
    exported_run(tmp_path, numeric_study(), n_sessions=1, reveals=True)
    found = bytes_in(tmp_path / "site")
    assert all(any(form in found for form in forms_of(value)) for value in [*TRUTHS, CHECKED])


@pytest.mark.parametrize("word", ["condition", "levels", "stimulus_id", "strata", "truth", "lists", "typical", "shown", "arrival"])  # fmt: skip
def test_a_session_names_nothing_that_belongs_to_the_design(tmp_path: Path, word: str) -> None:
    exported_run(tmp_path, n_sessions=2)
    assert f'"{word}"'.encode() not in bytes_in(tmp_path / "site")


def test_the_same_check_is_sealed_differently_in_every_session(tmp_path: Path) -> None:
    exported_run(tmp_path, numeric_study(), n_sessions=3)
    places = [json.loads(path.read_text()) for path in (tmp_path / "site" / "sessions").iterdir()]
    seals = {one["seal"] for place in places for sealed in place["seals"].values() for one in sealed}
    assert len(seals) == 3


def test_addresses_are_relative_and_scripts_are_files(tmp_path: Path) -> None:
    exported_run(tmp_path, post="https://lab.example/take?x=1")
    index = (tmp_path / "site" / "index.html").read_text()
    assert 'src="assets/a.js"' in index
    assert 'data-host="static"' in index
    assert "connect-src 'self' https://lab.example;" in index
    assert '<script src="jatos.js">' in (tmp_path / "site" / "jatos.html").read_text()


def test_the_licences_of_bundled_software_come_along(tmp_path: Path) -> None:
    exported_run(tmp_path, numeric_study(), n_sessions=1)
    assert (tmp_path / "site" / "NOTICES.txt").read_text() == "jspsych (MIT)"


def test_sessions_are_drawn_in_balance_and_as_many_as_are_wanted(tmp_path: Path) -> None:
    run = exported_run(tmp_path)
    dealt = [place.condition for place in places_of(run).places.values()]
    assert Counter(dealt) == {"shown": 10, "hidden": 10}
    assert Counter(dealt[:10]) == {"shown": 5, "hidden": 5}
    assert manifest_in(tmp_path / "site")["places"] == list(places_of(run).places)


def test_more_sessions_than_places_begin_another_round(tmp_path: Path) -> None:
    run = exported_run(tmp_path, n_sessions=50)
    assert Counter(place.condition for place in places_of(run).places.values()) == {"shown": 25, "hidden": 25}


def test_a_second_export_draws_other_sessions_and_forgets_none(tmp_path: Path) -> None:
    run = exported_run(tmp_path, n_sessions=2)
    first = places_of(run).places
    static_folder(run, tmp_path / "again", web=tmp_path / "web", options=StaticOptions(n_sessions=3))
    both = places_of(existing_run(run.folder)).places
    assert first.items() <= both.items()
    assert sorted(value.arrival for value in both.values()) == [0, 1, 2, 3, 4]


def test_a_folder_with_files_is_left_alone(tmp_path: Path) -> None:
    run = exported_run(tmp_path)
    with pytest.raises(UnderstudyError, match="is not empty"):
        static_folder(run, tmp_path / "site", web=tmp_path / "web", options=StaticOptions())


def test_a_run_with_simulated_people_draws_nothing(tmp_path: Path, rehearsed: Run) -> None:
    with pytest.raises(UnderstudyError, match="holds simulated people"):
        static_folder(rehearsed, tmp_path / "site", web=built_web(tmp_path / "web"), options=StaticOptions())


def test_a_damaged_list_of_places_is_told(tmp_path: Path) -> None:
    run = exported_run(tmp_path)
    (run.folder / "places.json").write_text("{}")
    with pytest.raises(MaterialsError, match=r"places\.json is damaged"):
        places_of(run)


def test_a_study_that_shows_results_needs_to_reveal_answers(tmp_path: Path) -> None:
    assert "needs right answers while people take part, for the results shown by 'result'." in refusal_of(
        tmp_path, loan_demo()
    )
    run = new_run(loan_demo(), tmp_path, tmp_path / "other")
    options = StaticOptions(n_sessions=1, reveals=True)
    assert static_folder(run, tmp_path / "site", web=tmp_path / "web", options=options) == 1


def test_everything_that_needs_the_key_is_named_in_one_sentence(tmp_path: Path) -> None:
    study = study_of(
        stage("practice", purpose="practice", n_items=2, feedback="per_trial"),
        stage("predict", gate={"at_least": 0.5}),
    )
    assert "for the feedback after each trial of 'practice' and the gate of 'predict'." in refusal_of(tmp_path, study)


def test_practice_with_cases_of_the_task_is_no_harmless_gate(tmp_path: Path) -> None:
    gate = {"at_least": 0.5, "on_fail": "go_on"}
    study = study_of(stage("practice", purpose="practice", n_items=2, gate=gate), stage("predict"))
    assert "for the gate of 'practice'." in refusal_of(tmp_path, study)


@pytest.mark.parametrize(
    ("blocks", "parts", "sentence"),
    [
        ([stage("predict")], {"exclusions": [{"exclusion_id": "slow", "rule": "pace > 9", "reason": "Slow.", "applies": "live"}],
          "measures": [{"name": "correct", "measure": "correct"}, {"name": "pace", "measure": "response_time", "summary": "mean"}]},
         "'slow' is decided while people take part"),
        ([quiz(measure="pace"), stage("predict")],
         {"measures": [{"name": "correct", "measure": "correct"}, {"name": "pace", "measure": "response_time"}]},
         "a page can judge only 'correct'"),
        ([page("a"), quiz("one"), quiz("two", tries=2, restudy=["one"]), stage("predict")], {}, "which has a gate too"),
        ([stage("pre", minutes=1, gate={"at_least": 0, "tries": 2}), stage("predict", None, repeats="pre")], {},
         "which ends by time and can be taken again"),
        ([{**page("a"), "stops": [{"rule": "1 % 2 == 0", "reason": "No."}]}, stage("predict")], {},
         "uses what only a server can compute"),
    ],
)  # fmt: skip
def test_what_no_page_can_do_is_refused(
    tmp_path: Path, blocks: list[dict[str, Any]], parts: dict[str, Any], sentence: str
) -> None:
    assert sentence in refusal_of(tmp_path, study_of(*blocks, **parts), reveals=True)


@pytest.mark.parametrize("address", ["lab.example", "ftp://lab.example", "https://lab.example; script-src *"])
def test_an_address_that_is_none_is_refused(tmp_path: Path, address: str) -> None:
    assert "--post is" in refusal_of(tmp_path, small_study(), post=address)


def test_a_completion_address_cannot_ask_for_a_code(tmp_path: Path) -> None:
    assert "{code}, which only a server can make" in refusal_of(
        tmp_path, small_study(), redirect="https://r.example/{code}"
    )


@pytest.fixture
def rehearsed(tmp_path: Path) -> Run:
    run = new_run(small_study(), tmp_path, tmp_path / "rehearsed")
    rehearse_run(run, MIXED, seed=1, n_people=2)
    return run
