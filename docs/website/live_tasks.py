"""Live tasks: pages that participants see, with made-up cases, to try in the gallery of the site."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tour.showcase import KINDS
from understudy.errors import UnderstudyError
from understudy.protocols.hase2020.lessons import example_of, sample_explanations
from understudy.schema import Json
from website.pages import ROOT

BUNDLE = ROOT / "src" / "understudy" / "_web" / "jspsych"
_FLAT = ("cheap", "expensive")
OPTIONS = {
    "attribution": _FLAT,
    "rule": _FLAT,
    "similar_case": _FLAT,
    "path": _FLAT,
    "token_attribution": ("travel", "food"),
    "heatmap": ("house", "barn"),
}
PICTURES = ("prototype_matches", "tree_path", "picture_grid", "prototype_tree")
"""Kinds of explanation that are about the picture of a house, as the heat map is."""
"""Kind of explanation -> the answers of the model in its made-up case."""
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="tasks.css">
<body>
<main class="stage" id="stage"></main>
<script src="tasks.js"></script>
<script>
const trial = {trial};
const stage = document.querySelector("#stage");
function show() {{
  stage.replaceChildren();
  const jsPsych = {{
    finishTrial(data) {{
      const again = Object.assign(document.createElement("button"), {{ textContent: "Try it again", className: "primary" }});
      again.addEventListener("click", show);
      const said = Object.assign(document.createElement("pre"), {{ textContent: JSON.stringify(data.answers, null, 2) }});
      stage.replaceChildren("What a study would store:", said, again);
    }},
  }};
  new understudyTasks[trial.plugin](jsPsych).trial(stage, {{ ...trial, media: (name) => name }});
}}
show();
</script>
"""


class LiveTask(NamedTuple):
    """One page to try: the plugin that draws it, and what it shows and asks."""

    plugin: str
    params: Json
    asks: tuple[Json, ...] = ()
    explanation: Json | None = None
    files: Mapping[str, bytes] = {}


def live_tasks() -> dict[str, LiveTask]:
    """Return every page to try by its name."""
    tasks: dict[str, LiveTask] = {}
    for kind, options in OPTIONS.items():
        # The lessons know the words that counted by the same kind as other weights.
        is_text = kind == "token_attribution"
        example = example_of("attribution" if is_text else kind, is_text=is_text)
        asked: Json = {
            "kind": "choice",
            "question_id": "prediction",
            "prompt": "What would you have predicted?",
            "options": [*options],
        }
        explanation = example.explanation.model_dump(mode="json") if example.explanation else None
        params: Json = {"text": example.caption, "content": example.content}
        tasks[kind] = LiveTask("judge", params, (asked,), explanation, example.picture_file)
    samples = sample_explanations()
    for kind in PICTURES:
        explanation = samples[kind].explanation.model_dump(mode="json")
        tasks[kind] = tasks["heatmap"]._replace(explanation=explanation)
    unexplained: Json = {
        **tasks["attribution"].params,
        "text": "A model says whether a flat is **cheap** or **expensive**.",
    }
    predicted: Json = {**tasks["attribution"].asks[0], "prompt": "What will the model say?"}
    tasks["judge"] = LiveTask("judge", unexplained, (predicted,))
    asks = tuple({"kind": kind, "question_id": kind, **question} for kind, question in KINDS.items())
    return tasks | {"questionnaire": LiveTask("questionnaire", {}, asks)}


def write_live_tasks(folder: Path) -> None:
    """Write each page to try, with the scripts and pictures that it needs, so that it opens from a folder."""
    (folder / "tasks.js").write_text(classic_script(), encoding="utf-8")
    (folder / "tasks.css").write_bytes((BUNDLE / "understudy-tasks.css").read_bytes())
    for name, task in live_tasks().items():
        trial = {"plugin": task.plugin, "params": task.params, "asks": task.asks, "explanation": task.explanation}
        # Inside a script, only the end of an element could end it.
        text = json.dumps({**trial, "context": None, "language": "en"}).replace("</", "<\\/")
        page = PAGE.format(title=f"Live example: {name.replace('_', ' ')}", trial=text)
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
        for address, content in task.files.items():
            (folder / address).write_bytes(content)


def classic_script() -> str:
    """Return the bundle of tasks as a script without modules: browsers do not load modules from a folder."""
    path = BUNDLE / "understudy-tasks.js"
    if not path.is_file():
        raise UnderstudyError(f"{path} is missing. Build the front end first: `make web`.")
    text = path.read_text(encoding="utf-8")
    names = re.search(r"export\{([^}]*)\};?\s*(?://#.*)?$", text)
    if names is None:
        raise UnderstudyError(f"{path} exports nothing, so that the gallery cannot show its tasks.")
    pairs = [pair.split(" as ") for pair in names[1].split(",")]
    shared = ", ".join(f"{name}: {inner}" for inner, name in pairs)
    inner = re.sub(r'^import"[^"]+";', "", text[: names.start()]).replace("import.meta.url", "document.baseURI")
    return f"window.understudyTasks = (() => {{ {inner}\nreturn {{ {shared} }}; }})();\n"
