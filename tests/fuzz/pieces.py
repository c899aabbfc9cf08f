"""Small games with every construct of the language, to begin with and to take rules from.

Hard rulesheets are as deep, wide or long as texts may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

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

_GAME = (
    "(role a) (init (p 1)) (legal a go) (<= (next (p 1)) (true (p 1)))"
    "(<= terminal (true (p 2))) (goal a 50) (e 1 2) (e 2 1) "
)


def _nested(word: str, inner: str, depth: int = 190) -> str:
    return f"({word} " * depth + inner + ")" * depth


def _joined(texts: Iterable[str]) -> str:
    return " ".join(texts)


_HARD = {
    "deep terms": f"(q {_nested('f', '1')}) (<= (legal a ?x) (q {_nested('f', '?x', 180)}))",
    "deep facts": f"(init {_nested('f', '1')}) (<= (next ?x) (true ?x))",
    "deep negation": f"(<= (legal a b) {_nested('not', '(true (p 2))')})",
    "deep disjunction": f"(<= (legal a b) {_nested('or', '(true (p 1))')})",
    "deep mixture": f"(<= (legal a b) {_nested('not (and (or', '(true (p 1))', 60)}{'))' * 60})",
    "deep choices": f"(<= (legal a b) {_nested('or (true (p 2)) (and (e 1 2)', '(e 1 2)', 60)}"
    f"{')' * 60})",
    "wide atoms": f"(q {'1 ' * 900}) (<= (legal a b) (q {_joined(f'?x{i}' for i in range(900))}))",
    "many variables": f"(<= (legal a b) {_joined(f'(e ?x{i} ?x{i + 1})' for i in range(150))})",
    "many disjunctions": "(<= (legal a b)"
    f"{_joined(f'(or (e ?x{i} 1) (e 1 ?x{i}))' for i in range(60))})",
    "many inequalities": "(<= (legal a b) (e ?x ?y)"
    f"{_joined(f'(e ?y{i} ?z{i}) (distinct ?x ?y{i})' for i in range(40))})",
    "long chains": f"{_joined(f'(<= (c{i} ?x) (c{i + 1} ?x))' for i in range(150))} (c150 1)"
    "(<= (legal a ?x) (c0 ?x))",
    "goals of many digits": f"(<= (goal a {'9' * 5000}) (true (p 1))) (goal a \u0663) (goal a -1)",
    "long names": f"(q {'x' * 3000}) (<= (legal a ?x) (q ?x))",
}

HARD: Mapping[str, str] = MappingProxyType({name: _GAME + rules for name, rules in _HARD.items()})
"""Rulesheets that are hard on whoever reads them, by what is hard."""
