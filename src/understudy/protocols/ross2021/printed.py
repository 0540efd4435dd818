"""What Ross et al. (2021) report: their Table 2 and the tests in their text."""

from understudy.protocols.ross2021.printed_scores import MNIST_SCORES, SYNTHETIC_SCORES, THINKALOUD_SCORES
from understudy.report import Cell, Column, PrintedResults, PrintedTest, Row, Strip
from understudy.schema import Study

SOURCE = "Ross, Chen, Hang, Glassman and Doshi-Velez, CHI 2021, doi 10.1145/3411764.3445296"
COLUMNS = (
    Column("interactive_completion", "Completion rate", limits=(0, 1)),
    Column("interactive_difficulty", "Difficulty (1 to 7)", better="lower", limits=(1, 7)),
    Column("interactive_error_auc", "Error AUC / 1000", decimals=1, times=0.001, better="lower", limits=(0, None)),
)
FURTHER = (
    Column("interactive_response_time", "Response time (s)", decimals=1, better="lower"),
    Column("interactive_slide_distance", "Slide distance (widths)", decimals=1, better="lower"),
)
"""Measured, and printed nowhere as numbers."""
SYNTHETIC_ROWS = (
    Row("dSprites AE", "dsprites, ae", (Cell(0.15, 0.19), Cell(6.93, 0.25), Cell(55.8, 25.6))),
    Row("dSprites VAE", "dsprites, vae", (Cell(0.51, 0.33), Cell(6.20, 0.91), Cell(60.1, 26.6))),
    Row("dSprites GT", "dsprites, gt", (Cell(0.75, 0.26), Cell(4.20, 1.60), Cell(23.6, 5.9))),
    Row("Sinelines AE", "sinelines, ae", (Cell(0.34, 0.26), Cell(5.87, 1.67), Cell(163.5, 90.0))),
    Row("Sinelines VAE", "sinelines, vae", (Cell(0.63, 0.28), Cell(4.07, 1.84), Cell(59.6, 47.8))),
    Row("Sinelines GT", "sinelines, gt", (Cell(0.83, 0.19), Cell(4.00, 1.71), Cell(52.0, 48.9))),
)
MNIST_ROWS = (
    Row("MNIST AE, 5", "ae5", (Cell(0.38, 0.23), Cell(5.60, 1.62), Cell(15.7, 4.3))),
    Row("MNIST VAE, 5", "vae5", (Cell(0.40, 0.31), Cell(5.87, 1.15), Cell(18.6, 13.7))),
    Row("MNIST IG, 5", "ig5", (Cell(0.51, 0.31), Cell(5.67, 1.30), Cell(21.3, 8.6))),
    Row("MNIST TC, 5", "tc5", (Cell(0.62, 0.26), Cell(5.00, 1.41), Cell(16.0, 13.1))),
    Row("MNIST SS, 5", "ss5", (Cell(0.73, 0.24), Cell(3.40, 1.54), Cell(6.3, 4.7))),
    Row("MNIST AE, 10", "ae10", (Cell(0.35, 0.29), Cell(5.27, 1.73), Cell(47.8, 34.0))),
    Row("MNIST SS, 10", "ss10", (Cell(0.71, 0.29), Cell(4.40, 1.40), Cell(7.6, 3.3))),
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
LEARNING = "Solved questions, first and last of a stage (Figure 10)"


def published_results(study: Study) -> PrintedResults | None:
    """Return what the paper prints for a study that has the plan of one of its own; None for any other."""
    planned = {one.description_id for one in study.plan.descriptions}
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
        SOURCE, "Table 2, synthetic data", COLUMNS, SYNTHETIC_ROWS, SYNTHETIC_TESTS, (dials, learning), NOTES, FURTHER,
        SYNTHETIC_SCORES,
    )  # fmt: skip


def _mnist() -> PrintedResults:
    learning = Strip(LEARNING, "first_and_last", "solved", ("solve_targets",), ("model",), limits=(0, 1))
    return PrintedResults(
        SOURCE, "Table 2, MNIST", COLUMNS, MNIST_ROWS, MNIST_TESTS, (learning,), NOTES, FURTHER, MNIST_SCORES
    )


def _thinkaloud() -> PrintedResults:
    columns = (Column("interactive_understanding", "Understanding (1 to 5)", decimals=1, limits=(1, 5)),)
    rows = (
        Row("AE, 5 dials", "5, ae", (Cell(1.4, 0.5),)),
        Row("TC, 5 dials", "5, tc", (None,)),
        Row("SS, 5 dials", "5, ss", (Cell(3.6, 0.5),)),
        Row("AE, 10 dials", "10, ae", (None,)),
        Row("TC, 10 dials", "10, tc", (None,)),
        Row("SS, 10 dials", "10, ss", (Cell(2.4, 0.5),)),
    )
    return PrintedResults(
        SOURCE, "Figure 9, think-aloud", columns, rows, THINKALOUD_TESTS, (), NOTES[:0], scores=THINKALOUD_SCORES
    )
