"""Trainers: ways to train the models of a concept test."""

from understudy.probe.trainers.convolutional import Convolutional
from understudy.probe.trainers.from_estimator import TrainerFrom
from understudy.probe.trainers.perceptron import Perceptron
from understudy.probe.trainers.scikit import ScikitTrainer

__all__ = ["Convolutional", "Perceptron", "ScikitTrainer", "TrainerFrom"]
