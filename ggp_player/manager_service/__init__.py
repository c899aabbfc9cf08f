"""The manager as a service: players register, organisers hold events, everybody can follow.

In come players, rulesheets and events over a JSON API; out come matches, each played once and kept
with its result in a database, standings and ratings. Start reading in :mod:`.service`, which puts
the parts together:

==============  ===============================================================================
``web``         the API, its description, and the pages
``scheduling``  which match is played when, and by whom; a player's dialect is chosen there
``rules``       processes that evaluate rulesheets, as they come from strangers
``storage``     the database: tables, transactions, tokens
==============  ===============================================================================
"""
