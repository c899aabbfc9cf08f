"""What Alembic runs for each migration, of any schema: in the caller's transaction.

Apart, as Alembic finds it by its name.
"""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
