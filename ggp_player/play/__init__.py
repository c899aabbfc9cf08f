"""Matches that people play: the match itself, and the terminal and the page that ask for moves.

A :class:`Table` is a match with people at it: its steps, what is legal, and what they have chosen.
It knows nothing of how people are asked. There are two kinds. A :class:`PlaySession` has a match
run for all who sit at it (:mod:`.seats`), in which moves can be taken back. A :class:`HumanPlayer`
takes a seat in a match elsewhere, and follows what it is told.

:mod:`.terminal` and :mod:`.page` show a table and ask; either works with both kinds.
"""
