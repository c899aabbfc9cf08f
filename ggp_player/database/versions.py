"""Versions of a database: a new one is made, an earlier one migrated, a later one left alone.

The version is Alembic's, ``archive_3`` or the like in the table ``alembic_version``, so that nobody
takes one kind of database for another. A database from before that says it in a way of its own, and
gets the table with its next migration. Alembic itself is imported only for a migration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select
from sqlalchemy.exc import InvalidRequestError

from ggp_player.database.connections import use_write_ahead_log, writing

_stamp = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of one kind of database.

    ``migrations`` is the folder with the scripts of Alembic, one for each version; ``earlier``
    reads the version of a database that has no table for it, 0 where it is empty.
    """

    kind: str
    version: int
    tables: MetaData
    migrations: Path
    earlier: Callable[[Connection], int]


def version_of(connection: Connection, schema: Schema) -> int:
    """Return the version of a database, 0 for an empty one.

    Raises InvalidRequestError where it is of another kind.
    """
    if not inspect(connection).has_table(_stamp.name):
        return schema.earlier(connection)
    found = str(connection.scalar(select(_stamp.c.version_num)))
    kind, _, number = found.rpartition("_")
    if kind != schema.kind or not number.isdecimal():
        raise InvalidRequestError(f"it is no database of this kind, but has version {found}")
    return int(number)


def prepare(connection: Connection, schema: Schema) -> None:
    """Make the tables, or bring them to this version; another process may do so at the same time.

    Raises InvalidRequestError for a later version, and SQLAlchemyError where this fails.
    """
    if version_of(connection, schema) == schema.version:
        return
    if connection.dialect.name == "sqlite":
        use_write_ahead_log(connection)
    with writing(connection):
        version = version_of(connection, schema)  # another process may have been faster
        if version > schema.version:
            raise InvalidRequestError(
                f"it has version {version}, of a later ggp-player; this one knows {schema.version}"
            )
        if version == 0:
            schema.tables.create_all(connection, checkfirst=False)
            _write_stamp(connection, schema, schema.version)
        elif version < schema.version:
            if not inspect(connection).has_table(_stamp.name):
                _write_stamp(connection, schema, version)
            _migrate(connection, schema)


def _write_stamp(connection: Connection, schema: Schema, version: int) -> None:
    _stamp.create(connection)
    connection.execute(_stamp.insert().values(version_num=f"{schema.kind}_{version}"))


def _migrate(connection: Connection, schema: Schema) -> None:
    # Imported here, as they take a tenth of a second, and are hardly ever needed.
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    options = {"script_location": Path(__file__).parent, "version_locations": schema.migrations}
    for name, folder in options.items():
        config.set_main_option(name, str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    command.upgrade(config, "head")
