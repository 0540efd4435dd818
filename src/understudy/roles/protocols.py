"""Roles: every protocol that an extension can implement, one method each. Read this first; abilities.py has the optional ones.

A catalogue entry is a frozen Record whose fields are its parameters and which has the one method of its role;
the registry builds it from a Ref, so a wrong parameter is a clear sentence and never a traceback.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from understudy.roles.numbers import Fit
from understudy.schema import (
    Draft,
    Estimate,
    Event,
    Explanation,
    Hypothesis,
    Impression,
    Json,
    Question,
    Record,
    Ref,
    Scale,
    Stimulus,
    Study,
    TaskParams,
    Trial,
)

if TYPE_CHECKING:
    import pandas as pd  # servers never load pandas

Rng: TypeAlias = np.random.Generator
Floats: TypeAlias = npt.NDArray[np.float64]
Table: TypeAlias = "pd.DataFrame"
Objects: TypeAlias = npt.NDArray[np.float32]
"""What models learn from in a concept test: one object a row, pictures as (n, height, width)."""
Ints: TypeAlias = npt.NDArray[np.int64]
Pixels: TypeAlias = npt.NDArray[np.uint8]
"""Pictures as (n, height, width, channels), 0 to 255; one channel is grey, three are red, green and blue."""
Quadrant: TypeAlias = Literal["upper right", "lower right"]


@dataclass(frozen=True)
class Variables:
    """Reads rows of codes: the name of each column, and of each of its values."""

    features: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    """values[j][code] is what a person reads in column j."""


@dataclass(frozen=True)
class Vocabulary:
    """Reads rows of token ids, which end in padding of -1."""

    words: tuple[str, ...]
    vectors: Floats | None = None
    """One row for each word, if the similarity of words is known."""
    tags: tuple[str, ...] = ()
    """Coarse part of speech of each word, empty if unknown."""


class PicturePool(Protocol):
    """Pictures of one size that are not loaded until they are read."""

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Number of pictures, height, width and channels."""

    def read(self, indices: Sequence[int]) -> Pixels:
        """Return these pictures, in this order."""


@dataclass(frozen=True)
class Sample:
    """Inputs drawn from a dataset: what to show of each, numbers for models, and the truth about each."""

    contents: Sequence[Json]
    """What a page shows of each input; a lazy sequence if it is expensive to make."""
    attributes: Mapping[str, Sequence[str | float | int | bool]]
    """Name -> one value per input: labels, generating factors, anything items can be balanced over."""
    inputs: Floats | None = None
    assets: Mapping[str, bytes] = field(default_factory=dict)
    """Content address -> the bytes served under it, for contents that name files made on the way.

    Only those that a drawn content names are published. Next to lazy contents, it holds what was made so far.
    """
    legend: Variables | Vocabulary | None = None
    """How to read `inputs`, if they are codes or words."""
    pictures: PicturePool | None = None
    """What models read instead of `inputs`, as floats from 0 to 1 of shape (n, channels, height, width)."""
    keys: Sequence[str] | None = None
    """What identifies inputs, as at least 16 lower-case hexadecimal digits; by default the contents.

    Inputs with the same key are the same item, which a set never holds twice. A lazy sequence reads a picture only
    when its key is read.
    """
    file_fields: tuple[str, ...] = ()
    """Fields of contents that name files, which are shipped with the items that are drawn."""
    file_folder: Path | None = None
    """The folder of these files; by default the folder of the study."""


class Dataset(Protocol):
    """Draws inputs whose true structure is known."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n inputs; fewer only if there are no more."""


@runtime_checkable
class Model(Protocol):
    """What participants reason about."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the classes whose probabilities are predicted; empty when values are."""

    def predict(self, inputs: Floats) -> Floats:
        """Return one row of outputs (class probabilities, or values) for each input."""


@dataclass(frozen=True)
class Shown:
    """Objects as every model sees them, and the extra information about each."""

    objects: Objects
    extra: Objects


class Concept(Protocol):
    """Extra information that may help or harm a model."""

    place: ClassVar[Quadrant]
    """The quadrant of a picture that contains the extra information."""

    def show(self, objects: Objects, labels: Ints, rng: Rng) -> Shown:
        """Return the objects, changed if the concept says so, with the extra information."""


class TrainedModel(Protocol):
    """A model that a trainer made."""

    def predict(self, inputs: Objects) -> Floats:
        """Return one probability for each class from 0 to the highest label, a row for each object."""


class Trainer(Protocol):
    """A recipe by which models are made; two models of one concept test differ only in their data."""

    def train(self, inputs: Objects, labels: Ints, seed: int) -> TrainedModel:
        """Return the model; the same seed makes the same one."""


@dataclass(frozen=True)
class Explained:
    """The explanations of a method, and the pictures they show."""

    explanations: Sequence[Explanation]
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Content address -> the bytes served under it, for explanations that show pictures made on the way."""
    truths: Sequence[Json] = ()
    """What must not be shown about each explanation, such as the similarity of each row; none when empty.

    Preparing adds it to the truth about the item, which never leaves the server.
    """


@runtime_checkable
class Explainer(Protocol):
    """Explains why a model gave an answer, as data and not as a picture."""

    kinds: ClassVar[frozenset[str]]
    """Every kind of explanation it can return."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return one explanation for each input.

        `targets` is the class, as an index into the model's labels, that each input is explained for; None leaves the
        choice to the explainer. A method that cannot explain a class refuses it in one sentence.
        """


class ModelExplainer(Protocol):
    """Explains how a model answers in general, such as by examples with rising scores."""

    kinds: ClassVar[frozenset[str]]
    """Every kind of explanation it can return."""

    @property
    def dataset(self) -> Ref | None:
        """The dataset that its inputs are drawn from; by default the one bound to the same levels."""

    @property
    def n(self) -> int:
        """How many inputs it looks at."""

    def explain_model(self, model: Model, sample: Sample, rng: Rng) -> Explained:
        """Return exactly one explanation, and the pictures it shows."""


class Task(Protocol):
    """One kind of page: what it shows and asks. The browser half has the same name."""

    version: ClassVar[str]
    Params: ClassVar[type[TaskParams]]
    """What the page is shown; `drafts` fills it, and the browser half reads it."""
    Response: ClassVar[type[Record]]
    """What the page sends back; `Answers` where the study writes the questions."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """Everything the page asks."""

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return one draft for each stimulus, or exactly one when the page needs none."""


@dataclass(frozen=True)
class AnsweredTrial:
    """A trial that somebody has answered, with what the server knows about it."""

    block_id: str
    response: Json
    key: Json
    """Question id -> right answer."""
    truth: Json
    """The attributes of the item."""
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Question id -> what the points of its scale are called."""


class AskedIn(NamedTuple):
    """A question of a block; None for all of its questions that have a right answer."""

    block_id: str
    question: str | None


@dataclass(frozen=True)
class Place:
    """How full one condition is when somebody arrives."""

    condition: str
    quota: int
    n_completed: int
    """Completed and not excluded."""
    n_active: int
    n_assigned: int
    """Ever assigned, whatever the outcome."""

    @property
    def n_held(self) -> int:
        """Completed or active."""
        return self.n_completed + self.n_active

    @property
    def has_room(self) -> bool:
        """Whether one more may start without overfilling."""
        return self.n_held < self.quota


class Design(Protocol):
    """Chooses a condition for an arrival."""

    def assign(self, arrival: int, places: Sequence[Place], rng: Rng) -> str:
        """Return the name of a place with room; at least one has."""


class Ordering(Protocol):
    """Chooses one person's order of levels (or of item lists), given how many people have each order already."""

    def order(
        self, levels: Sequence[str], n_drawn: int, counts: Mapping[tuple[str, ...], int], rng: Rng
    ) -> tuple[str, ...]:
        """Return n_drawn different levels in the order in which the person will see them."""


class Distance(Protocol):
    """Says how similar two outputs of a model are. The browser half has the same name and gives the same number."""

    def agreement(self, shown: Floats, target: Floats) -> Floats:
        """Return the agreement, 1 for a perfect match, of each row of outputs with the target."""


class Scene(Protocol):
    """The live part of a page as a simulated person uses it: what the screen shows for each setting."""

    def look(self, codes: Floats) -> Floats:
        """Return what the screen shows, one row for each row of dial settings."""


@dataclass(frozen=True)
class Interaction:
    """Something a simulated person does inside a trial, some time after it appeared."""

    action: str
    after_ms: float
    payload: Json = field(default_factory=dict)


@dataclass(frozen=True)
class Reaction:
    """What a simulated person does with a trial."""

    response: Json
    rt_ms: float
    interactions: Sequence[Interaction] = ()
    """In the order of their times, none after the answer."""
    active_ms: float | None = None
    """Time at work. Default: all of it."""


class Participant(Protocol):
    """A simulated person. Sees what a person sees, never the answers."""

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Answer every question of the trial, or return None to leave the study; `scene` is there on live pages."""


class Measure(Protocol):
    """Turns events into one number, and says what kind of number."""

    unit: ClassVar[Literal["trial", "session"]]
    better: ClassVar[Literal["higher", "lower", "neither"]]

    @property
    def scale(self) -> Scale:
        """The kind of number, which decides what analyses fit."""

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | str | None:
        """Score the events of one trial, or of one session; None means not measurable here.

        `answers` maps trial ids to right answers by question; for a measure that reads the truth (ReadsTruth), it
        maps them to the truth about their items. Nominal measures return text.
        """


class Analysis(Protocol):
    """Estimates what a hypothesis claims."""

    @property
    def fit(self) -> Fit:
        """What the analysis, set up as it is, can take."""

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the estimate from a table with the columns participant, value, and those of its factors.

        `item` is there where single trials are analysed, `other` where a second outcome is named.
        Confidence level and alpha are fields of the entry.
        """


@dataclass(frozen=True)
class Checked:
    """What an assumption check found."""

    statistic: float | None
    p_value: float | None
    holds: bool


class AssumptionCheck(Protocol):
    """Tells whether data allow an analysis; a branch point of a declared decision tree."""

    def check(self, table: Table, hypothesis: Hypothesis, alpha: float) -> Checked:
        """Return whether the assumption holds at this alpha."""


class Recruiter(Protocol):
    """A place where participants come from."""

    id_parameters: ClassVar[tuple[str, ...]]
    """The parameters of a link by which it names people, in the order they are looked for."""

    def missing_from(self, study: Study) -> tuple[str, ...]:
        """Return one sentence for each thing that people must be told there and that the study file does not say."""


class EventLog(Protocol):
    """The append-only log."""

    def append(self, events: Sequence[Event]) -> int:
        """Make events durable, all or none, and return how many were new; a resent event counts as old."""
