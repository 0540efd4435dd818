"""Datasets: where items come from."""

from understudy.datasets.adult import Adult
from understudy.datasets.agreed_cases import AgreedCases
from understudy.datasets.coded_table import CodedTable
from understudy.datasets.counterfactuals import Counterfactuals
from understudy.datasets.data_folder import data_folder
from understudy.datasets.digits import FashionMnist, Mnist
from understudy.datasets.drawn_shapes import DrawnShapes
from understudy.datasets.dsprites import DSprites
from understudy.datasets.hase_stimuli import HaseStimuli
from understudy.datasets.income_cases import IncomeCases
from understudy.datasets.listed import Listed, ListedItem
from understudy.datasets.loan_cases import LoanCases
from understudy.datasets.reconstruction import Reconstruction
from understudy.datasets.review_lines import ReviewLines
from understudy.datasets.rt_polarity import RtPolarity
from understudy.datasets.sinelines import Sinelines
from understudy.datasets.single_dial import SingleDial
from understudy.datasets.table_file import TableFile
from understudy.datasets.text_table import TextTable

__all__ = [
    "Adult",
    "AgreedCases",
    "CodedTable",
    "Counterfactuals",
    "DSprites",
    "DrawnShapes",
    "FashionMnist",
    "HaseStimuli",
    "IncomeCases",
    "Listed",
    "ListedItem",
    "LoanCases",
    "Mnist",
    "Reconstruction",
    "ReviewLines",
    "RtPolarity",
    "Sinelines",
    "SingleDial",
    "TableFile",
    "TextTable",
    "data_folder",
]
