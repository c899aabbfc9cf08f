"""The manager as a service: players register, organisers hold events, everybody can follow.

In come players, rulesheets and events over a JSON API; out come matches, each played once and kept
with its result in a database, standings and ratings. Start reading in :mod:`.service`, which puts
the parts together:

==================  ===========================================================================
``database``        the tables, their version, and the lock against a second manager
``store``           what is kept of players, games, events and matches; transactions
``tokens``          who may do what
``event_formats``   which matches an event consists of, and which come next
``rules_process``   the process that evaluates rulesheets, as they come from strangers
``rules_pool``      the processes for all games, and a state machine that asks one of them
``clients``         the players as seen from here; a player's dialect is chosen there
``scheduler``       which match is played when: by free players; what happens after a restart
``news``            what happens, for whoever follows
``models``          the JSON of the API
``routes``          the table of all requests, and their answers
``openapi``         the API's description, made of that table
``pages``           the page for people
==================  ===========================================================================
"""
