"""Small games with hidden information, whose values are known."""

from __future__ import annotations

import gdl

THREE_DOORS = """
(role random) (role guest) (door 1) (door 2) (door 3) (init hiding)
(<= (legal random (hide ?d)) (true hiding) (door ?d))
(<= (legal random (open ?d)) (true (chosen ?c)) (not (true opened)) (door ?d)
    (not (true (car ?d))) (distinct ?d ?c))
(<= (legal random noop) (true opened))
(<= (legal random noop) (true choosing))
(<= (legal guest noop) (true hiding))
(<= (legal guest noop) (true (chosen ?c)) (not (true opened)))
(<= (legal guest (choose ?d)) (true choosing) (door ?d))
(<= (legal guest stay) (true opened))
(<= (legal guest switch) (true opened))
(<= (next (car ?d)) (does random (hide ?d)))
(<= (next (car ?d)) (true (car ?d)))
(<= (next choosing) (true hiding))
(<= (next (chosen ?d)) (does guest (choose ?d)))
(<= (next (chosen ?d)) (true (chosen ?d)) (not (does guest switch)))
(<= (next (chosen ?d)) (does guest switch) (door ?d) (not (true (chosen ?d)))
    (not (true (goat ?d))))
(<= (next (goat ?d)) (does random (open ?d)))
(<= (next (goat ?d)) (true (goat ?d)))
(<= (next opened) (does random (open ?d)))
(<= (next over) (true opened))
(<= (sees guest ?d) (does random (open ?d)))
(<= terminal (true over))
(<= (goal guest 100) (true (chosen ?d)) (true (car ?d)))
(<= (goal guest 0) (not (goal guest 100)))
(goal random 50)
"""
"""The guest wins two matches of three by switching."""

COIN = """
(role {hider}) (role guesser) (side heads) (side tails) (init (step hide)) (turn hide guess)
(<= (legal {hider} ?s) (true (step hide)) (side ?s))
(<= (legal {hider} noop) (true (step guess)))
(<= (legal guesser noop) (true (step hide)))
(<= (legal guesser ?s) (true (step guess)) (side ?s))
(<= (legal guesser pass) (true (step guess)))
(<= (next (coin ?s)) (does {hider} ?s) (side ?s))
(<= (next (step ?b)) (true (step ?a)) (turn ?a ?b))
(<= (next won) (does guesser ?s) (true (coin ?s)))
(<= (next passed) (does guesser pass))
(<= (sees {hider} hidden) (true (step hide)))
(<= over (not (true (step hide))) (not (true (step guess))))
(<= terminal over)
(<= (goal guesser 100) (true won))
(<= (goal guesser 60) (true passed))
(<= (goal guesser 0) (not (true won)) (not (true passed)))
(<= (goal {hider} 0) (true won))
(<= (goal {hider} 40) (true passed))
(<= (goal {hider} 100) (not (true won)) (not (true passed)))
"""
"""A guess is worth 50 and passing 60; who searches each side by itself takes a guess for 100."""


def three_doors() -> gdl.Ruleset:
    """Monty Hall's problem."""
    return gdl.parse(THREE_DOORS)


def coin(hider: str) -> gdl.Ruleset:
    """A coin that is hidden by a role, which may be ``random``."""
    return gdl.parse(COIN.format(hider=hider))
