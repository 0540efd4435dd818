"""Makes the pictures that the ready studies show, from trained networks.

    python -m understudy.protocols.sixt2022.make_material --weights WEIGHTS --out MATERIAL

WEIGHTS is the folder that `understudy.training.flow_run` wrote. Test pictures are rendered unless --pictures names a folder
that has them. A second run with the same arguments starts from what the first one computed.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from understudy.errors import exit_status
from understudy.protocols.sixt2022.material_grids import (
    GridOptions,
    Source,
    draw_test_pictures,
    recipe_in,
    scored_pictures,
    write_baseline,
    write_concepts,
    write_counterfactuals,
    write_ideal,
    write_tutorial_grids,
)
from understudy.sources.grids import read_grid_folder
from understudy.training.concepts import ConceptOptions
from understudy.training.picture_data import NamedWorld, PictureFolder
from understudy.training.picture_networks import WORLD
from understudy.training.recipes import flow_recipe, picture_net_recipe
from understudy.worlds.audit import tutorial_faults
from understudy.worlds.families import world_named
from understudy.worlds.world import World

CONDITIONS = ("baseline", "counterfactuals", "concepts")


@dataclass(frozen=True)
class MaterialOrder:
    """What is made, from what, and where it goes."""

    source: Source
    grids: GridOptions
    out: Path
    state: Path
    """What can be made again, but takes long."""
    has_ideal: bool = False
    """Whether ideal counterfactuals of the same network are written too, as `ideal`."""
    concepts: ConceptOptions = field(default_factory=ConceptOptions)
    n_tutorial_pixels: int = 64


def make_material(order: MaterialOrder, say: Callable[[str], None]) -> None:
    """Write all grids, and check that conditions are alike and tutorials give nothing away."""
    scored, how = scored_pictures(order.source, order.state, say), order.grids
    write_baseline(order.out / "baseline", scored, how)
    say("baseline written")
    write_counterfactuals(order.out / "counterfactuals", scored, how)
    say("counterfactuals written")
    write_concepts(order.out / "concepts", scored, how, order.concepts)
    facts = read_grid_folder(order.out / "concepts").facts
    say(f"concepts written: r is {facts['r']}, of which {facts['n_below_r_asked_for']} below {facts['r_asked_for']}")
    if order.has_ideal:
        write_ideal(order.out / "ideal", scored, how)
        say("ideal counterfactuals written")
    write_tutorial_grids(order.out / "tutorial", seed=how.seed, n_pixels=order.n_tutorial_pixels)
    say("tutorial grids written")
    for fault in material_faults(order.out, how.world, how.moved):
        say(fault)


def material_faults(out: Path, world: World, relevant: Sequence[str]) -> list[str]:
    """Say what is wrong with material: conditions with different numbers of pictures, tutorials that give answers away."""
    counts = {name: len(read_grid_folder(out / name).cells) for name in CONDITIONS}
    faults = []
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} {n}" for name, n in counts.items())
        faults.append(f"Conditions show different numbers of pictures ({listed}). Make the grids equally large.")
    shown = [out / name for name in CONDITIONS]
    for name in CONDITIONS:
        faults += tutorial_faults(out / "tutorial" / name, world, relevant, shown)
    return faults


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m understudy.protocols.sixt2022.make_material", description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="folder with weights-0.part and results.json")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "material", help="folder of the grids")
    parser.add_argument("--pictures", type=Path, help="folder with a test set (default: STATE/pictures)")
    parser.add_argument(
        "--state", type=Path, help="folder for results that take long to compute (default: WEIGHTS/material-state)"
    )
    parser.add_argument("--subject", choices=("flow", "classifier"), default="flow", help="the network explained")
    parser.add_argument("--model", default="", help="what the network is, in words, for grid.json")
    parser.add_argument("--percentile", type=float, default=90, help="outer targets: this percentile of |logit|")
    parser.add_argument("--binning", choices=("quantile", "symmetric"), default="quantile")
    parser.add_argument("--moved", default="legs,hue,shape", help="attributes that ideal counterfactuals move")
    parser.add_argument("--ideal", action="store_true", help="write ideal counterfactuals of the same network too")
    parser.add_argument("--n-test", type=int, default=3000, help="pictures drawn where there are none")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(words)


def _order(given: argparse.Namespace) -> MaterialOrder:
    state = given.state or given.weights / "material-state"
    flow = recipe_in(given.weights, flow_recipe("sixt2022/inn-64"))
    classifier = picture_net_recipe("sixt2022/cnn-64")
    pictures = PictureFolder(given.pictures or state / "pictures")
    n_pixels = flow.n_pixels if given.subject == "flow" else classifier.n_pixels
    draw_test_pictures(pictures, NamedWorld(WORLD), n=given.n_test, n_pixels=n_pixels, seed=given.seed)
    names = {
        "flow": f"the invertible network {flow.name}",
        "classifier": f"the convolutional network {classifier.name}",
    }
    grids = GridOptions(
        model=given.model or names[given.subject],
        # Older folders of pictures do not say which world drew them; all of them were drawn by this one.
        world=world_named(pictures.world or WORLD),
        binning=given.binning,
        percentile=given.percentile,
        moved=tuple(given.moved.split(",")),
        seed=given.seed,
    )
    source = Source(given.weights, pictures, given.subject, flow, classifier)
    return MaterialOrder(source, grids, given.out, state, has_ideal=given.ideal)


def main(words: Sequence[str]) -> int:
    """Carry out the command line, and return the exit status."""
    given, start = _arguments(words), time.monotonic()

    def say(text: str) -> None:
        sys.stdout.write(f"{time.monotonic() - start:6.0f} s  {text}\n")
        sys.stdout.flush()

    return exit_status(lambda: make_material(_order(given), say))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
