"""The picture of a concept test, as files and in a notebook."""

import json
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.probe.picture_sample import sample_verdicts
from understudy.drawing import web_file
from understudy.errors import MaterialsError, MissingExtra, UnderstudyError
from understudy.probe.picture import PictureOptions, ProbeWidget, page, serve_page, svg, write_picture

NAMES = {"svg": "http://www.w3.org/2000/svg"}
STARTS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!doctype html>"}


def held(text: str) -> object:
    found = re.search(r'<script type="application/json" id="verdicts">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


@pytest.mark.parametrize("ending", STARTS)
def test_the_ending_of_a_path_chooses_the_form(tmp_path: Path, ending: str) -> None:
    path = write_picture(sample_verdicts(), tmp_path / "new" / f"picture.{ending}")
    assert path.read_bytes().startswith(STARTS[ending])


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnderstudyError, match=r"ends in \.html, \.svg, \.png or \.pdf, not in '\.gif'"):
        write_picture(sample_verdicts(), tmp_path / "picture.gif")


@pytest.mark.parametrize("layout", ["horizontal", "vertical"])
def test_a_still_picture_names_every_hypothesis_with_its_state(layout: str) -> None:
    verdicts = sample_verdicts()
    root = ET.fromstring(svg(verdicts, PictureOptions(layout=layout)))  # type: ignore[arg-type]
    labels = [one.get("aria-label", "") for one in root.iterfind(".//svg:g[@aria-label]", NAMES)]
    wanted = [f"{hypothesis['id']}, {hypothesis['state']}," for hypothesis in verdicts["hypotheses"]]
    assert [label.partition(" votes")[0] for label in labels[:12]] == wanted


def test_a_still_picture_follows_the_threshold_and_the_group() -> None:
    drawn = svg(sample_verdicts(), PictureOptions(alpha=0.01, group="coat"))
    assert "Rotation correction: coat" in drawn
    assert "threshold 0.01" in drawn


def test_a_highlight_lights_the_chain() -> None:
    drawn = svg(sample_verdicts(), PictureOptions(highlight="A1"))
    assert re.findall(r'class="link [^"]*is-lit"[^>]*data-link="([^"]+)"', drawn) == ["A1 PP", "A1 MD"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (PictureOptions(alpha=1.5), "The threshold is 1.5, but must be between 0 and 1."),
        (PictureOptions(group="hat"), "'hat' is not a group of these verdicts. Choose from: bag, coat, dress, shirt."),
        (PictureOptions(highlight="H13"), "'H13' cannot be highlighted; give H1 to H12, A1 to A6, PP, PD, MP or MD."),
    ],
)
def test_a_wish_that_cannot_be_met_is_one_sentence(options: PictureOptions, sentence: str) -> None:
    with pytest.raises(UnderstudyError, match=f"^{re.escape(sentence)}$"):
        svg(sample_verdicts(), options)


def test_verdicts_that_lack_an_analysis_are_one_sentence() -> None:
    verdicts = sample_verdicts()
    verdicts["analyses"] = verdicts["analyses"][1:]
    with pytest.raises(UnderstudyError, match=r"could not be drawn: .*no analysis A1"):
        svg(verdicts)


def test_the_page_holds_the_verdicts_and_fetches_nothing() -> None:
    verdicts = {**sample_verdicts(), "concept": "</script><b>"}
    text = page(verdicts)
    assert held(text) == verdicts
    assert "<b>" not in text
    assert re.findall(r'(?:src|href)="', text) == []


def test_a_missing_build_is_named(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="Run: make web"):
        web_file("probe.js", web=tmp_path)


def test_the_page_is_shown_on_this_computer_until_the_block_ends() -> None:
    with serve_page("<!doctype html><p>hello</p>") as address:
        assert urllib.request.urlopen(address).read() == b"<!doctype html><p>hello</p>"
        with pytest.raises(urllib.error.HTTPError, match="404") as refused:
            urllib.request.urlopen(f"{address}other")
        refused.value.close()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address)


def test_the_widget_carries_the_verdicts_and_its_module() -> None:
    widget = ProbeWidget(sample_verdicts())
    assert widget.verdicts == sample_verdicts()
    assert widget.alpha == 0.05
    assert "export{" in str(widget._esm)


def test_the_widget_says_which_extra_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "understudy.probe.picture")
    with pytest.raises(MissingExtra, match=r"understudy\[notebook\]"):
        __import__("understudy.probe.picture")
