"""Model cards: what is known about a model file besides its weights, in NAME.json next to NAME.onnx.

Every card has the same head: what kind of model it describes, how the model was trained, how well it does, and its
licence. `details` is the part that only decoders, only classifiers, or only observers have.
"""

import base64
import json
import zlib
from typing import Annotated, Literal, TypeAlias, TypeVar

import numpy as np
from pydantic import Field, ValidationError, model_validator

from understudy.errors import MaterialsError
from understudy.roles import Floats as roles_Floats
from understudy.schema import DecoderCard, Json, Record, canonical_json, json_from_record, sentences_from_validation
from understudy.statistics.arrays import Floats


class ClassifierCard(Record):
    """How to read the inputs and outputs of a classifier."""

    format: Literal[1] = 1
    name: str
    takes: Literal["codes", "tokens", "pictures"]
    """Rows of category codes, rows of token ids that end in padding of -1, or pictures as numbers from 0 to 1."""
    labels: tuple[str, ...] = Field(min_length=2)
    """In the order of the probabilities."""
    features: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()
    """What each code of each feature means, for a classifier of codes."""
    words: tuple[str, ...] = ()
    """What each token id means, for a classifier of tokens."""
    size: tuple[int, int, int] | None = None
    """Channels, height and width, for a classifier of pictures."""
    prototypes: tuple[tuple[int, ...], ...] = ()
    """The training cases that serve as prototypes, as codes or token ids."""
    prototype_labels: tuple[str, ...] = ()
    provenance: Json = {}
    """The training settings and scores of the model card, in one table."""

    @model_validator(mode="after")
    def _parts_fit(self) -> "ClassifierCard":
        if self.takes == "codes" and (not self.features or len(self.features) != len(self.values)):
            raise ValueError(f"{self.name!r} takes codes, so it needs features and the values of each")
        if self.takes == "tokens" and not self.words:
            raise ValueError(f"{self.name!r} takes tokens, so it needs words")
        if self.takes == "pictures" and self.size is None:
            raise ValueError(f"{self.name!r} takes pictures, so it needs their size")
        if len(self.prototypes) != len(self.prototype_labels):
            raise ValueError(f"{self.name!r} needs one label for each prototype")
        return self


class ObserverCard(Record):
    """How to read what an observer, a model that sees the attributes of a picture, gives."""

    format: Literal[1] = 1
    name: str
    size: tuple[int, int, int]
    """Channels, height and width of the pictures."""
    attributes: tuple[str, ...] = Field(min_length=1)
    """In the order of the outputs."""
    spreads: tuple[Annotated[float, Field(gt=0)], ...]
    """Standard deviation of each attribute in the pictures that the observer learned from."""
    squared_errors: tuple[Annotated[float, Field(ge=0)], ...] = ()
    """Mean squared error of each attribute on other pictures; empty if it was not measured."""
    provenance: Json = {}

    @model_validator(mode="after")
    def _one_spread_each(self) -> "ObserverCard":
        if len(self.attributes) != len(self.spreads):
            raise ValueError(f"{self.name!r} needs one spread for each attribute")
        if self.squared_errors and len(self.squared_errors) != len(self.attributes):
            raise ValueError(f"{self.name!r} needs one squared error for each attribute, or none")
        return self


Details: TypeAlias = DecoderCard | ClassifierCard | ObserverCard
DetailsT = TypeVar("DetailsT", DecoderCard, ClassifierCard, ObserverCard)
Kind: TypeAlias = Literal["decoder", "classifier", "observer"]
KINDS: dict[type[Record], Kind] = {DecoderCard: "decoder", ClassifierCard: "classifier", ObserverCard: "observer"}
"""What each kind of details describes."""
_NOUNS: dict[Kind, str] = {"decoder": "a decoder", "classifier": "a classifier", "observer": "an observer"}


class TrainingSettings(Record):
    """How a model was trained, in enough detail to train it again."""

    recipe: Json | str = ""
    """Every setting of the recipe, or "closed form" for a model that was never trained."""
    software: dict[str, str] = {}
    """Package -> version."""
    device: str = ""
    data: Json = {}
    """Name and digest of the file that the model was trained on, where the user named one."""
    split: str = ""
    """How the cases of a classifier were split."""
    best_epoch: int | None = None
    """The epoch that was kept, where training could stop early."""
    first_stage: Json = {}
    """The stage with a linear head that came before prototypes."""
    max_steps: int | None = None
    """Steps after which each epoch was cut short; such a model is only a trial."""
    seconds: float | None = None
    digest: str = ""
    """SHA-256 of the ONNX file."""


class ModelCard(Record):
    """The card of any model."""

    format: Literal[2] = 2
    kind: Kind
    licence: str = ""
    """Licence of the weights, as an SPDX identifier; empty if unknown."""
    training: TrainingSettings = TrainingSettings()
    scores: Json = {}
    """What was measured on held-out data, and anything else that the author of the card noted."""
    details: Details

    @model_validator(mode="after")
    def _details_are_of_the_kind(self) -> "ModelCard":
        if self.kind != KINDS[type(self.details)]:
            raise ValueError(f"the details of {self.name!r} do not describe a {self.kind}")
        if self.details.provenance:
            raise ValueError(f"the details of {self.name!r} have a provenance; put it under training and scores")
        return self

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.details.name

    @property
    def provenance(self) -> Json:
        """Training settings and scores in one table, as studies and reports read them."""
        return {**json_from_record(self.training), **self.scores}


def card_from_details(details: Details, *, licence: str = "") -> ModelCard:
    """Return the card of a model whose provenance is part of its details, as in every card of format 1."""
    settings = {name: value for name, value in details.provenance.items() if name in TrainingSettings.model_fields}
    return ModelCard(
        kind=KINDS[type(details)],
        licence=licence,
        training=TrainingSettings.model_validate(settings),
        scores={name: value for name, value in details.provenance.items() if name not in settings},
        details=details.model_copy(update={"provenance": {}}),
    )


def details_from_card(card: ModelCard, kind: type[DetailsT], source: str) -> DetailsT:
    """Return the details with their provenance, or refuse the card of another kind of model."""
    if not isinstance(card.details, kind):
        raise MaterialsError(
            f"The card {source} describes {_NOUNS[card.kind]}, but {_NOUNS[KINDS[kind]]} is needed. Name another file."
        )
    return card.details.model_copy(update={"provenance": card.provenance})


def text_from_card(card: ModelCard) -> str:
    """Write a card as its file has it."""
    return canonical_json(json_from_record(card))


def card_from_text(text: str, source: str) -> ModelCard:
    """Read a card of this version, or of format 1 (version 0.1.0); `source` names it in a refusal."""
    try:
        content = json.loads(text)
    except ValueError:
        raise MaterialsError(f"The card {source} is not JSON. Write it again, or train the model again.") from None
    if not isinstance(content, dict):
        raise MaterialsError(f"The card {source} is not a table of fields. Write it again, or train the model again.")
    # Format 1 had no field for the kind; only classifiers say what they take.
    flat: type[Details] = ClassifierCard if "takes" in content else DecoderCard
    expected: type[Details] | type[ModelCard] = ModelCard if content.get("format") == 2 else flat
    try:
        # As JSON, since records read a list as a tuple only there.
        card = expected.model_validate_json(text)
        return card if isinstance(card, ModelCard) else card_from_details(card)
    except ValidationError as error:
        faults = " ".join(sentences_from_validation(error, expected))
        raise MaterialsError(f"The card {source} does not fit: {faults}") from None


# Held-out codes as a card keeps them: ranges of dials, percentiles, and a rounded sample.

PERCENTILES = (0, 1, 2, 5, 25, 33, 45, 48, 50, 52, 55, 67, 75, 95, 98, 99, 100)
N_CODES = 250
"""Held-out codes that travel with a decoder, from which starts and targets are drawn."""
DIGITS = 4
"""Decimals of ranges and codes: finer than any slider moves."""


def ranges_from_codes(codes: Floats) -> Floats:
    """Return lowest and highest value of each dimension, rounded outwards."""
    unit = 10**DIGITS
    lows = np.floor(codes.min(axis=0) * unit) / unit
    highs = np.ceil(codes.max(axis=0) * unit) / unit
    return np.column_stack([lows, highs])


def percentiles_from_codes(codes: Floats) -> dict[str, tuple[float, ...]]:
    """Return the value of each input at each listed percentile."""
    return {str(level): tuple(rounded(np.percentile(codes, level, axis=0)[None])[0]) for level in PERCENTILES}


def rounded(rows: Floats) -> list[list[float]]:
    """Return rows as plain numbers of few decimals."""
    # Adding 0.0 turns the -0.0 that rounding leaves into 0.0.
    return [[float(value) for value in row] for row in np.round(rows, DIGITS) + 0.0]


# Packing: rows of numbers as short text, for pages and logs.

Packing: TypeAlias = Literal["f32", "zlib-u8"]
"""f32: exact to 32 bits; zlib-u8: 256 steps between the limits, compressed, which is all that a grey picture shows."""


def text_from_floats(values: roles_Floats) -> str:
    """Write numbers as base64 of little-endian 32-bit floats."""
    return base64.b64encode(np.asarray(values, dtype="<f4").tobytes()).decode()


def floats_from_text(text: str) -> roles_Floats:
    """Read what `text_from_floats` wrote."""
    return np.frombuffer(base64.b64decode(text), dtype="<f4").astype(np.float64)


def packing_of(card: DecoderCard) -> Packing:
    """Return how the outputs of a decoder are packed for display."""
    return "zlib-u8" if card.view == "image" else "f32"


def text_from_outputs(outputs: roles_Floats, card: DecoderCard) -> str:
    """Write outputs for display, one row after the other."""
    if packing_of(card) == "f32":
        return text_from_floats(outputs)
    low, high = card.limits
    steps = np.round(np.clip((np.asarray(outputs) - low) / (high - low), 0, 1) * 255).astype(np.uint8)
    return base64.b64encode(zlib.compress(steps.tobytes(), 9)).decode()


def outputs_from_text(text: str, packing: Packing, *, n_outputs: int, limits: tuple[float, float]) -> roles_Floats:
    """Read what `text_from_outputs` wrote, one row for each output."""
    if packing == "f32":
        return floats_from_text(text).reshape(-1, n_outputs)
    low, high = limits
    steps = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
    return (low + steps.astype(np.float64) / 255 * (high - low)).reshape(-1, n_outputs)
