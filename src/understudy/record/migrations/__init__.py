"""Steps that bring a log of an older version to the newest; Alembic runs them when a log is opened."""
