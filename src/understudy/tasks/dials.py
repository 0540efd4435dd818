"""Dials: a target to reconstruct, and questions about one dial."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, TypeAlias

from pydantic import Field, ValidationError, model_validator

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import (
    Choice,
    Dial,
    Dials,
    DialsAnswer,
    Draft,
    Json,
    Question,
    Rating,
    Record,
    Stimulus,
    TaskParams,
)

QUESTION = "dials"
Use: TypeAlias = Literal["slider", "options", "overlay", "labels"]


class ShownCard(TaskParams):
    """What a page needs to know about a live model."""

    format: Literal[1] = 1
    name: str = "model"
    view: str = "image"
    shape: tuple[int, ...] = (1, 1)
    limits: tuple[float, float] = (0.0, 1.0)
    dials: tuple[Dial, ...]


class LiveDecoder(TaskParams):
    """A live model: the served file, and its card."""

    address: str
    card: ShownCard


class ShownDistance(Record):
    """How the two pictures are compared; the browser half has the same name."""

    name: str
    params: Json = {}

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


class ReconstructParams(TaskParams):
    """A live model, a start and a target."""

    decoder: LiveDecoder
    start: tuple[float, ...]
    target: str
    """The target's output, as 32-bit floats in base64."""
    distance: ShownDistance = ShownDistance(name="soft_dice")
    threshold: float = 0.9
    text: str = ""
    skip_after_s: float | None = 30.0
    """Seconds at work after which the question may be skipped; 0 offers it at once, and none never."""
    clock: Literal["capped", "legacy"] = "capped"
    countdown: bool = False
    """Whether the page says how many seconds at work are left until the question may be skipped."""
    overlay: bool = True
    labels: bool = False
    edge: int = 200
    uses: tuple[Use, ...] = ()
    """Controls that have to be used once before the participant can continue."""


class ReconstructResponse(Record):
    """The final position of the dials."""

    dials: DialsAnswer


@register("tasks", "reconstruct")
class Reconstruct(Record):
    """Shows a picture that follows the dials next to a target, and how far they agree."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = ReconstructParams
    Response: ClassVar[type[Record]] = ReconstructResponse
    turns_dials: ClassVar[bool] = True
    text: str = ""
    skip_after_s: float | None = Field(default=30.0, ge=0)
    """Seconds at work after which the question may be skipped; 0 offers it at once, and none never."""
    clock: Literal["capped", "legacy"] = "capped"
    """What counts as being at work. capped: pauses count up to three seconds each and the clock runs all the time;
    legacy: pauses of three seconds or more count nothing, and the clock is looked at only on a movement."""
    countdown: bool = False
    """Whether the page says how many seconds at work are left until the question may be skipped, and that pauses do not
    count. Hidden, nobody works against the clock or waits for it."""
    overlay: bool = True
    """Whether the target lies over the picture at first; the participant can change it."""
    labels: bool = False
    """Whether participants may name the dials."""
    edge: int = Field(default=200, ge=60, le=480)
    """Width of a picture on the page, in pixels."""
    uses: tuple[Use, ...] = ()
    """Controls that must be used once before the participant can continue, as in a practice."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """The dials, whose number depends on the decoder of each item."""
        return (Dials(question_id=QUESTION, prompt="", dials=(Dial(),)),)

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return one question for each start and target."""
        # There is no key: many settings can give the same picture, so agreement decides.
        return [self._draft(stimulus) for stimulus in stimuli]

    def _draft(self, stimulus: Stimulus) -> Draft:
        try:
            # The task's settings come last, so that items cannot override them.
            params = ReconstructParams.model_validate({**stimulus.content, **dict(self)})
        except ValidationError:
            raise MaterialsError(
                "A reconstruct task needs items with a decoder, a start and a target. Use the dataset 'reconstruction'."
            ) from None
        asked = Dials(question_id=QUESTION, prompt="", dials=params.decoder.card.dials)
        return Draft(params=params, asks=(asked,))


# Single dial: pictures that show what one dial does, and a picture in which to tell its position.

REGIMES = ("low", "medium", "high")
"""The names of a dial's positions in items, in order."""
_WORDS = {
    "en": {
        "regime": "Where is the dial set in this picture?",
        "option": "Which option is the dial set to in this picture?",
        "regimes": ("Low", "Medium", "High"),
        "confidence": "How sure are you of this answer?",
        "confidence_ends": ("Not at all", "Very"),
        "sense": "Does what this dial does make sense to you?",
        "sense_ends": ("Not at all", "Fully"),
    },
    "de": {
        "regime": "Wo steht der Regler in diesem Bild?",
        "option": "Auf welcher Option steht der Regler in diesem Bild?",
        "regimes": ("Niedrig", "Mittel", "Hoch"),
        "confidence": "Wie sicher sind Sie sich bei dieser Antwort?",
        "confidence_ends": ("Gar nicht", "Sehr"),
        "sense": "Ergibt für Sie Sinn, was dieser Regler tut?",
        "sense_ends": ("Gar nicht", "Vollkommen"),
    },
}


class SingleDialParams(TaskParams):
    """Examples of what one dial does, and the picture that is asked about."""

    text: str = ""
    edge: int = 54
    view: str = "image"
    shape: tuple[int, ...] = (1, 1)
    limits: tuple[float, float] = (0.0, 1.0)
    packing: Literal["zlib-u8", "f32"] = "f32"
    """How the numbers of a picture are packed into text."""
    layout: Literal["exemplars", "traversals"] = "exemplars"
    n_options: int
    """How many options the dial has; 0 for a slider."""
    n_columns: int = 7
    n_rows: int = 8
    number: int = 1
    """What the page calls the dial."""
    picture: str = ""
    sets: tuple[str, ...]
    """The examples, packed, one text for each set."""


class SingleDialResponse(Record):
    """Where the dial is, how sure the person is, and whether the dial makes sense to them."""

    regime: str
    confidence: int
    sense: int


@register("tasks", "single_dial")
class SingleDialTask(Record):
    """Asks for the position of one dial in a picture; the answers are `regime`, `confidence` and `sense`."""

    version: ClassVar[str] = "1"
    Params: ClassVar[type[TaskParams]] = SingleDialParams
    Response: ClassVar[type[Record]] = SingleDialResponse
    text: str = ""
    language: Literal["en", "de"] = "en"
    """The language of the questions; give that of the study."""
    edge: int = Field(default=54, ge=32, le=160)
    """Width of a small picture on the page, in pixels."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """The position of the dial, how sure the person is, and whether the dial makes sense."""
        return self._questions(0)

    @property
    def keyed(self) -> frozenset[str]:
        """The position of the dial."""
        return frozenset({"regime"})

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return one question for each picture."""
        return [self._draft(stimulus) for stimulus in stimuli]

    def _draft(self, stimulus: Stimulus) -> Draft:
        regime = stimulus.truth.get("regime")
        shown = {**stimulus.content, "text": self.text, "edge": self.edge}
        try:
            params = SingleDialParams.model_validate(shown)
        except ValidationError:
            params = None
        if params is None or not isinstance(regime, str):
            raise MaterialsError(
                "A single_dial task needs items with a picture, sets of examples and a regime. "
                "Use the dataset 'single_dial'."
            )
        n_options = params.n_options
        names = [f"option {k}" for k in range(1, n_options + 1)] or list(REGIMES)
        return Draft(
            params=params,
            asks=self._questions(n_options),
            answers={"regime": self._options(n_options)[names.index(regime)]},
        )

    def _options(self, n_options: int) -> tuple[str, ...]:
        if n_options:
            return tuple(f"Option {k}" for k in range(1, n_options + 1))
        return tuple(_WORDS[self.language]["regimes"])

    def _questions(self, n_options: int) -> tuple[Question, ...]:
        words = _WORDS[self.language]
        prompt = str(words["option" if n_options else "regime"])
        return (
            Choice(question_id="regime", prompt=prompt, options=self._options(n_options)),
            self._rating("confidence"),
            self._rating("sense"),
        )

    def _rating(self, name: str) -> Rating:
        words = _WORDS[self.language]
        low, high = words[f"{name}_ends"]
        return Rating(question_id=name, prompt=str(words[name]), points=5, low_label=low, high_label=high)
