"""`us.show` and `us.play`: an explanation, or a whole study, in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from understudy.api.explaining import Explanations
from understudy.api.progress import progress
from understudy.api.runs import Run, sound
from understudy.api.studies import StudyLike
from understudy.api.widgets import Seat
from understudy.deferred import Deferred
from understudy.prepare import Explaining, Prepared, prepare, read_prepared
from understudy.roles import Explained
from understudy.schema import Explanation, Json

if TYPE_CHECKING:
    from understudy.api import widgets
else:
    widgets = Deferred("understudy.api.widgets")


def show(
    explanation: Annotated[Explanation | Explanations, "an explanation, or what us.explain returns"],
    *,
    files: Mapping[str, bytes] | None = None,
    answer: str | None = None,
    order: tuple[str, ...] = (),
    language: str = "en",
) -> widgets.ExplanationWidget:
    """Show an explanation in a notebook, drawn exactly as participants see it.

    Explanations that `explain` returned bring their pictures along; others take them from `files`. `answer` is what
    the model said, and `order` is the order of a case's values.

    Examples
    --------
    >>> show(explain(model, "lime", cases))  # doctest: +SKIP
    """
    given = explanation if isinstance(explanation, Explanations) else Explanations(Explained((explanation,)), "")
    drawing: Json = {"order": [*order], **({"answer": answer} if answer is not None else {})}
    return widgets.ExplanationWidget(
        tuple(given),
        {**given.explained.files, **(files or {})},
        drawing=drawing,
        language=language,
    )


def play(
    study: StudyLike | Run, *, condition: str | None = None, page: str | None = None, root: str | Path | None = None
) -> widgets.PlayWidget:
    """Take part in a study inside a notebook, as a participant would; nothing is saved.

    The study runs on its own server, in memory. `condition` says what you are shown, the study's own assignment decides
    without it, and `page` starts later, where simulated people have answered everything before. Read what you answered
    from `answers` or `table()` of the widget.

    Examples
    --------
    >>> played = play("loan-demo", condition="shown", page="learn")  # doctest: +SKIP
    >>> played.answers  # doctest: +SKIP
    """
    return widgets.PlayWidget(Seat(_prepared(study, root), condition, page))


def _prepared(study: StudyLike | Run, root: str | Path | None) -> Prepared:
    if isinstance(study, Run):
        return read_prepared(study.folder)
    known, folder = sound(study, root)
    with progress("Preparing", None) as advance:
        return prepare(known, folder, Explaining(on_progress=advance))
