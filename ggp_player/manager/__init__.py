"""The game manager: it runs matches between players, and holds them to rules and clocks.

In come a rulesheet, players (strategies here, or the addresses of player servers) and clocks; out
comes a match record. One match is run by :mod:`ggp_player.match_runner`; ``players`` says who may
take a seat, and the package ``tournament`` plays many matches and compares the players.
"""
