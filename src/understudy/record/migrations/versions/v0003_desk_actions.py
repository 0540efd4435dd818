"""Version 0003: what researchers did at the dashboard."""

import sqlalchemy as sa
from alembic import op

from understudy.record.tables import large_counts, optional_texts, row_number, texts

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the table of desk actions."""
    columns = [*texts("study_name"), *large_counts("at_ms"), *texts("actor", "action"), *optional_texts("session_hash")]
    index = sa.Index("ix_desk_actions_study", "study_name", "action")
    op.create_table("desk_actions", row_number(), *columns, index, sqlite_autoincrement=True)
