"""Widgets: what a page in a cell is given, what it asks, and what Python reads back."""

import json
from collections.abc import Iterator

import pytest
from pydantic import JsonValue

import understudy as us
from understudy.api.widgets import ExplanationWidget, PlayWidget, Reply
from understudy.errors import UnknownName
from understudy.protocols.hase2020.lessons import sample_explanations
from understudy.schema import Json, explanation_kinds

SAMPLES = sample_explanations()


@pytest.fixture(scope="module")
def played() -> Iterator[PlayWidget]:
    widget = us.play("loan-demo", condition="hidden", page="comprehension")
    yield widget
    widget.close()


def asked(widget: PlayWidget, path: str, body: Json | None = None) -> Reply:
    """Send what a page sends, and return what it hears."""
    return widget.reply_to(
        {
            "method": "GET" if body is None else "POST",
            "path": path,
            "headers": {"Authorization": f"Bearer {widget.shown['token']}", "Content-Type": "application/json"},
            "body": "" if body is None else json.dumps(body),
        }
    )


def test_there_is_a_sample_of_every_kind() -> None:
    assert set(SAMPLES) == {
        kind for kind, record in explanation_kinds().items() if record.__module__.startswith("understudy.")
    }


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_kind_is_shown_with_its_pictures_and_a_text_for_static_copies(kind: str) -> None:
    explanation, files = SAMPLES[kind]
    widget = us.show(explanation, files=files)
    assert isinstance(widget, ExplanationWidget)
    assert widget.shown["explanations"] == [explanation.model_dump(mode="json")]
    assert widget.files == files
    data = widget._repr_mimebundle_()[0]
    assert data["text/html"] == explanation._repr_html_()
    assert kind in widget.label


def test_explanations_bring_their_pictures_along(linear_explanations: us.Explanations) -> None:
    widget = us.show(linear_explanations)
    assert len(widget.shown["explanations"]) == len(linear_explanations)


@pytest.fixture
def linear_explanations() -> us.Explanations:
    model = us.Ref(name="linear_classifier", params={"weights": [1.0, -1.0], "labels": ["no", "yes"]})
    return us.explain(model, us.Ref(name="weighted_features", params={"features": ["a", "b"]}), [[1, 2], [3, 4]])


def test_a_session_begins_at_the_page_that_was_asked_for(played: PlayWidget) -> None:
    reply = asked(played, "/api/s/loan-demo/state")
    assert reply.status == 200
    assert json.loads(reply.content)["step"]["trial"]["task"] == "questionnaire"
    assert played.condition == "hidden"


def test_what_is_answered_can_be_read_back(played: PlayWidget) -> None:
    state = json.loads(asked(played, "/api/s/loan-demo/state").content)
    step = state["step"]
    first = {"step": step["number"], "trial_id": step["trial"]["trial_id"], "at_ms": 1}
    given = {question["question_id"]: question["options"][0] for question in step["trial"]["asks"]}
    events: list[JsonValue] = [
        {**first, "type": "trial_shown", "seq": state["next_seq"]},
        {**first, "type": "response_given", "seq": state["next_seq"] + 1, "response": given, "rt_ms": 1500, "active_ms": 1500},
    ]  # fmt: skip
    assert asked(played, "/api/s/loan-demo/events", {"events": events}).status == 200
    assert played.answers[-1] == {
        "page": "comprehension",
        "task": "questionnaire",
        "item": None,
        "answers": given,
        "seconds": 1.5,
        "is_sent": True,
    }
    assert set(given) <= set(played.table().columns)


def test_what_live_models_run_on_comes_when_it_is_asked_for(played: PlayWidget) -> None:
    reply = asked(played, f"/static/{played.shown['runtime']}")
    assert (reply.status, reply.content[:4]) == (200, b"\0asm")


def test_static_copies_say_what_was_played(played: PlayWidget) -> None:
    data = played._repr_mimebundle_()[0]
    assert "Run the notebook to take part here." in data["text/html"]
    assert data["text/plain"].startswith("Rehearsal of loan-demo in the condition hidden")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"condition": "shwon"}, "There is no condition 'shwon'. Did you mean 'shown'"),
        ({"page": "predicts"}, "There is no page 'predicts'. Did you mean 'predict'"),
    ],
)
def test_a_name_that_is_not_there_is_one_sentence(options: dict[str, str], sentence: str) -> None:
    with pytest.raises(UnknownName, match=sentence):
        us.play("loan-demo", **options)


def test_a_rehearsal_leaves_nothing_behind() -> None:
    widget = us.play("loan-demo")
    folder = widget._seat.folder
    assert folder.is_dir()
    widget.close()
    assert not folder.exists()


def test_a_run_can_be_played_without_touching_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    run = us.prepare("loan-demo", tmp_path_factory.mktemp("run") / "run")
    widget = us.play(run)
    widget.close()
    assert not (run.folder / "events.sqlite").exists()
