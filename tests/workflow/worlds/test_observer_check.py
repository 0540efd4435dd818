"""The observer check says what counterfactuals move, and refuses those that move what they should not."""

import json

import numpy as np
import pytest

from understudy.errors import MaterialsError
from understudy.protocols.sixt2022.printed import RELEVANT, TABLE_6, TABLE_7
from understudy.roles import Explained, Floats, Pixels
from understudy.schema import GridCell, PictureGrid, RuleExplanation, ShownPicture
from understudy.schema.relevance import MovementRule, ObserverCheck, movement_verdict
from understudy.sources.pictures import picture_from_pixels
from understudy.worlds.observer_check import observed_values, observer_check, pictures_from_grid
from understudy.worlds.sampling import sample
from understudy.worlds.sixt2022 import sixt2022


class ChannelObserver:
    """Reads the mean of each channel."""

    attributes = ("red", "green", "blue")
    spreads = (0.25, 0.25, 0.25)

    def read(self, pictures: Pixels) -> Floats:
        means: Floats = pictures.mean(axis=(1, 2)) / 255
        return means


class Shortsighted(ChannelObserver):
    """The same, but says that it misses most of green."""

    unexplained = (0.01, 0.9, 0.02)


def rows_that_redden(n_rows: int = 4) -> Pixels:
    """Rows of five pictures: red rises from 0 to 200, green by 10, blue stays."""
    pictures = np.full((n_rows, 5, 8, 8, 3), 100, dtype=np.uint8)
    pictures[..., 0] = np.linspace(0, 200, 5).astype(np.uint8)[None, :, None, None]
    pictures[..., 1] += np.linspace(0, 10, 5).astype(np.uint8)[None, :, None, None]
    return pictures


def test_what_should_move_moves_and_the_rest_stays() -> None:
    check = observer_check(rows_that_redden(), ChannelObserver(), ["red"])
    assert check.passes
    assert [row.verdict for row in check.attributes] == ["moves as it should", *["stays as it should"] * 2]
    red = check.attributes[0]
    assert (red.mean, red.sd, red.mean_in_spreads) == pytest.approx((200 / 255, 0.0, 200 / 255 / 0.25))


def test_what_moves_though_it_should_stay_is_a_fault() -> None:
    check = observer_check(rows_that_redden(), ChannelObserver(), ["green"])
    assert not check.passes
    assert check.faults == (
        "red should stay: along a row it moves by 3.14 standard deviations.",
        "green should move: along a row it moves by 0.16 standard deviations.",
    )


def test_a_row_has_no_spread_and_another_threshold_another_verdict() -> None:
    check = observer_check(rows_that_redden(1), ChannelObserver(), [], rule=MovementRule(spreads=5))
    assert check.attributes[0].sd is None
    assert check.passes


@pytest.mark.parametrize("should_move", [["red"], ["red", "green"]])
def test_attributes_that_the_observer_cannot_read_are_listed_and_decide_nothing(should_move: list[str]) -> None:
    check = observer_check(rows_that_redden(), Shortsighted(), should_move)
    assert [row.verdict for row in check.attributes] == ["moves as it should", "unreadable", "stays as it should"]
    assert (check.passes, check.unreadable, check.faults) == (True, ("green",), ())


@pytest.mark.parametrize(("should_move", "named"), [(["green"], "green"), ([], "red, green, blue")])
def test_a_check_that_could_read_nothing_of_what_should_move_does_not_pass(should_move: list[str], named: str) -> None:
    observer = Shortsighted()
    if not should_move:
        observer.unexplained = (0.9, 0.9, 0.9)
    check = observer_check(rows_that_redden(), observer, should_move, rule=MovementRule(spreads=100))
    assert not check.passes
    assert f"cannot read {named}" in check.faults[-1]


def test_how_well_an_attribute_must_be_read_is_part_of_the_rule() -> None:
    lenient = MovementRule(least_r_squared=0.05)
    check = observer_check(rows_that_redden(), Shortsighted(), ["red", "green"], rule=lenient)
    assert check.faults == ("green should move: along a row it moves by 0.16 standard deviations.",)


def test_a_check_of_format_1_is_read_with_its_unreadable_attributes() -> None:
    check = observer_check(rows_that_redden(), Shortsighted(), ["red", "green"])
    former = json.loads(check.model_dump_json()) | {"format": 1}
    del former["rule"]["least_r_squared"]
    former["attributes"][1]["verdict"] = "should move"
    assert ObserverCheck.model_validate_json(json.dumps(former)) == check


def test_values_along_rows_are_there_for_figures() -> None:
    seen = observed_values(rows_that_redden(2), ChannelObserver())
    assert seen.shape == (2, 5, 3)
    assert seen[1, :, 0] == pytest.approx(np.linspace(0, 200, 5).astype(int) / 255)


@pytest.mark.parametrize("shape", [(5, 8, 8, 3), (3, 1, 8, 8, 3), (0, 5, 8, 8, 3)])
def test_pictures_that_are_no_rows_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(MaterialsError, match=r"Give \(rows, steps, height, width, channels\)"):
        observer_check(np.zeros(shape, np.uint8), ChannelObserver(), [])


def test_an_attribute_that_the_observer_does_not_know_is_refused() -> None:
    with pytest.raises(MaterialsError, match=r"does not read 'legs'. It reads: red, green, blue"):
        observer_check(rows_that_redden(), ChannelObserver(), ["legs"])


def explained(rows: Pixels) -> Explained:
    drawn = [[picture_from_pixels(picture) for picture in row] for row in rows]
    cells = tuple(
        tuple(GridCell(picture=ShownPicture(file=picture.address, width=8, height=8)) for picture in row)
        for row in drawn
    )
    return Explained((PictureGrid(rows=cells),), {part.address: part.content for row in drawn for part in row})


def test_the_grid_of_any_explainer_can_be_checked() -> None:
    rows = rows_that_redden()
    assert np.array_equal(pictures_from_grid(explained(rows)), rows)


def test_a_grid_with_gaps_and_another_explanation_are_refused() -> None:
    whole = explained(rows_that_redden())
    grid = whole.explanations[0]
    assert isinstance(grid, PictureGrid)
    gaps = grid.model_copy(update={"rows": ((*grid.rows[0][:-1], None), *grid.rows[1:])})
    with pytest.raises(MaterialsError, match="empty cells"):
        pictures_from_grid(Explained((gaps,), whole.files))
    rule = RuleExplanation.model_construct(label="left", conditions=())
    with pytest.raises(MaterialsError, match="shows a grid"):
        pictures_from_grid(Explained((rule,)))


def test_the_threshold_separates_the_attributes_of_table_6_as_the_paper_does() -> None:
    table = sample(sixt2022(), 20_000, 1)
    moved = {
        name: movement_verdict(row.mean / float(table[name].std()), name in RELEVANT, MovementRule())
        for name, row in TABLE_6.items()
    }
    assert all(verdict.endswith("as it should") for verdict in moved.values())
    assert set(TABLE_7) == set(TABLE_6)
