"""The scene: a state on its boards, before it becomes text or SVG.

Every fact of the state is in the scene once: on a board, or as a counter, a score, a turn, or a row
of the table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gdl.analysis.boards import (
    Board,
    BoardCell,
    BoardLayout,
    FactPattern,
    Part,
    Place,
    Shape,
    function_of,
    natural_key,
    words_of,
)
from gdl.analysis.move_names import spoken
from gdl.language import Term

LONG_VALUE = 60
"""Characters from which on the facts of one function take several lines of the table."""


FLAT = 0.5
"""How high a thing is that is seen from its side as a bar, in places."""

ENDED = frozenset({"over", "ended", "finished"})
"""Values of a counter that say only that the match is over, which no reader needs to be told."""

_BESIDE = (Part.HELPER, Part.ASIDE)
"""What a person does not follow from step to step."""


@dataclass(frozen=True, slots=True)
class DrawnFact:
    """A fact that is drawn on a place: the words that say what it is, and how it is drawn.

    ``words`` are the content of the fact, or the name of its function where it has none.
    """

    fact: str
    words: tuple[str, ...]
    part: Part
    blank: bool = False
    placed: bool = False
    """Whether the fact is new since the state before."""


@dataclass(frozen=True, slots=True)
class PlacedCell:
    """A place of a board, with all that lies on it; ``gone`` are facts that no longer hold."""

    place: Place
    items: tuple[DrawnFact, ...] = ()
    gone: tuple[DrawnFact, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether something came or went, other than nothing."""
        come = (item for item in self.items if item.placed)
        gone = (item for item in self.gone if not item.blank)
        return any(item.part not in _BESIDE for item in (*come, *gone))

    @property
    def shown(self) -> tuple[DrawnFact, ...]:
        """What is to be seen on the place."""
        seen = [i for i in self.items if not i.blank and i.part is not Part.HELPER]
        return tuple(i for i in seen if i.part is not Part.ASIDE) or tuple(seen)


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A fact that is drawn as a line between the centres of two places."""

    start: tuple[float, float]
    end: tuple[float, float]
    item: DrawnFact


@dataclass(frozen=True, slots=True)
class BoardScene:
    """A board with a cell for each place; ``titles`` are facts about whole panels."""

    index: int
    board: Board
    cells: tuple[PlacedCell, ...]
    lines: tuple[DrawnLine, ...] = ()
    panels: Mapping[tuple[str, ...], tuple[DrawnFact, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DrawnCard:
    """A card in a hand: its fact, as text, its ``word``, and whether the last step has dealt it.

    Of a die the word is the number that it shows.
    """

    fact: str
    word: str
    dealt: bool = False
    is_die: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A line beside the boards: a name, its value, and the facts that it stands for.

    The facts of a hand are its ``cards``; ``words`` are those of each fact, its function first.
    A value with an English word in it is a ``phrase``: its name, and what is put into it.
    """

    name: str
    value: str
    facts: tuple[str, ...]
    changed: bool = False
    cards: tuple[DrawnCard, ...] = ()
    words: tuple[tuple[str, ...], ...] = ()
    phrase: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is drawn of a state.

    ``turn`` are the roles whose turn it is, as the facts say; ``rows`` is the table of the other
    facts: each function, and its facts' arguments.
    """

    layout: BoardLayout
    boards: tuple[BoardScene, ...]
    turn: tuple[Note, ...]
    counters: tuple[Note, ...]
    scores: tuple[Note, ...]
    rows: tuple[Note, ...]
    unsaid: tuple[str, ...] = ()
    """Facts, as text, that say nothing to a reader."""
    beside: tuple[Note, ...] = ()
    """What the rules say of the present value of a counter, in ``words``."""

    @property
    def remark(self) -> str:
        """What whoever looks at the drawing must know, empty where there is nothing."""
        return HIDDEN if self.layout.hidden_information else ""


HIDDEN = "The whole state: in the match, roles see only what their percepts tell."
"""The remark below drawings of games with hidden information."""


def say(words: Iterable[str], layout: BoardLayout) -> str:
    """Say words of the rules as people do; roles, and what is no plain word, as they are."""
    said = layout.words
    return " ".join(
        said.get(word.lower()) or spoken(word)
        if word not in layout.roles and word.replace("_", "").isalnum()
        else word
        for word in words
    )


def make_scene(
    layout: BoardLayout, state: Iterable[Term], before: Iterable[Term] | None = None
) -> Scene:
    """Put the facts of a state where the layout has them; mark what is new since ``before``."""
    facts = sorted(state, key=str)
    earlier = facts if before is None else sorted(before, key=str)
    texts = set(map(str, facts))
    sorter = _Sorter(layout, frozenset(texts.difference(map(str, earlier))))
    for fact in facts:
        sorter.add(fact)
    for fact in earlier:
        if str(fact) not in texts:
            sorter.add_gone(fact)
    return sorter.scene()


class _Sorter:
    """Sorts facts into boards, notes and the table."""

    def __init__(self, layout: BoardLayout, new: frozenset[str]) -> None:
        self._layout = layout
        self._new = new
        self._items: dict[BoardCell, list[DrawnFact]] = defaultdict(list)
        self._gone: dict[BoardCell, list[DrawnFact]] = defaultdict(list)
        self._lines: dict[int, list[DrawnLine]] = defaultdict(list)
        self._panels: dict[BoardCell, list[DrawnFact]] = defaultdict(list)
        self._supports: dict[int, dict[str, str]] = defaultdict(dict)
        self._notes: dict[str, dict[str, list[Term]]] = {
            kind: defaultdict(list) for kind in ("turn", "counter", "score", "table")
        }

    def add(self, fact: Term) -> None:
        """Put a fact in its place."""
        if not any(self._draw(fact, n, board) for n, board in enumerate(self._layout.boards)):
            self._notes[self._kind(fact)][function_of(fact)[0]].append(fact)

    def add_gone(self, fact: Term) -> None:
        """Remember a fact that holds no longer where it was drawn."""
        for number, board in enumerate(self._layout.boards):
            pattern = board.pattern_of.get(function_of(fact))
            if pattern is not None and pattern.part not in (Part.EDGE, Part.PANEL):
                key = pattern.key_of(words_of(fact))
                if key in board.index:
                    self._gone[BoardCell(number, key)].append(self._item(fact, pattern, board))

    def _kind(self, fact: Term) -> str:
        name, arity = function_of(fact)
        if name in self._layout.turn and arity:
            return "turn"
        if name in self._layout.counters and arity == 1:
            return "counter"
        if any(name == score for score, _ in self._layout.scores) and arity == 2:
            return "score"
        return "table"

    def _item(self, fact: Term, pattern: FactPattern, board: Board) -> DrawnFact:
        words = pattern.content_of(words_of(fact))
        blank = (pattern.name, *words)[-1] in board.blank and len(words) <= 1
        text = str(fact)
        if pattern.part in (Part.MARK, Part.HELPER) or not words:
            words = (pattern.name, *words)
        return DrawnFact(text, words, pattern.part, blank, text in self._new)

    def _draw(self, fact: Term, number: int, board: Board) -> bool:
        pattern = board.pattern_of.get(function_of(fact))
        if pattern is None:
            return False
        key = pattern.key_of(words_of(fact))
        item = self._item(fact, pattern, board)
        if pattern.part is Part.PANEL:
            known = any(panel.key == key for panel in board.panels)
            if known:
                self._panels[BoardCell(number, key)].append(item)
            return known
        if key not in board.index:
            return False
        if pattern.part is Part.EDGE:
            end = board.end_of(pattern, words_of(fact))
            if end is None:
                return False
            one, two = board.places[board.index[key]], board.places[board.index[end]]
            self._lines[number].append(DrawnLine((one.x, one.y), (two.x, two.y), item))
            return True
        if board.shape is Shape.STACKS and pattern.content:
            self._supports[number][key[0]] = item.words[0]
        self._items[BoardCell(number, key)].append(item)
        return True

    def scene(self) -> Scene:
        """What has been sorted."""
        layout = self._layout
        return Scene(
            layout,
            tuple(self._board(number, board) for number, board in enumerate(layout.boards)),
            tuple(map(self._said, self._notes_of("turn"))),
            tuple(self._said(note) for note in self._counter_notes() if not _is_over(note)),
            tuple(map(self._said, self._notes_of("score"))),
            tuple(map(self._said, self._table())),
            tuple(note.facts[0] for note in self._counter_notes() if _is_over(note)),
            tuple(self._beside()),
        )

    def _beside(self) -> Iterator[Note]:
        """The static facts that begin with the value of a counter."""
        for counter, relation, rows in self._layout.beside:
            values = {words_of(fact) for fact in self._notes["counter"][counter]}
            known = tuple(row[1:] for row in rows if row[:1] in values)
            if known:
                yield self._said(Note(relation, "; ".join(map(" ".join, known)), (), words=known))

    def _said(self, note: Note) -> Note:
        """A note in the words that people say."""
        name, *values = (
            say(text.split(), self._layout) for text in (note.name, *note.value.split("; "))
        )
        return replace(note, name=name, value="; ".join(values))

    def _board(self, number: int, board: Board) -> BoardScene:
        places: Sequence[Place] = board.places
        if board.shape is Shape.STACKS:
            is_flat = any(place.key[0] in self._layout.sizes for place in board.places)
            places = stacked(board, self._supports[number], FLAT if is_flat else 1.0)
        cells = tuple(
            PlacedCell(
                place,
                tuple(self._items[BoardCell(number, place.key)]),
                tuple(self._gone[BoardCell(number, place.key)]),
            )
            for place in places
        )
        panels = {
            cell.key: tuple(items) for cell, items in self._panels.items() if cell.board == number
        }
        return BoardScene(number, board, cells, tuple(self._lines[number]), panels)

    def _notes_of(self, kind: str) -> list[Note]:
        return [
            Note(
                name,
                "; ".join(_plain(" ".join(words_of(fact))) or "yes" for fact in facts),
                tuple(map(str, facts)),
                any(str(fact) in self._new for fact in facts),
                words=_words(facts),
                phrase={} if any(map(words_of, facts)) else {"said": "yes"},
            )
            for name, unsorted in sorted(self._notes[kind].items())
            for facts in [sorted(unsorted, key=lambda fact: [*map(natural_key, words_of(fact))])]
        ]

    def _table(self) -> list[Note]:
        """The table: a line for each function, or for each first argument where there are many."""
        found: list[Note] = []
        for note in self._notes_of("table"):
            facts = self._notes["table"][note.name]
            if all(function_of(fact) in self._layout.hands for fact in facts):
                found.extend(self._hands(note.name, facts))
                continue
            if all(function_of(fact) in self._layout.dice for fact in facts):
                found.extend(map(self._throw, facts))
                continue
            firsts = {words_of(fact)[0] for fact in facts if words_of(fact)}
            if min(len(words_of(fact)) for fact in facts) < 2:
                firsts = set()
            if len(note.value) <= LONG_VALUE or not 1 < len(firsts) < len(facts):
                found.append(note)
                continue
            for first in sorted(firsts, key=natural_key):
                own = [fact for fact in facts if words_of(fact)[:1] == (first,)]
                value = "; ".join(" ".join(words_of(fact)[1:]) for fact in own)
                new = any(str(fact) in self._new for fact in own)
                found.append(
                    Note(
                        f"{note.name} {first}",
                        value,
                        tuple(map(str, own)),
                        new,
                        words=_words(own),
                    )
                )
        return found

    def _hands(self, name: str, facts: Iterable[Term]) -> Iterator[Note]:
        """The cards of each holder."""
        of_holder: dict[str, list[DrawnCard]] = defaultdict(list)
        for fact in facts:
            *holders, card = words_of(fact)
            text = str(fact)
            of_holder[" ".join((name, *holders))].append(DrawnCard(text, card, text in self._new))
        for holder, dealt in sorted(of_holder.items()):
            cards = sorted(dealt, key=lambda card: (len(card.word), card.word))  # 2 before 10
            value = "; ".join(card.word for card in cards)
            changed = any(card.dealt for card in cards)
            yield Note(holder, value, tuple(card.fact for card in cards), changed, tuple(cards))

    def _throw(self, fact: Term) -> Note:
        """The dice of a fact, after the words that say whose they are."""
        text = str(fact)
        words = words_of(fact)
        new, numbers = text in self._new, [word for word in words if word.isdigit()]
        owner = [function_of(fact)[0], *(word for word in words if word not in numbers)]
        dice = tuple(DrawnCard(text, number, new, is_die=True) for number in numbers)
        return Note(" ".join(owner), " ".join(numbers), (text,), new, dice, _words([fact]))

    def _counter_notes(self) -> list[Note]:
        found = []
        for note in self._notes_of("counter"):
            last = self._layout.counters[note.name]
            if last.lstrip("-").isdigit():
                phrase = {"said": "of", "count": note.value, "last": last}
                note = replace(note, value=f"{note.value} of {last}", phrase=phrase)
            found.append(note)
        return found


def _is_over(note: Note) -> bool:
    return note.value.lower() in ENDED


def _words(facts: Iterable[Term]) -> tuple[tuple[str, ...], ...]:
    return tuple((function_of(fact)[0], *words_of(fact)) for fact in facts)


def _plain(text: str) -> str:
    """A value without the parentheses of terms inside of it."""
    return text.replace("(", "").replace(")", "")


def stacked(board: Board, supports: Mapping[str, str], step: float = 1.0) -> list[Place]:
    """Place things on what supports them; what supports and is on nothing is at the bottom.

    Things that stand on the same thing stand beside each other; each is ``step`` places high.
    """
    above: dict[str, list[str]] = defaultdict(list)
    for thing, support in sorted(supports.items()):
        above[support].append(thing)
    names = [place.key[0] for place in board.places]
    spots: dict[str, tuple[float, float]] = {}
    left = 0.0
    for root in (name for name in names if name not in supports):
        left = _stack(root, left, above, spots)
    for name in names:
        spots.setdefault(name, (left, 0.0))
    height = max((y for _, y in spots.values()), default=0)
    return [Place((name,), spots[name][0], (height - spots[name][1]) * step) for name in names]


def _stack(
    root: str,
    left: float,
    above: Mapping[str, list[str]],
    spots: dict[str, tuple[float, float]],
) -> float:
    """Place a thing and all above it, from ``left`` on; return where the next stack begins."""
    start = left
    pending = [(root, 0.0)]
    while pending:
        name, level = pending.pop()
        if name in spots:
            continue
        things = above.get(name, [])
        spots[name] = (left, level)
        if not things:
            left += 1.2
        pending.extend((thing, level + 1) for thing in reversed(things))
    if children := [spots[name][0] for name in above.get(root, [])]:
        spots[root] = (sum(children) / len(children), 0.0)
    return max(left, start + 1.2)


def moved(scene: BoardScene) -> list[tuple[PlacedCell, PlacedCell]]:
    """Pair the places that a thing left and reached; things of one kind only where one moved."""
    left: dict[tuple[str, ...], list[PlacedCell]] = {}
    reached: dict[tuple[str, ...], list[PlacedCell]] = {}
    for cell in scene.cells:
        for item in cell.gone:
            if not item.blank and item.part is Part.PIECE:
                left.setdefault(item.words, []).append(cell)
        for item in cell.shown:
            if item.placed and item.part is Part.PIECE:
                reached.setdefault(item.words, []).append(cell)
    return [
        (left[words][0], reached[words][0])
        for words in sorted(left)
        if len(left[words]) == len(reached.get(words, ())) == 1
    ]
