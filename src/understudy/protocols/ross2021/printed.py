"""The results of Ross et al. (2021): Table 2 and the tests in the text."""

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

from understudy.actions.decoder_scores import error_without_dials, shared_of_truth
from understudy.datasets.reconstruction import Reconstruction
from understudy.errors import MaterialsError
from understudy.inference import OnnxDecoder
from understudy.registry import create
from understudy.report import (
    POPULATION_SD,
    ModelScores,
    PrintedColumn,
    PrintedMean,
    PrintedResults,
    PrintedRow,
    PrintedTest,
    SharedInformation,
    Strip,
    is_true_model,
    scores_from_card,
)
from understudy.schema import Description, Levels, Study, matches

# Automatic scores of the decoders that a study binds to the groups of its table.


class DecoderScores(NamedTuple):
    """Scores by group of the printed table, and why some are missing."""

    ours: Mapping[str, ModelScores]
    gaps: tuple[str, ...]


def automatic_scores_of(study: Study, printed: PrintedResults) -> DecoderScores:
    """Return the scores of the decoders for groups with printed automatic scores."""
    ours: dict[str, ModelScores] = {}
    gaps: list[str] = []
    for group, levels in _groups(study, printed).items():
        known = printed.scores.get(group)
        dataset = _questions(study, levels)
        if known is None or dataset is None:
            continue
        try:
            ours[group] = _scored(dataset.opened_decoder(), known)
        except MaterialsError as error:
            gaps.append(f"{known.label}: {error}")
    return DecoderScores(ours, tuple(gaps))


def _scored(decoder: OnnxDecoder, known: ModelScores) -> ModelScores:
    scores = scores_from_card(decoder.card, known.label, known.data)
    if is_true_model(decoder.card) and scores.shared is None:
        scores = scores._replace(shared=shared_of_truth(decoder.card))
    return scores._replace(error_without=error_without_dials(decoder))


def _groups(study: Study, printed: PrintedResults) -> dict[str, Levels]:
    """Return the factor levels of each group of the first printed measure that the study describes."""
    wanted = {column.description for column in printed.columns}
    description = next(
        (description for description in study.plan.descriptions if description.description_id in wanted), None
    )
    return {} if description is None else _levels_by_group(study, description)


def _levels_by_group(study: Study, description: Description) -> dict[str, Levels]:
    factors = [next(factor for factor in study.factors if factor.name == name) for name in description.by]
    return {
        ", ".join(levels): dict(zip(description.by, levels, strict=True))
        for levels in product(*(factor.levels for factor in factors))
    }


def _questions(study: Study, levels: Levels) -> Reconstruction | None:
    """Return the dial questions that are bound to these levels; later bindings win."""
    dataset = None
    for binding in study.bindings:
        ref = binding.dataset
        if ref is not None and ref.name == "reconstruction" and matches(binding.when, levels):
            dataset = create("datasets", ref)
    return dataset if isinstance(dataset, Reconstruction) else None


# Published automatic scores of the models of Ross et al. (2021): errors, DCI, MIG and mutual information.

SPRITE_FACTORS = ("shape", "scale", "orientation", "x", "y")
LINE_FACTORS = ("slope", "intercept", "amplitude", "frequency", "phase")
_DIALS = tuple(f"z{k}" for k in range(1, 6))
_BITS = {
    "dsprites, ae": (
        (0.0625, 0.0709, 0.1276, 0.5069, 0.1147),
        (0.0828, 0.2213, 0.0807, 0.5880, 0.0334),
        (0.0746, 0.0238, 0.1359, 0.0841, 0.8839),
        (0.0431, 0.0228, 0.0827, 0.3177, 0.5803),
        (0.0819, 0.0360, 0.1737, 0.5001, 0.1154),
    ),
    "dsprites, vae": (
        (0.0262, 0.0956, 0.0053, 0.1986, 0.9667),
        (0.0199, 0.0755, 0.0048, 1.1109, 0.1656),
        (0.1175, 0.3047, 0.0081, 0.1298, 0.4695),
        (0.4121, 0.1273, 0.4672, 0.0059, 0.0358),
        (0.3438, 0.1447, 0.6074, 0.0050, 0.0119),
    ),
    "sinelines, ae": (
        (0.0334, 0.0314, 0.1906, 0.2521, 0.2083),
        (0.5575, 0.3069, 0.0653, 0.0330, 0.0779),
        (0.3434, 0.3600, 0.1094, 0.0536, 0.0468),
        (0.1854, 0.1630, 0.2394, 0.1238, 0.2364),
        (0.1293, 0.0875, 0.4126, 0.2001, 0.3096),
    ),
    "sinelines, vae": (
        (1.5603, 0.0473, 0.0923, 0.0524, 0.1112),
        (0.0514, 0.0737, 0.3989, 0.3641, 0.4777),
        (0.0487, 1.2951, 0.0685, 0.0426, 0.0738),
        (0.3098, 0.0437, 0.1873, 0.3259, 0.4356),
        (0.0541, 0.0407, 0.2054, 0.4662, 0.1589),
    ),
}
"""Bits; row: dial, column: true factor."""


def _learned(group: str, label: str, error: float, dci: float, mig: float) -> ModelScores:
    data, factors = ("dSprites", SPRITE_FACTORS) if group.startswith("dsprites") else ("Sinelines", LINE_FACTORS)
    return ModelScores(
        label, data, error, dci_paper=dci, mig=mig, shared=SharedInformation(factors, _BITS[group]), dials=_DIALS
    )


SYNTHETIC_SCORES = {
    "dsprites, ae": _learned("dsprites, ae", "dSprites AE", 6.481531, 0.141853, 0.031602),
    "dsprites, vae": _learned("dsprites, vae", "dSprites VAE", 8.086238, 0.399140, 0.093840),
    "dsprites, gt": ModelScores("dSprites GT", "dSprites", 8.898539, 1.0, None, 1.0),
    "sinelines, ae": _learned("sinelines, ae", "Sinelines AE", 0.590773, 0.205109, 0.032911),
    "sinelines, vae": _learned("sinelines, vae", "Sinelines VAE", 3.284419, 0.395064, 0.149971),
    "sinelines, gt": ModelScores("Sinelines GT", "Sinelines", 0.0, 1.0, None, 1.0),
}
"""Group of our table -> scores; true models score 1 by construction."""
MNIST_SCORES = {
    "ae5": ModelScores("MNIST AE, 5", "MNIST", 15.501160),
    "vae5": ModelScores("MNIST VAE, 5", "MNIST", 16.264723),
    "ig5": ModelScores("MNIST IG, 5", "MNIST"),
    "tc5": ModelScores("MNIST TC, 5", "MNIST", 25.413437),
    "ss5": ModelScores("MNIST SS, 5", "MNIST", 20.791296),
    "ae10": ModelScores("MNIST AE, 10", "MNIST", 7.150496),
    "tc10": ModelScores("MNIST TC, 10", "MNIST", 24.906212),
    "ss10": ModelScores("MNIST SS, 10", "MNIST", 20.772451),
}
"""Digits have no known factors, so only errors are known; an InfoGAN has no encoder and no error."""
THINKALOUD_SCORES = {
    f"{size}, {model}": MNIST_SCORES[f"{model}{size}"]._replace(label=f"{model.upper()}, {size} dials")
    for size in ("5", "10")
    for model in ("ae", "tc", "ss")
}


SOURCE = "Ross, Chen, Hang, Glassman and Doshi-Velez, CHI 2021, doi 10.1145/3411764.3445296"
COLUMNS = (
    PrintedColumn("interactive_completion", "Completion rate", POPULATION_SD, limits=(0, 1)),
    PrintedColumn("interactive_difficulty", "Difficulty (1 to 7)", POPULATION_SD, better="lower", limits=(1, 7)),
    PrintedColumn(
        "interactive_error_auc",
        "Error AUC / 1000",
        POPULATION_SD,
        decimals=1,
        times=0.001,
        better="lower",
        limits=(0, None),
    ),
)
FACTS = {
    "synthetic_data_sets": (2, "section 4.1"),
    "people": (15, "section 5.1.2"),
    "questions": (5, "section 5.1.2"),
    "digit_questions": (7, "section 5.1.4"),
    "easiest": (1, "section 4.4"),
    "hardest": (7, "section 4.4"),
    "dials": (5, "Table 2"),
    "more_dials": (10, "Table 2"),
}
"""Other numbers that pages quote, each with its place."""
FURTHER = (
    PrintedColumn("interactive_response_time", "Response time (s)", POPULATION_SD, decimals=1, better="lower"),
    PrintedColumn(
        "interactive_solved_response_time",
        "Response time, solved questions (s)",
        POPULATION_SD,
        decimals=1,
        better="lower",
    ),
    PrintedColumn("interactive_slide_distance", "Slide distance (widths)", POPULATION_SD, decimals=1, better="lower"),
)
"""Drawn in Figures 6 and 8, but not printed as numbers."""
SYNTHETIC_ROWS = (
    PrintedRow(
        "dSprites AE", "dsprites, ae", (PrintedMean(0.15, 0.19), PrintedMean(6.93, 0.25), PrintedMean(55.8, 25.6))
    ),
    PrintedRow(
        "dSprites VAE", "dsprites, vae", (PrintedMean(0.51, 0.33), PrintedMean(6.20, 0.91), PrintedMean(60.1, 26.6))
    ),
    PrintedRow(
        "dSprites GT", "dsprites, gt", (PrintedMean(0.75, 0.26), PrintedMean(4.20, 1.60), PrintedMean(23.6, 5.9))
    ),
    PrintedRow(
        "Sinelines AE", "sinelines, ae", (PrintedMean(0.34, 0.26), PrintedMean(5.87, 1.67), PrintedMean(163.5, 90.0))
    ),
    PrintedRow(
        "Sinelines VAE", "sinelines, vae", (PrintedMean(0.63, 0.28), PrintedMean(4.07, 1.84), PrintedMean(59.6, 47.8))
    ),
    PrintedRow(
        "Sinelines GT", "sinelines, gt", (PrintedMean(0.83, 0.19), PrintedMean(4.00, 1.71), PrintedMean(52.0, 48.9))
    ),
)
MNIST_ROWS = (
    PrintedRow("MNIST AE, 5", "ae5", (PrintedMean(0.38, 0.23), PrintedMean(5.60, 1.62), PrintedMean(15.7, 4.3))),
    PrintedRow("MNIST VAE, 5", "vae5", (PrintedMean(0.40, 0.31), PrintedMean(5.87, 1.15), PrintedMean(18.6, 13.7))),
    PrintedRow("MNIST IG, 5", "ig5", (PrintedMean(0.51, 0.31), PrintedMean(5.67, 1.30), PrintedMean(21.3, 8.6))),
    PrintedRow("MNIST TC, 5", "tc5", (PrintedMean(0.62, 0.26), PrintedMean(5.00, 1.41), PrintedMean(16.0, 13.1))),
    PrintedRow("MNIST SS, 5", "ss5", (PrintedMean(0.73, 0.24), PrintedMean(3.40, 1.54), PrintedMean(6.3, 4.7))),
    PrintedRow("MNIST AE, 10", "ae10", (PrintedMean(0.35, 0.29), PrintedMean(5.27, 1.73), PrintedMean(47.8, 34.0))),
    PrintedRow("MNIST SS, 10", "ss10", (PrintedMean(0.71, 0.29), PrintedMean(4.40, 1.40), PrintedMean(7.6, 3.3))),
)
SYNTHETIC_TESTS = (
    PrintedTest(
        "dSprites, completion, all models", "dsprites_interactive_completion_any", "F(2, 28) = 32.3, p < .0001"
    ),
    PrintedTest("dSprites, completion, GT and AE", "dsprites_interactive_completion_gt_ae", "t(14) = 8.5, p < .0001"),
    PrintedTest("dSprites, difficulty, all models", "dsprites_interactive_difficulty_any", "F = 32.3, p < .0001"),
    PrintedTest("dSprites, error AUC, all models", "dsprites_interactive_error_auc_any", "F = 31.6, p < .0001"),
    PrintedTest("Sinelines, completion, all models", "sinelines_interactive_completion_any", "F = 23.4, p < .0001"),
    PrintedTest("Sinelines, completion, GT and AE", "sinelines_interactive_completion_gt_ae", "t(14) = 6.4, p < .0001"),
    PrintedTest("Sinelines, difficulty, all models", "sinelines_interactive_difficulty_any", "F = 11.7, p = .0002"),
    PrintedTest("Sinelines, error AUC, all models", "sinelines_interactive_error_auc_any", "F = 14.1, p < .0001"),
    PrintedTest("dSprites, exemplars, correctness", "dsprites_exemplars_correctness_any", "F = 5.8, p = .008"),
    PrintedTest("dSprites, exemplars, correctness, GT and AE", "dsprites_exemplars_correctness_gt_ae", "p = .01"),
    PrintedTest("dSprites, exemplars, difficulty, GT and AE", "dsprites_exemplars_difficulty_gt_ae", "p = .03"),
    PrintedTest("Sinelines, exemplars, correctness", "sinelines_exemplars_correctness_any", "F = 6.6, p = .005"),
    PrintedTest("Sinelines, exemplars, correctness, GT and AE", "sinelines_exemplars_correctness_gt_ae", "p = .003"),
    PrintedTest("Sinelines, exemplars, difficulty, GT and AE", "sinelines_exemplars_difficulty_gt_ae", "p = .003"),
)
MNIST_TESTS = (
    PrintedTest("Completion, all models", "completion_any", "F = 4.7, p = .0003"),
    PrintedTest("Completion, SS5 and AE5", "completion_ss5_ae5", "t(28) = -3.9 (AE5 less SS5), p = .0006"),
    PrintedTest("Difficulty, all models", "difficulty_any", "F = 4.9, p = .0002"),
    PrintedTest("Difficulty, SS5 and AE5", "difficulty_ss5_ae5", "t(28) = 3.7 (AE5 less SS5), p = .001"),
    PrintedTest("Error AUC, all models", "error_auc_any", "F = 11.4, p < .0001"),
    PrintedTest("Error AUC, SS5 and AE5", "error_auc_ss5_ae5", "t(28) = 5.5 (AE5 less SS5), p < .0001"),
    PrintedTest("Error AUC, AE10 and AE5", "error_auc_ae10_ae5", "t = -3.7 (AE5 less AE10), p = .002"),
)
THINKALOUD_TESTS = (
    PrintedTest("Understanding, 5 dials, SS and AE", "dials5_understanding_ss_ae", "t(4) = 11.0, p = .0004"),
    PrintedTest("Understanding, SS, 5 and 10 dials", "understanding_ss_more_dials", "t(4) = 6, p = .004"),
)
NOTES = ("Printed spreads are population SDs. Error AUC is the squared error, summed over values and over seconds.",)
SYNTHETIC_NOTES = (
    *NOTES,
    "Table 2 has a difficulty of 6.20 for the dSprites VAE, the text 6.4. Figure 6 draws response times as boxes without "
    "numbers, and the paper does not say whether they count skipped questions, so that both kinds are given here.",
)
MNIST_NOTES = (
    *NOTES,
    "Where Table 2 and the text differ, the table is shown: the text has completion 0.72 for SS5 and 0.61 ± 0.27 for TC5, "
    "difficulty 5.0 ± 1.5 and error AUC 16.0 ± 14.0 for TC5.",
    "Figure 8 draws boxes. The medians that the text names: completion 3/7 for AE5, 1/7 for AE10, 5/7 for SS5 and 6/7 for "
    "SS10; error AUC 10.5 for TC5 and 14.5 for AE5.",
)
LEARNING = "Solved questions, first and last of a stage (Figure 10)"


def published_results(study: Study) -> PrintedResults | None:
    """Return the printed results for a study with one of the paper's plans, or None."""
    planned = {description.description_id for description in study.plan.descriptions}
    factors = {factor.name for factor in study.factors}
    if {"interactive_completion", "exemplars_correctness"} <= planned:
        return _synthetic()
    if {"interactive_completion", "interactive_understanding"} <= planned and "n_dials" in factors:
        return _thinkaloud()
    if "interactive_completion" in planned and "interactive_difficulty" in planned:
        return _mnist()
    return None


def _synthetic() -> PrintedResults:
    dials = Strip(
        "Right answers by dial of the true model (Figure 7)", "by_truth", "right", ("judge_dials",), ("dataset", "task"),
        only=("model", "gt"),
        truth="dial_name",
        series="task",
        limits=(0, 1),
        printed="Printed, in words: with GT near 100 % for shape, scale and slope, near 33 % for rotation and phase.",
    )  # fmt: skip
    learning = Strip(LEARNING, "first_and_last", "solved", ("solve_targets",), ("dataset", "model"), limits=(0, 1))
    return PrintedResults(
        SOURCE, "Table 2 and Figure 6, synthetic data", COLUMNS, SYNTHETIC_ROWS, SYNTHETIC_TESTS, (dials, learning),
        SYNTHETIC_NOTES, FURTHER, SYNTHETIC_SCORES,
    )  # fmt: skip


def _mnist() -> PrintedResults:
    learning = Strip(LEARNING, "first_and_last", "solved", ("solve_targets",), ("model",), limits=(0, 1))
    return PrintedResults(
        SOURCE,
        "Table 2 and Figure 8, MNIST",
        COLUMNS,
        MNIST_ROWS,
        MNIST_TESTS,
        (learning,),
        MNIST_NOTES,
        FURTHER,
        MNIST_SCORES,
    )


def _thinkaloud() -> PrintedResults:
    columns = (
        PrintedColumn("interactive_understanding", "Understanding (1 to 5)", POPULATION_SD, decimals=1, limits=(1, 5)),
    )
    rows = (
        PrintedRow("AE, 5 dials", "5, ae", (PrintedMean(1.4, 0.5),)),
        PrintedRow("TC, 5 dials", "5, tc", (None,)),
        PrintedRow("SS, 5 dials", "5, ss", (PrintedMean(3.6, 0.5),)),
        PrintedRow("AE, 10 dials", "10, ae", (None,)),
        PrintedRow("TC, 10 dials", "10, tc", (None,)),
        PrintedRow("SS, 10 dials", "10, ss", (PrintedMean(2.4, 0.5),)),
    )
    return PrintedResults(
        SOURCE, "Figure 9, think-aloud", columns, rows, THINKALOUD_TESTS, (), NOTES[:0], FURTHER, THINKALOUD_SCORES
    )
