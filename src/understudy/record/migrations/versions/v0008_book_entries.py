"""Version 0008: changes of code books."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the table of changes."""
    op.create_table(
        "book_entries",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("study_name", sa.Text, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("study_name", "seq", name="uq_book_entries_key"),
        sqlite_autoincrement=True,
    )
