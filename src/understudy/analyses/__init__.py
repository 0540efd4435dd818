"""Analyses: estimates for the claims of hypotheses, and checks that choose between analyses."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.analyses.agreement import Icc, KrippendorffAlpha
    from understudy.analyses.ancova import Ancova
    from understudy.analyses.anovas import OnewayAnova, RmAnova, WelchAnova
    from understudy.analyses.associations import Kappa, Pearson, Spearman
    from understudy.analyses.bayes import BayesCorrelation, BayesProportion, BayesT
    from understudy.analyses.calibration import ConfidenceCalibration
    from understudy.analyses.change import Change
    from understudy.analyses.checks import Levene, Mauchly, ShapiroWilk
    from understudy.analyses.cluster_robust import ClusterRobust
    from understudy.analyses.clustered_correlation import ClusteredCorrelation
    from understudy.analyses.complementarity import Complementarity
    from understudy.analyses.count_models import CountRegression
    from understudy.analyses.count_tests import ChiSquare, Fisher
    from understudy.analyses.equivalence import Tost
    from understudy.analyses.factorial import AlignedRankAnova, FactorialAnova
    from understudy.analyses.linear_mixed import LinearMixed
    from understudy.analyses.log_time import LogTime
    from understudy.analyses.logistic_groups import LogisticGroups
    from understudy.analyses.logistic_mixed import LogisticMixed
    from understudy.analyses.logistic_regression import LogisticRegression
    from understudy.analyses.mcnemar import McNemar
    from understudy.analyses.means import Mean, Proportion
    from understudy.analyses.mixed_anova import MixedAnova
    from understudy.analyses.ordinal_mixed import OrdinalMixed
    from understudy.analyses.pairwise import HolmPairs
    from understudy.analyses.planned_contrast import PlannedContrast
    from understudy.analyses.post_hoc import Dunn, GamesHowell, TukeyHsd
    from understudy.analyses.rank_equivalence import RankTost
    from understudy.analyses.ranks import KruskalWallis, RankSum, SignedRank
    from understudy.analyses.rating_gain import RatingGain
    from understudy.analyses.regression_to_mean import RegressionToMean
    from understudy.analyses.reliability import CronbachAlpha, McDonaldOmega
    from understudy.analyses.reliance import Reliance
    from understudy.analyses.resampling import ParticipantBootstrap, TwoWayBootstrap
    from understudy.analyses.signal_detection import SignalDetection
    from understudy.analyses.t_tests import IndependentT, OneSampleT, PairedT, WelchT
    from understudy.analyses.within_levels import CochranQ, Friedman

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
        "agreement": ("icc", "krippendorff_alpha"),
        "ancova": ("ancova",),
        "anovas": ("oneway_anova", "welch_anova", "rm_anova"),
        "associations": ("pearson", "spearman", "kappa"),
        "bayes": ("bayes_t", "bayes_proportion", "bayes_correlation"),
        "t_tests": ("one_sample_t", "paired_t", "independent_t", "welch_t"),
        "calibration": ("calibration",),
        "change": ("change",),
        "mixed_anova": ("mixed_anova",),
        "cluster_robust": ("cluster_robust",),
        "clustered_correlation": ("clustered_correlation",),
        "complementarity": ("complementarity",),
        "count_models": ("count_regression",),
        "count_tests": ("chi_square", "fisher"),
        "equivalence": ("tost",),
        "factorial": ("factorial_anova", "aligned_rank_anova"),
        "linear_mixed": ("linear_mixed",),
        "log_time": ("log_time",),
        "logistic_groups": ("logistic_groups",),
        "logistic_mixed": ("logistic_mixed",),
        "logistic_regression": ("logistic_regression",),
        "mcnemar": ("mcnemar",),
        "means": ("mean", "proportion"),
        "ordinal_mixed": ("ordinal_mixed",),
        "pairwise": ("holm_pairs",),
        "planned_contrast": ("planned_contrast",),
        "post_hoc": ("dunn", "games_howell", "tukey_hsd"),
        "rank_equivalence": ("rank_tost",),
        "ranks": ("rank_sum", "signed_rank", "kruskal_wallis"),
        "rating_gain": ("rating_gain",),
        "regression_to_mean": ("regression_to_mean",),
        "reliability": ("cronbach_alpha", "omega"),
        "reliance": ("reliance",),
        "resampling": ("two_way_bootstrap", "participant_bootstrap"),
        "signal_detection": ("signal_detection",),
        "within_levels": ("friedman", "cochran_q"),
    },
    "checks": {
        "checks": ("shapiro_wilk", "levene", "mauchly"),
    },
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
