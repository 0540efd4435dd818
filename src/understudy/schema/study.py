"""Study: the frozen description of what is shown, to whom, and what will count as evidence."""

from math import prod
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import Field, PrivateAttr, model_validator

from understudy.schema.annotation import CodingScheme
from understudy.schema.events import Ending
from understudy.schema.expression import Expression
from understudy.schema.factors import AssignmentRule, Binding, Condition, Factor, crossed_conditions
from understudy.schema.flow import Block, Loop
from understudy.schema.materials import ItemSet
from understudy.schema.plan import AnalysisPlan, Summary
from understudy.schema.record import Name, Record, Ref, digest_of

# Access: who may start a session, how many start in an hour, and how much people learn about their answers.


class Access(Record):
    """What keeps people from taking a study again and again until they know its answers."""

    ids: Literal["optional", "required"] = "optional"
    """required: only people whose link carries a recruiter's id may start."""
    links: Literal["open", "listed", "signed"] = "open"
    """open: any id is believed; listed: only ids in the file allowed_ids.txt of the run folder; signed: only links
    that `understudy links` printed. The last two need an id."""
    resume_by_id: bool = Field(
        default=True, exclude_if=lambda resumes: resumes, json_schema_extra={"may_be_absent": True}
    )
    """Whether somebody with nothing but an id may continue with an unfinished session of that id in another browser. They see
    when the session began and where it continues, not what was answered, and can neither stop nor erase it. With false, it continues only in the
    browser in which it began, or by a signed link."""
    new_per_hour: int | None = Field(default=None, ge=1, le=1_000_000)
    """How many people may start in an hour; no limit by default."""
    restart_after_erasing: bool = False
    """Whether people who erased their data may take part again with the same id; those who were screened out never may."""
    results: Literal["shown", "total", "hidden"] = "shown"
    """shown: result pages and pay as designed; total: result pages stay empty, and the end tells the whole pay, not how
    much of it is bonus; hidden: neither results nor bonus are told, and the bonus is paid later."""

    @property
    def needs_id(self) -> bool:
        """Whether people without an id are turned away."""
        return self.ids == "required" or self.links != "open"


# Display: how a study draws its explanations, which the explanation itself does not say.


class Display(Record):
    """How heat maps are drawn, and what the options of an item are called."""

    layout: Literal["beside", "overlay"] = "beside"
    """Whether the map is drawn on its own, next to the picture, or over the picture."""
    opacity: float = Field(default=0.6, ge=0, le=1)
    """How far the map covers the picture, in the layout overlay."""
    lets_change_opacity: bool = False
    """Whether the participant may change that."""
    interpolation: Literal["auto", "smooth", "blocky"] = "auto"
    """Whether values between the cells of the map are interpolated; auto does so for maps coarser than the picture."""
    option_name: str = ""
    """What alternatives, and maps without a label, are called; {option} is the number. The page has words of its own."""


# Exclusions: declared predicates over a session, when they apply, and what they mean for pay.


class Exclusion(Record):
    """Takes a session out of the sample when its rule holds; applied in the order of declaration."""

    exclusion_id: Name
    reason: str
    """One plain sentence, shown in the participant flow of the report."""
    applies: Literal["live", "at_close", "annotators"] = "at_close"
    """live: at the end of each block, and the session ends; at_close: when the session is complete;
    annotators: when the tables are made, by the codes that annotators gave; the session keeps its place and its pay."""
    rule: Expression | None = None
    """Over session measures and the session's own quantities. For annotators, over measures of codes; without one,
    researchers decide by separate events."""
    pay_share: float = Field(default=1.0, ge=0, le=1)
    keeps_bonus: bool = True


# Follow-up: which earlier part a study continues, who is invited to it, and when.

Standing: TypeAlias = Literal["welcome", "uninvited", "early", "late"]
DAY_MS = 24 * 3_600_000


class FollowUp(Record):
    """The earlier part of a longitudinal study; a person has the same pseudonym in both."""

    study: Name
    """The name of the earlier part."""
    after_days: float = Field(default=0.0, ge=0)
    """How long after the end of the earlier part a person may start."""
    within_days: float | None = Field(default=None, gt=0)
    """Until how long after the end of the earlier part; without an end by default."""
    invites: Literal["counted", "completed"] = "counted"
    """counted: people who completed the earlier part and are not excluded; completed: excluded people too."""
    keeps_condition: bool = True
    """Whether people stay in their condition, which must have the same name in both parts."""

    def window_ms(self, ended_ms: int) -> tuple[int, int | None]:
        """Return from when and until when somebody may start who ended the earlier part then."""
        opens = ended_ms + round(self.after_days * DAY_MS)
        return opens, None if self.within_days is None else ended_ms + round(self.within_days * DAY_MS)

    def standing_at(self, now_ms: int, ended_ms: int) -> Standing:
        """Tell whether an invited person may start now."""
        opens, closes = self.window_ms(ended_ms)
        if now_ms < opens:
            return "early"
        return "late" if closes is not None and now_ms > closes else "welcome"


# Pay and bonus.

_WITHOUT_CENTS = frozenset(
    {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"}
)
"""Currencies that ISO 4217 lists without a smaller unit."""


def minor_digits(currency: str) -> int:
    """Return how many decimals an amount can be paid with; of currencies with three, two are used."""
    return 0 if currency in _WITHOUT_CENTS else 2


class Bonus(Record):
    """A bonus: an amount for each unit of a session measure."""

    measure: str
    per_unit: float = Field(gt=0)
    at_most: float | None = Field(default=None, gt=0)


class Pay(Record):
    """What participants are paid."""

    currency: str = "USD"
    base: float = Field(ge=0)
    bonuses: tuple[Bonus, ...] = ()
    expected_minutes: float | None = Field(default=None, gt=0)


# Recruitment: where participants come from, and what that place has to tell them before they start.

Device: TypeAlias = Literal["desktop", "tablet", "mobile"]
SentBack: TypeAlias = Ending | Literal["full"]
"""How it ended for somebody who goes back to the recruiter; full: every place was taken when they came."""
SENT_BACK: tuple[SentBack, ...] = (
    "completed", "excluded", "screened_out", "declined", "withdrew", "abandoned", "full",
)  # fmt: skip
"""Every way to be sent back. In the words of platforms, declined means no consent, and abandoned means timed out."""


class Recruitment(Record):
    """Where participants come from; minutes and reward are those of `pay`."""

    recruiter: Ref
    title: str = ""
    """What people read in the recruiter's list of studies; by default the study's shown_title."""
    description: str = ""
    """What people read before they decide to start."""
    devices: tuple[Device, ...] = ()
    """What people may use; anything when empty."""
    places: int | None = Field(default=None, ge=1, le=1_000_000)
    """How many people are wanted; by default the sum of the quotas."""
    hourly_minimum: float | None = Field(default=None, gt=0)
    """The least that people should earn in an hour, in the currency of `pay`; `understudy pay` warns below it."""


LEVEL = "{level}"
"""Stands for the level in the `question` of a measure over questions."""


_LONGEST_NAME = 74
_MOST_CONDITIONS = 10_000
_MOST_VISITS = 10_000


def pilot_name(name: str) -> str:
    """Return what the pilot of a study is called.

    >>> pilot_name("loan-demo")
    'loan-demo-pilot'
    """
    return f"{name[:_LONGEST_NAME]}-pilot"


class MeasureUse(Record):
    """A measure of the catalogue, under the name the plan calls it by."""

    name: Name
    measure: Ref
    summary: Summary | None = None
    """Turns a measure of trials into one number per session."""
    blocks: tuple[str, ...] = ()
    """Blocks whose trials count; the main stages when empty."""
    over: str | None = None
    """A question-factor: each of its questions is scored separately. In the measure's `question`, {level} means the
    level, so that "{level}_why" reads the question next to it; by default the level itself is read."""

    def ref_at(self, level: str) -> Ref:
        """Return the measure as it reads one question of `over`."""
        question = str(self.measure.params.get("question", LEVEL)).replace(LEVEL, level)
        return Ref(name=self.measure.name, params={**self.measure.params, "question": question})

    @property
    def ref(self) -> Ref:
        """The measure, ready to be created; over questions, that of any of them."""
        return self.measure if self.over is None else self.ref_at(LEVEL)


class Simplification(Record):
    """What pages show of a method's explanations, what they leave out, and what they put in another order."""

    shown: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    reordered: tuple[str, ...] = ()


def _n_visits(blocks: tuple[Block, ...], n_levels: dict[str, int]) -> int:
    """Return how many blocks a person meets at most, every turn of a loop counted."""
    return sum(
        n_levels.get(block.over, 1) * _n_visits(block.blocks, n_levels) if isinstance(block, Loop) else 1
        for block in blocks
    )


class _Origin:
    """The folder that a study was read from: no part of what the study is, so all origins are equal."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Origin)

    def __hash__(self) -> int:
        return 0


class Study(Record):
    """A whole study, including its analysis plan; its digest is its version."""

    format: Literal[1] = 1
    name: Name
    title: str
    shown_title: str = ""
    """What participants read at the top of their page; none when empty, since a title can give the question away."""
    question: str = ""
    """What the study wants to find out, in one or two sentences."""
    language: str = "en"
    """en or de: the language of buttons, messages and ready-made forms. You write the study's own texts in it."""
    participants: Literal["people", "models"] = "people"
    """models: the units that answer are programs, such as two classifiers under test; no consent is asked of them."""
    factors: tuple[Factor, ...] = ()
    conditions: tuple[Condition, ...] = ()
    """The combinations of between-levels in use; every combination when empty."""
    bindings: tuple[Binding, ...] = ()
    simplifications: dict[str, Simplification] = {}
    """Method -> how its explanations are simplified for people, so that readers know what was tested."""
    assignment: AssignmentRule = AssignmentRule()
    access: Access = Access()
    item_sets: tuple[ItemSet, ...] = ()
    flow: tuple[Block, ...] = Field(min_length=1)
    measures: tuple[MeasureUse, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()
    annotation: tuple[CodingScheme, ...] = ()
    """Texts and recordings that people code after the sessions, blind to conditions and answers."""
    pay: Pay | None = None
    recruitment: Recruitment | None = None
    plan: AnalysisPlan
    seed: int = Field(ge=0, le=2**64 - 1)
    follows: FollowUp | None = None
    """The earlier part of a longitudinal study; only its people may take this one."""
    pilot_of: str | None = None
    """The study that this one is the pilot of, set by `understudy serve --pilot`; its people may not take that one, and its
    data are never pooled with it."""

    @model_validator(mode="after")
    def _can_be_laid_out(self) -> "Study":
        between = [factor for factor in self.factors if factor.scope == "between"]
        n_crossed = prod(len(factor.levels) for factor in between)
        if not self.conditions and n_crossed > _MOST_CONDITIONS:
            raise ValueError(
                f"the between-factors {', '.join(factor.name for factor in between)} cross to {n_crossed:,} conditions, but a "
                f"study may have {_MOST_CONDITIONS:,}. List the ones in use under conditions, or take levels out."
            )
        n_visits = _n_visits(self.flow, {factor.name: factor.n_drawn or len(factor.levels) for factor in self.factors})
        if n_visits > _MOST_VISITS:
            raise ValueError(
                f"the loops of the flow lead a person through {n_visits:,} blocks, but {_MOST_VISITS:,} are allowed. Loop over "
                "fewer levels, or give their factors n_drawn."
            )
        return self

    _origin: _Origin = PrivateAttr(default_factory=lambda: _Origin(Path()))

    @property
    def folder(self) -> Path:
        """The folder that its file paths are relative to: that of its file, or the current one."""
        return self._origin.folder

    def read_from(self, folder: Path) -> "Study":
        """Return the study with the folder of its file, which copies keep; its digest stays the same."""
        study = self.model_copy()
        study._origin = _Origin(folder.resolve())  # noqa: SLF001 (its own)
        return study

    @property
    def digest(self) -> str:
        """The version of the study; it changes with every character of any text."""
        return digest_of(self)

    @property
    def refuses_people_of(self) -> tuple[str, ...]:
        """Names of the studies whose participants may not take this one: those it names, and its own pilot."""
        own = () if self.pilot_of is not None else (pilot_name(self.name),)
        return (*self.assignment.blocks_participants_of, *own)

    @property
    def cells(self) -> tuple[Condition, ...]:
        """The conditions in use, spelled out."""
        return self.conditions or crossed_conditions(self.factors)

    def quota_of(self, condition: Condition) -> int:
        """Return how many completed participants a condition wants."""
        return self.assignment.quota if condition.quota is None else condition.quota

    @property
    def n_places(self) -> int:
        """How many participants the study wants from its recruiter."""
        if self.recruitment is not None and self.recruitment.places is not None:
            return self.recruitment.places
        return sum(self.quota_of(condition) for condition in self.cells)

    def factor(self, name: str) -> Factor:
        """Return the factor of that name."""
        return next(factor for factor in self.factors if factor.name == name)

    def scheme(self, scheme_id: str) -> CodingScheme | None:
        """Return the coding scheme of that name; None if there is none."""
        return next((scheme for scheme in self.annotation if scheme.scheme_id == scheme_id), None)

    def __repr__(self) -> str:
        """Say which study it is, and leave its pages out."""
        return f"Study({self.name!r}, {len(self.cells)} conditions, {len(self.plan.hypotheses)} hypotheses, version {self.digest[:12]})"

    __str__ = __repr__
