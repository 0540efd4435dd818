"""Materials: everything a participant can see, prepared before the first one arrives."""

from pydantic import SerializeAsAny

from understudy.schema.browser_modules import BrowserModules
from understudy.schema.explanations import AnyExplanation
from understudy.schema.factors import Levels
from understudy.schema.questions import Question
from understudy.schema.record import Json, Record
from understudy.schema.task_params import TaskParams


class Draft(Record):
    """What a task makes from one stimulus: what is shown, what is asked, and the right answers."""

    params: SerializeAsAny[TaskParams]
    """What the page is shown, as the task's `Params`."""
    asks: tuple[Question, ...] = ()
    answers: Json = {}
    """Question id -> right answer. Moved to the answer key before anything is served."""
    reason: str = ""
    """Why these answers are right; told with the feedback on an answer. Moved to the answer key too."""
    typical: Json = {}
    """Question id -> the usual answer if nothing is judged, such as consent."""


class ShownTrial(Record):
    """A trial as its page gets it, without the typical answer and the stimulus id."""

    trial_id: str
    block_id: str
    task: str
    params: Json
    """What the task's `Params` say, as plain JSON, so that materials can be read where the task is not installed."""
    asks: tuple[Question, ...] = ()
    explanation: AnyExplanation | None = None


class Trial(ShownTrial):
    """One presentation. All of it is public, so no field may reveal an answer."""

    stimulus_id: str | None = None
    typical: Json = {}


class TrialSet(Record):
    """The trials of one block under one combination of levels, in the order of their items."""

    block_id: str
    levels: Levels
    trial_ids: tuple[str, ...]


class AnswerKey(Record):
    """What only the server knows: right answers with their reasons, strata and truth of each trial."""

    study_digest: str
    answers: dict[str, Json]
    reasons: dict[str, str] = {}
    strata: dict[str, Json] = {}
    truth: dict[str, Json] = {}


class Materials(Record):
    """The public part of a prepared study."""

    study_digest: str
    trials: dict[str, Trial]
    trial_sets: tuple[TrialSet, ...]
    assets: tuple[str, ...] = ()
    """Digests of files in the served folder."""
    modules: BrowserModules = BrowserModules()
    """Those of the files that draw tasks and explanations of other packages."""
