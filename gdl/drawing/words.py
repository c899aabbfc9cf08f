"""What drawings show in words, to be read aloud: a state, and what has decided a match."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from gdl.analysis.boards import BoardLayout, Part, function_of, words_of
from gdl.analysis.move_names import names_without_play
from gdl.drawing.scene import Note, Scene, say
from gdl.language import Atom, Constant, Function, Rule, Term, atoms_of

MAX_PLACES = 12
"""The most places of a kind of thing that are named; of more it is said how many they are."""

KEYWORDS = frozenset({"role", "distinct"})
"""Relations that say nothing of a state."""


@dataclass(frozen=True, slots=True)
class EndingWords:
    """What has decided a match, in words of its rules; :class:`str` makes a sentence of it.

    ``things`` are the facts on boards, each with its places. Where none is known ``causes`` are the
    rules that have ended the match.
    """

    things: tuple[tuple[str, tuple[str, ...]], ...] = ()
    causes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.things or self.causes)

    def __str__(self) -> str:
        if self.things:
            return f"Decided by {_listed([_thing_in_words(*thing) for thing in self.things])}."
        return f"Ended by this rule: {'; '.join(self.causes)}." if self.causes else ""


def describe(scene: Scene) -> str:
    """Say what is on the boards and in hands, for readers who do not see them.

    All words are of the rules, so that it is read in any language.
    """
    hands = [note for note in scene.rows if note.cards]
    notes = (*scene.turn, *scene.counters, *scene.beside, *scene.scores, *hands)
    parts = [f"{note.name} {_value(note)}".strip() for note in notes]
    names = names_without_play(scene.layout).boards
    for board in scene.boards:
        called = names[board.index]
        held = [
            (say(item.words, scene.layout), called.name(cell.place.key) or " ".join(cell.place.key))
            for cell in board.cells
            for item in cell.shown
        ]
        name_at = {(p.x, p.y): called.name(p.key) or " ".join(p.key) for p in board.board.places}
        held += [
            (say(line.item.words, scene.layout), f"{name_at[line.start]}-{name_at[line.end]}")
            for line in board.lines
        ]
        for words, places in groupby(sorted(held), key=lambda each: each[0]):
            parts.append(f"{words}: {', '.join(place for _, place in places)}")
    text = "; ".join(parts)
    return text if len(text) <= 4000 else text[:3999] + "…"


def _value(note: Note) -> str:
    """The value of a note, with ``3/10`` for 3 of 10."""
    if not note.phrase:
        return note.value
    return "/".join(value for name, value in note.phrase.items() if name != "said")


def ending_in_words(
    layout: BoardLayout, facts: Iterable[Term], rules: Sequence[Rule]
) -> EndingWords:
    """Say what has decided a match, ``facts``, or else which of its ``rules`` have ended it.

    Only facts on boards are named: others, such as scores, are words of the rules that say little
    beside the result, and so are conditions without arguments, such as ``decided``. Empty where
    nothing else is known.
    """
    decisive = _facts_in_words(layout, facts)
    if decisive:
        return EndingWords(things=decisive)
    return EndingWords(
        causes=tuple(words for rule in rules if (words := _rule_in_words(rule, layout)))
    )


def _facts_in_words(
    layout: BoardLayout, facts: Iterable[Term]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    cells = names_without_play(layout).boards
    placed: dict[str, list[str]] = defaultdict(list)
    for fact in sorted(facts, key=str):
        words = words_of(fact)
        for number, board in enumerate(layout.boards):
            pattern = board.pattern_of.get(function_of(fact))
            if pattern is None or pattern.part is Part.PANEL:
                continue
            place = cells[number].name(pattern.key_of(words)) or " ".join(pattern.key_of(words))
            if pattern.part is Part.EDGE and (end := board.end_of(pattern, words)):
                place += f"-{cells[number].name(end) or ' '.join(end)}"
            content = say(pattern.content_of(words) or [pattern.name], layout)
            if place not in placed[content]:
                placed[content].append(place)
            break
    return tuple((thing, tuple(places)) for thing, places in placed.items())


def _thing_in_words(thing: str, places: Sequence[str]) -> str:
    if len(places) > MAX_PLACES:
        return f"{thing} on {len(places)} places"
    return f"{thing} on {_listed(places)}"


def _rule_in_words(rule: Rule, layout: BoardLayout) -> str:
    """The conditions of a rule, without those that hold in every state.

    Nothing where no condition names anything: a bare name is of the rulesheet's making.
    """
    found = []
    names_something = False
    for atom, is_positive in atoms_of(*rule.body):
        if atom.name in KEYWORDS:
            continue
        words = _spoken_words(atom)
        names_something |= len(words) > 1
        said = say(words, layout)
        found.append(said if is_positive else f"not {said}")
    return " and ".join(found) if names_something else ""


def _spoken_words(atom: Atom) -> list[str]:
    """The words of an atom, or of the fact that it asks for, without variables."""
    if atom.relation == ("true", 1):
        fact = atom.args[0]
        args = fact.args if isinstance(fact, Function) else ()
        return [function_of(fact)[0], *(str(arg) for arg in args if isinstance(arg, Constant))]
    return [atom.name, *(str(arg) for arg in atom.args if isinstance(arg, Constant))]


def _listed(texts: Sequence[str]) -> str:
    """Write texts as in ``a, b and c``, or ``1,1; 1,2 and 1,3``."""
    comma = "; " if any("," in text for text in texts) else ", "
    return " and ".join(filter(None, (comma.join(texts[:-1]), texts[-1])))
