"""Information sets have a number each."""

from gdl import parse_term
from ggp_player.belief import ROOT, InformationSets


def test_what_looks_the_same_has_one_number() -> None:
    sets = InformationSets()
    left, right = parse_term("left"), parse_term("right")
    seen = frozenset({parse_term("(card 3)")})
    first = sets.after(ROOT, left, seen)
    assert first != ROOT
    assert sets.after(ROOT, left, frozenset({parse_term("(card 3)")})) == first
    others = {sets.after(ROOT, right, seen), sets.after(ROOT, left, frozenset())}
    assert len({ROOT, first, *others, sets.after(first, left, seen)}) == 5 == len(sets)
