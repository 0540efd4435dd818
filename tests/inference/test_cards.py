"""Model cards: one form for all models, and the form of version 0.1.0 is still read."""

import json
from pathlib import Path

import pytest

from understudy.errors import MaterialsError
from understudy.inference.cards import (
    ClassifierCard,
    ModelCard,
    card_from_details,
    card_from_text,
    details_from_card,
    text_from_card,
)
from understudy.inference.model_folders import shipped_cards
from understudy.schema import DecoderCard, Dial, json_from_record

OLD = Path(__file__).parent / "cards_of_0_1_0"
"""Cards as `understudy train` of version 0.1.0 wrote them."""
DECODER = DecoderCard(name="mine", shape=(2, 2), dials=(Dial(), Dial()), provenance={"device": "cpu", "mig": 0.5})
CLASSIFIER = ClassifierCard(name="yours", takes="tokens", labels=("no", "yes"), words=("a", "film"))


@pytest.mark.parametrize("path", sorted(OLD.iterdir()), ids=lambda path: path.stem)
def test_a_card_of_the_first_version_says_what_the_shipped_card_says(path: Path) -> None:
    card, shipped = card_from_text(path.read_text(), path.name), shipped_cards()[path.stem]
    assert card.model_copy(update={"licence": shipped.licence}) == shipped


@pytest.mark.parametrize("path", sorted(OLD.iterdir()), ids=lambda path: path.stem)
def test_studies_read_the_same_from_a_card_of_the_first_version(path: Path) -> None:
    card = card_from_text(path.read_text(), path.name)
    kind = DecoderCard if card.kind == "decoder" else ClassifierCard
    details = details_from_card(card, kind, path.name)  # type: ignore[type-var]
    assert json_from_record(details) == json.loads(path.read_text())


@pytest.mark.parametrize("details", [DECODER, CLASSIFIER], ids=["decoder", "classifier"])
def test_a_card_is_read_as_it_was_written(details: DecoderCard | ClassifierCard) -> None:
    card = card_from_details(details, licence="CC0-1.0")
    assert card_from_text(text_from_card(card), "mine.json") == card


def test_settings_and_scores_are_told_apart_and_studies_read_both() -> None:
    card = card_from_details(DECODER)
    assert (card.kind, card.training.device, card.scores) == ("decoder", "cpu", {"mig": 0.5})
    assert details_from_card(card, DecoderCard, "mine.json") == DECODER


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", r"The card mine\.json is not JSON\."),
        ("[1]", r"The card mine\.json is not a table of fields\."),
        ('{"name": "mine"}', r"The card mine\.json does not fit: .*dials"),
        ('{"format": 2, "kind": "decoder"}', r"The card mine\.json does not fit: .*details"),
    ],
    ids=["text", "list", "old", "new"],
)
def test_a_card_that_cannot_be_read_gets_a_sentence(text: str, said: str) -> None:
    with pytest.raises(MaterialsError, match=said):
        card_from_text(text, "mine.json")


def test_details_of_another_kind_are_refused() -> None:
    told = {**json.loads(text_from_card(card_from_details(DECODER))), "kind": "classifier"}
    with pytest.raises(MaterialsError, match="the details of 'mine' do not describe a classifier"):
        card_from_text(json.dumps(told), "mine.json")


def test_the_card_of_a_classifier_is_refused_where_a_decoder_is_needed() -> None:
    with pytest.raises(MaterialsError, match=r"yours\.json describes a classifier, but a decoder is needed"):
        details_from_card(card_from_details(CLASSIFIER), DecoderCard, "yours.json")


def test_a_provenance_is_written_in_one_place() -> None:
    with pytest.raises(ValueError, match="put it under training and scores"):
        ModelCard(kind="decoder", details=DECODER)
