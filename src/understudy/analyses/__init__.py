"""Analyses: what estimates the claims of hypotheses, and the checks that decide between them."""

from understudy.analyses.anovas import OnewayAnova, RmAnova, WelchAnova
from understudy.analyses.associations import Kappa, Pearson, Spearman
from understudy.analyses.checks import Levene, Mauchly, ShapiroWilk
from understudy.analyses.equivalence import Tost
from understudy.analyses.linear_mixed import LinearMixed
from understudy.analyses.logistic_mixed import LogisticMixed
from understudy.analyses.logistic_regression import LogisticRegression
from understudy.analyses.mcnemar import McNemar
from understudy.analyses.means import Mean, Proportion
from understudy.analyses.mixed_anova import MixedAnova
from understudy.analyses.ranks import KruskalWallis, RankSum, SignedRank
from understudy.analyses.resampling import ParticipantBootstrap, TwoWayBootstrap
from understudy.analyses.t_tests import IndependentT, OneSampleT, PairedT, WelchT

__all__ = [
    "IndependentT",
    "Kappa",
    "KruskalWallis",
    "Levene",
    "LinearMixed",
    "LogisticMixed",
    "LogisticRegression",
    "Mauchly",
    "McNemar",
    "Mean",
    "MixedAnova",
    "OneSampleT",
    "OnewayAnova",
    "PairedT",
    "ParticipantBootstrap",
    "Pearson",
    "Proportion",
    "RankSum",
    "RmAnova",
    "ShapiroWilk",
    "SignedRank",
    "Spearman",
    "Tost",
    "TwoWayBootstrap",
    "WelchAnova",
    "WelchT",
]
