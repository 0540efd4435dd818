"""Demographics: who took part, in a few broad answers that nobody has to give."""

from collections.abc import Sequence
from typing import ClassVar

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Choice, Draft, FreeText, MultipleChoice, Question, Record, Stimulus
from understudy.tasks.one_page import FormParams, StandardForm

_TEXT = {
    "en": "These questions help us describe who took part. You can skip any of them.",
    "de": "Diese Fragen helfen uns zu beschreiben, wer teilgenommen hat. Sie können jede davon überspringen.",
}
_ASKED: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {
    "en": {
        "age": ("How old are you?", ("18–34", "35–50", "51–69", "70 or older", "I prefer not to say")),
        "gender": ("What is your gender?", ("Woman", "Man", "Non-binary", "I prefer not to say")),
        "education": (
            "What is the highest education you have completed?",
            ("Less than secondary school", "Secondary school", "Vocational training", "Bachelor's degree",
             "Master's degree or beyond", "I prefer not to say"),
        ),
        "region": (
            "Where do you live?",
            ("Africa", "Asia", "Australia or Oceania", "Central America or the Caribbean", "Europe", "Middle East",
             "North America", "South America", "Elsewhere", "I prefer not to say"),
        ),
        "gender_own": ("You can also say it in your own words.", ()),
    },
    "de": {
        "age": ("Wie alt sind Sie?", ("18–34", "35–50", "51–69", "70 oder älter", "Keine Angabe")),
        "gender": ("Was ist Ihr Geschlecht?", ("Frau", "Mann", "Nicht-binär", "Keine Angabe")),
        "education": (
            "Was ist Ihr höchster Bildungsabschluss?",
            ("Weniger als ein Schulabschluss", "Schulabschluss", "Berufsausbildung", "Bachelor",
             "Master oder höher", "Keine Angabe"),
        ),
        "region": (
            "Wo leben Sie?",
            ("Afrika", "Asien", "Australien oder Ozeanien", "Mittelamerika oder Karibik", "Europa", "Naher Osten",
             "Nordamerika", "Südamerika", "Anderswo", "Keine Angabe"),
        ),
        "gender_own": ("Sie können es auch mit eigenen Worten sagen.", ()),
    },
}  # fmt: skip


class DemographicsResponse(Record):
    """Who took part; absent if somebody prefers not to say."""

    age: str | None = None
    gender: tuple[str, ...] | None = None
    gender_own: str | None = None
    education: str | None = None
    region: str | None = None


@register("tasks", "demographics")
class Demographics(StandardForm):
    """Asks age, gender, education and region; every answer is optional, and people may prefer not to say."""

    Response: ClassVar[type[Record]] = DemographicsResponse
    text: str | None = None
    """The text above the questions; by default a sentence on why they are asked."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """Four optional questions, and free text for gender."""
        asked = _ASKED[self.language]
        return (
            Choice(question_id="age", prompt=asked["age"][0], options=asked["age"][1], is_required=False),
            MultipleChoice(
                question_id="gender", prompt=asked["gender"][0], options=asked["gender"][1], is_required=False
            ),
            FreeText(question_id="gender_own", prompt=asked["gender_own"][0], max_chars=100, is_required=False),
            Choice(
                question_id="education", prompt=asked["education"][0], options=asked["education"][1], is_required=False
            ),
            Choice(question_id="region", prompt=asked["region"][0], options=asked["region"][1], is_required=False),
        )

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the one page."""
        text = _TEXT[self.language] if self.text is None else self.text
        return [Draft(params=FormParams(text=text), asks=self.questions)]
