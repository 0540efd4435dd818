"""Questionnaires: your own questions, and standard forms."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field, model_validator

from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Choice, Draft, FreeText, Json, MultipleChoice, Question, Rating, Record, Slider, Stimulus
from understudy.tasks.pages import FormParams, FormTask, StandardForm


@register("tasks", "questionnaire")
class Questionnaire(FormTask):
    """Asks questions without an item: self-reports, demographics, or a comprehension test with its key."""

    questions: tuple[Question, ...] = Field(min_length=1)
    answers: Json = {}
    """Question id -> right answer, for questions that have one. Stays on the server."""

    @model_validator(mode="after")
    def _answers_fit(self) -> "Questionnaire":
        asked = {question.question_id: question for question in self.questions}
        for question_id, answer in self.answers.items():
            if question_id not in asked:
                raise ValueError(f"the key answers {question_id!r}, which is not asked. Asked are: {', '.join(asked)}.")
            if not asked[question_id].accepts(answer):
                raise ValueError(f"the key says {answer!r} for {question_id!r}, which is not a possible answer to it.")
        return self

    @property
    def keyed(self) -> frozenset[str]:
        """The questions the key answers."""
        return frozenset(self.answers)

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the one page."""
        return [Draft(params=FormParams(text=self.text), asks=self.questions, answers=self.answers)]


# Demographics: who took part, in a few broad answers that nobody has to give.

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


# After the NASA-TLX: six scales of how demanding a task was, in our own plainer words and without weights.
#
# The wording is a paraphrase and not that of Hart and Staveland (1988); say so when you report results. Bring the original
# wording as a scale file if you may use it.

SCALES = ("mental", "physical", "temporal", "performance", "effort", "frustration")
_WORDS: dict[str, dict[str, tuple[str, str, str]]] = {
    "en": {
        "mental": ("How much did you have to think, look and remember?", "Very little", "Very much"),
        "physical": ("How much did you have to do with your hands and body?", "Very little", "Very much"),
        "temporal": ("How hurried or rushed did you feel?", "Not at all", "Very much"),
        "performance": ("How well did you do what you were asked to do?", "Perfectly", "I failed"),
        "effort": ("How hard did you have to work to do this?", "Not at all", "Very hard"),
        "frustration": ("How annoyed, discouraged or stressed were you?", "Not at all", "Very much"),
    },
    "de": {
        "mental": ("Wie viel mussten Sie denken, hinsehen und sich merken?", "Sehr wenig", "Sehr viel"),
        "physical": ("Wie viel mussten Sie mit Händen und Körper tun?", "Sehr wenig", "Sehr viel"),
        "temporal": ("Wie gehetzt haben Sie sich gefühlt?", "Gar nicht", "Sehr"),
        "performance": ("Wie gut ist Ihnen gelungen, was Sie tun sollten?", "Vollkommen", "Gar nicht"),
        "effort": ("Wie sehr mussten Sie sich dafür anstrengen?", "Gar nicht", "Sehr"),
        "frustration": ("Wie verärgert, entmutigt oder angespannt waren Sie?", "Gar nicht", "Sehr"),
    },
}


class NasaTlxResponse(Record):
    """The six scales, from 0 to 100."""

    mental: float
    physical: float
    temporal: float
    performance: float
    effort: float
    frustration: float


@register("tasks", "nasa_tlx")
class NasaTlx(StandardForm):
    """Asks six questions on load after the NASA-TLX, paraphrased, each from 0 to 100 in steps of 5.

    A scale that was not touched has no answer. The measure `raw_tlx` is their unweighted mean.
    """

    Response: ClassVar[type[Record]] = NasaTlxResponse
    text: str = ""

    @property
    def questions(self) -> tuple[Question, ...]:
        """Mental, physical and temporal demand, performance, effort and frustration; high always means more load."""
        words = _WORDS[self.language]
        return tuple(
            Slider(
                question_id=name, prompt=words[name][0], low=0, high=100, step=5,
                low_label=words[name][1], high_label=words[name][2],
            )
            for name in SCALES
        )  # fmt: skip


# SEQ: the single question on how easy or hard a task was.

_SEQ_WORDS = {
    "en": ("Overall, how easy or hard was this part?", "Very easy", "Very hard"),
    "de": ("Wie leicht oder schwer war dieser Teil insgesamt?", "Sehr leicht", "Sehr schwer"),
}


class SeqResponse(Record):
    """How hard it was, from 1 to 7."""

    difficulty: int


@register("tasks", "seq")
class Seq(StandardForm):
    """Asks how hard the part before was; the answer `difficulty` goes from 1, very easy, to 7, very hard."""

    Response: ClassVar[type[Record]] = SeqResponse
    text: str = ""

    @property
    def questions(self) -> tuple[Question, ...]:
        """The single question."""
        prompt, low, high = _SEQ_WORDS[self.language]
        return (Rating(question_id="difficulty", prompt=prompt, points=7, low_label=low, high_label=high),)
