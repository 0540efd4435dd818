"""The observer and the relevance key of the ready studies, from what a whole run of training left.

    python -m understudy.protocols.sixt2022.material_key --weights WEIGHTS --out MATERIAL

WEIGHTS is the folder that `understudy.training.flow_run` wrote. Run it after `make_material`: it also looks at the
counterfactuals there.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from understudy.actions.importance import ImportanceOptions, ModelName, effects_from_run, key_from_effects
from understudy.errors import exit_status
from understudy.inference.onnx_graphs import Precision
from understudy.inference.onnx_models import observer_from_file
from understudy.schema import RelevanceKey, text_from_relevance_key
from understudy.schema.relevance import ObserverCheck
from understudy.training.picture_networks import nets_from_run, world_of_run
from understudy.training.recipes import PictureNetRecipe
from understudy.worlds.families import world_named
from understudy.worlds.observer_check import observer_check, pictures_from_grid_folder

KEY, OBSERVER, CHECK = "answer_key.json", "observer", "observer_check.json"


@dataclass(frozen=True)
class KeyOrder:
    """What is measured, from what, and where it goes."""

    weights: Path
    out: Path
    subject: Literal["flow", "classifier"] = "flow"
    """The network that is explained."""
    model: str = "inn-64"
    n_pixels: int = 64
    seed: int = 0
    """Of the intervals."""
    precision: Precision = "int8"
    """How the weights of the observer are stored; 8 bits change what it reads by 0.004 standard deviations on average."""


def write_key(order: KeyOrder) -> RelevanceKey:
    """Write what the explained network relies on."""
    effects = effects_from_run(order.weights, order.subject)
    options = ImportanceOptions(n=len(effects.logits), seed=order.seed, edge=order.n_pixels)
    key = key_from_effects(world_named(world_of_run(order.weights)), effects, options, ModelName(order.model))
    order.out.mkdir(parents=True, exist_ok=True)
    (order.out / KEY).write_text(text_from_relevance_key(key), encoding="utf-8")
    return key


def write_observer(order: KeyOrder, recipes: tuple[PictureNetRecipe, PictureNetRecipe] | None = None) -> Path:
    """Write the observer as observer.onnx with its card, and return the file."""
    target = order.out / f"{OBSERVER}.onnx"
    order.out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        _, observer = nets_from_run(order.weights, Path(folder), precision=order.precision, recipes=recipes)
        for ending in (".onnx", ".json"):
            target.with_suffix(ending).write_bytes(observer.path.with_suffix(ending).read_bytes())
    return target


def check_counterfactuals(order: KeyOrder, key: RelevanceKey) -> ObserverCheck:
    """Say what the counterfactuals of the material move, and write it next to them."""
    observer = observer_from_file(order.out / f"{OBSERVER}.onnx")
    rows = pictures_from_grid_folder(order.out / "counterfactuals")
    check = observer_check(rows, observer, key, name=observer.card.name)
    (order.out / CHECK).write_text(check.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return check


def carry_out(order: KeyOrder, say: Callable[[str], None]) -> None:
    """Write key and observer, and check the counterfactuals where there are some."""
    key = write_key(order)
    say(", ".join(f"{name} {verdict}" for name, verdict in key.verdicts.items()))
    path = write_observer(order)
    say(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
    if (order.out / "counterfactuals").is_dir():
        for fault in check_counterfactuals(order, key).faults:
            say(fault)


def main(words: Sequence[str]) -> int:
    """Carry out the command line, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m understudy.protocols.sixt2022.material_key", description=__doc__)
    parser.add_argument(
        "--weights", type=Path, required=True, help="folder with weights-0.part, results.json, effects.npz"
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "material", help="folder of the material")
    parser.add_argument("--subject", choices=("flow", "classifier"), default="flow", help="the network explained")
    parser.add_argument("--model", default="", help="what to call it (default: inn-64 or cnn-64)")
    parser.add_argument("--precision", choices=("float32", "float16", "int8"), default="int8")
    given = parser.parse_args(words)
    name = given.model or {"flow": "inn-64", "classifier": "cnn-64"}[given.subject]
    order = KeyOrder(given.weights, given.out, given.subject, name, precision=given.precision)

    def say(text: str) -> None:
        sys.stdout.write(f"{text}\n")

    return exit_status(lambda: carry_out(order, say))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
