"""Version 0002: registrations of frozen studies."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table of registrations."""
    op.create_table(
        "registrations",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("study_name", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
