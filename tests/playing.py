"""Plays sessions move by move, and the studies that show what conducting can do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.small_studies import RIGHT_OR_WRONG, consent, debrief, numbered_items, two_group_plain
from understudy.conduct import Ended, Ledger, Script, Session, Step, assign
from understudy.participants.people import effortless_answer
from understudy.prepare import prepare
from understudy.schema import Assignment, Event, Json, ResponseGiven, SessionStarted, Study, TrialShown

QUIZ = {"kind": "choice", "question_id": "quiz", "prompt": "Which is true?", "options": ["this", "that"]}
CONFIDENCE = {"kind": "rating", "question_id": "confidence", "prompt": "How sure are you?", "points": 7}
START_MS = 1_000_000


def page(block_id: str, **more: Any) -> dict[str, Any]:
    """A page to read."""
    task = {"name": "instructions", "params": {"pages": ["Please read this."]}}
    return {"kind": "screen", "block_id": block_id, "purpose": "instructions", "task": task, **more}


def quiz(block_id: str = "quiz", **gate: Any) -> dict[str, Any]:
    """A comprehension test behind a gate."""
    task = {"name": "questionnaire", "params": {"questions": [QUIZ], "answers": {"quiz": "this"}}}
    return {
        "kind": "screen",
        "block_id": block_id,
        "purpose": "comprehension",
        "task": task,
        "gate": {"at_least": 1, **gate},
    }


def stage(block_id: str, items: str | None = "cases", **more: Any) -> dict[str, Any]:
    """A stage that asks for the model's answer."""
    task = {"name": "judge", "params": {"questions": [RIGHT_OR_WRONG], "keys": {"guess": "answer"}}}
    block: dict[str, Any] = {"kind": "stage", "block_id": block_id, "task": task, **more}
    return block if items is None else {**block, "items": items}


def study_of(*blocks: dict[str, Any], **parts: Any) -> Study:
    """A study with these blocks between consent and debriefing."""
    return Study.model_validate(two_group_plain(flow=[consent(), *blocks, debrief()], **parts))


def rich_study() -> Study:
    """Gates, loops, rotation, repeats, feedback, exclusions and pay in one study."""
    model = {"name": "model", "scope": "within", "levels": ["a", "b", "c"], "order": "latin_square"}
    phase = {"name": "phase", "scope": "within", "levels": ["pre", "post"], "order": "fixed_order"}
    results = {"name": "feedback", "params": {"measures": ["n_right"]}}
    plain = two_group_plain()
    return study_of(
        page("method", when={"explanation": "shown"}),
        page("plain_method", when={"explanation": "hidden"}),
        quiz(tries=3, restudy=["method", "plain_method"], pay_share=0.25),
        stage("practice", n_items=2, purpose="practice", feedback="per_trial", gate={"at_least": 0.5, "on_fail": "go_on"}),
        {"kind": "loop", "block_id": "models", "over": "model", "blocks": [
            stage("pre", "dealt", levels={"phase": "pre"}, order="balanced", references=[{"block": "method"}], minutes=0.5),
            stage("post", None, levels={"phase": "post"}, repeats="pre", order="shared", feedback="after_stage"),
        ]},
        {"kind": "screen", "block_id": "results", "purpose": "feedback", "task": results},
        name="rich",
        factors=[*plain["factors"], model, phase],
        item_sets=[
            *plain["item_sets"],
            {"name": "dealt", "n_items": 12, "strata": ["answer"], "rotates_over": "model", "apart_from": ["cases"],
             "dataset": numbered_items(48, answer=["yes", "no"])},
        ],
        measures=[*plain["measures"], {"name": "n_right", "measure": "correct", "summary": "sum"},
                  {"name": "seconds", "measure": "response_time", "summary": "mean"}],
        exclusions=[{"exclusion_id": "poor", "rule": "n_right < 4", "reason": "Nearly all wrong.", "pay_share": 0.5, "keeps_bonus": False}],
        pay={"base": 2, "bonuses": [{"measure": "n_right", "per_unit": 0.1, "at_most": 1}]},
    )  # fmt: skip


def script_of(study: Study, root: Path = Path()) -> Script:
    """Prepare a study for conducting."""
    prepared = prepare(study, root)
    return Script(study, prepared.materials, prepared.key)


def started(script: Script, *, arrival: int = 0, condition: str | None = None, **changes: Any) -> SessionStarted:
    """The first event of an arrival, in a wanted condition where one is named."""
    dealt = assign(Ledger(script.study), arrival)
    if dealt is None:
        raise AssertionError("a new study has room")
    if condition is not None:
        levels = next(cell.levels for cell in script.study.cells if cell.name == condition)
        changes = {"condition": condition, "levels": levels, **changes}
    assignment = Assignment.model_validate({**dealt.model_dump(), **changes})
    return SessionStarted(
        session_id=f"s{arrival}", seq=1, at_ms=START_MS, study_name=script.study.name, study_digest=script.digest,
        participant_id=f"p{arrival}", participant_kind="synthetic", cast="scripted", assignment=assignment,
    )  # fmt: skip


class Player:
    """Somebody whose every answer and pace the test decides; right and quick where it says nothing."""

    def __init__(self, script: Script, **assigned: Any) -> None:
        first = started(script, **assigned)
        self.script = script
        self.session = Session(script, first)
        self.log: list[Event] = [first]
        self.steps: list[Step] = []
        self.at_ms = first.at_ms

    @property
    def step(self) -> Step:
        """The step at hand."""
        step = self.session.next
        if isinstance(step, Ended):
            raise AssertionError(f"the session has ended: {step.outcome}")
        return step

    def right(self) -> Json:
        """What somebody who knows everything answers."""
        trial = self.step.trial
        easy = {question.question_id: effortless_answer(question) for question in trial.asks}
        return {**easy, **trial.typical, **self.script.answers.get(trial.trial_id, {})}

    def response(self, *, seconds: float = 1.0, **answers: Any) -> ResponseGiven:
        """The answer to the step at hand, not yet given."""
        seq = sum(event.stream == "page" for event in self.log) + 1
        return ResponseGiven(
            session_id=self.session.session_id, seq=seq, at_ms=self.at_ms + int(1000 * seconds), step=self.step.number,
            trial_id=self.step.trial.trial_id, response={**self.right(), **answers}, rt_ms=1000 * seconds,
        )  # fmt: skip

    def answer(self, *, seconds: float = 1.0, **answers: Any) -> tuple[Event, ...]:
        """Look at the step at hand, answer it, and return what the engine adds."""
        step = self.step
        seq = sum(event.stream == "page" for event in self.log) + 1
        shown = TrialShown(
            session_id=self.session.session_id, seq=seq, at_ms=self.at_ms, step=step.number, trial_id=step.trial.trial_id
        )  # fmt: skip
        self._take(shown)
        response = self.response(seconds=seconds, **answers)
        fault = self.session.fault_of(response)
        if fault is not None:
            raise AssertionError(fault)
        self.steps.append(step)
        self.at_ms = response.at_ms
        return self._take(response)

    def _take(self, event: Event) -> tuple[Event, ...]:
        made = self.session.take(event)
        self.log += [event, *made]
        return made

    def until(self, block_id: str, **choices: Any) -> "Player":
        """Play up to the first step of a block."""
        while self.step.visit.block.block_id != block_id:
            self.answer(**choices)
        return self

    def with_mistakes(self, block_id: str, n_wrong: int) -> "Player":
        """Play up to a block, and give that many wrong answers in it, or as many as it asks for."""
        self.until(block_id)
        while n_wrong and self.step.visit.block.block_id == block_id:
            n_wrong -= 1
            key = self.script.answers[self.step.trial.trial_id]["guess"]
            self.answer(guess="no" if key == "yes" else "yes")
        return self

    def finish(self, choose: Callable[[Step], dict[str, Any]] = lambda _: {}, *, seconds: float = 1.0) -> "Player":
        """Play to the end."""
        while not isinstance(self.session.next, Ended):
            self.answer(seconds=seconds, **choose(self.step))
        return self

    def blocks(self) -> list[str]:
        """The blocks met, one entry for each step."""
        return [step.visit.block.block_id for step in self.steps]

    def items(self, block_id: str) -> list[str]:
        """The items met in a block, in order."""
        return [str(step.trial.stimulus_id) for step in self.steps if step.visit.block.block_id == block_id]

    def added(self, kind: type[Event]) -> list[Any]:
        """The events of one kind, in order."""
        return [event for event in self.log if isinstance(event, kind)]
