"""Games whose structure is known, compiled and analysed once."""

from __future__ import annotations

from functools import cache

import gdl
from gdl.analysis import Structure, analyse
from gdl.analysis.analysis import gather_evidence
from gdl.analysis.evidence.evidence import Evidence
from gdl.engine.machine import PropnetStateMachine
from tests.support.compiled_games import machine_of

SCALES = """
; Three scales are moved up and down, one at a time; the third does not matter.
(role r)
(part a) (part b) (part c)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(clock 0 1) (clock 1 2) (clock 2 3) (clock 3 4) (clock 4 5) (clock 5 6)
(init (step 0))
(<= (init (at ?p 0)) (part ?p))
(<= (legal r (up ?p)) (true (at ?p ?n)) (succ ?n ?m))
(<= (legal r (down ?p)) (true (at ?p ?n)) (succ ?m ?n))
(<= (next (at ?p ?m)) (does r (up ?p)) (true (at ?p ?n)) (succ ?n ?m))
(<= (next (at ?p ?m)) (does r (down ?p)) (true (at ?p ?n)) (succ ?m ?n))
(<= (moved ?p) (does r (up ?p)))
(<= (moved ?p) (does r (down ?p)))
(<= (next (at ?p ?n)) (true (at ?p ?n)) (not (moved ?p)))
(<= (next (step ?m)) (true (step ?n)) (clock ?n ?m))
(<= terminal (true (step 6)))
(<= won (true (at a 3)) (true (at b 3)))
(<= (goal r 100) won)
(<= (goal r 0) (not won))
"""

LADDER = """
; One step a turn, or two; a seen rung stays seen, and the top is worth all.
(role climber) (role watcher)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(init (rung 0))
(legal climber one) (legal climber two) (legal watcher noop)
(<= (after one ?n ?m) (succ ?n ?m))
(<= (after two ?n ?k) (succ ?n ?m) (succ ?m ?k))
(<= (after two 3 4))
(<= (next (rung ?m)) (true (rung ?n)) (does climber ?step) (after ?step ?n ?m))
(<= (next (seen ?n)) (true (rung ?n)))
(<= (next (seen ?n)) (true (seen ?n)))
(<= terminal (true (rung 4)))
(<= (goal climber 100) (true (seen 2)))
(<= (goal climber 40) (not (true (seen 2))))
(<= (goal watcher 0) (true (seen 2)))
(<= (goal watcher 60) (not (true (seen 2))))
"""

LOTTERY = """
; Nobody wins: what could be won is out of reach, but the rules name it.
(role r)
(init (n 0))
(legal r go) (legal r wait)
(<= (next (n 1)) (true (n 0)))
(<= (next prize) (true prize))
(<= (next prize) (does r go) (true (n 2)))
(<= (next (n 2)) (true (n 3)))
(<= (next (n 3)) (true prize))
(<= terminal (true (n 1)))
(<= (goal r 100) (true prize))
(<= (goal r 0) (not (true prize)))
"""

FORK = """
; The one has three moves, then the other two; all of them end alike.
(role r) (role s)
(init (step 0))
(<= (legal r (go ?x)) (true (step 0)) (way ?x))
(<= (legal r noop) (true (step 1)))
(<= (legal s noop) (true (step 0)))
(<= (legal s left) (true (step 1)))
(<= (legal s right) (true (step 1)))
(way 1) (way 2) (way 3)
(<= (next (step 1)) (true (step 0)))
(<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2)))
(<= (goal r ?g) (true (step ?n)) (worth ?n ?g ?h))
(<= (goal s ?h) (true (step ?n)) (worth ?n ?g ?h))
(worth 0 0 10) (worth 1 50 10) (worth 2 20 70)
"""


@cache
def compiled(text: str) -> PropnetStateMachine:
    return gdl.compile(gdl.parse(text))


@cache
def structure_of(name: str) -> Structure:
    """Analyse one of the games in the games folder."""
    return analyse(machine_of(name))


@cache
def evidence_of(name: str) -> Evidence:
    return gather_evidence(machine_of(name), 0, 512)


def texts(terms: object) -> list[str]:
    """Write some terms, sorted."""
    assert isinstance(terms, frozenset | tuple | dict)
    return sorted(map(str, terms))
