"""Run tables: what happened in a run, streamed from its log into tables in its folder.

This is not part of `run_folder`, because a server opens run folders and must not load a library for tables.
"""

from understudy.tabulate import StoredTables, read_tables, write_tables
from understudy.workflow.run_folder import Run


def tables_of(run: Run) -> StoredTables:
    """Stream the log into the folder's tables and open them."""
    with run.open_log() as log:
        files = write_tables(run.script, log.sessions(run.script.study.name), run.folder / "tables")
    return read_tables(files)
