"""Version 0008: changes of code books."""

from alembic import op

from understudy.record.tables import journal

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the table of changes."""
    op.create_table("book_entries", *journal("book_entries", "study_name"), sqlite_autoincrement=True)
