"""Stand-in material of the Two4Two studies: tiny grids in which an attribute is the brightness of a band, and an observer that reads it."""

from pathlib import Path

import numpy as np

from understudy.explainers import record_grid
from understudy.inference.cards import ObserverCard, card_from_details, text_from_card
from understudy.inference.onnx_graphs import GraphBuilder, TensorSpec
from understudy.inference.onnx_models import INPUT, OUTPUT
from understudy.protocols import Sixt2022
from understudy.protocols.sixt2022.tutorials import ANIMALS, EXPLANATIONS, SYSTEMS
from understudy.roles import Floats, Pixels
from understudy.schema import Ability, Cast, CastMember, Ref

READ = ("legs", "hue", "background", "shape", "yaw", "roll", "pitch", "bending")
EDGE = 32
BAND = EDGE // len(READ)
N_ROWS, N_COLUMNS = 10, 5
HEADINGS = ("Very certain Peeky", "Certain Peeky", "Unsure", "Certain Stretchy", "Very certain Stretchy")
SLOPES = {
    # How far each attribute moves from the first to the last column.
    "baseline": {"legs": 0.9, "hue": 0.2, "shape": 0.5},
    "counterfactuals": {"legs": 0.9, "hue": 0.7, "shape": 0.7},
    "concepts": {},
}


def picture_of(values: Floats) -> Pixels:
    """Draw one band for each attribute; the brighter, the larger its value."""
    bands = np.repeat(np.clip(values, 0, 1), BAND)
    return np.broadcast_to((255 * bands)[:, None, None], (EDGE, EDGE, 3)).round().astype(np.uint8)


def grid_values(condition: str, rng: np.random.Generator) -> Floats:
    """Return the attributes of every picture (row, column, attribute)."""
    values = rng.uniform(0.3, 0.7, (N_ROWS, N_COLUMNS, len(READ)))
    if condition == "counterfactuals":
        # One picture a row: what does not move stays as it is.
        values = np.repeat(values[:, :1], N_COLUMNS, axis=1)
    for name, slope in SLOPES[condition].items():
        values[:, :, READ.index(name)] += slope * np.linspace(-0.5, 0.5, N_COLUMNS)
    return values


def write_material(folder: Path, film: bytes = b"a film") -> Sixt2022:
    """Write films, grids and the observer, and return a study's choice of them."""
    films = folder / "films"
    films.mkdir(parents=True)
    for lesson in (ANIMALS, SYSTEMS, *EXPLANATIONS.values()):
        (films / f"{lesson.film}.webm").write_bytes(film)
        (films / f"{lesson.film}.vtt").write_text("WEBVTT\n\n00:00.000 --> 00:01.000\nHello.\n")
    for number, condition in enumerate(SLOPES):
        values = grid_values(condition, np.random.default_rng(number))
        pictures = [[picture_of(cell) for cell in row] for row in values]
        headings = () if condition == "concepts" else HEADINGS
        record_grid(folder / condition, pictures, method="A stand-in.", column_headings=headings)
    write_observer(folder / "observer.onnx")
    return Sixt2022(material=folder.name)


def write_observer(path: Path) -> None:
    """Write a network that reads the brightness of each band, with its card."""
    weights = np.zeros((3, EDGE, EDGE, len(READ)))
    for number in range(len(READ)):
        weights[:, number * BAND : (number + 1) * BAND, :, number] = 1 / (3 * BAND * EDGE)
    graph = GraphBuilder()
    graph.add("Flatten", INPUT, into="flat", axis=1)
    graph.add("MatMul", "flat", graph.constant("weights", weights.reshape(-1, len(READ))), into=OUTPUT)
    content = graph.to_bytes(
        "bands",
        model_input=TensorSpec(INPUT, ("n", 3, EDGE, EDGE)),
        model_output=TensorSpec(OUTPUT, ("n", len(READ))),
    )
    path.write_bytes(content)
    details = ObserverCard(name="bands", size=(3, EDGE, EDGE), attributes=READ, spreads=(0.115,) * len(READ))
    path.with_suffix(".json").write_text(text_from_card(card_from_details(details)), encoding="utf-8")


def cast_of(*kinds: str, observer: Path) -> Cast:
    """Return a cast of these kinds in turn, who see through an observer."""
    members = [
        CastMember(participant=Ref(name=kind, params={"habits": {"observer": str(observer)}}), share=1)
        for kind in kinds
    ]
    return Cast(name="stand-in", members=tuple(members), dealing="in_turn", ability=Ability(accuracy=0.999))
