"""A General Game Playing agent: a player server, its strategies, and a game manager to test it.

Glossary:

game manager
    The program that runs matches: it sends the rules, the clocks and every joint move.
player server
    This program: it answers a game manager's requests over HTTP.
match
    One play-through of a game, known by its match id.
start clock, play clock
    Seconds for thinking before the first move, and for each move.
deadline
    The instant, on a monotonic clock, at which a reply must leave.
margin
    Seconds kept in reserve before a deadline for everything that is not thinking.
strategy
    A way to choose moves: ``minimax``, ``random`` and so on, one in a file.
"""
