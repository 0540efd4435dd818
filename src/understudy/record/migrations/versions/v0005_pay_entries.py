"""Version 0005: the ledger of payments."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the table of payment steps."""
    op.create_table(
        "pay_entries",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("study_name", sa.Text, nullable=False),
        sa.Column("session_hash", sa.Text, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("study_name", "session_hash", "seq", name="uq_pay_entries_key"),
        sqlite_autoincrement=True,
    )
