"""Where Alembic runs the revisions: on the connection that `dashboard.store.migrate` hands over."""

from alembic import context

from dashboard.store.outbox_models import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
