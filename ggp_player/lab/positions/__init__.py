"""Sets of solved positions: how often a search gives away value, counted exactly and cheaply.

:mod:`.solved_positions`
    what a set holds, and its file
:mod:`.turns`
    who has the choice in a state, and where a line of choices leads
:mod:`.solving`
    solvers, each of which finds the exact value of every move
:mod:`.position_maker`, :mod:`.set_making`
    finding critical positions, and making a set of them that can be broken off
:mod:`.position_test`
    lets a strategy choose a move in each position, by :mod:`.forked_searches`, tells what was
    found, and compares two strategies on the same positions
"""
