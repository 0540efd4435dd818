"""Flow: screens, stages over items and loops over within-factors, with their gates and stops."""

from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field, model_validator

from understudy.schema.expression import Expression
from understudy.schema.factors import Levels
from understudy.schema.record import Name, Record, Ref

Purpose: TypeAlias = Literal[
    "consent", "check", "instructions", "video", "comprehension", "practice", "learning", "main",
    "questionnaire", "feedback", "debrief",
]  # fmt: skip


class _PartlyPaid(Record):
    pay_share: float = Field(default=0.0, ge=0, le=1)
    """Share of the base pay for a person who is turned away here."""
    pay_amount: float | None = Field(default=None, ge=0)
    """The same as an amount in the study's currency; give one of the two."""

    @model_validator(mode="after")
    def _paid_in_one_way(self) -> "_PartlyPaid":
        if self.pay_amount is not None and self.pay_share:
            raise ValueError(
                f"pay_share is {self.pay_share:g} and pay_amount is {self.pay_amount:g}. Give one of the two."
            )
        return self


class Gate(_PartlyPaid):
    """Lets a participant continue only after a good enough block; otherwise they study again and retry, or the session ends."""

    at_least: float = Field(ge=0)
    """Wanted mean of the measure over the block's trials (share correct, when no measure is named)."""
    measure: str | None = None
    tries: Annotated[int, Field(ge=1, le=1000)] | Literal["unlimited"] = 1
    """How often the block may be taken."""
    restudy: tuple[str, ...] = ()
    """Blocks shown again before each further try."""
    on_fail: Literal["screen_out", "go_on"] = "screen_out"
    reason: str = "The check questions were not answered as needed."


class Stop(_PartlyPaid):
    """Ends the session after this block when a rule over its answers holds, such as consent refused."""

    rule: Expression
    outcome: Literal["declined", "screened_out"] = "screened_out"
    reason: str


class Reference(Record):
    """Keeps earlier material available during a block; every use is an event."""

    block: str
    access: Literal["on_demand", "always"] = "on_demand"


class Part(Record):
    """A part of the study, announced on a page of its own before its first block."""

    title: str = Field(min_length=1)
    """What people do now, such as "Predict, now with explanations"; {turn} and {turns} count the turns of a loop."""
    text: str = ""
    """What is different from now on, if anything."""
    has_break: bool = True
    """Whether people may rest first; a break counts nowhere as time at work."""


class _Block(Record):
    block_id: Name
    part: Part | None = None
    """The part that begins with this block."""
    seconds: float | None = Field(default=None, gt=0)
    """What one page takes on average, for progress and minutes left; by default estimated from its words and questions."""
    when: dict[str, str | tuple[str, ...]] = {}
    """Factor levels for which the block exists; all when empty."""
    levels: Levels = {}
    """Levels of within-factors that this block has, such as phase = post."""
    purpose: Purpose
    references: tuple[Reference, ...] = ()
    gate: Gate | None = None
    stops: tuple[Stop, ...] = ()
    explains_model: bool = False
    """Whether its pages show the explanation of the whole model that is bound to the condition."""


class Screen(_Block):
    """One page that needs no items: consent, instructions, a video, a questionnaire, a debriefing."""

    kind: Literal["screen"] = "screen"
    task: Ref
    feedback: Literal["none", "per_trial"] = "none"
    """per_trial: the next page says whether the answers were right."""


class Stage(_Block):
    """Trials of one task over the items of a set, or over the items of an earlier stage."""

    kind: Literal["stage"] = "stage"
    task: Ref
    items: str | None = None
    repeats: str | None = None
    """An earlier stage whose items the participant sees again."""
    purpose: Purpose = "main"
    order: Literal["shuffled", "shared", "given", "balanced"] = "shuffled"
    """shuffled: anew for each person; shared: one random order per condition; given: as in the set;
    balanced: random, with every prefix as balanced over the strata as its length allows."""
    together: str | None = None
    """An item attribute, such as dial: items that share its value follow each other, in any order."""
    n_items: int | None = Field(default=None, ge=1, le=100_000)
    """How many items of the set a person sees; all by default."""
    subset: Literal["same", "own", "anew"] = "same"
    """Which n_items. same: the first of the set, for everybody; own: drawn for each person, who meets the same places
    of the set in every turn of a loop, so that conditions within a person stay matched; anew: drawn for each person
    and each turn. What is drawn is as balanced over the strata as its number allows."""
    minutes: float | None = Field(default=None, gt=0)
    """The stage ends after this time, counted from its first trial, once the current trial is answered."""
    explains: bool = False
    """Whether items carry the explanation bound to the condition."""
    candidates: int | None = Field(default=None, ge=2, le=1000)
    """How many classes each item is explained for, as numbered options in random order: those that the model finds most
    likely, the label always among them. By default an item is explained for the model's answer alone."""
    feedback: Literal["none", "continuous", "per_trial", "after_stage"] = "none"


class Loop(Record):
    """Repeats its blocks once for each level of a within-factor, in the participant's own order."""

    kind: Literal["loop"] = "loop"
    block_id: Name
    over: str
    when: dict[str, str | tuple[str, ...]] = {}
    blocks: tuple["Block", ...] = Field(min_length=1)


Block: TypeAlias = Annotated[Screen | Stage | Loop, Field(discriminator="kind")]
Loop.model_rebuild()


def blocks_in(flow: tuple[Block, ...]) -> tuple[Screen | Stage, ...]:
    """Return all screens and stages in order, including those inside loops."""
    blocks: list[Screen | Stage] = []
    for block in flow:
        if isinstance(block, Loop):
            blocks.extend(blocks_in(block.blocks))
        else:
            blocks.append(block)
    return tuple(blocks)


# Results: what people are told about how they did, made by the server after the part it is about.


class ResultGroup(Record):
    """Predictions of one kind: how many there were, how many were recognised, and the person's own ratings of them."""

    kind: Literal["right", "wrong"]
    """Whether the predictions were right."""
    n: int = Field(ge=0)
    n_recognised: int = Field(ge=0)
    ratings: tuple[int, ...] = ()
    """In the order in which they were given."""


class ShownResult(Record):
    """How somebody did in one part, by a named rule."""

    rule: Literal["median_split", "share_correct"]
    title: str = ""
    n: int = Field(ge=1)
    n_right: int = Field(ge=0)
    chance: float | None = None
    """The share that guessing would get right."""
    points: tuple[str, ...] = ()
    """What the points of the rating are called, from the first, so that people read the words that they chose."""
    groups: tuple[ResultGroup, ...] = ()
    """Right and wrong predictions apart, for rules that tell them apart."""


# Task parameters: the base of what each task's page is shown.


class TaskParams(Record):
    """What the page of a task is shown; each task declares its own as `Params`.

    A field that is not declared never reaches a browser, and a field added later needs a default: that is how
    materials of older and newer versions stay readable.
    """

    model_config = ConfigDict(extra="ignore")
