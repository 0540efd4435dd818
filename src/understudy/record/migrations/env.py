"""Run migrations on the connection and in the transaction of the caller."""

from alembic import context

from understudy.record.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=context.config.attributes["version_table"],
)
context.run_migrations()
