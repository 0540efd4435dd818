"""Datasets: the sources of items."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.datasets.cases.adult import Adult
    from understudy.datasets.cases.agreed_cases import AgreedCases
    from understudy.datasets.cases.coded_table import CodedTable
    from understudy.datasets.cases.counterfactuals import Counterfactuals
    from understudy.datasets.cases.hase_stimuli import HaseStimuli
    from understudy.datasets.cases.income_cases import IncomeCases
    from understudy.datasets.cases.loan_cases import LoanCases
    from understudy.datasets.cases.review_lines import ReviewLines
    from understudy.datasets.cases.rt_polarity import RtPolarity
    from understudy.datasets.cases.text_table import TextTable
    from understudy.datasets.dials.reconstruction import Reconstruction
    from understudy.datasets.dials.single_dial import SingleDial
    from understudy.datasets.listed import Listed, ListedItem
    from understudy.datasets.pictures.digits import FashionMnist, Mnist
    from understudy.datasets.pictures.drawn_shapes import DrawnShapes
    from understudy.datasets.pictures.dsprites import DSprites
    from understudy.datasets.pictures.oxford_pets import OxfordPets
    from understudy.datasets.pictures.picture_array import PictureArray
    from understudy.datasets.pictures.picture_folder import PictureFolder
    from understudy.datasets.pictures.sinelines import Sinelines
    from understudy.datasets.table_file import TableFile
    from understudy.datasets.worlds.creatures import Creatures
    from understudy.datasets.worlds.rendered_world import RenderedWorld
    from understudy.sources.picture_pools import model_inputs
    from understudy.sources.picture_samples import picture_batches

__all__ = [
    "Adult",
    "AgreedCases",
    "CodedTable",
    "Counterfactuals",
    "Creatures",
    "DSprites",
    "DrawnShapes",
    "FashionMnist",
    "HaseStimuli",
    "IncomeCases",
    "Listed",
    "ListedItem",
    "LoanCases",
    "Mnist",
    "OxfordPets",
    "PictureArray",
    "PictureFolder",
    "Reconstruction",
    "RenderedWorld",
    "ReviewLines",
    "RtPolarity",
    "Sinelines",
    "SingleDial",
    "TableFile",
    "TextTable",
    "model_inputs",
    "picture_batches",
]

ENTRIES = {
    "datasets": {
        "cases.adult": ("adult",),
        "cases.agreed_cases": ("agreed_cases",),
        "cases.coded_table": ("coded_table",),
        "cases.counterfactuals": ("counterfactuals",),
        "cases.hase_stimuli": ("hase_stimuli",),
        "cases.income_cases": ("income_cases",),
        "cases.loan_cases": ("loan_cases",),
        "cases.review_lines": ("review_lines",),
        "cases.rt_polarity": ("rt_polarity",),
        "cases.text_table": ("text_table",),
        "dials.reconstruction": ("reconstruction",),
        "dials.single_dial": ("single_dial",),
        "listed": ("listed",),
        "pictures.digits": ("mnist", "fashion_mnist"),
        "pictures.drawn_shapes": ("drawn_shapes",),
        "pictures.dsprites": ("dsprites",),
        "pictures.oxford_pets": ("oxford_pets",),
        "pictures.picture_array": ("picture_array",),
        "pictures.picture_folder": ("picture_folder",),
        "pictures.sinelines": ("sinelines",),
        "table_file": ("table_file",),
        "worlds.creatures": ("creatures",),
        "worlds.rendered_world": ("rendered_world",),
    },
}
"""Which names of study files each module registers, by catalogue."""

defer_names(__name__)
