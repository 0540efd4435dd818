"""Study: the frozen description of what is shown, to whom, and what will count as evidence."""

from pathlib import Path
from typing import Literal

from pydantic import Field, PrivateAttr

from understudy.schema.access import Access
from understudy.schema.annotation import CodingScheme
from understudy.schema.exclusion import Exclusion
from understudy.schema.factors import AssignmentRule, Binding, Condition, Factor, crossed_conditions
from understudy.schema.flow import Block
from understudy.schema.follow_up import FollowUp
from understudy.schema.items import ItemSet
from understudy.schema.pay import Pay
from understudy.schema.plan import AnalysisPlan, Summary
from understudy.schema.record import Name, Record, digest_of
from understudy.schema.recruitment import Recruitment
from understudy.schema.ref import Ref

LEVEL = "{level}"
"""Stands for the level in the `question` of a measure over questions."""


_LONGEST_NAME = 74


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
    seed: int = Field(ge=0)
    follows: FollowUp | None = None
    """The earlier part of a longitudinal study; only its people may take this one."""
    pilot_of: str | None = None
    """The study that this one is the pilot of, set by `understudy serve --pilot`; its people may not take that one, and its
    data are never pooled with it."""

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
