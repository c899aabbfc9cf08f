"""What the archive and the manager's database share: connections, versions and migrations.

Tables and queries are SQLAlchemy's Core. A new database is made by ``create_all``. One of an
earlier version is brought to this one by Alembic, whose scripts lie beside the tables, in
``migrations``.
"""

from ggp_player.database.connections import (
    INCREMENTAL,
    DatabaseErrors,
    Prepared,
    is_temporary,
    reason,
    sqlite_engine,
    writing,
)
from ggp_player.database.versions import Schema, prepare

__all__ = [
    "INCREMENTAL",
    "DatabaseErrors",
    "Prepared",
    "Schema",
    "is_temporary",
    "prepare",
    "reason",
    "sqlite_engine",
    "writing",
]
