"""The rows of compared_numbers.py that are ours: stored results, and what follows from numbers that papers print."""

import csv
import json
import re
import tomllib
from collections.abc import Iterator
from math import pi, sqrt
from pathlib import Path
from statistics import fmean
from typing import Any

from scipy import stats

import concept_results
import intensity_page
import trained_models
from paper_rows import DOCS, KIM, ROOT, ROSS, SIXT, Told
from understudy.protocols.hase2020 import printed as hase2020
from understudy.protocols.kim2022 import published_numbers as kim2022
from understudy.protocols.ross2021 import printed as ross2021
from understudy.protocols.ross2021.calibration_rows import MODELS_OF, PUBLISHED, Calibration
from understudy.protocols.sixt2022 import printed
from understudy.protocols.sixt2022 import printed as sixt2022
from understudy.protocols.sixt2022.study import NAMES
from understudy.report.paper_comparison.score_figures import SCORES, order_lines
from understudy.training.recipes import flow_recipe
from understudy.worlds.families import world_named
from understudy.worlds.laws import Uniform


def our_rows() -> Told:
    """Yield every row of ours."""
    for of_results in (_our_kim, _our_hase, _our_ross, _our_sixt, _our_wang):
        yield from of_results()


def _our_kim() -> Told:
    """Yield what follows from printed means and standard deviations."""
    source = f"computed from {KIM}, Tables 1 and 2, with 50 people a study"
    wrong = {study: pair[1] for study, pair in kim2022.AGREEMENT.items()}
    tested = [(share, 50) for pair in kim2022.AGREEMENT.values() for share in pair]
    tested += [(share, 25) for chosen in kim2022.DISTINCTION.values() for share in chosen if share is not None]
    yield "kim2022.cells", len(tested), source
    yield "kim2022.marks_agree", all((_p_of(s, chance)[1] < 0.05) == s.is_significant for s, chance in tested), source
    yield "kim2022.wrong_ones_below_half", all(share.mean < 50 for share in wrong.values()), source
    below = {study.method for study, share in wrong.items() if study.data == "CUB" and _p_of(share, 50)[1] < 0.05}
    yield "kim2022.gradcam_and_prototree_below_chance", below == {"gradcam", "prototree"}, source
    bagnet = next(share for study, share in wrong.items() if (study.data, study.method) == ("CUB", "bagnet"))
    yield "kim2022.bagnet_wrong.t", _p_of(bagnet, 50)[0], source
    yield "kim2022.bagnet_wrong.p", _p_of(bagnet, 50)[1], source
    tree = next(pair for study, pair in kim2022.AGREEMENT.items() if study.method == "prototree")
    overall = next(share for study, share in kim2022.OVERALL.items() if study.task == "agreement")
    mean = fmean(share.mean for share in tree)
    yield "kim2022.overall.agreement.computed", mean, source
    yield "kim2022.overall.agreement.p_computed", _p_of(overall, 50)[1], source
    yield "kim2022.overall.agreement.p_of_table_1", _p_of(overall._replace(mean=mean), 50)[1], source


def _p_of(share: kim2022.Share, chance: float) -> tuple[float, float]:
    """Return t and p of a one-sample t test."""
    n = int(kim2022.N_PEOPLE)
    t = (share.mean - chance) / (share.sd / sqrt(n))
    return t, float(2 * stats.t.sf(abs(t), n - 1))


def _our_hase() -> Told:
    kept = json.loads((DOCS / "simulatability-models.json").read_text(encoding="utf-8"))
    source = "docs/simulatability-models.json, runs"
    runs = {(run["name"], run["split"]): 100 * run["accuracy"]["test"] for run in kept["runs"]}
    for cases, domain in (("adult", "tabular"), ("polarity", "text")):
        names = {
            f"{cases}-{kind}": role
            for kind, role in (("mlp", "Task model"), ("lstm", "Task model"), ("prototypes", "Prototype"))
        }
        off = [
            runs[name, "paper"] - hase2020.ACCURACIES[domain][role]
            for name, role in names.items()
            if (name, "paper") in runs
        ]
        yield f"ours.hase2020.{domain}.largest_difference", max(map(abs, off)), source
    drops = [
        runs[name, "paper"] - runs[name, "leak_free"]
        for name, split in runs
        if name.startswith("adult") and split == "paper"
    ]
    yield "ours.hase2020.tabular.least_drop", min(drops), source
    yield "ours.hase2020.tabular.largest_drop", max(drops), source
    splits = json.loads((DOCS / "simulatability-splits.json").read_text(encoding="utf-8"))
    source = "docs/simulatability-splits.json, means over splits"
    means = {
        (name, rule): fmean(100 * row["test"] for row in splits if (row["name"], row["rule"]) == (name, rule))
        for name in ("adult-mlp", "adult-prototypes")
        for rule in ("paper", "leak_free")
    }
    drops = [means[name, "paper"] - means[name, "leak_free"] for name in ("adult-mlp", "adult-prototypes")]
    yield "ours.hase2020.tabular.least_mean_drop", min(drops), source
    yield "ours.hase2020.tabular.largest_mean_drop", max(drops), source
    yield "ours.hase2020.splits", len({row["split_seed"] for row in splits if row["name"] == "adult-mlp"}), source
    for name, value in kept["adult"].items():
        yield f"ours.hase2020.adult.{name}", value, "docs/simulatability-models.json, adult"
    for pair in kept["unseen_by_both"]:
        for name, value in ({"n": pair["n"]} | pair["right"]).items():
            yield (
                f"ours.hase2020.unseen.{pair['test_of']}.{name}",
                value,
                "docs/simulatability-models.json, unseen_by_both",
            )
    place = "src/understudy/training/cards.py"
    vectors = re.findall(r"glove-(\d+)d", (ROOT / place).read_text(encoding="utf-8"))
    yield "ours.hase2020.vector_dimensions", int(*{*vectors}), f"{place}, the folder of the vectors"
    yield from _coverage()


def _coverage() -> Told:
    """Yield what the simulations of Change say, from the rows of the table on their page."""
    source = "docs/explanation/change.md, the table that bench/change_coverage.py makes"
    page = (DOCS / "explanation" / "change.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (\d+) \| (\d+) \| [\d.]+ \| [\d.]+ \| (.+) \|$", page, re.MULTILINE)
    cells = [(int(change), int(n), re.findall(r"([\d.]+) \(([\d.]+)\)|–", rest)) for change, n, rest in found]
    yield "ours.change.simulated_points", max(change for change, _, _ in cells), source
    for position, method in enumerate(("calibrated", "two_way", "people", "published", "published_people")):
        covers = [float(row[position][0]) for _, _, row in cells if row[position][0]]
        yield f"ours.change.{method}.least_coverage", min(covers), source
        yield f"ours.change.{method}.largest_coverage", max(covers), source
        errors = [float(row[position][1]) for change, _, row in cells if change == 0 and row[position][1]]
        yield f"ours.change.{method}.least_error", min(errors), source
        yield f"ours.change.{method}.largest_error", max(errors), source
        n_studies = 200 if method.startswith("published") else 1000
        yield f"ours.change.{method}.studies_a_row", n_studies, "bench/change_coverage.py"
        yield f"ours.change.{method}.studies", n_studies * len(errors), source
        yield f"ours.change.{method}.monte_carlo_error", 100 * sqrt(0.95 * 0.05 / n_studies), "bench/change_coverage.py"
        for change, n, row in cells:
            if change and row[position][1]:
                yield f"ours.change.{method}.found_with_{n}", float(row[position][1]), source


def _our_ross() -> Told:
    runs = trained_models.all_runs()
    source = "docs/trained-models.json and the cards of the shipped models"
    ratios = [
        ((run.model, run.data), (run.compared or 0.0) / published)
        for run in runs
        if (published := trained_models.PUBLISHED[run.model].error) and run.compared is not None
    ]
    near = [(model, trained_models.is_wanted(ratio)) for model, ratio in ratios]
    yield "ours.ross2021.runs", len(near), source
    yield "ours.ross2021.runs_near", sum(is_near for _, is_near in near), source
    for name, data in (("published_factors", "published factors"), ("own_draws", "our own draws")):
        own = [is_near for model, is_near in near if model == ("sinelines-ae", data)]
        yield f"ours.ross2021.sinelines_ae.{name}.runs", len(own), source
        yield f"ours.ross2021.sinelines_ae.{name}.near", sum(own), source
    shipped = next(run for run in runs if run.model == "sinelines-ae" and run.is_shipped)
    ratio = (shipped.error or 0.0) / (trained_models.PUBLISHED["sinelines-ae"].error or 1.0)
    yield "ours.ross2021.sinelines_ae.shipped_ratio", ratio, source
    own_errors = [run.error for run in runs if (run.model, run.data) == ("sinelines-ae", "our own draws") and run.error]
    published = trained_models.PUBLISHED["sinelines-ae"].error or 0.0
    nearest = min(own_errors, key=lambda error: abs(error - published))
    yield "ours.ross2021.sinelines_ae.shipped_is_nearest", nearest == shipped.error, source
    gaps = [
        run.error_by_draw - run.error
        for run in runs
        if run.model.startswith("mnist") and run.error and run.error_by_draw
    ]
    yield "ours.ross2021.least_gap_by_draws", min(gaps), source
    yield "ours.ross2021.largest_gap_by_draws", max(gaps), source
    for end, ratio in zip(("low", "high"), trained_models.WANTED, strict=True):
        yield f"ours.ross2021.within.{end}", ratio, "docs/trained_models.py, the wanted range"
    yield (
        "ours.ross2021.within_percent",
        100 * (trained_models.WANTED[1] - 1),
        "docs/trained_models.py, the wanted range",
    )
    for run in trained_models.compared_by_draws(runs):
        name = run.model.removeprefix("mnist-")
        yield f"ours.ross2021.{name}.error_by_draw", run.error_by_draw, source
        yield f"ours.ross2021.{name}.error_by_mean", run.error, source
    for name, value in trained_models.line_numbers().items():
        yield f"ours.ross2021.line_errors.{name}", value, "docs/trained-models.json, line_errors"
    for data, score, n_kept, n_pairs in trained_models.kept_pairs(runs):
        yield f"ours.ross2021.pairs.{data}.{score}.kept", n_kept, source
        yield f"ours.ross2021.pairs.{data}.{score}.all", n_pairs, source
    yield "ours.ross2021.shipped_keep_the_order", trained_models.shipped_keep_the_order(runs), source
    yield from _our_order()
    yield from _our_calibration()


def _our_order() -> Told:
    source = f"computed from {ROSS}, Table 2"
    places = {score.name: place for place, score in enumerate(SCORES)}
    lines = [line for line in order_lines(trained_models.standings(), ross2021.COLUMNS) if line.data != "MNIST"]
    agrees = {
        (name, line.measure): all(n == of for n, _, of in [line.counts[places[name]].split(" ")])
        for name in ("mig", "dci_paper")
        for line in lines
        if not line.measure.startswith("Error")
    }
    yield "ours.ross2021.mig_and_dci_order", len(agrees) > 0 and all(agrees.values()), source
    errors = [
        line.counts[places["mig"]] for line in lines if line.data == "dSprites" and line.measure.startswith("Error")
    ]
    yield "ours.ross2021.mig_misses_the_error_auc", errors == ["2 of 3"], source
    held = [line.counts[places["error"]] for line in lines if not line.measure.startswith("Error")]
    yield "ours.ross2021.held_out_error_does_not", all(count != "3 of 3" for count in held), source


def _our_calibration() -> Told:
    kept = Calibration.model_validate_json((DOCS / "calibration.json").read_text(encoding="utf-8"))
    source = "docs/calibration.json"
    solved = {model: kept.row("dial_features_matcher", "dsprites", model).completion for model in MODELS_OF["dsprites"]}
    off = {model: abs(share - PUBLISHED["dsprites"][model].completion) for model, share in solved.items()}
    yield "ours.ross2021.calibration.worst_is_vae", max(off, key=off.__getitem__) == "vae", source
    allowed = 15
    yield "ours.ross2021.calibration.allowed_points", allowed, "protocols/ross2021/calibration_rows.py"
    yield "ours.ross2021.calibration.within", round(100 * max(off.values()), 6) <= allowed, source
    pixels = {model: kept.row("dial_visual_matcher", "dsprites", model).completion for model in MODELS_OF["dsprites"]}
    far_fewer = all(share < PUBLISHED["dsprites"][model].completion - 0.1 for model, share in pixels.items())
    yield "ours.ross2021.calibration.pixels_far_fewer", far_fewer, source
    kept = Calibration.model_validate_json((DOCS / "calibration-digits.json").read_text(encoding="utf-8"))
    source = "docs/calibration-digits.json"
    yield "ours.ross2021.digits.models", len(kept.decoders), source
    for strategy in ("dial_random", "dial_features_matcher"):
        likeness = kept.likeness(strategy, "mnist")
        yield f"ours.ross2021.digits.{strategy}.points", 100 * likeness.gap, source
        yield f"ours.ross2021.digits.{strategy}.rank", likeness.rank, source
    off = {
        model: known.completion - kept.row("dial_features_matcher", "mnist", model).completion
        for model, known in PUBLISHED["mnist"].items()
    }
    yield "ours.ross2021.digits.ss10_missed_most", max(off, key=off.__getitem__) == "ss10", source


def _our_sixt() -> Told:
    folder = ROOT / "examples" / "reanalyses" / "two4two"
    counts = counted(folder / "counts.csv")
    for study in ("1", "2"):
        own = [row for row in counts if row["study"] == study]
        share = sum(int(row["n_right"]) for row in own) / sum(int(row["n"]) for row in own)
        yield f"ours.sixt2022.study_{study}.overall", 100 * share, "examples/reanalyses/two4two/counts.csv"
        plan = tomllib.loads((folder / f"plan-{study}.toml").read_text(encoding="utf-8"))
        expected = [figure for figure in plan["published"] if figure.get("is_expected", True)]
        yield f"ours.sixt2022.study_{study}.agree", len(expected), f"examples/reanalyses/two4two/plan-{study}.toml"
    found = {row["attribute"]: (int(row["n_right"]), int(row["n"])) for row in counts if row["study"] == "1"}
    shape, colour = (_mcnemar(found["legs"], found[name]) for name in ("shape", "colour"))
    source = "computed from examples/reanalyses/two4two/counts.csv"
    possible = any(abs(p - sixt2022.TESTS_1["legs_over_shape"][0]) < 0.00005 for p in shape)
    yield "ours.sixt2022.study_1.shape_p_is_impossible", not possible, source
    is_below = [p < 0.0001 for p in colour]
    yield "ours.sixt2022.study_1.colour_p_is_possible_not_certain", any(is_below) and not all(is_below), source
    ps = {
        name: _rank_sum(*(row for row in counts if row["study"] == "2" and row["attribute"] == name)) for name in NAMES
    }
    ordered, adjusted, largest = sorted(ps, key=ps.__getitem__), {}, 0.0
    # Eight tests: those of all conditions and of the concepts come first.
    for place, name in enumerate(ordered):
        largest = max(largest, min(1.0, (6 - place) * ps[name]))
        adjusted[name] = largest
    for name, p in adjusted.items():
        yield f"ours.sixt2022.study_2.{name}.p", p, "computed from examples/reanalyses/two4two/counts.csv"
    yield from _our_network()


def counted(path: Path) -> list[dict[str, str]]:
    """Read the rows of a CSV file."""
    with path.open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def _mcnemar(one: tuple[int, int], other: tuple[int, int]) -> list[float]:
    """Return p of McNemar's test, one-sided and two-sided, for every number of people who are right about the other only."""
    (right, n), (other_right, _) = one, other
    pairs = [(k, right - other_right + k) for k in range(min(other_right, n - right) + 1)]
    return [
        float(stats.binomtest(k, k + more, 0.5, alternative=side).pvalue)
        for k, more in pairs
        for side in ("less", "two-sided")
    ]


def _rank_sum(*rows: dict[str, str]) -> float:
    """Return p of a rank-sum test between counterfactuals and the baseline."""
    compared = {row["condition"]: (int(row["n_right"]), int(row["n"])) for row in rows}
    one, other = ([1.0] * k + [0.0] * (n - k) for k, n in (compared["counterfactuals"], compared["baseline"]))
    return float(stats.mannwhitneyu(one, other, use_continuity=False, method="asymptotic").pvalue)


def _our_network() -> Told:
    path = ROOT / "src" / "understudy" / "protocols" / "sixt2022" / "material" / "answer_key.json"
    key, source = (
        json.loads(path.read_text(encoding="utf-8")),
        "src/understudy/protocols/sixt2022/material/answer_key.json",
    )
    place = "src/understudy/training/recipes.py"
    yield "ours.sixt2022.network.noise_levels", flow_recipe("sixt2022/inn-64").noise_levels, place
    measured = {one["attribute"]: one for one in key["attributes"]}
    yield "ours.sixt2022.rule.r_squared", key["rule"]["r_squared"], source
    yield "ours.sixt2022.network.accuracy", 100 * key["accuracy"], source
    for name, one in measured.items():
        yield f"ours.sixt2022.importance.{name}.flip_percent", 100 * one["flip_rate"]["value"], source
        yield f"ours.sixt2022.importance.{name}.median_change", one["median_change"]["value"], source
        for end in ("value", "low", "high"):
            yield f"ours.sixt2022.importance.{name}.r_squared.{end}", one["r_squared"][end], source
        yield f"ours.sixt2022.shift.{name}.angle", one["latents"]["angle"], source
    relevant = [name for name, one in measured.items() if one["verdict"] == "relevant"]
    yield "ours.sixt2022.same_attributes", set(relevant) == set(printed.RELEVANT), source
    orders = [sorted(printed.RELEVANT, key=worth) for worth in (
        lambda name: measured[name]["r_squared"]["value"], lambda name: printed.TABLE_3[name].r_squared,
    )]  # fmt: skip
    yield "ours.sixt2022.same_order", orders[0] == orders[1], source
    observer = json.loads((path.parent / "observer.json").read_text(encoding="utf-8"))
    source, details = "src/understudy/protocols/sixt2022/material/observer.json", observer["details"]
    for name, error in zip(details["attributes"], details["squared_errors"], strict=True):
        yield f"ours.sixt2022.observer.{name}.error", error, source
    explained = observer["scores"]["explained_variance"]["roll"]
    yield "ours.sixt2022.observer.roll.percent_explained", 100 * explained, source
    variance = details["spreads"][details["attributes"].index("roll")] ** 2
    share = printed.TABLE_7["roll"] / variance
    yield (
        "ours.sixt2022.observer.roll.printed_error_is_the_variance",
        0.9 < share < 1.1,
        f"{SIXT}, Table 7, and {source}",
    )
    check = json.loads((path.parent / "observer_check.json").read_text(encoding="utf-8"))
    verdicts = [one["verdict"] for one in check["attributes"]]
    source = "src/understudy/protocols/sixt2022/material/observer_check.json"
    yield "ours.sixt2022.check.attributes", len(verdicts), source
    yield "ours.sixt2022.check.as_they_should", sum(verdict.endswith("as it should") for verdict in verdicts), source
    yield "ours.sixt2022.check.unreadable", verdicts.count("unreadable"), source
    grids = [path.parent / name / "grid.json" for name in ("baseline", "counterfactuals", "concepts")]
    worlds = {key["world"], observer["training"]["data"]["world"]}
    worlds |= {json.loads(grid.read_text(encoding="utf-8"))["world"] for grid in grids}
    source = "src/understudy/protocols/sixt2022/material: answer_key.json, observer.json and each grid.json"
    yield "ours.sixt2022.material_is_of_the_code", worlds == {"sixt2022-code"}, source
    yield from _worlds()
    kept = json.loads((DOCS / "invertible-network.json").read_text(encoding="utf-8"))
    groups = {"movement": kept.pop("moved"), "network": kept}
    for name, number in _leaves(groups):
        yield f"ours.sixt2022.{name}", number, "docs/invertible-network.json"


def _worlds() -> Told:
    """Yield what the two worlds draw, and whether that of the paper is what the paper prints."""
    paper, code = world_named("sixt2022"), world_named("sixt2022-code")
    source, follows = "src/understudy/worlds/sixt2022.py", True
    for name, unit, ending in (("background", 1.0, ""), ("yaw", 2 * pi, "_in_turns")):
        ranges = zip(("low", "high"), paper.attribute(name).law.limits, code.attribute(name).law.limits, strict=True)
        for end, of_paper, of_code in ranges:
            yield f"ours.sixt2022.code_world.{name}.{end}{ending}", of_code / unit, source
            follows &= sixt2022.FACTS[f"world.{name}.{end}{ending}"][0] == of_paper / unit
    of_paper_shape: Any = paper.attribute("shape").law
    of_code_shape: Any = code.attribute("shape").law
    first, middle, _ = of_paper_shape.pieces
    ends = [sixt2022.FACTS[f"world.shape_middle.{end}"][0] for end in ("low", "high")]
    follows &= middle.law == Uniform(low=0, high=1) and ends == [first.below, middle.below]
    yield "ours.sixt2022.paper_world_follows_the_text", follows, source
    yield "ours.sixt2022.code_world.shape_middle.beta", of_code_shape.shares[0].law.pieces[1].law.a, source


def _leaves(record: dict[str, Any], before: str = "") -> Iterator[tuple[str, float]]:
    """Yield every number of a record with the names that lead to it."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{before}{name}.")
        elif not isinstance(value, list):
            yield f"{before}{name}", value


def _our_wang() -> Told:
    source = "docs/concept-results.json"
    kept = json.loads((DOCS / "concept-results.json").read_text(encoding="utf-8"))
    for name, value in concept_results.counts_of(kept).items():
        yield f"ours.wang2020.{name}", value.replace(" and", "") if isinstance(value, str) else value, source
    yield "ours.wang2020.concepts", len(kept["concepts"]), source
    source = "docs/intensity-normalization.json"
    varied = json.loads((DOCS / "intensity-normalization.json").read_text(encoding="utf-8"))
    yield "ours.wang2020.varied.runs", len(varied), source
    yield (
        "ours.wang2020.varied.as_published",
        sum(row["confirmed"] == intensity_page.PUBLISHED for row in varied),
        source,
    )
    yield "ours.wang2020.varied.h12", sum("H12" in row["confirmed"] for row in varied), source
