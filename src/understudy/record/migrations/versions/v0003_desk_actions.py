"""Version 0003: what researchers did at the dashboard."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the table of desk actions."""
    op.create_table(
        "desk_actions",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("study_name", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("session_hash", sa.Text),
        sa.Index("ix_desk_actions_study", "study_name", "action"),
        sqlite_autoincrement=True,
    )
