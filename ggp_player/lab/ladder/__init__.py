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
