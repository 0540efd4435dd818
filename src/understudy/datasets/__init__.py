"""Datasets: where items come from."""

from understudy.datasets.listed import Listed, ListedItem
from understudy.datasets.loan_cases import LoanCases
from understudy.datasets.reconstruction import Reconstruction
from understudy.datasets.single_dial import SingleDial
from understudy.datasets.table_file import TableFile

__all__ = ["Listed", "ListedItem", "LoanCases", "Reconstruction", "SingleDial", "TableFile"]
