"""Version 0006: marks of people who erased their data, where several machines share a database."""

from alembic import op

from understudy.record.tables import key_texts

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the table of marks."""
    op.create_table("departures", *key_texts("mark"))
