"""Datasets: the sources of items."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.datasets.cases import (
        Adult,
        AgreedCases,
        HaseStimuli,
        IncomeCases,
        LoanCases,
        ReviewLines,
        RtPolarity,
    )
    from understudy.datasets.counterfactuals import Counterfactuals
    from understudy.datasets.listed import Listed, ListedItem, TableFile
    from understudy.datasets.pictures import OxfordPets, PictureArray, PictureFolder
    from understudy.datasets.reconstruction import Reconstruction
    from understudy.datasets.single_dial import SingleDial
    from understudy.datasets.small_pictures import DrawnShapes, DSprites, FashionMnist, Mnist, Sinelines
    from understudy.datasets.tables import CodedTable, TextTable
    from understudy.datasets.worlds import Creatures, RenderedWorld
    from understudy.sources.picture_pools import model_inputs, picture_batches

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
        "cases": ("adult", "agreed_cases", "hase_stimuli", "income_cases", "loan_cases", "review_lines", "rt_polarity"),
        "tables": ("coded_table", "text_table"),
        "counterfactuals": ("counterfactuals",),
        "reconstruction": ("reconstruction",),
        "single_dial": ("single_dial",),
        "listed": ("listed", "table_file"),
        "small_pictures": ("mnist", "fashion_mnist", "drawn_shapes", "dsprites", "sinelines"),
        "pictures": ("oxford_pets", "picture_array", "picture_folder"),
        "worlds": ("creatures", "rendered_world"),
    }
}
"""Which names of study files each module registers, by catalogue."""

defer_names(__name__)
