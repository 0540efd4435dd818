"""The results of Sixt et al. (2022): Table 2, the tests in the text and Figure 4, next to those of a run."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import pandas as pd

from understudy.estimate.participant_flow import analysed_sessions
from understudy.protocols.sixt2022.study import NAMES, SHIPPED_WORLD
from understudy.report import OurNumbers, PrintedTable, PrintedTables, Spread, TableColumn, TableLine
from understudy.schema import AttributeImportance, LatentShift, Measured, RelevanceRule, Study
from understudy.statistics.describe import proportion

SOURCE = "Sixt, Schuessler, Popescu, Weiß and Landgraf, ICLR 2022"
LABELS = {"baseline": "Baseline", "counterfactuals": "Counterfactuals", "concepts": "Concepts"}


class PrintedRow(NamedTuple):
    """A row of Table 2: how many people were kept, and the per cent right overall and about each attribute."""

    n: int
    overall: float
    attributes: tuple[float, ...]


STUDY_1: Mapping[str, PrintedRow] = MappingProxyType({"baseline": PrintedRow(43, 73.4, (86.0, 48.8, 86.0, 74.4, 72.1))})
STUDY_2: Mapping[str, PrintedRow] = MappingProxyType(
    {
        "baseline": PrintedRow(71, 80.8, (85.9, 59.2, 95.8, 93.0, 70.4)),
        "counterfactuals": PrintedRow(62, 84.5, (100.0, 82.3, 79.0, 90.3, 71.0)),
        "concepts": PrintedRow(59, 32.2, (45.8, 32.2, 18.6, 32.2, 32.2)),
    }
)
POOLED = PrintedRow(192, 67.0, (78.2, 58.9, 66.8, 73.1, 59.1))
LESS_THAN = 0.0009
"""How "less than 0.001" is entered, so that it is written that way again."""
TESTS_1: Mapping[str, tuple[float, float | None]] = MappingProxyType(
    {"legs_over_colour": (0.00009, None), "legs_over_shape": (0.3036, None)}
)
"""Hypothesis -> printed p, and r where it is printed."""
TESTS_2: Mapping[str, tuple[float, float | None]] = MappingProxyType(
    {
        "conditions_differ": (LESS_THAN, None),
        "concepts_against_baseline": (LESS_THAN, 0.778),
        "counterfactuals_against_baseline": (0.441, 0.091),
        "counterfactuals_legs": (LESS_THAN, None),
        "counterfactuals_colour": (0.033, None),
        "counterfactuals_background": (0.033, None),
        "counterfactuals_shape": (1.0, None),
        "counterfactuals_posture": (1.0, None),
    }
)
FACTS: Mapping[str, tuple[float, str]] = MappingProxyType(
    {
        "attributes": (5, "section 5.2"),
        "study_2.concepts_in_the_text": (31.7, "section 5.3"),
        "network.millions_of_parameters": (261, "appendix A.2"),
        "network.accuracy": (96.7, "section 4"),
        "network.noise_levels": (1, "code of the study"),
        "network.percent_of_labels_by_coin": (10, "code of the study"),
        "study_2.completed": (240, "section 5.2"),
        "study_2.left_out_for_texts": (48, "section 5.3"),
        "world.shape_middle.low": (0.45, "section 3"),
        "world.shape_middle.high": (0.55, "section 3"),
        "world.background.low": (0.05, "Table 5"),
        "world.background.high": (0.95, "Table 5"),
        "world.yaw.low_in_turns": (0, "Table 5"),
        "world.yaw.high_in_turns": (1, "Table 5"),
        "pictures": (50, "section 5.1"),
        "films": (3, "section 5.1"),
        "turned_away.first_test": (0.50, "appendix D.2"),
        "turned_away.second_test": (1.75, "appendix D.2"),
        "turned_away.third_test": (3.50, "appendix D.2"),
        "turned_away.first_film": (0, "appendix D.2"),
        "turned_away.second_film": (1, "appendix D.2"),
        "turned_away.third_film": (2, "appendix D.2"),
        "right_answer": (0.40, "section 5.1"),
    }
)
"""Other numbers that pages quote, each with its place."""
_COLUMNS = (
    TableColumn("n", kind="count"),
    TableColumn("Right, %", decimals=1, times=100),
    TableColumn("95% from", decimals=1, times=100, spread=Spread("low", 0.95)),
    TableColumn("to", decimals=1, times=100, spread=Spread("high", 0.95)),
)
_GROUP = ("n", "mean", "low", "high")
_TEST = (TableColumn("p", kind="p"), TableColumn("r", decimals=3))
NOTES_1 = (
    "The paper registered a one-sided test, says that it is two-sided, and names the background as the second attribute "
    "while it reports the shape.",
    "p = .3036 does not follow from the counts: 37 people were right about the legs and 32 about the shape, so the "
    "discordant pairs differ by 5, and one-sided p lies between .031 and .166. 9 against 6 pairs would give .3036.",
    "Overall, the counts give 73.5 per cent and not 73.4.",
)
NOTES_2 = (
    "The text says 31.7 per cent for the concepts, Table 2 says 32.2 (95 of 295 answers; 31.7 would be 95 of 300).",
    "The pooled row does not follow from the others: the counts give 67.1 overall, and 78.1, 58.3, 66.7, 73.4 and 58.9 "
    "for the attributes.",
    "p-values of attributes do not follow from the counts: rank-sum tests with Holm's correction for 8 give .013 for the "
    "legs, and .016 for colour and background.",
    "r = .091 with 133 people means Z = 1.05, so p = .294 in a two-sided test; the printed .441 is 3 times the one-sided "
    "p of .147, not a correction for two tests.",
    "The printed tests of all conditions and of contrasts need each person's answers, which are not published.",
)


def published_tables(study: Study, sessions: pd.DataFrame | None = None) -> PrintedTables | None:
    """Return the printed results for a study with one of the paper's plans, None for any other.

    `sessions` is the session table of a run, for the number of right answers (Figure 4).
    """
    planned = {hypothesis.hypothesis_id for hypothesis in study.plan.hypotheses}
    is_comparison = "conditions_differ" in planned
    if not is_comparison and "legs_over_colour" not in planned:
        return None
    tables = _comparison_tables() if is_comparison else _validation_tables()
    if sessions is not None:
        tables = (*tables, _right_answers(study, analysed_sessions(sessions)))
    notes = (
        "Printed numbers are of the paper's people and network; ours are of this study's. Intervals next to printed "
        "shares are ours, by Wilson's method from the printed counts.",
    )
    return PrintedTables(SOURCE, tables, (*notes, SHIPPED_WORLD) if SHIPPED_WORLD in study.question else notes)


def _validation_tables() -> tuple[PrintedTable, ...]:
    labels = {"legs_over_colour": "Colour and legs", "legs_over_shape": "Shape and legs"}
    tests = tuple(TableLine(label, TESTS_1[test], (_test(test),)) for test, label in labels.items())
    return (
        _shares("Table 2, study 1", STUDY_1, is_single=True),
        PrintedTable("Exact McNemar tests of study 1", _TEST, tests, NOTES_1),
    )


def _comparison_tables() -> tuple[PrintedTable, ...]:
    labels = {
        "conditions_differ": "All conditions",
        "concepts_against_baseline": "Concepts and baseline",
        "counterfactuals_against_baseline": "Counterfactuals and baseline",
        **{f"counterfactuals_{name}": f"{name.capitalize()}, counterfactuals and baseline" for name in NAMES},
    }
    tests = tuple(TableLine(label, TESTS_2[test], (_test(test),)) for test, label in labels.items())
    pooled = tuple(
        _share_line("All", name, POOLED.attributes[k], _Ours("pooled_by_attribute", name, POOLED.n))
        for k, name in enumerate(NAMES)
    )
    every = _share_line("All", "overall", POOLED.overall, _Ours("pooled_overall", "", POOLED.n))
    table = _shares("Table 2, study 2", STUDY_2, is_single=False)
    return (
        table._replace(lines=(*table.lines, every, *pooled)),
        PrintedTable("Tests of study 2", _TEST, tests, (*NOTES_2, "Tests of attributes were not registered.")),
    )


class _Ours(NamedTuple):
    description: str
    group: str
    n_printed: int


def _shares(title: str, rows: Mapping[str, PrintedRow], *, is_single: bool) -> PrintedTable:
    lines: list[TableLine] = []
    for condition, row in rows.items():
        label = LABELS[condition]
        lines.append(
            _share_line(label, "overall", row.overall, _Ours("overall", "" if is_single else condition, row.n))
        )
        for name, percent in zip(NAMES, row.attributes, strict=True):
            group = name if is_single else f"{condition}, {name}"
            lines.append(_share_line(label, name, percent, _Ours("by_attribute", group, row.n)))
    return PrintedTable(
        title, _COLUMNS, tuple(lines), drawn="Right, %", axis="People who are right, per cent", limits=(0, 100)
    )


def _share_line(label: str, name: str, percent: float, ours: _Ours) -> TableLine:
    is_of_people = name != "overall"
    low, high = _wilson_limits(percent, ours.n_printed) if is_of_people else (None, None)
    numbers = OurNumbers("ours", _GROUP, description=ours.description, group=ours.group)
    return TableLine(f"{label}, {name}", (ours.n_printed, percent, low, high), (numbers,))


def _wilson_limits(percent: float, n: int) -> tuple[float, float]:
    interval = proportion(round(percent / 100 * n), n).interval
    return 100 * interval.low, 100 * interval.high


def _test(hypothesis: str) -> OurNumbers:
    return OurNumbers("ours", ("p_adjusted", "effect_size.r"), hypothesis=hypothesis)


def _right_answers(study: Study, sessions: pd.DataFrame) -> PrintedTable:
    """Return how many people had how many right answers, as Figure 4 draws it without printing numbers."""
    conditions: Sequence[str] = [cell.name for cell in study.cells]
    names = [str(level) for factor in study.factors if factor.name == "attribute" for level in factor.levels]
    numbers = range(len(names) + 1)
    columns = tuple(TableColumn(f"{number} right", kind="count") for number in numbers)
    lines = []
    for condition in conditions:
        own = sessions[sessions["condition"].astype(str) == condition]["n_right"]
        counts = tuple(float((own == number).sum()) for number in numbers)
        lines.append(TableLine(LABELS.get(condition, "All"), (None,) * len(counts), known=counts))
    return PrintedTable("People by their number of right answers (Figure 4)", columns, tuple(lines))


# Tables 1, 3, 4, 6 and 7 of the paper: what its classifier relies on, and what its counterfactuals move.
#
# Table 1 shows some rows of Table 3. Names of attributes are those of the world `sixt2022`; the paper's network learned from what
# the code of its study draws, `sixt2022-code`.


class PrintedImportance(NamedTuple):
    """A row of Table 3."""

    flip_percent: float
    median_change: float
    r_squared: float


class PrintedShift(NamedTuple):
    """A row of Table 4."""

    norm: float
    norm_sd: float
    angle: float
    angle_sd: float


class PrintedMovement(NamedTuple):
    """A row of Table 6."""

    mean: float
    sd: float


WORLDS: Final = ("sixt2022", "sixt2022-code")
"""Worlds that are compared with the tables."""
PRINTED_FOR: Final = "sixt2022-code"
"""The world that the paper's network learned from: its published code, which differs from its text."""
N_TEST: Final = 5000
"""Pictures behind Tables 1, 3 and 4."""
TABLE_3: Final[dict[str, PrintedImportance]] = {
    "legs": PrintedImportance(41.680, 2.493, 0.933),
    "hue": PrintedImportance(7.080, 0.886, 0.751),
    "shape": PrintedImportance(3.920, 0.577, 0.307),
    "y": PrintedImportance(2.960, 0.597, 0.007),
    "background": PrintedImportance(2.640, 0.523, 0.006),
    "yaw": PrintedImportance(3.480, 0.669, 0.001),
    "roll": PrintedImportance(2.260, 0.413, 0.001),
    "bending": PrintedImportance(3.640, 0.605, 0.000),
    "pitch": PrintedImportance(3.500, 0.627, 0.000),
    "x": PrintedImportance(3.380, 0.581, 0.000),
}
TABLE_1: Final = ("legs", "hue", "shape", "background", "yaw", "bending")
"""The rows of Table 3 that Table 1 shows."""
TABLE_4: Final[dict[str, PrintedShift]] = {
    "legs": PrintedShift(70.8, 2.6, 79.9, 1.9),
    "hue": PrintedShift(53.8, 2.4, 85.3, 1.3),
    "shape": PrintedShift(66.9, 2.1, 88.5, 1.5),
    "y": PrintedShift(68.1, 2.8, 89.7, 1.7),
    "background": PrintedShift(60.3, 2.6, 89.7, 1.5),
    "bending": PrintedShift(68.9, 2.6, 89.8, 1.7),
    "yaw": PrintedShift(68.5, 2.7, 89.8, 1.7),
    "roll": PrintedShift(55.2, 2.9, 89.9, 1.2),
    "x": PrintedShift(68.4, 3.0, 89.9, 1.6),
    "pitch": PrintedShift(69.5, 2.5, 90.0, 1.5),
}
TABLE_6: Final[dict[str, PrintedMovement]] = {
    "legs": PrintedMovement(0.662, 0.140),
    "hue": PrintedMovement(0.440, 0.190),
    "shape": PrintedMovement(0.624, 0.208),
    "bending": PrintedMovement(0.059, 0.042),
    "background": PrintedMovement(0.045, 0.044),
    "pitch": PrintedMovement(0.186, 0.126),
    "yaw": PrintedMovement(0.102, 0.182),
    "roll": PrintedMovement(0.003, 0.001),
    "x": PrintedMovement(0.105, 0.078),
    "y": PrintedMovement(0.103, 0.078),
}
TABLE_7: Final[dict[str, float]] = {
    "legs": 0.0008912,
    "bending": 0.0001915,
    "background": 0.0001128,
    "hue": 0.0005297,
    "pitch": 0.0009235,
    "roll": 0.0005622,
    "yaw": 0.002243,
    "x": 0.0004451,
    "y": 0.0003912,
    "shape": 0.001102,
}
"""Mean squared error of the observer."""
RELEVANT: Final = ("legs", "hue", "shape")
"""What the paper counts as relevant."""


def printed_row(attribute: str, rule: RelevanceRule) -> AttributeImportance:
    """Return a row of Tables 3 and 4 as if it were measured; the paper prints no intervals, so they have no width."""
    row, shift = TABLE_3[attribute], TABLE_4[attribute]
    r_squared = _exactly(row.r_squared)
    return AttributeImportance(
        attribute=attribute,
        flip_rate=_exactly(row.flip_percent / 100),
        median_change=_exactly(row.median_change),
        r_squared=r_squared,
        latents=LatentShift(norm=shift.norm, norm_sd=shift.norm_sd, angle=shift.angle, angle_sd=shift.angle_sd),
        verdict=rule.verdict(r_squared),
    )


def _exactly(value: float) -> Measured:
    return Measured(value=value, low=value, high=value)
