"""Abilities: what an entry may offer beyond its role. Stages check for them with isinstance, never by name."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal, Protocol, runtime_checkable

from understudy.roles.numbers import PlannedData
from understudy.roles.protocols import AnsweredTrial, AskedIn, Explained, Floats, Ints, Participant, Rng, Task
from understudy.schema import Ability, Hypothesis, Json, MapModelCard, Ref, ShownPicture, ShownResult
from understudy.schema.study import SentBack


@runtime_checkable
class HasLatents(Protocol):
    """A model that shows its last hidden layer."""

    def latents(self, inputs: Floats) -> Floats:
        """Return one row of hidden values for each input."""


@runtime_checkable
class HasMargins(Protocol):
    """A two-class model that shows its evidence before it becomes a probability."""

    def margins(self, inputs: Floats) -> Floats:
        """Return the evidence for the second label over the first, one number for each input."""


@runtime_checkable
class HasPrototypes(Protocol):
    """A model that decides by similarity to prototype cases."""

    @property
    def prototype_inputs(self) -> Floats:
        """The cases, as inputs."""

    @property
    def prototype_labels(self) -> tuple[str, ...]:
        """The label of each case."""

    def similarities(self, inputs: Floats) -> Floats:
        """Return the similarity, between 0 and 1, of each input to each case."""


class PrototypePhoto(Protocol):
    """A photo that a prototype was taken from."""

    @property
    def shown(self) -> ShownPicture:
        """What an explanation names."""

    @property
    def content(self) -> bytes:
        """The file."""


@runtime_checkable
class HasMaps(Protocol):
    """A model of pictures that shows where in a picture it found what."""

    @property
    def card(self) -> MapModelCard:
        """How to read the maps."""

    def maps(self, inputs: Floats) -> Floats:
        """Return the maps of each picture, as (n, maps, rows, columns)."""

    def source_photo(self, prototype: int) -> PrototypePhoto:
        """Return the photo that a prototype was taken from."""


@runtime_checkable
class HasFacts(Protocol):
    """A model that knows more about an input than its answer, by which items can be chosen."""

    def facts(self, inputs: Floats) -> Mapping[str, Sequence[str]]:
        """Return attributes by name, with one value for each input; empty if it knows nothing more."""


@runtime_checkable
class HasGradients(Protocol):
    """A model that says how its output changes with its input."""

    def gradients(self, inputs: Floats, targets: Ints) -> Floats:
        """Return the slope of each input's output for its target class, in the shape of the inputs."""


@runtime_checkable
class HasInverse(HasLatents, Protocol):
    """A model whose hidden values lead back to an input, such as an invertible network."""

    def inverse(self, latents: Floats) -> Floats:
        """Return the inputs that have these hidden values."""


@runtime_checkable
class HasWordVectors(Protocol):
    """A model that learned a vector for each word."""

    @property
    def word_vectors(self) -> Floats | None:
        """One row for each word of its vocabulary."""


@runtime_checkable
class HasLegend(Protocol):
    """A model that was made for inputs with one legend."""

    @property
    def legend_digest(self) -> str:
        """The digest of that legend; empty if it takes any."""


@runtime_checkable
class HasCost(Protocol):
    """An explainer that says whether it is slow, so that its work is shared among processes and trial runs stay short."""

    is_costly: ClassVar[bool]


@runtime_checkable
class HasCautions(Protocol):
    """An analysis that is known to be wrong too often with some plans, and says so before data exist."""

    def cautions(self, hypothesis: Hypothesis, planned: PlannedData) -> Sequence[str]:
        """Return a sentence for each reason to change the plan."""


@runtime_checkable
class SamplesItems(Protocol):
    """An analysis of single answers that can take items as a sample, as it takes people; others take them as all there are."""

    @property
    def samples_items(self) -> bool:
        """Whether it does, set up as it is."""


@runtime_checkable
class HasEstimand(Protocol):
    """An analysis that names what it estimates, so that a reader sees when a decision tree changes it."""

    estimand: ClassVar[str]


@runtime_checkable
class HasModelRule(Protocol):
    """An analysis that may fit a simpler model than planned, by a rule that is known before there are data."""

    model_rule: ClassVar[str]
    """When, and which, in sentences."""


@runtime_checkable
class HasBackground(Protocol):
    """An explainer that compares each input with rows of a dataset."""

    @property
    def background(self) -> Ref:
        """The dataset."""

    @property
    def n_background(self) -> int:
        """How many rows."""

    @property
    def background_seed(self) -> int:
        """The seed that the rows are drawn with."""


@runtime_checkable
class HasOwnModel(Protocol):
    """An explainer that may use another model than the explained one."""

    @property
    def model(self) -> Ref | None:
        """That model, if it does."""


@runtime_checkable
class HasRecording(Protocol):
    """A model explainer that shows what was recorded, and so needs neither a model nor a dataset."""

    def recorded(self) -> Explained:
        """Return exactly one explanation, and the pictures it shows."""


@runtime_checkable
class HasClasses(Protocol):
    """An explainer that knows without a model which classes its explanations are for, such as one that reads a file."""

    def classes_of(self, inputs: Floats) -> Sequence[tuple[str, ...]]:
        """Return the classes that each input has an explanation for; empty where nobody said."""


@runtime_checkable
class HasParts(Protocol):
    """An explainer that combines the explanations of others."""

    @property
    def parts(self) -> tuple[Ref, ...]:
        """The others, in the order in which they are shown."""


@runtime_checkable
class RecordsVoice(Protocol):
    """A task that asks whether the voice may be recorded in later blocks, which needs a server to keep it."""

    @property
    def recorded_blocks(self) -> tuple[str, ...]:
        """The later blocks."""

    def allows_recording(self, response: Json) -> bool:
        """Tell whether an answer to the page allows it."""


@runtime_checkable
class TurnsDials(Protocol):
    """A task whose page is worked by turning dials, which only some simulated people can do."""

    turns_dials: ClassVar[bool]


@runtime_checkable
class AsksRelevance(Protocol):
    """A task that asks what a model relies on, which some simulated people judge by the pictures."""

    asks_relevance: ClassVar[bool]


@runtime_checkable
class DisclosesResults(Protocol):
    """A task that tells people how they did, which the server computes when they reach its page."""

    @property
    def told_about(self) -> tuple[AskedIn, ...]:
        """What the results are about."""

    def results(self, answered: Sequence[AnsweredTrial], rng: Rng) -> tuple[ShownResult, ...]:
        """Return what the page tells about the trials answered so far; the same seed fills ties the same way."""


@runtime_checkable
class HasMeaning(Protocol):
    """A measure that says in words what it measures, with its own parameters."""

    @property
    def meaning(self) -> str:
        """What the codebook says about its column."""


@runtime_checkable
class ReadsCodes(Protocol):
    """A measure of what annotators said after the session, so that it is missing until then."""

    @property
    def scheme_id(self) -> str:
        """The coding scheme; empty for a measure that also reads what researchers wrote without one."""

    @property
    def read_codes(self) -> tuple[str, ...]:
        """The codes that it asks for; empty for all."""


@runtime_checkable
class ShowsExplanation(Protocol):
    """A task whose page draws the explanation of its trial."""

    shows_explanation: ClassVar[bool]


@runtime_checkable
class HasBrowserModule(Protocol):
    """A task or a kind of explanation of another package, which brings the ES module that draws it in the browser."""

    browser_module: ClassVar[Path]


@runtime_checkable
class HasKey(Protocol):
    """A task that knows right answers."""

    @property
    def keyed(self) -> frozenset[str]:
        """The questions that have a right answer."""


@runtime_checkable
class HasFiles(Protocol):
    """A task that brings its own files, such as the picture of a made-up example."""

    @property
    def files(self) -> Mapping[str, bytes]:
        """Content address -> the bytes served under it."""


@runtime_checkable
class HasTarget(Protocol):
    """A design that prefers one condition."""

    @property
    def target(self) -> str:
        """The name of that condition."""


@runtime_checkable
class ReadsTruth(Protocol):
    """A measure that says whether it scores by the key, or by the truth about the items."""

    reads: ClassVar[Literal["answers", "truth"]]


@runtime_checkable
class ReadsFacts(Protocol):
    """A measure that is missing where an item lacks one of these attributes."""

    @property
    def read_facts(self) -> tuple[str, ...]:
        """The attributes."""


@runtime_checkable
class NeedsOfPage(Protocol):
    """A measure that only some pages can give: those with dials, or those that show the advice after a first decision."""

    page_needs: ClassVar[Literal["dials", "steps"]]


@runtime_checkable
class ComparesWithKey(Protocol):
    """A measure that is 1 for the key and 0 for anything else, so that a page can judge it without a server."""

    compares_with_key: ClassVar[bool]


@runtime_checkable
class NamesDials(Protocol):
    """A measure whose values are the names that somebody gave to dials, as a list in JSON."""

    names_dials: ClassVar[bool]


@runtime_checkable
class HasAbility(Protocol):
    """A simulated person with a skill that an effect can change."""

    ability: ClassVar[Ability]


@runtime_checkable
class Remembers(Protocol):
    """A simulated person who learns during a session, and starts each session with a fresh mind."""

    def mind(self) -> Participant:
        """Return the same person, at the beginning of a session."""


def keyed_questions(task: Task) -> frozenset[str]:
    """Return the questions of a task that have a right answer."""
    return task.keyed if isinstance(task, HasKey) else frozenset()


def mind_of(participant: Participant) -> Participant:
    """Return who takes part in one session: a fresh mind, or the participant itself if it remembers nothing."""
    return participant.mind() if isinstance(participant, Remembers) else participant


@runtime_checkable
class SendsBack(Protocol):
    """A recruiter that people return to at the end, however it ended."""

    has_fixed_codes: ClassVar[bool]
    """Whether the recruiter knows one code for each ending, the same for everybody."""

    def way_back(self, ending: SentBack, code: str, fields: Mapping[str, str]) -> str | None:
        """Return the address to go to; None if the recruiter does not need to know about this ending.

        `fields` are the parameters of the link that the person came by.
        """
