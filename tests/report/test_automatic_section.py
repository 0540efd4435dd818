"""Automatic scores and people: what a card says, how orders are counted, and what the page shows."""

from pathlib import Path

import pytest

from tests.report.report_samples import findings
from understudy.report import (
    SD,
    ModelScores,
    PrintedColumn,
    PrintedMean,
    PrintedResults,
    PrintedRow,
    SharedInformation,
    scores_from_card,
    write_paper_comparison,
)
from understudy.report.paper_comparison.score_figures import ScoredModel, order_lines, scores_figure, shared_figure
from understudy.schema import DecoderCard, Dial, Json

ACCURACY = PrintedColumn("D1", "Accuracy", SD)
SLOWNESS = PrintedColumn("D2", "Seconds", SD, better="lower")
SHARED = SharedInformation(("size", "hue"), ((1.2, 0.1), (0.0, 0.4)), (0.6, 0.2))
PRINTED = {
    "saliency": ModelScores("Toy A", "Toy", error=3.0, dci_paper=0.5, mig=0.4, shared=SHARED),
    "none": ModelScores("Toy B", "Toy", error=9.0, dci_paper=0.1, mig=0.1),
}


def card(**provenance: object) -> DecoderCard:
    said: Json = dict(provenance)  # type: ignore[arg-type]
    return DecoderCard(name="toy", shape=(2,), dials=(Dial(name="z1"), Dial(name="z2")), provenance=said)


def standing(mig: float | None, *people: float | None) -> ScoredModel:
    return ScoredModel(ModelScores("Toy", "Toy", mig=mig), "printed", people)


def page(tmp_path: Path, *, is_synthetic: bool = True) -> str:
    printed = PrintedResults(
        source="Somebody, 2021",
        title="Table 9",
        columns=(ACCURACY,),
        rows=(
            PrintedRow("With maps", "saliency", (PrintedMean(0.7, 0.1),)),
            PrintedRow("Without", "none", (PrintedMean(0.5, 0.1),)),
        ),
        scores=PRINTED,
    )
    ours = {"saliency": scores_from_card(card(mig=0.25, held_out_squared_error=4.5), "Toy A", "Toy")}
    made = write_paper_comparison(
        findings(is_synthetic=is_synthetic), printed, tmp_path / "beside.html", ours=ours, gaps=("Toy B: not there.",)
    )
    return made.read_text(encoding="utf-8")


def test_the_error_of_drawn_codes_comes_first() -> None:
    said = card(held_out_squared_error=1.5, held_out_squared_error_by_draw=3.5)
    assert scores_from_card(said, "Toy", "Toy").error == 3.5


def test_a_true_model_scores_one_by_construction() -> None:
    found = scores_from_card(card(recipe="closed form"), "Toy GT", "Toy")
    assert (found.mig, found.dci, found.dci_paper, found.error) == (1.0, 1.0, 1.0, 0.0)


def test_a_card_without_scores_leaves_them_open() -> None:
    found = scores_from_card(card(), "Toy", "Toy")
    assert (found.mig, found.dci, found.error, found.shared) == (None, None, None, None)


def test_a_dial_tells_most_about_its_strongest_factor() -> None:
    assert SHARED.strongest == ("size", "hue")


def test_a_score_that_orders_models_as_people_do_agrees_on_every_pair() -> None:
    (line,) = order_lines([standing(0.1, 0.3), standing(0.2, 0.5), standing(0.9, 0.8)], (ACCURACY,))
    assert line.counts == ("3 of 3", "—", "—", "—")


def test_less_is_better_where_the_measure_says_so() -> None:
    (line,) = order_lines([standing(0.1, 9.0), standing(0.2, 5.0)], (SLOWNESS,))
    assert line.counts[0] == "1 of 1"


def test_ties_and_gaps_make_no_pair() -> None:
    (line,) = order_lines(
        [standing(0.1, 0.3), standing(0.1, 0.5), standing(0.2, 0.9), standing(None, 0.1)], (ACCURACY,)
    )
    assert line.counts[0] == "2 of 2"


def test_models_without_factors_have_no_heat_map() -> None:
    assert shared_figure("Toy", [PRINTED["none"]], []) is None


def test_a_heat_map_says_in_words_what_each_dial_is_about() -> None:
    figure = shared_figure("Toy", [PRINTED["saliency"]], [])
    assert figure is not None
    assert "dial 1 most about size (1.20), dial 2 most about hue (0.40)" in figure.description


def test_nothing_is_drawn_where_no_model_has_both() -> None:
    assert scores_figure([standing(None, 0.5), standing(0.5, None)], (ACCURACY,), is_synthetic=False) is None


@pytest.mark.parametrize(
    "words", ["Automatic scores and people", "0.400", "0.250", "4.50", "1 of 1", "Toy B: not there."]
)
def test_scores_orders_and_gaps_stand_on_the_page(words: str, tmp_path: Path) -> None:
    assert words in page(tmp_path)


def test_a_figure_with_simulated_people_says_so_and_one_of_models_does_not(tmp_path: Path) -> None:
    section = page(tmp_path).split('id="automatic"')[1].split("</section>")[0]
    against_people, heat_map = section.split('<figure class="chart">')[1:]
    assert "SYNTHETIC" in against_people
    assert "SYNTHETIC" not in heat_map
