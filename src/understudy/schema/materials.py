"""Materials: everything a participant can see, prepared before the first one arrives."""

from typing import Literal

from pydantic import Field, JsonValue, SerializeAsAny

from understudy.schema.assets import BrowserModules
from understudy.schema.explanations import AnyExplanation
from understudy.schema.factors import Levels
from understudy.schema.flow import TaskParams
from understudy.schema.questions import Question
from understudy.schema.record import Json, Name, Record, Ref

# Item sets, and the stimuli that are prepared from them.


class ItemSet(Record):
    """A named collection of items drawn from a dataset under balance rules."""

    name: Name
    n_items: int = Field(ge=1, le=100_000)
    dataset: Ref | None = None
    """The source of the items; by default the study's bindings decide."""
    strata: tuple[str, ...] = ()
    """Item attributes to balance over: each combination appears equally often, exactly."""
    matched_on: tuple[str, ...] = ()
    """Item attributes, such as prediction, whose values are to be equally common in every stratum, so that they do not
    tell the strata apart; `matching` says how strictly."""
    matching: Literal["near", "exact"] = "near"
    """`near` matches exactly where the data allow it, otherwise as nearly as they do; `exact` refuses to prepare the
    study then."""
    distinct_on: tuple[str, ...] = ()
    """Item attributes, such as label, of which no two items of the set share a value, so that two worked examples are
    not of one class."""
    only: dict[str, str | tuple[str, ...]] = {}
    """Attribute -> the value, or values, that items must have, such as model_is = right."""
    apart_from: tuple[str, ...] = ()
    """Other sets that must share no item with this one."""
    rotates_over: str | None = None
    """A within-factor over whose levels the items are distributed in a Latin square, so that a person sees each
    item once and each item is seen under each level equally often."""
    dealt_over: str | None = None
    """A between-factor, such as stimulus_set, each of whose levels gets its own items: equal parts of the set, each as
    balanced over the strata as its size allows."""


class Stimulus(Record):
    """One prepared item: what may be shown, and what must not be."""

    stimulus_id: str
    content: Json
    explanation: AnyExplanation | None = None
    truth: Json = {}
    """What is never sent to a browser: label, prediction, correctness and so on."""
    strata: dict[str, JsonValue] = {}


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
