"""Reports, figures and archives of findings, and preregistrations of studies."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.report.archive import ArchiveContents, ArchiveTable, write_archive
    from understudy.report.charts import POINTS_COLUMNS
    from understudy.report.drawing import available_formats, find_browser, write_figures, write_pdf, write_spec
    from understudy.report.lay_page import write_lay_page
    from understudy.report.page import write_report
    from understudy.report.paper_comparison.comparison_page import write_paper_comparison, write_paper_tables
    from understudy.report.paper_comparison.figures import StripRow
    from understudy.report.paper_comparison.printed import (
        HALF_95,
        POPULATION_SD,
        SD,
        SE,
        ModelScores,
        OurNumbers,
        PrintedColumn,
        PrintedMean,
        PrintedResults,
        PrintedRow,
        PrintedTable,
        PrintedTables,
        PrintedTest,
        SharedInformation,
        Spread,
        Strip,
        TableColumn,
        TableLine,
        is_true_model,
        scores_from_card,
    )
    from understudy.report.pay import LedgerTotals, PaidTime
    from understudy.report.planning import write_power_figure
    from understudy.report.preregistration import (
        Freeze,
        FrozenFiles,
        Statements,
        Witness,
        add_witness,
        freeze,
        preregistration_markdown,
        read_freeze,
    )
    from understudy.report.translation import LANGUAGES, check_language, translated, write_translated

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
