"""A move is equivalent to its projections: rules over moves are decomposed with them."""

from __future__ import annotations

import gdl
from gdl.circuit.options import CompileOptions
from tests.support.lockstep import assert_as_reasoner

SQUARES = " ".join(f"(file {i}) (rank {i})" for i in range(5))

BOARD = f"""
    (role white) (role black) {SQUARES} (piece king) (piece rook) (mobile rook)
    (init (at 0 0 king)) (init (at 0 2 rook)) (init (at 1 3 rook)) (init (at 3 3 king))
    (init (at 4 4 rook)) (init (at 2 1 king)) (init (at 2 3 rook)) (opponent white black)
    (opponent black white)
    (<= (legal ?r (move ?x ?y ?u ?v)) (role ?r) (true (at ?x ?y ?p)) (line ?x ?y ?u ?v))
    (<= (legal ?r (drop ?x ?p)) (role ?r) (file ?x) (piece ?p))
    (legal white wait)
    (<= (line ?x ?y ?x ?v) (file ?x) (rank ?y) (rank ?v) (distinct ?y ?v))
    (<= (line ?x ?y ?u ?y) (file ?x) (rank ?y) (file ?u) (distinct ?x ?u))
    (<= (next (at ?x 0 ?p)) (does ?r (drop ?x ?p)))
    (<= (next (at ?u ?v king)) (does black (move ?x ?y ?u ?v)))
    (<= (next (at ?x ?y ?p)) (true (at ?x ?y ?p)) (not (left ?x ?y)))
    (<= (left ?x ?y) (does white (move ?x ?y ?u ?v)))
    (<= (apart ?x ?y ?u ?v) (file ?x) (rank ?y) (file ?u) (rank ?v) (distinct ?x ?u))
    (<= (apart ?x ?y ?u ?v) (file ?x) (rank ?y) (file ?u) (rank ?v) (distinct ?y ?v))
    (<= terminal (true (at 4 4 king)) (true (at 4 3 king)))
"""
"""Both roles move at once, over a board that stays full of pieces."""

CARRY = "(<= (next (to ?u ?v ?p)) (does ?r (move ?x ?y ?u ?v)) (true (at ?x ?y ?p)))"
STAY = """(<= (next (to ?a ?b ?p)) (true (at ?a ?b ?p)) (does ?r (move ?x ?y ?u ?v))
              (apart ?a ?b ?x ?y) (apart ?a ?b ?u ?v))"""


OVER_MOVES = [
    CARRY,
    CARRY + STAY,
    # Constants and repeated variables among the arguments.
    "(<= (next (to ?v ?v ?p)) (does white (move ?x 3 ?v ?v)) (true (at ?x ?x ?p)))",
    "(<= (next (to ?u 1 ?p)) (does ?r (move ?x ?x ?u 1)) (true (at ?x ?x ?p)) (piece ?p))",
    # The same argument on both sides of the decomposition.
    """(<= (next (to ?u ?p ?q)) (does ?r (move ?x ?y ?u ?v)) (true (at ?x ?y ?p))
           (true (at ?u ?y ?q)) (distinct ?p ?q))""",
    """(<= (next (to ?u ?v)) (does ?r (move ?x ?y ?u ?v)) (true (at ?x ?a ?p))
           (true (at ?b ?v ?q)) (apart ?a ?x ?u ?y))""",
    # A filter with variables of the move alone, and one with others too.
    """(<= (next (to ?u ?v ?p)) (does ?r (move ?x ?y ?u ?v)) (true (at ?x ?y ?p))
           (not (true (at ?u ?v ?p))) (distinct ?x ?v) (mobile ?p))""",
    "(<= (next (to ?a ?v ?p)) (does ?r (move ?x ?y ?u ?v)) (piece ?p) (file ?a)"
    "    (not (true (at ?x ?a ?p))))",
    # The role decides, and both roles' moves are needed.
    """(<= (next (to ?r ?v ?p)) (does ?r (move ?x ?y ?u ?v)) (true (at ?x ?y ?p))
           (does ?o (move ?a ?b ?c ?d)) (opponent ?r ?o) (apart ?c ?d ?u ?y))""",
    """(<= (next (to ?u ?v ?p)) (does ?r (move ?x ?y ?u ?v)) (does ?s (drop ?a ?p))
           (true (at ?x ?y ?q)))""",
    # What the move leads to is needed through a relation.
    """(<= (taken ?r ?p) (does ?r (move ?x ?y ?u ?v)) (true (at ?u ?v ?p)))
       (<= (next (to ?a 4 ?p)) (taken ?r ?p) (does ?r (move ?x ?y ?a ?v)) (rank ?b)
           (true (at ?x ?b ?q)))""",
]


def test_rules_over_moves_keep_their_meaning() -> None:
    """All in one game: what each of them makes true has a name of its own."""
    rules = [rule.replace("(to ", f"(to{n} ") for n, rule in enumerate(OVER_MOVES)]
    assert_as_reasoner(gdl.parse(BOARD + " ".join(rules)), 60)


def test_a_piece_is_carried_by_the_square_left_and_the_square_reached() -> None:
    """From each square to each other one in line is far more than from and to each square."""
    game = gdl.parse(BOARD + CARRY + STAY)
    decomposed, whole = (
        gdl.compile(game, CompileOptions(decompose_rules=chosen)) for chosen in (True, False)
    )
    assert decomposed.ground_rules < whole.ground_rules / 2
