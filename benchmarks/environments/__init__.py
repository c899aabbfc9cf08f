"""Our environments beside those of Pgx, PettingZoo and OpenSpiel: the table of a page in docs/.

:mod:`.games` says which of their games are ours; :mod:`.libraries` plays each at random, and
:mod:`.table` measures them in turn and writes what was found as Markdown.
"""
