"""Analyses: estimates for the claims of hypotheses, and checks that choose between analyses."""

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
