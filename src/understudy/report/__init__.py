"""Reports, figures and archives of findings, and preregistrations of studies."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.report.archive import ArchiveContents, ArchiveTable, write_archive
    from understudy.report.figure_files import available_formats, write_figures, write_spec
    from understudy.report.lay_page import write_lay_page
    from understudy.report.page import write_report
    from understudy.report.paper_comparison.automatic_scores import (
        ModelScores,
        SharedInformation,
        is_true_model,
        scores_from_card,
    )
    from understudy.report.paper_comparison.figures import StripRow
    from understudy.report.paper_comparison.page import write_paper_comparison
    from understudy.report.paper_comparison.printed import (
        HALF_95,
        POPULATION_SD,
        SD,
        SE,
        PrintedColumn,
        PrintedMean,
        PrintedResults,
        PrintedRow,
        PrintedTest,
        Spread,
        Strip,
    )
    from understudy.report.paper_comparison.printed_tables import (
        OurNumbers,
        PrintedTable,
        PrintedTables,
        TableColumn,
        TableLine,
    )
    from understudy.report.paper_comparison.tables import write_paper_tables
    from understudy.report.pay import LedgerTotals, PaidTime
    from understudy.report.pdf import find_browser, write_pdf
    from understudy.report.phrasebook import LANGUAGES
    from understudy.report.power_figure import write_power_figure
    from understudy.report.preregistration import Statements, preregistration_markdown
    from understudy.report.preregistration_freeze import Freeze, FrozenFiles, Witness, add_witness, freeze, read_freeze
    from understudy.report.raw_points import POINTS_COLUMNS
    from understudy.report.translation import check_language, translated, write_translated

__all__ = [
    "HALF_95",
    "LANGUAGES",
    "POINTS_COLUMNS",
    "POPULATION_SD",
    "SD",
    "SE",
    "ArchiveContents",
    "ArchiveTable",
    "Freeze",
    "FrozenFiles",
    "LedgerTotals",
    "ModelScores",
    "OurNumbers",
    "PaidTime",
    "PrintedColumn",
    "PrintedMean",
    "PrintedResults",
    "PrintedRow",
    "PrintedTable",
    "PrintedTables",
    "PrintedTest",
    "SharedInformation",
    "Spread",
    "Statements",
    "Strip",
    "StripRow",
    "TableColumn",
    "TableLine",
    "Witness",
    "add_witness",
    "available_formats",
    "check_language",
    "find_browser",
    "freeze",
    "is_true_model",
    "preregistration_markdown",
    "read_freeze",
    "scores_from_card",
    "translated",
    "write_archive",
    "write_figures",
    "write_lay_page",
    "write_paper_comparison",
    "write_paper_tables",
    "write_pdf",
    "write_power_figure",
    "write_report",
    "write_spec",
    "write_translated",
]

defer_names(__name__)
