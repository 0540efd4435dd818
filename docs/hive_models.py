"""Writes the page on models with maps: figures of the shipped ones from their cards, those of pets from a file.

`python docs/hive_models.py` writes the page. The cards of pets models, which are not shipped, are given as folders; what
they say is then copied into the file first: `python docs/hive_models.py models/pets-classifier models/pets-protopnet`.
"""

import json
import sys
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from understudy.schema import MapModelCard

HERE = Path(__file__).parent
KEPT, PAGE, TEXT = HERE / "hive-models.json", HERE / "hive-models.md", HERE / "hive-models.template.txt"
PARTS, PROTOTYPES = HERE / "hive-parts.json", HERE / "hive-prototypes.json"
MATERIAL = HERE.parent / "src" / "understudy" / "protocols" / "kim2022" / "material"
METHODS = {"gradcam": "class maps", "bagnet": "patches of 33 pixels", "protopnet": "prototypes", "prototree": "tree"}
SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)


def facts_of(folder: Path) -> dict[str, Any]:
    """Read what is to be told of a model off its card."""
    card = MapModelCard.model_validate_json((folder / "card.json").read_text(encoding="utf-8"))
    training: Any = card.training
    return {
        "name": card.name,
        "seed": training["recipe"]["seed"],
        "n_train": training["recipe"]["n_train"],
        "scores": card.scores,
        "n_parameters": training["n_parameters"],
        "seconds": training["cpu_seconds"],
        "gpu_minutes": training.get("gpu_minutes", 0.0),
        "curve": [step["accuracy"] for step in training["curve"]],
        "n_prototypes": len(card.prototypes),
        "n_leaves": len(card.leaves),
    }


def page() -> str:
    """Return the page."""
    shipped = {method: facts_of(MATERIAL / method) for method in METHODS}
    kept: list[dict[str, Any]] = json.loads(KEPT.read_text(encoding="utf-8"))
    text = TEXT.read_text(encoding="utf-8")
    parts = {
        "CREATURES": _creatures(shipped),
        "CURVES": _curves(shipped),
        "PARTS": _parts(json.loads(PARTS.read_text(encoding="utf-8"))),
        "PROTOTYPES": _prototypes(json.loads(PROTOTYPES.read_text(encoding="utf-8"))),
        "PETS": _pets(kept),
    }
    for name, part in parts.items():
        text = text.replace(f"{{{name}}}", part)
    return text


def _parts(kept: dict[str, Any]) -> str:
    rows = [
        f"| network | rank correlation with part importance, 95 % interval | {kept['n_shuffled']} shuffled copies: mean, range |",
        "|---|---|---|",
    ]
    rows += [
        f"| {row['method']} | {row['correlation']:.2f} [{row['low']:.2f}, {row['high']:.2f}], {row['n']} creatures "
        f"| {row['shuffled_mean']:.2f}, {row['shuffled_low']:.2f} to {row['shuffled_high']:.2f} |"
        for row in kept["rows"]
    ]
    return "\n".join(rows)


def _prototypes(kept: dict[str, Any]) -> str:
    rows = ["| network | prototypes on the background | of those that people can see |", "|---|---|---|"]
    rows += [
        f"| {row['method']} | {row['background']} of {row['n']} | {row['shown_background']} of {row['shown']} |"
        for row in kept["rows"]
    ]
    return "\n".join(rows)


def _creatures(shipped: dict[str, dict[str, Any]]) -> str:
    rows = [
        "| recipe | maps | accuracy | parameters | creatures learned from | processor time |",
        "|---|---|---|---|---|---|",
    ]
    for method, facts in shipped.items():
        maps = METHODS[method]
        if facts["n_prototypes"]:
            maps = f"{facts['n_prototypes']} {maps if method == 'protopnet' else 'decisions of a tree'}"
        if facts["n_leaves"]:
            maps += f", {facts['n_leaves']} leaves"
        cells = [
            f"`{facts['name']}`",
            maps,
            _per_cent(facts["scores"]["accuracy"]["test"]),
            f"{facts['n_parameters']:,}",
        ]
        cells += [f"{facts['n_train']:,}", f"{facts['seconds']:.0f} s"]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _curves(shipped: dict[str, dict[str, Any]]) -> str:
    rows = [f"| share of all epochs | {' | '.join(METHODS.values())} |", "|---" * (1 + len(METHODS)) + "|"]
    for share in SHARES:
        at = [facts["curve"][max(1, round(share * len(facts["curve"]))) - 1] for facts in shipped.values()]
        rows.append(f"| {100 * share:.0f} % | {' | '.join(_per_cent(value) for value in at)} |")
    return "\n".join(rows)


def _pets(kept: list[dict[str, Any]]) -> str:
    if not kept:
        return "No run on the test part is stored yet."
    rows = [
        "| recipe | seed | accuracy | after each step | prototypes kept | processor time | graphics card |",
        "|---|---|---|---|---|---|---|",
    ]
    for facts in kept:
        after = facts["scores"].get("accuracy_after", {})
        counts = facts["scores"].get("prototypes")
        cells = [
            f"`{facts['name']}`",
            str(facts["seed"]),
            _per_cent(facts["scores"]["accuracy"]["test"]),
            ", ".join(f"{name.replace('_', ' ')} {_per_cent(value)}" for name, value in after.items()) or "–",
            f"{counts['kept']} of {counts['all']}" if counts else "–",
            f"{facts['seconds']:.0f} s",
            f"{facts['gpu_minutes']:.1f} min" if facts["gpu_minutes"] else "–",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join([*rows, "", *_over_seeds(kept)])


def _over_seeds(kept: list[dict[str, Any]]) -> list[str]:
    by_name: dict[str, list[float]] = {}
    for facts in kept:
        by_name.setdefault(facts["name"], []).append(100 * facts["scores"]["accuracy"]["test"])
    rows = ["| recipe | seeds | mean accuracy | standard deviation |", "|---|---|---|---|"]
    for name, shares in by_name.items():
        spread = f"{stdev(shares):.2f}" if len(shares) > 1 else "–"
        rows.append(f"| `{name}` | {len(shares)} | {mean(shares):.1f} % | {spread} |")
    return rows


def _per_cent(share: float) -> str:
    return f"{100 * share:.1f} %"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        KEPT.write_text(
            json.dumps([facts_of(Path(folder)) for folder in sys.argv[1:]], indent=1) + "\n", encoding="utf-8"
        )
    PAGE.write_text(page(), encoding="utf-8")
