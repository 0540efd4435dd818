"""The results of Hase & Bansal (2020): Tables 1 to 5 and the intervals in the text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from understudy.errors import MaterialsError
from understudy.inference.model_folders import models_folder
from understudy.models.trained_models import classifier_named
from understudy.protocols.hase2020.plan import CONTROL, METHODS, PHASES, TESTS, Share, shares_of
from understudy.report import HALF_95, SD, OurNumbers, PrintedTable, PrintedTables, Spread, TableColumn, TableLine
from understudy.schema import Study

# Test accuracies of the trained classifiers in a study, from their cards.

ROLES = {"trained_classifier": "Task model", "trained_prototypes": "Prototype"}
"""Catalogue name of a model -> its role in a simulatability study."""


def model_accuracies(study: Study, environment: Mapping[str, str]) -> dict[str, float]:
    """Return role -> accuracy in per cent, without classifiers that are not on this machine."""
    accuracies: dict[str, float] = {}
    for role, name in _named_classifiers(study.model_dump(mode="json")):
        try:
            accuracy: Any = classifier_named(name, models_folder(environment)).card.provenance.get("accuracy")
        except MaterialsError:
            continue
        if isinstance(accuracy, dict) and "test" in accuracy:
            accuracies[role] = 100 * float(accuracy["test"])
    return accuracies


def _named_classifiers(part: Any) -> Iterator[tuple[str, str]]:
    """Yield the role and name of every trained classifier at any depth of the study."""
    if isinstance(part, dict):
        params = part.get("params")
        if part.get("name") in ROLES and isinstance(params, dict) and params.get("name"):
            yield ROLES[part["name"]], str(params["name"])
        part = list(part.values())
    if isinstance(part, list):
        for ref in part:
            yield from _named_classifiers(ref)


SOURCE = "Hase and Bansal, ACL 2020, doi 10.18653/v1/2020.acl-main.491"
NAMES = {
    "lime": "LIME",
    "anchor": "Anchor",
    "prototype": "Prototype",
    "decision_boundary": "Decision Boundary",
    "composite": "Composite",
    CONTROL: "No explanation (control)",
}
_Five = tuple[float | None, float | None, float | None, float | None, float | None]
CHANGES: dict[str, dict[str, _Five]] = {
    # n, Pre, Change, CI, p
    "text": {
        "": (1144, 62.67, None, 7.07, None),
        "lime": (190, None, 0.99, 9.58, 0.834),
        "anchor": (181, None, 1.71, 9.43, 0.704),
        "prototype": (223, None, 3.68, 9.67, 0.421),
        "decision_boundary": (230, None, -1.93, 13.25, 0.756),
        "composite": (320, None, 3.80, 11.09, 0.486),
    },
    "tabular": {
        "": (1022, 70.74, None, 6.96, None),
        "lime": (179, None, 11.25, 8.83, 0.014),
        "anchor": (215, None, 5.01, 8.58, 0.234),
        "prototype": (192, None, 1.68, 10.07, 0.711),
        "decision_boundary": (182, None, 5.27, 10.08, 0.271),
        "composite": (254, None, 0.33, 10.30, 0.952),
    },
    "forward": {
        "": (1103, 69.71, None, 6.16, None),
        "lime": (190, None, 5.70, 9.05, 0.197),
        "anchor": (199, None, 0.86, 10.48, 0.869),
        "prototype": (223, None, -2.64, 9.59, 0.566),
        "decision_boundary": (205, None, -0.92, 11.87, 0.876),
        "composite": (286, None, -2.07, 8.51, 0.618),
    },
    "counterfactual": {
        "": (1063, 63.13, None, 7.87, None),
        "lime": (179, None, 5.25, 10.59, 0.309),
        "anchor": (197, None, 5.66, 7.91, 0.140),
        "prototype": (192, None, 9.53, 8.55, 0.032),
        "decision_boundary": (207, None, 2.48, 11.62, 0.667),
        "composite": (288, None, 7.36, 9.38, 0.122),
    },
}
RATINGS: dict[str, dict[str, tuple[float, float, float, float]]] = {
    # n, mean, CI, SD
    "text": {
        "lime": (144, 4.78, 1.47, 1.76),
        "anchor": (133, 3.86, 0.59, 1.79),
        "prototype": (191, 4.45, 1.02, 2.08),
        "decision_boundary": (224, 3.85, 0.60, 1.81),
        "composite": (240, 4.47, 0.58, 1.70),
    },
    "tabular": {
        "lime": (130, 5.36, 0.63, 1.70),
        "anchor": (175, 4.99, 0.71, 1.38),
        "prototype": (144, 4.20, 0.82, 1.88),
        "decision_boundary": (144, 4.61, 1.14, 1.86),
        "composite": (192, 5.10, 1.04, 1.42),
    },
}
BY_MODEL: dict[str, dict[str, tuple[float, float, float, float]]] = {
    "text": {"right": (464, 4.44, 0.49, 1.89), "wrong": (468, 4.12, 0.67, 1.81)},
    "tabular": {"right": (391, 5.09, 0.27, 1.64), "wrong": (394, 4.64, 0.27, 1.69)},
}
ACCURACIES = {"text": {"Task model": 80.93, "Prototype": 80.64}, "tabular": {"Task model": 83.49, "Prototype": 81.90}}
RATING_GAINS: dict[str, dict[str, tuple[float, float]]] = {
    "text": {"absolute": (-2.9, 5.2), "published": (-3.9, 12.2)},
    "tabular": {"absolute": (-2.6, 5.3)},
}
GAIN_POINTS = {"text": 640, "tabular": 515}

FACTS: dict[str, tuple[float, str]] = {
    "level": (95, "Tables 1 and 2"),
    "tests": (39, "section 4.2"),
    "conditions": (10, "section 4.2"),
    "short_form": (16, "section 4.3"),
    "sentences": (10662, "section 4.1"),
    "percent_train": (70, "section 4.1"),
    "percent_validation": (10, "section 4.1"),
    "percent_test": (20, "section 4.1"),
    "edits_rule.least_edits": (2, "released items, the rule that was counted"),
    "typed_letters": (2, "released analysis"),
    "sentences_of_code.train": (7511, "released code"),
    "sentences_of_code.validation": (835, "released code"),
    "sentences_of_code.test": (2087, "released code"),
    "percent_a_pass": (3, "released code"),
    "vector_dimensions": (300, "released code"),
    "text_prototype_passes": (123, "released training log"),
    "edits_rule": (72, "released items, counted by tests/prepare/shortcuts/test_shortcut_rules.py"),
}
"""Other numbers that pages quote, each with its place."""

_POINTS = TableColumn("Change", times=100)
_CI = TableColumn("CI ±", times=100, spread=HALF_95)
_N = TableColumn("n", kind="count")
_P = TableColumn("p", kind="p")
_CHANGE_COLUMNS = (_N, TableColumn("Pre", times=100), _POINTS, _CI, _P)
_RATING_COLUMNS = (_N, TableColumn("Mean"), TableColumn("CI ±", spread=HALF_95), TableColumn("SD", spread=SD))
_OF_CHANGE = ("detail.n_pairs", "mean.before", "effect", "half_width", "p_value")
_OF_GROUP = ("n", "mean", "half_width", "sd")


def published_tables(study: Study, *, accuracies: Mapping[str, float] | None = None) -> PrintedTables | None:
    """Return the paper's tables for a study with its plan, None for any other.

    `accuracies` holds test accuracies in per cent of "Task model" and "Prototype", for Table 4.
    """
    planned = {description.description_id for description in study.plan.descriptions}
    domains = [domain for domain in RATINGS if f"ratings_{domain}" in planned]
    if not domains:
        return None
    shares = tuple(shares_of(domains))
    is_pooled = len(domains) == 1
    return PrintedTables(
        SOURCE,
        (
            *(_change_table(share, domains) for share in shares if share.name not in TESTS),
            *(_change_table(share, domains, is_pooled=is_pooled) for share in shares if share.name in TESTS),
            *(_rating_table(domain) for domain in domains),
            *(_accuracy_table(domain, accuracies or {}) for domain in domains),
            *(_by_model_table(domain) for domain in domains),
            *(_gain_table(domain) for domain in domains),
            *([_control_table(shares)] if _has_control(study) else []),
            _start_table(shares),
            _missing_table(),
        ),
        (
            "Change, Pre and their intervals are in percentage points; CI is half the width of a 95% interval. "
            "Only items that a person answered in both phases count.",
            "Printed numbers are of the paper's people, cases and models; ours are of this study's.",
        ),
    )


def _has_control(study: Study) -> bool:
    return any(hypothesis.hypothesis_id.startswith("over_control_") for hypothesis in study.plan.hypotheses)


def _change_table(share: Share, domains: Sequence[str], *, is_pooled: bool = False) -> PrintedTable:
    is_test = share.name in TESTS
    domain = share.name if share.name in CHANGES else domains[0]
    printed = CHANGES[domain]
    title = f"Table 2: Change by method, {domain} test" if is_test else f"Table 1: Change by method, {domain}"
    average = ("detail.n_pairs", "mean.before", "", "half_width.before", "")
    lines = [TableLine("User Avg.", printed[""], (OurNumbers("ours", average, f"change_{share.name}"),))]
    for method in (*METHODS, CONTROL):
        ours = (
            OurNumbers("ours, within the condition", _OF_CHANGE, f"change_{share.name}_{method}"),
            OurNumbers(
                "ours, the paper's way", ("detail.n_pairs", "", *_OF_CHANGE[2:]), f"published_{share.name}_{method}"
            ),
        )
        lines.append(TableLine(NAMES[method], printed.get(method, (None,) * 5), ours))
    pooled = "Printed numbers pool text and tabular data, ours are of this study's data alone."
    skipped = (
        "Within the condition, interval and p are calibrated for people and items as samples. The paper's way draws people "
        "across conditions, shrinks Pre by a mixed model and skips singular fits. In the first row CI is that of Pre."
    )
    return PrintedTable(
        title,
        _CHANGE_COLUMNS,
        tuple(lines),
        (skipped, *((pooled,) if is_pooled else ())),
        "Change",
        "Change in percentage points",
    )


def _rating_table(domain: str) -> PrintedTable:
    lines = [
        TableLine(NAMES[method], RATINGS[domain][method], (_rating_line(f"ratings_{domain}", method),))
        for method in METHODS
    ]
    return PrintedTable(
        f"Table 3: ratings of explanations, {domain}",
        _RATING_COLUMNS,
        tuple(lines),
        drawn="Mean",
        axis="Mean rating, 1 to 7",
        limits=(1, 7),
    )


def _rating_line(description: str, group: str) -> OurNumbers:
    return OurNumbers("ours", _OF_GROUP, description=description, group=group)


def _accuracy_table(domain: str, accuracies: Mapping[str, float]) -> PrintedTable:
    lines = [TableLine(name, (value,), known=(accuracies.get(name),)) for name, value in ACCURACIES[domain].items()]
    note = "Accuracies of ours stand here once the study's models are known." if not accuracies else ""
    return PrintedTable(
        f"Table 4: test accuracy of the models, {domain}", (TableColumn("Accuracy in %"),), tuple(lines),
        (note,) if note else (),
    )  # fmt: skip


def _by_model_table(domain: str) -> PrintedTable:
    difference = OurNumbers("ours, right less wrong", ("n", "effect", "half_width", ""), f"ratings_by_model_{domain}")
    lines = [
        TableLine(f"Model {word}", BY_MODEL[domain][word], (_rating_line(f"ratings_by_model_{domain}", word),))
        for word in ("right", "wrong")
    ]
    lines.append(TableLine("Difference (n people)", (None,) * 4, (difference,)))
    note = "The paper says that the differences are not significant at .05."
    return PrintedTable(f"Table 5: ratings by model correctness, {domain}", _RATING_COLUMNS, tuple(lines), (note,))


def _gain_table(domain: str) -> PrintedTable:
    low, high = (Spread(end, HALF_95.level) for end in ("low", "high"))
    columns = (
        TableColumn("Low", times=100, decimals=1, spread=low),
        TableColumn("High", times=100, decimals=1, spread=high),
        _P,
    )
    labels = {
        "absolute": "From rating 4 to 5",
        "within": "One SD above a person's own mean",
        "published": "One SD above the mean of method and item (the paper's computation)",
    }
    lines = [
        TableLine(
            label, (*RATING_GAINS[domain].get(kind, (None, None)), None),
            (OurNumbers("ours", ("low", "high", "p_value"), f"rating_gain_{kind}_{domain}"),),
        )
        for kind, label in labels.items()
    ]  # fmt: skip
    note = (
        f"95% limits of the gain in the chance of a right prediction, in points; printed from {GAIN_POINTS[domain]} ratings. "
        "The paper's text speaks of ratings within people; its script rescales within method and item."
    )
    return PrintedTable(f"Ratings and right predictions, {domain}", columns, tuple(lines), (note,))


def _control_table(shares: Sequence[Share]) -> PrintedTable:
    lines = [
        TableLine(label, (None,) * 3, (OurNumbers(words, ("effect", "half_width", "p_value"), f"over_control_{scope}_{method}"),))
        for method, label in NAMES.items()
        if method != CONTROL
        for scope, words in _worded(shares)
    ]  # fmt: skip
    note = (
        "The paper had no control: people who do everything twice without explanations show practice and drift alone."
    )
    return PrintedTable("Change beyond that of the control", (_POINTS, _CI, _P), _merged(lines), (note,))


def _start_table(shares: Sequence[Share]) -> PrintedTable:
    columns = (TableColumn("Estimate", decimals=3), TableColumn("CI ±", decimals=3, spread=HALF_95), _P)
    rows = {
        "Pre, SD of methods in log odds (mixed model)": ("first_phase", ("effect", "", "p_value")),
        "Slope of Change on Pre": ("to_the_mean", ("effect", "half_width", "p_value")),
        "The same, from different items": ("to_the_mean", ("detail.split_slope", "", "")),
        "Largest Change: its Pre less the mean": ("to_the_mean", ("detail.its_start_above_mean", "", "")),
    }
    lines = [
        TableLine(label, (None,) * 3, (OurNumbers(words, quantities, f"{stem}_{scope}"),))
        for label, (stem, quantities) in rows.items()
        for scope, words in _worded(shares)
    ]
    note = (
        "Chance alone makes the plain slope negative; over different items it does not. Where the largest Change comes "
        "from a condition whose Pre lies above the mean, regression to the mean does not explain it."
    )
    return PrintedTable("The first phase, and regression to the mean", columns, _merged(lines), (note,))


def _missing_table() -> PrintedTable:
    after, before = PHASES
    columns = (
        TableColumn("People", kind="count"),
        TableColumn("Answered in both", kind="count"),
        TableColumn(f"Only {before}", kind="count"),
        TableColumn(f"Only {after}", kind="count"),
    )
    quantities = ("detail.n_people", "detail.n_pairs", f"detail.only_{before}", f"detail.only_{after}")
    lines = [
        TableLine(label, (None,) * 4, (OurNumbers(words, quantities, f"change_{scope}_{method}"),))
        for method, label in NAMES.items()
        for scope, words in ((test, f"{test} test") for test in TESTS)
    ]
    note = (
        "Answers with no partner in the other phase, such as those of people who ran out of time, enter nothing above."
    )
    return PrintedTable("Who answered what", columns, _merged(lines), (note,))


def _worded(shares: Sequence[Share]) -> Iterator[tuple[str, str]]:
    yield from ((share.name, re.sub("^(in the|in|with the) ", "", share.words)) for share in shares)


def _merged(lines: Sequence[TableLine]) -> tuple[TableLine, ...]:
    """Merge the lines that share a label, in order of first appearance."""
    merged: dict[str, TableLine] = {}
    for line in lines:
        earlier = merged.get(line.label)
        merged[line.label] = line if earlier is None else earlier._replace(ours=earlier.ours + line.ours)
    return tuple(merged.values())
