"""SVG: a state's boards, counters and table as one self-contained picture.

Every cell is a group with ``data-board`` and ``data-cell``, every fact one with ``data-fact``, so
that a page can make them react, and what is said in English is marked as :func:`phrase` says.
Colours are CSS variables with a light and a dark value. Words of the rules are escaped wherever
they are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

from gdl.analysis.boards import BoardLayout, Shape
from gdl.drawing.board_drawing import BoardDrawing
from gdl.drawing.cards import draw_hand
from gdl.drawing.glyphs import legend
from gdl.drawing.scene import Note, Scene, make_scene, say
from gdl.drawing.shapes import draw_glyph, number, phrase, xml
from gdl.drawing.tables import RoleTable, draw_role_table, heading_width, role_tables, table_beside
from gdl.drawing.words import describe
from gdl.language import Term

GAP = 26
"""Pixels between boards."""

LINE = 20
"""Pixels from a line of text to the next."""

CHARACTER = 8.2
"""Pixels of a character of text, which is rather wide."""

MAX_WIDTH = 980
"""Pixels of a picture's width, unless a single board is wider."""

MOST_WIDE = 2.5
"""How many times as wide as high boards in a row are: in a wider picture all would be small."""

MAX_CHARACTERS = 110
"""Characters of a line of text, where boards are as wide; longer ones are continued on the next."""

MOST_NOTES = 8
"""The most lines of other facts below boards, which would be small above more of them."""

MOST_NOTES_ALONE = 30
"""The most lines of other facts where there is no board."""

LEAST_CHARACTERS = 44
"""Characters of a line of text that is wider than the boards: in a wider picture all were small."""

SVG_STYLE = """
.gdl-state{--ink:#24262b;--soft:#666b73;--paper:#ffffff;--square:#f2eee4;--dark:#d9cfba;
--edge:#857b66;--wall:#6e6a63;--shift:#2f6fd0;--on-square:#1d1f23;--new:#1450b0;--gone:#8f3a0a;
--won:#0c5f2e;--side:#24262b;color:var(--ink);fill:var(--ink);
font-family:system-ui,"Segoe UI","DejaVu Sans",sans-serif}
@media (prefers-color-scheme:dark){.gdl-state{--ink:#e9e7e2;--soft:#a5a8ae;--paper:#1d1f23;
--square:#d8d2c4;--dark:#bdb299;--wall:#4a4740;--shift:#5b93e8;--side:#3b7ddd}}
.gdl-state .cell,.gdl-state .legend>g{fill:var(--on-square);color:var(--on-square)}
.gdl-state text{text-anchor:middle;dominant-baseline:central}
.gdl-state .soft{fill:var(--soft)} .gdl-state .left{text-anchor:start}
.gdl-state .paper{fill:var(--paper)} .gdl-state .sq{fill:var(--square);stroke:var(--edge)}
.gdl-state .dark .sq{fill:var(--dark)}
.gdl-state .frame{fill:none;stroke:var(--soft);stroke-width:2}
.gdl-state .link{stroke:var(--edge);stroke-width:3} .gdl-state .wall{fill:var(--wall)}
.gdl-state .edge{fill:none;stroke-width:3} .gdl-state .new .edge{stroke:var(--new)}
.gdl-state .old .edge{stroke:var(--gone);stroke-dasharray:5 4}
.gdl-state .name{fill:var(--soft);stroke:var(--paper);stroke-width:4px;paint-order:stroke}
.gdl-state .aside{pointer-events:none}
.gdl-state .decisive{fill:none;stroke:var(--won);stroke-width:5}
.gdl-state .lit{stroke:var(--shift);stroke-width:4;fill:none}
.gdl-state .arrow{stroke:var(--shift);stroke-width:4;stroke-linecap:round;opacity:.65}
.gdl-state .ghost{opacity:.4} .gdl-state .bare{fill:none;pointer-events:all}
.gdl-state .piece{stroke:#00000088;stroke-width:1.2}
.gdl-state .symbol{stroke:#000000;stroke-width:1.6px;paint-order:stroke}
.gdl-state .card{fill:#fffefa;stroke:var(--edge)} .gdl-state .card~text{fill:var(--on-square)}
.gdl-state .card~.red{fill:#b3202c} .gdl-state .new>.card{stroke:var(--new);stroke-width:3}
.gdl-state .ink{stroke:var(--side)} .gdl-state .drawn{stroke:#cc6633}
.gdl-state .corner{fill:var(--soft)}
.gdl-state .side{stroke-width:6;stroke-linecap:round}
""".strip()
"""The style sheet of the pictures, for pages that do not allow styles inside of them."""


@dataclass(frozen=True, slots=True)
class SvgOptions:
    """How a picture goes into a page.

    ``prefix`` begins every id, for several pictures on one page. ``with_style`` False leaves out
    the style sheet, which is :data:`SVG_STYLE`, for pages that have it already. With ``is_partial``
    the facts are not the whole state. ``decisive`` are the facts, as text, that have decided the
    match: their places are marked. ``with_turn`` False leaves out whose turn it is, for pages that
    say it themselves, and ``with_legend`` False what pieces are called, for small pictures.
    """

    title: str = ""
    prefix: str = ""
    with_style: bool = True
    is_partial: bool = False
    with_turn: bool = True
    with_legend: bool = True
    decisive: frozenset[str] = frozenset()


DEFAULT_OPTIONS = SvgOptions()


def draw_svg(
    layout: BoardLayout,
    state: Iterable[Term],
    before: Iterable[Term] | None = None,
    options: SvgOptions = DEFAULT_OPTIONS,
) -> str:
    """Draw a state as SVG; where ``before`` is given, what changed since that state is marked."""
    return _Picture(make_scene(layout, state, before), options).text()


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of text: its marked words, how many characters they have, and the facts in it."""

    spans: str
    length: int
    facts: str = ""

    def joined(self, other: _Line) -> _Line:
        """This line, continued with another."""
        between = '<tspan class="soft">   ·   </tspan>'
        return _Line(self.spans + between + other.spans, self.length + 7 + other.length)


class _Picture:
    """A picture in the making: parts from top to bottom, and how large it has become."""

    def __init__(self, scene: Scene, options: SvgOptions) -> None:
        hidden = () if options.with_turn else scene.layout.roles
        turn = tuple(note for note in scene.turn if note.value not in hidden)
        self._scene = replace(scene, turn=turn)
        self._layout = scene.layout
        self._options = options
        self._parts: list[str] = []
        self._width = 240.0
        self._y = 12.0
        self._drawn = [
            BoardDrawing(board, scene.layout, options.prefix, options.decisive)
            for board in scene.boards
            if board.cells
        ]
        widest = max((drawn.width for drawn in self._drawn), default=0)
        self._measure = max(LEAST_CHARACTERS, min(int(widest / CHARACTER), MAX_CHARACTERS))

    def text(self) -> str:
        """The whole picture."""
        scene = self._scene
        self._parts += [f'<g data-fact="{xml(fact)}"/>' for fact in scene.unsaid]
        self._note_lines([*scene.turn, *scene.counters], joined=True)
        rows = [note for note in scene.rows if not note.cards]
        tables, in_tables = role_tables((*scene.scores, *rows), self._layout.roles)
        beside = {note.name: table_beside(note) for note in scene.beside}
        tables += [table for table in beside.values() if table is not None]
        if self._drawn:
            tables, in_tables, beside = [], frozenset(), {}
        self._note_lines([note for note in scene.beside if beside.get(note.name) is None])
        scores = [note for note in scene.scores if not in_tables.issuperset(_functions(note))]
        self._note_lines(scores)
        self._boards()
        self._role_tables(tables)
        hands = [note for note in scene.rows if note.cards]
        told = [note for note in rows if _is_of_roles(note, hands, self._layout)]
        self._hands(hands, told)
        most = MOST_NOTES if self._drawn else MOST_NOTES_ALONE
        notes = [n for n in rows if not in_tables.issuperset(_functions(n)) and n not in told]
        self._note_lines(notes, most=most)
        if self._options.with_legend:
            self._legend()
        if scene.remark and not self._options.is_partial:
            self._remark(scene.remark)
        width, height = number(self._width + 12), number(self._y + 10)
        words = xml(self._options.title or "State of the game")
        said = "" if self._options.title else phrase(said="state")
        style = f"<style>{SVG_STYLE}</style>" if self._options.with_style else ""
        name = f"{xml(self._options.prefix)}title"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="gdl-state" role="img" '
            f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'aria-labelledby="{name} {name}-long">'
            f'<title id="{name}"{said}>{words}</title>'
            f'<desc id="{name}-long">{xml(describe(scene))}</desc>'
            f'{style}<rect class="paper" width="{width}" height="{height}"/>'
            f"{''.join(self._parts)}</svg>\n"
        )

    # ------------------------------------------------------------------ text

    def _note_lines(self, notes: Sequence[Note], *, joined: bool = False, most: int = 0) -> None:
        """Write notes, each in a line or several; of more than ``most`` lines the first ones."""
        lines: list[_Line] = []
        for note in notes:
            line = _line_of(note)
            if line.length > self._measure:
                lines += self._lines_of(note)
            elif joined and lines and lines[-1].length + 7 + line.length <= self._measure:
                lines[-1] = lines[-1].joined(line)
            else:
                lines.append(line)
        if most and len(lines) > most:
            rest = lines[most - 1 :]
            facts = xml(" ".join(dict.fromkeys(line.facts for line in rest)))
            text, said = f"and {len(rest)} lines more", phrase(said="more", count=str(len(rest)))
            spans = f'<tspan class="soft" data-fact="{facts}"{said}>{text}</tspan>'
            lines[most - 1 :] = [_Line(spans, len(text))]
        for line in lines:
            self._line(line.spans, line.length)

    def _role_tables(self, tables: Sequence[RoleTable]) -> None:
        first = max((heading_width(table, self._layout) for table in tables), default=0.0)
        for table in tables:
            drawn, width, height = draw_role_table(table, self._layout, (12, self._y), first)
            self._parts.append(drawn)
            self._y += height
            self._width = max(self._width, width)

    def _hands(self, hands: Sequence[Note], told: Sequence[Note]) -> None:
        """Draw the cards that each holds below a line that says who, and what is told of them."""
        for note in hands:
            spans, length = f'<tspan class="soft">{xml(note.name)}</tspan>', len(note.name)
            for other in told:
                for fact, words in zip(other.facts, other.words, strict=True):
                    if words[1] == _holder(note):
                        weight = ' font-weight="600"' if other.changed else ""
                        text = f'data-fact="{xml(fact)}"{weight}>{xml(other.name)}'
                        spans += f'<tspan class="soft">   ·   </tspan><tspan {text}</tspan>'
                        length += 7 + len(other.name)
            self._line(spans, length)
            drawn, width, height = draw_hand(note.cards, 12, self._y, MAX_WIDTH)
            self._parts.append(drawn)
            self._y += height
            self._width = max(self._width, width)

    def _remark(self, text: str) -> None:
        """Write a sentence in lines that are as wide as what is above it."""
        for line in wrap(text, max(24, int((self._width - 12) / CHARACTER))):
            self._line(f'<tspan class="soft">{xml(line)}</tspan>', len(line))

    def _lines_of(self, note: Note) -> list[_Line]:
        """The lines of a long note: its name, then as many words in each as fit."""
        facts = " ".join(note.facts)
        name = f'<tspan class="soft">{xml(note.name)}</tspan>'
        lines, line = [_Line(name, len(note.name))], ""
        for word in (*note.value.split(" "), ""):
            if line and (not word or len(line) + len(word) > self._measure):
                spans = f'<tspan data-fact="{xml(facts)}">{xml(line)}</tspan>'
                lines.append(_Line(spans, len(line), facts))
                line = ""
            line = f"{line} {word[:MAX_CHARACTERS]}".strip()
        return lines

    def _line(self, spans: str, length: int) -> None:
        self._y += LINE / 2
        self._parts.append(
            f'<text class="left" x="12" y="{number(self._y)}" font-size="14" '
            f'xml:space="preserve">{spans}</text>'
        )
        self._y += LINE / 2
        self._width = max(self._width, 12 + length * CHARACTER)

    # ------------------------------------------------------------------ boards

    def _boards(self) -> None:
        x, row_height = 12.0, 0.0
        top = self._y + 10
        for drawn in self._drawn:
            most = min(MAX_WIDTH, MOST_WIDE * max(row_height, drawn.height))
            if x > 12 and (x + drawn.width > most or drawn.has_rows):
                x, top, row_height = 12.0, top + row_height + GAP, 0.0
            self._parts.append(drawn.at(x, top))
            x += drawn.width + GAP
            row_height = max(row_height, drawn.height)
            self._width = max(self._width, x - GAP)
        self._y = top + row_height + 12

    def _legend(self) -> None:
        entries = legend(self._scene, (Shape.SQUARES, Shape.HEXES, Shape.POINTS))
        if not entries:
            return
        x, self._y = 12.0, self._y + 14
        for text, glyph in entries[:40]:
            text = say(text.split(), self._layout)
            shown = text if len(text) <= 32 else text[:31] + "…"
            width = 38 + 8.0 * len(shown)
            if x > 12 and x + width > max(self._width, 420):
                x, self._y = 12.0, self._y + 30
            drawn = draw_glyph(glyph, 11)
            self._parts.append(
                f'<g class="legend"><g transform="translate({number(x + 11)} {number(self._y)})">'
                f'<rect class="sq" x="-13" y="-13" width="26" height="26" rx="4"/>{drawn}</g>'
                f'<text class="left soft" x="{number(x + 28)}" y="{number(self._y)}" '
                f'font-size="13">{xml(shown)}</text></g>'
            )
            x += width
            self._width = max(self._width, x)
        self._y += 14


def _line_of(note: Note) -> _Line:
    """A note in one line."""
    facts = " ".join(note.facts)
    weight = ' font-weight="600"' if note.changed else ""
    spans = (
        f'<tspan class="soft">{xml(note.name)}  </tspan>'
        f'<tspan data-fact="{xml(facts)}"{weight}{phrase(**note.phrase)}>{xml(note.value)}</tspan>'
    )
    return _Line(spans, len(note.name) + len(note.value) + 3, facts)


def _holder(hand: Note) -> str:
    """Who holds a hand: the last word of what it is called."""
    return hand.name.rpartition(" ")[2]


def _is_of_roles(note: Note, hands: Sequence[Note], layout: BoardLayout) -> bool:
    """Whether a note says something only of roles that hold cards: that they bet, or pass."""
    holders = {_holder(hand) for hand in hands} & set(layout.roles)
    return bool(note.words) and all(len(words) == 2 and words[1] in holders for words in note.words)


def _functions(note: Note) -> set[str]:
    """The functions of a note's facts."""
    return {words[0] for words in note.words}
