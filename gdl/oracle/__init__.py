"""The oracle: our answers about rules and states, for engines of others to be compared with.

In come rulesheets, and requests as lines of JSON; out go answers as lines of JSON, and what
distinguishes two games. What comes in is not trusted: its size, the time and the memory that an
answer takes are bounded, and whatever is wrong with it is answered by a sentence.

Start reading in :mod:`.session`, which answers one request after the other; :mod:`.requests` says
what can be asked, :mod:`.game_store` keeps games between requests, :mod:`.limits` has the bounds,
and :mod:`.line_server` reads and writes lines. :mod:`.comparison` compares two games.
"""
