"""A small study whose texts are coded, and people who wrote given texts in it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.small_studies import two_group_plain
from understudy.actions.run_folder import Run, new_run
from understudy.schema import Cast, CastMember, Event, Ref, ResponseGiven, SessionStarted, Study
from understudy.simulate import rehearse

CAREFUL = Cast(name="careful", members=(CastMember(participant=Ref(name="careful"), share=1),))
WHY: dict[str, Any] = {"kind": "text", "question_id": "why", "prompt": "How did you decide?", "min_chars": 1}
MIND: dict[str, Any] = {
    "kind": "text",
    "question_id": "mind",
    "prompt": "What else came to mind?",
    "is_required": False,
}
JUDGEMENT: dict[str, Any] = {
    "scheme_id": "judgement",
    "title": "Did they understand?",
    "instruction": "Read the text, then decide whether the person understood the task.",
    "questions": ["why"],
    "codes": [
        {"code_id": "include", "definition": "It is about the model.", "examples": ["The model liked high incomes."]},
        {"code_id": "unsure", "definition": "You cannot tell."},
        {
            "code_id": "exclude",
            "definition": "It is about something else.",
            "counterexamples": ["I guessed its answer."],
        },
    ],
    "groups": {"include": ["include"], "leave_out": ["unsure", "exclude"]},
}


def coded_study(*schemes: dict[str, Any], **changes: Any) -> Study:
    """Two groups who also write why; people judged unsure or exclude are left out."""
    plain = two_group_plain()
    asked = {
        "kind": "screen", "block_id": "after", "purpose": "questionnaire",
        "task": {"name": "questionnaire", "params": {"questions": [WHY, MIND]}},
    }  # fmt: skip
    judged = {"scheme": "judgement", "codes": ["unsure", "exclude"]}
    return Study.model_validate(
        {
            **plain,
            "flow": [*plain["flow"][:-1], asked, plain["flow"][-1]],
            "measures": [
                *plain["measures"],
                {"name": "left_out", "measure": {"name": "coded", "params": judged}},
                {"name": "label", "measure": {"name": "settled_code", "params": {"scheme": "judgement"}}},
            ],
            "exclusions": [
                {
                    "exclusion_id": "misunderstood", "applies": "annotators", "rule": "left_out == 1",
                    "reason": "Two annotators found a serious misunderstanding.",
                }
            ],
            "annotation": list(schemes) or [JUDGEMENT],
            **changes,
        }
    )  # fmt: skip


def coded_run(folder: Path, texts: Sequence[str], study: Study | None = None, *, kind: str = "person") -> Run:
    """Prepare the study and let one person write each text."""
    run = new_run(study or coded_study(assignment={"quota": 200}), folder, folder)
    with run.open_log() as log:
        sessions = rehearse(run.script, CAREFUL, seed=1, n_people=len(texts))
        for events, text in zip(sessions, texts, strict=True):
            log.append([_written(event, text, kind) for event in events])
    return run


def _written(event: Event, text: str, kind: str) -> Event:
    if isinstance(event, SessionStarted):
        return event.model_copy(update={"participant_kind": kind, "cast": None if kind == "person" else event.cast})
    if isinstance(event, ResponseGiven) and "why" in event.response:
        return event.model_copy(update={"response": {"why": text, "mind": None}})
    return event
