"""Analyses: estimates for the claims of hypotheses, and checks that choose between analyses."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.analyses.agreement import CronbachAlpha, Icc, KrippendorffAlpha, McDonaldOmega
    from understudy.analyses.anova import (
        AlignedRankAnova,
        Ancova,
        FactorialAnova,
        MixedAnova,
        OnewayAnova,
        RmAnova,
        WelchAnova,
    )
    from understudy.analyses.assumptions import Levene, Mauchly, ShapiroWilk
    from understudy.analyses.bayes_factors import BayesCorrelation, BayesProportion, BayesT
    from understudy.analyses.bootstrap import ParticipantBootstrap, TwoWayBootstrap
    from understudy.analyses.change import Change, RegressionToMean
    from understudy.analyses.correlation import ClusteredCorrelation, Kappa, Pearson, Spearman
    from understudy.analyses.counts import ChiSquare, CountRegression, Fisher, McNemar
    from understudy.analyses.equivalence import RankTost, Tost
    from understudy.analyses.mixed_categories import LogisticGroups, LogisticMixed, OrdinalMixed
    from understudy.analyses.mixed_linear import LinearMixed
    from understudy.analyses.multiple_comparisons import Dunn, GamesHowell, HolmPairs, PlannedContrast, TukeyHsd
    from understudy.analyses.ranks import CochranQ, Friedman, KruskalWallis, RankSum, SignedRank
    from understudy.analyses.rating_gain import RatingGain
    from understudy.analyses.regression import ClusterRobust, LogisticRegression
    from understudy.analyses.reliance import Complementarity, Reliance
    from understudy.analyses.signal_detection import ConfidenceCalibration, SignalDetection
    from understudy.analyses.t_tests import IndependentT, LogTime, Mean, OneSampleT, PairedT, Proportion, WelchT

__all__ = [
    "AlignedRankAnova",
    "Ancova",
    "BayesCorrelation",
    "BayesProportion",
    "BayesT",
    "Change",
    "ChiSquare",
    "ClusterRobust",
    "ClusteredCorrelation",
    "CochranQ",
    "Complementarity",
    "ConfidenceCalibration",
    "CountRegression",
    "CronbachAlpha",
    "Dunn",
    "FactorialAnova",
    "Fisher",
    "Friedman",
    "GamesHowell",
    "HolmPairs",
    "Icc",
    "IndependentT",
    "Kappa",
    "KrippendorffAlpha",
    "KruskalWallis",
    "Levene",
    "LinearMixed",
    "LogTime",
    "LogisticGroups",
    "LogisticMixed",
    "LogisticRegression",
    "Mauchly",
    "McDonaldOmega",
    "McNemar",
    "Mean",
    "MixedAnova",
    "OneSampleT",
    "OnewayAnova",
    "OrdinalMixed",
    "PairedT",
    "ParticipantBootstrap",
    "Pearson",
    "PlannedContrast",
    "Proportion",
    "RankSum",
    "RankTost",
    "RatingGain",
    "RegressionToMean",
    "Reliance",
    "RmAnova",
    "ShapiroWilk",
    "SignalDetection",
    "SignedRank",
    "Spearman",
    "Tost",
    "TukeyHsd",
    "TwoWayBootstrap",
    "WelchAnova",
    "WelchT",
]

ENTRIES = {
    "analyses": {
        "agreement": ("icc", "krippendorff_alpha", "cronbach_alpha", "omega"),
        "anova": (
            "ancova",
            "oneway_anova",
            "welch_anova",
            "rm_anova",
            "mixed_anova",
            "factorial_anova",
            "aligned_rank_anova",
        ),
        "correlation": ("pearson", "spearman", "kappa", "clustered_correlation"),
        "bayes_factors": ("bayes_t", "bayes_proportion", "bayes_correlation"),
        "t_tests": ("one_sample_t", "paired_t", "independent_t", "welch_t", "log_time", "mean", "proportion"),
        "signal_detection": ("calibration", "signal_detection"),
        "change": ("change", "regression_to_mean"),
        "regression": ("cluster_robust", "logistic_regression"),
        "reliance": ("complementarity", "reliance"),
        "counts": ("count_regression", "chi_square", "fisher", "mcnemar"),
        "equivalence": ("tost", "rank_tost"),
        "mixed_linear": ("linear_mixed",),
        "mixed_categories": ("logistic_groups", "logistic_mixed", "ordinal_mixed"),
        "multiple_comparisons": ("holm_pairs", "planned_contrast", "dunn", "games_howell", "tukey_hsd"),
        "ranks": ("rank_sum", "signed_rank", "kruskal_wallis", "friedman", "cochran_q"),
        "rating_gain": ("rating_gain",),
        "bootstrap": ("two_way_bootstrap", "participant_bootstrap"),
    },
    "checks": {"assumptions": ("shapiro_wilk", "levene", "mauchly")},
}
"""Which names of study files each module registers, by catalogue."""

_T_TESTS = ("independent_t", "welch_t", "paired_t", "one_sample_t")
OTHER_NAMES = {
    "analyses": {
        "t": _T_TESTS,
        "student": _T_TESTS,
        "studentst": _T_TESTS,
        "anova": ("oneway_anova", "welch_anova", "rm_anova", "mixed_anova"),
        "mannwhitney": ("rank_sum",),
        "mannwhitneyu": ("rank_sum",),
        "u": ("rank_sum",),
        "wilcoxon": ("signed_rank", "rank_sum"),
        "ranksums": ("rank_sum",),
        "kruskal": ("kruskal_wallis",),
        "chi": ("chi_square",),
        "chisq": ("chi_square",),
        "binomial": ("logistic_mixed", "bayes_proportion"),
        "correlation": ("pearson", "spearman", "clustered_correlation"),
        "lmm": ("linear_mixed",),
        "lmer": ("linear_mixed",),
        "mixed": ("linear_mixed", "logistic_mixed", "ordinal_mixed"),
        "glmm": ("logistic_mixed",),
        "glmer": ("logistic_mixed",),
        "clmm": ("ordinal_mixed",),
        "regression": ("linear_mixed", "logistic_mixed", "logistic_regression", "count_regression"),
        "linear": ("linear_mixed", "ancova"),
        "lm": ("linear_mixed", "ancova"),
        "ols": ("linear_mixed", "ancova"),
        "glm": ("logistic_regression", "count_regression"),
        "logit": ("logistic_regression", "logistic_mixed"),
        "poisson": ("count_regression",),
        "gee": ("cluster_robust",),
        "kendall": ("spearman",),
        "dprime": ("signal_detection",),
        "bootstrap": ("participant_bootstrap", "two_way_bootstrap"),
        "equivalence": ("tost", "rank_tost"),
    },
}
"""What else people call analyses, in letters alone and without "test": asked for by these names, they are suggested."""

defer_names(__name__)
