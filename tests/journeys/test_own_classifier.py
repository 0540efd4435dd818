"""Your own model and attributions: a sound pair is rehearsed, and each broken one gets one sentence."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from tests.journeys.own_cases import (
    COUNTS,
    LABELS,
    TOPICS,
    Bank,
    Closed,
    Fitted,
    Scored,
    Single,
    Spoiled,
    Stubborn,
    cases_of,
    put_model,
    topic_pages,
    topic_study,
    topic_weights,
    topics_of,
    weights_of,
    write_cases,
    write_own_study,
    write_topic_model,
    write_topics,
)
from tests.journeys.static_site import hosted
from tests.shell import understudy
from understudy.actions.study_files import write_study
from understudy.explainers import record_attributions
from understudy.roles import Variables
from understudy.schema import Ref

INSIDE = """card => [...card.querySelectorAll(".option")].every(
  option => option.getBoundingClientRect().right < card.getBoundingClientRect().right)"""


def narrower(folder: Path) -> None:
    put_model(folder, Bank(), legend=Variables(("income",), (("1",),)), form=None)


def fewer_values(folder: Path) -> None:
    legend = cases_of(folder).legend
    assert isinstance(legend, Variables)
    values = (*legend.values[:2], legend.values[2][:2])
    put_model(folder, Bank(), legend=Variables(legend.features, values))


def fewer_cases(folder: Path) -> None:
    table = write_cases(folder)
    table[table["town"] != "Bonn"].to_csv(folder / "cases.csv", index=False)


def bare(folder: Path) -> None:
    joblib.dump(Bank(), folder / "bank.joblib")


def moved(folder: Path) -> None:
    joblib.dump(Bank(), folder / "bank.joblib")
    content = (folder / "bank.joblib").read_bytes()
    assert b"tests.journeys.own_cases" in content
    (folder / "bank.joblib").write_bytes(content.replace(b"tests.journeys.own_cases", b"tests.journeys.own_banks"))


def renamed(folder: Path) -> None:
    joblib.dump(Bank(), folder / "bank.joblib")
    content = (folder / "bank.joblib").read_bytes()
    (folder / "bank.joblib").write_bytes(content.replace(b"\x04Bank", b"\x04Bark"))


def always_right(folder: Path) -> None:
    table = write_cases(folder)
    answers = Bank().predict_proba(table).argmax(axis=1)
    table.assign(credit=[LABELS[answer] for answer in answers]).to_csv(folder / "cases.csv", index=False)


def half_explained(folder: Path) -> None:
    said = json.loads((folder / "bank.json").read_text())
    (folder / "bank.json").write_text(json.dumps({name: rows[::2] for name, rows in said.items()}))


def lengthened(folder: Path) -> None:
    said = json.loads((folder / "bank.json").read_text())
    said["explanations"][0]["weights"].append(1.0)
    (folder / "bank.json").write_text(json.dumps(said))


def spoiled_weight(folder: Path) -> None:
    said = json.loads((folder / "bank.json").read_text())
    said["explanations"][0]["weights"][0] = float("nan")
    (folder / "bank.json").write_text(json.dumps(said))


def other_label(folder: Path) -> None:
    table = write_cases(folder)
    record_attributions(folder / "bank.json", cases_of(folder), weights_of(table), toward="rich")


def put(model: Any, **changes: Any) -> Callable[[Path], None]:
    return lambda folder: put_model(folder, model, **changes)


BROKEN: dict[str, tuple[Callable[[Path], Any], str]] = {
    "logits": (
        put(Scored()),
        "Model 'bank.joblib' returned values from -4 to 3 whose rows do not sum to one, so they look like logits. Put a "
        "softmax after them, or say outputs = 'logits'.",
    ),
    "NaN": (put(Spoiled()), "inputs. Fix the model, or leave those inputs out."),
    "one class": (
        put(Single()),
        "Model 'bank.joblib' returned one number for each input, so it knows one class only. Return one probability for "
        "each label; a model that was fitted to one class must be fitted again.",
    ),
    "one answer": (
        put(Stubborn()),
        "The model answers 'declined' to all of them. Bind a model that gives every answer, or other cases.",
    ),
    "raises": (put(Closed()), "closed on Sundays. It is said to take frame; see what it was"),
    "other labels": (
        put(Bank(), labels=("0", "1")),
        "has the labels 'declined', 'granted', but the model answers '0', '1', so it would never be right. Give the "
        "model the labels of the dataset, in the order of its outputs.",
    ),
    "three labels": (
        put(Bank(), labels=(*LABELS, "later")),
        "and 3 labels (declined, granted, later). Return one row for each input and one column for each label.",
    ),
    "other columns": (
        narrower,
        "Model 'bank.joblib' was made for 1 features (income), but its inputs have 3. Bind the dataset that it was made "
        "for.",
    ),
    "fewer values": (
        fewer_values,
        "Model 'bank.joblib' knows 2 values of 'town', but its inputs hold more. Export it again with the legend of the "
        "file as it is now.",
    ),
    "cases without one of the values": (
        fewer_cases,
        "The model was exported for cases with other features, values or words than item set 'learning' has now. Export "
        "it again with the legend of the file as it is, or read all cases from the file that it was exported for.",
    ),
    "bare pickle": (bare, "holds 'Bank' without its labels. Write it with understudy.models.export_classifier."),
    "unknown module": (
        moved,
        "bank.joblib needs the module 'tests.journeys.own_banks', which cannot be imported here. Install it; or, if it is "
        "one of your files, add its folder to PYTHONPATH.",
    ),
    "unknown class": (renamed, "install here what the model was made with."),
    "always right": (
        always_right,
        "The model is right about all 300 items, and item set 'learning' needs wrong predictions as well. Give items that it "
        "did not learn from, or a model that makes mistakes.",
    ),
    "missing explanations": (
        half_explained,
        "that the study shows. Record explanations of every case of the dataset.",
    ),
    "explanation of another length": (lengthened, "Give one weight for each feature"),
    "explanation that is NaN": (spoiled_weight, "is nan, but must be a finite number."),
    "explanation toward another label": (
        other_label,
        "bank.json explains what speaks for 'rich', which is not a label of the model. Its labels are: declined, granted.",
    ),
    "no explanations": (
        lambda folder: (folder / "bank.json").unlink(),
        "needs the file 'bank.json', which is not next to",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_gets_one_sentence(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = write_own_study(tmp_path)
    spoil, sentence = BROKEN[what]
    spoil(tmp_path)
    shown = understudy("check", study)
    assert (shown.code, len(shown.err.splitlines())) == (2, 1), shown.err
    assert sentence in shown.err


def test_a_sound_pair_is_checked_prepared_and_rehearsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = write_own_study(tmp_path)
    for command, more in (
        ("check", []),
        ("prepare", ["--out", "made"]),
        ("rehearse", ["--people", "4", "--out", "run"]),
    ):
        shown = understudy(command, study, *more)
        assert (shown.code, shown.err.strip()) == (0, "")


def test_a_pipeline_of_another_version_of_scikit_learn_is_used_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linear = pytest.importorskip("sklearn.linear_model", reason="needs the extra sklearn")
    study = write_own_study(tmp_path)
    table = write_cases(tmp_path)
    fitted = linear.LogisticRegression().fit(table[["income", "debts"]].to_numpy(), table["credit"])
    with monkeypatch.context() as then:
        then.setattr("sklearn.base.__version__", "1.4.2")
        put_model(tmp_path, Fitted(fitted))
    command = [sys.executable, "-c", "from understudy.cli.main import run; run()", "check", str(study)]
    places = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, sys.path)])
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env={**os.environ, "PYTHONPATH": places}
    )
    warning = next(line for line in done.stderr.splitlines() if "scikit-learn" in line)
    assert done.returncode == 0
    assert warning.startswith("Warning: ")
    assert "bank.joblib was made with scikit-learn 1.4.2, and " in warning
    assert "Export the model again, or install that version." in warning


def test_with_three_answers_every_page_weighs_the_answer_that_it_shows(tmp_path: Path, page: Page) -> None:
    table = write_topics(tmp_path)
    write_topic_model(tmp_path)
    record_attributions(
        tmp_path / "news.json", topics_of(tmp_path), topic_weights(table), labels=TOPICS, baseline=[0.1, 0.2, 0.3]
    )
    study = topic_pages(Ref(name="recorded_attributions", params={"path": "news.json"}))
    with hosted(tmp_path, study=study) as site:
        page.goto(site.address)
        page.get_by_role("button", name="I agree", exact=True).click()
        seen = set()
        page.set_viewport_size({"width": 1000, "height": 800})
        for number in range(6):
            expect(page.get_by_role("heading", name=f"Case {number + 1} of 6")).to_be_visible()
            answer = page.locator(".revealed").inner_text().split()[-1]
            case = page.locator(".item").inner_text().lower()
            counts = {name: int(case.split(name)[1].split()[0]) for name in COUNTS}
            seen.add(answer)
            shown = page.locator(".explanation").inner_text()
            assert f"for “{answer}”" in shown
            assert not any(f"“{other}”" in shown for other in TOPICS if other != answer)
            weights = topic_weights(pd.DataFrame([counts]))[0, :, TOPICS.index(answer)]
            base = (0.1, 0.2, 0.3)[TOPICS.index(answer)]
            assert f"{base:.2f} without what is listed here, {base + weights.sum():.2f} with it" in shown
            assert page.locator(".card").evaluate(INSIDE)
            page.get_by_label("sports", exact=True).check()
            page.get_by_role("button", name="Submit answer", exact=True).click()
        assert seen == {*TOPICS}


def test_a_study_of_three_answers_is_rehearsed_and_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table, model = write_topics(tmp_path), write_topic_model(tmp_path)
    record_attributions(tmp_path / "news.json", topics_of(tmp_path), topic_weights(table), labels=TOPICS)
    study = write_study(
        topic_study(model, Ref(name="recorded_attributions", params={"path": "news.json"})), tmp_path / "news.toml"
    )
    checked = understudy("check", study)
    assert (checked.code, checked.err) == (0, "")
    rehearsed = understudy("rehearse", study, "--people", "8", "--cast", "lime-reader", "--out", "run")
    assert (rehearsed.code, rehearsed.err.strip()) == (0, "")
    assert understudy("report", "run").code == 0
    assert "SYNTHETIC DATA" in (tmp_path / "run" / "report.html").read_text()
