"""The manager as a service: players register, organisers hold events, everybody can follow.

In come players, rulesheets and events over a JSON API; out come matches, each played once and kept
with its result in a database, standings and ratings. Start reading in :mod:`.service`, which puts
the parts together:

=================  ============================================================================
``web``            the API, its description, and the pages
``scheduler``      which match is played when: by free players; what happens after a restart
``event_formats``  which matches an event consists of, and which come next
``roster``         which players there are, and who can be called upon
``clients``        the players as seen from here; a player's dialect is chosen there
``rules``          processes that evaluate rulesheets, as they come from strangers
``storage``        the database: tables, transactions, tokens
``news``           what happens, for whoever follows
=================  ============================================================================
"""
