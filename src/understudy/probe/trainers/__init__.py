"""Trainers: ways to train the models of a concept test."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.probe.trainers.convolutional import Convolutional
    from understudy.probe.trainers.from_estimator import TrainerFrom
    from understudy.probe.trainers.perceptron import Perceptron
    from understudy.probe.trainers.scikit import ScikitTrainer

__all__ = ["Convolutional", "Perceptron", "ScikitTrainer", "TrainerFrom"]

ENTRIES = {
    "trainers": {
        "convolutional": ("convolutional",),
        "perceptron": ("perceptron",),
        "scikit": ("scikit",),
    },
}
"""Which names of study files each module registers, by catalogue."""

defer_names(__name__)
