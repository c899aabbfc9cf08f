"""Small games with every construct of the language, to begin with and to take rules from."""

PIECES = (
    "(role a) (role b) (init (p 1)) (succ 1 2) (succ 2 3)"
    "(<= (legal ?r (f ?x)) (role ?r) (true (p ?x)))"
    "(<= (next (p ?y)) (true (p ?x)) (does a (f ?x)) (succ ?x ?y)) (<= (goal ?r 50) (role ?r))"
    "(<= terminal (true (p 3)))",
    "(role a) (role random) (init x) (legal a go)"
    "(<= (legal random (r ?v)) (or (q ?v) (s ?v))) (q 1) (s 2)"
    "(<= (next (d ?v)) (does random (r ?v))) (<= (sees a (saw ?v)) (does random (r ?v)))"
    "(<= (next x) (not (true (d 1)))) (<= terminal (true (d 1)) (not (true x)))"
    "(goal a 10) (goal random 0)",
    "(role a) (e 1 2) (e 2 3) (e 3 1) (<= (c ?x ?y) (e ?x ?y)) (<= (c ?x ?z) (c ?x ?y) (e ?y ?z))"
    "(init (at 1)) (<= (legal a (to ?y)) (true (at ?x)) (e ?x ?y) (distinct ?x ?y) (c ?y ?x))"
    "(<= (next (at ?y)) (does a (to ?y))) (<= (next (v ?x)) (true (at ?x)))"
    "(<= (next (v ?x)) (true (v ?x)))"
    "(<= terminal (true (v 1)) (true (v 2)) (not open)) (<= open (e ?x ?y) (not (true (v ?y))))"
    "(<= (goal a 100) (true (v 3))) (<= (goal a 0) (not (true (v 3))))",
)
