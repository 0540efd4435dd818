"""Datasets: where items come from."""

from understudy.datasets.data_folder import data_folder
from understudy.datasets.digits import FashionMnist, Mnist
from understudy.datasets.drawn_shapes import DrawnShapes
from understudy.datasets.dsprites import DSprites
from understudy.datasets.hase_stimuli import HaseStimuli
from understudy.datasets.listed import Listed, ListedItem
from understudy.datasets.loan_cases import LoanCases
from understudy.datasets.reconstruction import Reconstruction
from understudy.datasets.sinelines import Sinelines
from understudy.datasets.single_dial import SingleDial
from understudy.datasets.table_file import TableFile

__all__ = [
    "DSprites",
    "DrawnShapes",
    "FashionMnist",
    "HaseStimuli",
    "Listed",
    "ListedItem",
    "LoanCases",
    "Mnist",
    "Reconstruction",
    "Sinelines",
    "SingleDial",
    "TableFile",
    "data_folder",
]
