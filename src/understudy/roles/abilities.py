"""Abilities: what an entry may offer beyond its role. A stage asks for them with isinstance, never by name."""

from typing import ClassVar, Protocol, runtime_checkable

from understudy.roles.protocols import Floats, Ints, Participant
from understudy.schema import Ability, Ref


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
    """A model that decides by likeness to cases it keeps."""

    @property
    def prototype_inputs(self) -> Floats:
        """The cases, as inputs."""

    @property
    def prototype_labels(self) -> tuple[str, ...]:
        """The label each case speaks for."""

    def similarities(self, inputs: Floats) -> Floats:
        """Return the likeness, between 0 and 1, of each input to each case."""


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
        """The digest of that legend; empty where it takes any."""


@runtime_checkable
class HasCost(Protocol):
    """An explainer that says whether it takes long, so that its work is shared among processes and only tried."""

    is_costly: ClassVar[bool]


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
        """What the rows are drawn with."""


@runtime_checkable
class HasOwnModel(Protocol):
    """An explainer that may ask another model than the explained one."""

    @property
    def model(self) -> Ref | None:
        """That model, where it does."""


@runtime_checkable
class HasParts(Protocol):
    """An explainer that puts together what others say."""

    @property
    def parts(self) -> tuple[Ref, ...]:
        """The others, in the order in which they are shown."""


@runtime_checkable
class HasAbility(Protocol):
    """A simulated person with a skill that an effect can change."""

    ability: ClassVar[Ability]


@runtime_checkable
class Remembers(Protocol):
    """A simulated person who learns in the course of a session, and so begins each with a mind of its own."""

    def mind(self) -> Participant:
        """Return the same person, at the beginning of a session."""


def mind_of(participant: Participant) -> Participant:
    """Return who takes part in one session: a mind of its own, or the participant where there is nothing to remember."""
    return participant.mind() if isinstance(participant, Remembers) else participant
