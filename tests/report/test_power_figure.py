"""The figure of power: every panel shows its own hypothesis."""

import re
from pathlib import Path

import pytest

from tests.workflow.test_power_answers import point
from understudy.report import write_power_figure


def test_every_panel_draws_its_own_points(tmp_path: Path) -> None:
    points = [point(20, 0.5), point(40, 0.9), point(20, 0.1, hypothesis_id="H2"), point(40, 0.2, hypothesis_id="H2")]
    drawn = write_power_figure(points, tmp_path / "power.svg").read_text(encoding="utf-8")
    panels = re.findall(r'<g class="mark-symbol role-mark[^>]*>(.*?)</g>', drawn)
    heights = [[float(y) for y in re.findall(r"translate\([\d.]+,([\d.]+)\)", panel)] for panel in panels]
    # 220 pixels are a power of 1, counted from the top.
    assert heights == [[pytest.approx(110), pytest.approx(22)], [pytest.approx(198), pytest.approx(176)]]


def test_one_panel_has_room_for_what_its_title_says(tmp_path: Path) -> None:
    drawn = write_power_figure([point(20, 0.5), point(40, 0.9)], tmp_path / "power.svg").read_text(encoding="utf-8")
    words = re.findall(r"<text [^>]*>([^<]+)</text>", drawn)
    assert "SYNTHETIC DATA" in words
    assert "simulated people, not evidence about people" in words
