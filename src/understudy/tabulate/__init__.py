"""Turn events into tidy tables with a codebook."""

from typing import TYPE_CHECKING

from understudy.deferred.names import defer_names

if TYPE_CHECKING:
    from understudy.tabulate.columns import answer_columns, session_columns, trial_columns
    from understudy.tabulate.items import items_table
    from understudy.tabulate.missing_answers import missing_answers
    from understudy.tabulate.participant_flow import analysed_sessions, participant_flow
    from understudy.tabulate.tables import (
        Frames,
        StoredTables,
        TableFiles,
        frames_from_sessions,
        read_tables,
        write_tables,
    )

__all__ = [
    "Frames",
    "StoredTables",
    "TableFiles",
    "analysed_sessions",
    "answer_columns",
    "frames_from_sessions",
    "items_table",
    "missing_answers",
    "participant_flow",
    "read_tables",
    "session_columns",
    "trial_columns",
    "write_tables",
]

defer_names(__name__)
