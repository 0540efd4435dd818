"""After the NASA-TLX: six scales of how demanding a task was, in our own plainer words and without weights.

The wording is a paraphrase and not that of Hart and Staveland (1988); say so when you report results. Bring the original
wording as a scale file if you may use it.
"""

from typing import ClassVar

from understudy.registry import register
from understudy.schema import Question, Record, Slider
from understudy.tasks.one_page import StandardForm

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
