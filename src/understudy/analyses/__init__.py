"""Analyses: estimates for the claims of hypotheses, and checks that choose between analyses."""

from understudy.analyses.anovas import OnewayAnova, RmAnova, WelchAnova
from understudy.analyses.associations import Kappa, Pearson, Spearman
from understudy.analyses.change import Change
from understudy.analyses.checks import Levene, Mauchly, ShapiroWilk
from understudy.analyses.clustered_correlation import ClusteredCorrelation
from understudy.analyses.count_tests import ChiSquare, Fisher
from understudy.analyses.equivalence import Tost
from understudy.analyses.linear_mixed import LinearMixed
from understudy.analyses.logistic_groups import LogisticGroups
from understudy.analyses.logistic_mixed import LogisticMixed
from understudy.analyses.logistic_regression import LogisticRegression
from understudy.analyses.mcnemar import McNemar
from understudy.analyses.means import Mean, Proportion
from understudy.analyses.mixed_anova import MixedAnova
from understudy.analyses.ordinal_mixed import OrdinalMixed
from understudy.analyses.planned_contrast import PlannedContrast
from understudy.analyses.post_hoc import Dunn, GamesHowell
from understudy.analyses.ranks import KruskalWallis, RankSum, SignedRank
from understudy.analyses.rating_gain import RatingGain
from understudy.analyses.regression_to_mean import RegressionToMean
from understudy.analyses.reliability import CronbachAlpha
from understudy.analyses.resampling import ParticipantBootstrap, TwoWayBootstrap
from understudy.analyses.t_tests import IndependentT, OneSampleT, PairedT, WelchT
from understudy.analyses.within_levels import CochranQ, Friedman

__all__ = [
    "Change",
    "ChiSquare",
    "ClusteredCorrelation",
    "CochranQ",
    "CronbachAlpha",
    "Dunn",
    "Fisher",
    "Friedman",
    "GamesHowell",
    "IndependentT",
    "Kappa",
    "KruskalWallis",
    "Levene",
    "LinearMixed",
    "LogisticGroups",
    "LogisticMixed",
    "LogisticRegression",
    "Mauchly",
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
    "RatingGain",
    "RegressionToMean",
    "RmAnova",
    "ShapiroWilk",
    "SignedRank",
    "Spearman",
    "Tost",
    "TwoWayBootstrap",
    "WelchAnova",
    "WelchT",
]
