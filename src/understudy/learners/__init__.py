"""Learners: recipes by which the models of a concept test are made."""

from understudy.learners.convolutional import Convolutional
from understudy.learners.own import LearnerFrom
from understudy.learners.perceptron import Perceptron
from understudy.learners.scikit import ScikitLearner

__all__ = ["Convolutional", "LearnerFrom", "Perceptron", "ScikitLearner"]
