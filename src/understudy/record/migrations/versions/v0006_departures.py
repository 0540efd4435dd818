"""Version 0006: marks of people who erased their data, where several machines share a database."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the table of marks."""
    op.create_table("departures", sa.Column("mark", sa.Text, primary_key=True))
