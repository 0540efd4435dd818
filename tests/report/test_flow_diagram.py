from xml.etree import ElementTree as ET

from tests.report import report_samples as samples
from understudy.report.diagrams import flow_diagram
from understudy.schema import FlowStep, ParticipantFlow


def words_in(svg: str) -> list[str]:
    return [str(one.text) for one in ET.fromstring(svg).iter() if one.tag.endswith("text")]


def test_the_diagram_tells_who_left_and_why() -> None:
    words = words_in(flow_diagram(samples.flow()).svg)
    assert words[:8] == [
        "Recruited", "n = 71", "69 remain", "Declined", "n = 2", "Did not consent.", "62 remain", "Screened out",
    ]  # fmt: skip
    assert words[-6:] == ["Analysed", "n = 51", "saliency", "n = 27", "none", "n = 24"]


def test_the_description_adds_up_in_words() -> None:
    assert flow_diagram(samples.flow()).description == (
        "Participant flow: 71 recruited; 2 left at declined, 69 remained; 7 left at screened out, 62 remained; "
        "5 left at abandoned, 57 remained; 4 left at too_fast, 53 remained; 2 left at nonsense, 51 remained; "
        "51 analysed (saliency 27, none 24)."
    )


def test_those_who_left_early_and_count_stand_beside_the_end() -> None:
    drawn = flow_diagram(ParticipantFlow(n_recruited=9, steps=(), n_analysed=9, n_partial=2))
    assert words_in(drawn.svg)[2:4] == ["2 of them left early", "and count with the answers they gave"]
    assert drawn.description == "Participant flow: 9 recruited; 9 analysed, 2 of whom left early."


def test_nobody_lost_is_two_boxes() -> None:
    drawn = flow_diagram(ParticipantFlow(n_recruited=9, steps=(), n_analysed=9))
    assert words_in(drawn.svg) == ["Recruited", "n = 9", "Analysed", "n = 9"]
    assert drawn.description == "Participant flow: 9 recruited; 9 analysed."


def test_hostile_reasons_stay_text() -> None:
    step = FlowStep(label=samples.HOSTILE, reason=samples.HOSTILE, n_left=1, n_remaining=1)
    drawn = flow_diagram(ParticipantFlow(n_recruited=2, steps=(step,), n_analysed=1))
    assert samples.HOSTILE in words_in(drawn.svg)


def test_the_note_is_drawn_below() -> None:
    assert words_in(flow_diagram(samples.flow(), note="SYNTHETIC").svg)[-1] == "SYNTHETIC"
