"""The rows of compared_numbers.py that papers print, each with its table or section; our_rows.py has ours."""

import re
from collections.abc import Iterator
from math import ceil, log10
from pathlib import Path
from typing import NamedTuple, TypeAlias

import concept_results
from understudy.protocols.hase2020 import printed as hase2020
from understudy.protocols.kim2022 import published_numbers as kim2022
from understudy.protocols.ross2021 import printed as ross2021
from understudy.protocols.ross2021.printed import MNIST_SCORES, SYNTHETIC_SCORES
from understudy.protocols.sixt2022 import printed as printed_importance
from understudy.protocols.sixt2022 import printed as sixt2022
from understudy.protocols.sixt2022.study import NAMES

DOCS = Path(__file__).parent
ROOT = DOCS.parent
KIM, HASE, ROSS, SIXT, WANG = (
    "Kim et al. 2022", "Hase and Bansal 2020", "Ross et al. 2021", "Sixt et al. 2022", "Wang et al. 2020",
)  # fmt: skip
Told: TypeAlias = Iterator[tuple[str, object, str]]
"""Rows as they are collected: name, value and source."""


class Row(NamedTuple):
    """One number or fact, and where it comes from."""

    value: str
    """A number, `< number`, hypotheses with spaces between them, or yes or no."""
    source: str


def printed_rows() -> Told:
    """Yield every row of the five papers."""
    for of_paper in (_of_kim, _of_hase, _of_ross, _of_sixt, _of_wang):
        yield from of_paper()


def _of_kim() -> Told:
    for name, (value, place) in kim2022.FACTS.items():
        yield f"kim2022.{name}", value, f"{KIM}, {place}"
    for table, cells in (("Table 1", kim2022.AGREEMENT), ("Table A1", kim2022.WITH_EXAMPLES)):
        for study, pair in cells.items():
            for kind, share in zip(("right", "wrong"), pair, strict=True):
                yield from _share(f"{study.task}.{study.data}.{study.method}.{kind}", share, table)
    for study, chosen in kim2022.DISTINCTION.items():
        for kind, share in chosen._asdict().items():
            if share is not None:
                yield from _share(
                    f"{study.task}.{study.data}.{study.method}.{kind.replace('_', '.')}", share, "Table 2"
                )
    for study, share in kim2022.OVERALL.items():
        yield from _share(f"overall.{study.task}", share, "section 5.4")
    for study, similarity in kim2022.SIMILARITY.items():
        yield f"kim2022.similarity.{study.method}.{study.task}.r", similarity.r, f"{KIM}, section 5.4"
    first = kim2022.LOCALISATION[0]
    for score in ("pointing", "energy"):
        yield f"kim2022.localisation.birds.{score}", getattr(first, score)[0], f"{KIM}, Table A2"
    with_objects = {study.method for study in kim2022.AGREEMENT if study.data == "ImageNet"}
    yield "kim2022.methods_with_objects", len(with_objects), f"{KIM}, Table 1"
    yield "kim2022.methods", len({study.method for study in kim2022.AGREEMENT}), f"{KIM}, Table 1"
    tasks = {
        study.task for study in (*kim2022.AGREEMENT, *kim2022.WITH_EXAMPLES, *kim2022.DISTINCTION, *kim2022.OVERALL)
    }
    yield "kim2022.tasks", len(tasks), f"{KIM}, Tables 1, 2 and A1, section 5.4"


def _share(name: str, share: kim2022.Share, place: str) -> Told:
    yield f"kim2022.{name.lower()}.mean", share.mean, f"{KIM}, {place}"
    yield f"kim2022.{name.lower()}.sd", share.sd, f"{KIM}, {place}"


def _of_hase() -> Told:
    for name, (value, place) in hase2020.FACTS.items():
        yield f"hase2020.{name}", value, f"{HASE}, {place}"
    for group, methods in hase2020.CHANGES.items():
        table = "Table 1" if group in ("text", "tabular") else "Table 2"
        for method, numbers in methods.items():
            for name, printed in zip(("n", "pre", "change", "ci", "p"), numbers, strict=True):
                if printed is not None:
                    yield f"hase2020.{group}.{method or 'all'}.{name}", printed, f"{HASE}, {table}"
    for domain, models in hase2020.ACCURACIES.items():
        for model, value in models.items():
            yield f"hase2020.accuracy.{domain}.{model.lower().replace(' ', '_')}", value, f"{HASE}, Table 4"
    yield (
        "hase2020.tests_a_condition",
        hase2020.FACTS["tests"][0] / hase2020.FACTS["conditions"][0],
        f"{HASE}, section 4.2",
    )
    helps = {
        (group, method)
        for group, methods in hase2020.CHANGES.items()
        for method, numbers in methods.items()
        if numbers[4] is not None and numbers[4] < 0.05
    }
    yield (
        "hase2020.only_lime_on_tables",
        helps == {("tabular", "lime"), ("counterfactual", "prototype")},
        f"{HASE}, Tables 1 and 2",
    )
    spans = [span for kinds in hase2020.RATING_GAINS.values() for span in kinds.values()]
    yield "hase2020.ratings_predict_nothing", all(low < 0 < high for low, high in spans), f"{HASE}, section 5.3"


def _of_ross() -> Told:
    for name, (value, place) in ross2021.FACTS.items():
        yield f"ross2021.{name}", value, f"{ROSS}, {place}"
    for row in (*ross2021.SYNTHETIC_ROWS, *ross2021.MNIST_ROWS):
        for measure, cell in zip(("completion", "difficulty", "error_auc"), row.cells, strict=True):
            if cell is None:
                continue
            group = row.group.replace(", ", ".")
            yield f"ross2021.{group}.{measure}.mean", cell.mean, f"{ROSS}, Table 2"
            yield f"ross2021.{group}.{measure}.sd", cell.spread, f"{ROSS}, Table 2"
            if measure == "completion":
                yield f"ross2021.{group}.percent_solved", 100 * cell.mean, f"{ROSS}, Table 2"
    for test in ross2021.SYNTHETIC_TESTS:
        statistic = re.search(r"[Ft](?:\([\d, ]+\))? = ([\d.]+)", test.words)
        p = re.search(r"p ([<=]) (\.\d+)", test.words)
        if statistic:
            yield f"ross2021.test.{test.hypothesis}.statistic", float(statistic[1]), f"{ROSS}, section 6.1.1"
        if p:
            yield f"ross2021.test.{test.hypothesis}.p", f"{'< ' * (p[1] == '<')}0{p[2]}", f"{ROSS}, section 6.1.1"
    for group, scores in {**SYNTHETIC_SCORES, **MNIST_SCORES}.items():
        name = f"ross2021.model.{group.replace(', ', '.')}"
        for score, stored in (("error", scores.error), ("mig", scores.mig), ("dci", scores.dci_paper)):
            if stored is not None:
                yield f"{name}.{score}", stored, f"{ROSS}, stored with the published model"
    measures = {
        test.hypothesis.split("_interactive_")[1].removesuffix("_any")
        for test in ross2021.SYNTHETIC_TESTS
        if test.hypothesis.startswith("dsprites_interactive") and test.hypothesis.endswith("_any")
    }
    yield (
        "ross2021.three_measures_differ",
        measures == {"completion", "difficulty", "error_auc"},
        f"{ROSS}, section 6.1.1",
    )
    digits = {row.group: row.cells[0].mean for row in ross2021.MNIST_ROWS if row.cells[0] is not None}
    yield "ross2021.ss5_solved_most", max(digits, key=digits.__getitem__) == "ss5", f"{ROSS}, Table 2"


def _of_sixt() -> Told:
    for name, (value, place) in sixt2022.FACTS.items():
        yield f"sixt2022.{name}", value, f"{SIXT}, {place}"
    printed = {"study_1": sixt2022.STUDY_1, "study_2": {**sixt2022.STUDY_2, "all": sixt2022.POOLED}}
    for study, conditions in printed.items():
        for condition, row in conditions.items():
            yield f"sixt2022.{study}.{condition}.people", row.n, f"{SIXT}, Table 2"
            for name, value in zip(("overall", *NAMES), (row.overall, *row.attributes), strict=True):
                yield f"sixt2022.{study}.{condition}.{name}", value, f"{SIXT}, Table 2"
    for test, (p, r) in {**sixt2022.TESTS_1, **sixt2022.TESTS_2}.items():
        # The printed "less than" is kept as the largest number with four or three decimals below it.
        bound = 10 ** ceil(log10(p)) if p in (sixt2022.LESS_THAN, 0.00009) else None
        yield f"sixt2022.test.{test}.p", p if bound is None else f"< {bound:g}", f"{SIXT}, section 5.3"
        if r is not None:
            yield f"sixt2022.test.{test}.r", r, f"{SIXT}, section 5.3"
    for attribute, importance in printed_importance.TABLE_3.items():
        for name, value in importance._asdict().items():
            yield f"sixt2022.importance.{attribute}.{name}", value, f"{SIXT}, Table 3"
        yield f"sixt2022.shift.{attribute}.angle", printed_importance.TABLE_4[attribute].angle, f"{SIXT}, Table 4"
        yield f"sixt2022.shift.{attribute}.angle_sd", printed_importance.TABLE_4[attribute].angle_sd, f"{SIXT}, Table 4"
        yield f"sixt2022.movement.{attribute}.mean", printed_importance.TABLE_6[attribute].mean, f"{SIXT}, Table 6"
        yield f"sixt2022.observer.{attribute}.error", printed_importance.TABLE_7[attribute], f"{SIXT}, Table 7"


def _of_wang() -> Told:
    for name, (hypotheses, place) in concept_results.PRINTED.items():
        yield f"wang2020.{name}", " ".join(hypotheses), f"{WANG}, {place}"
    for name, (value, place) in concept_results.FACTS.items():
        yield f"wang2020.{name}", value, f"{WANG}, {place}"
