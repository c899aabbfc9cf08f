"""The ladder: how strong strategies, releases and foreign players are, under a manager's clocks.

It is for knowing, never for tuning: a change is accepted by duels and solved positions, and the
ladder tells afterwards what that was worth in play, against players who were never tuned against.

player
    A name with a version, which says for good who has played. Strategies have the version of this
    package with a digest of their source, ``0.1.0+3f2a91c0``; whoever starts a player server says
    what it is. (:mod:`.players`)
anchor
    A player who never changes. ``uct`` has 0 Elo, and all other ratings are differences from it.
opening
    A balanced opening (:mod:`ggp_player.lab.balance`) as a rulesheet: the rules for ``init`` are
    replaced by the facts of the position, so that any player can begin there. (:mod:`.matches`)
match
    A match of a tournament, with its opening and its date: a line of a file. (:mod:`.matches`)
table
    The ratings that are likeliest by all matches of all files together. (:mod:`.table`, and
    :mod:`.page` for people)

The matches are played as those of a tournament are (:mod:`ggp_player.manager.tournament`).
"""

from ggp_player.lab.ladder.matches import (
    LadderFile,
    LadderMatch,
    LadderOpening,
    ladder_openings,
    matches_of,
    read_ladder,
)
from ggp_player.lab.ladder.page import draw_line, ladder_page, printed_table, write_ladder_plot
from ggp_player.lab.ladder.players import LadderPlayer, ladder_players
from ggp_player.lab.ladder.table import LadderTable, games_of, ladder_table

__all__ = [
    "LadderFile",
    "LadderMatch",
    "LadderOpening",
    "LadderPlayer",
    "LadderTable",
    "draw_line",
    "games_of",
    "ladder_openings",
    "ladder_page",
    "ladder_players",
    "ladder_table",
    "matches_of",
    "printed_table",
    "read_ladder",
    "write_ladder_plot",
]
