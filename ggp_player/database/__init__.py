"""What the archive and the manager's database share: connections, versions and migrations.

Tables and queries are SQLAlchemy's Core. A new database is made by ``create_all``. One of an
earlier version is brought to this one by Alembic, whose scripts lie beside the tables, in
``migrations``.

Start reading in :mod:`.connections`; :mod:`.versions` calls Alembic.
"""
