"""The boards of a table: its newest step is drawn, and those that may be next are drawn ahead."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from gdl import Constant, State
from gdl.analysis.move_names import MoveNames
from gdl.drawing.rendering import layout_file_of
from ggp_player.clock import monotonic
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.drawing_messages import Drawing, DrawState
from ggp_player.play.match_line import MatchLine
from ggp_player.play.table import MAX_LEGAL, Table
from ggp_player.protocol import spaced, state_text

DRAWING_SECONDS = 1.0
"""How long a position waits for its drawing; then a list of facts stands in until that comes."""

PREPARING_SECONDS = 5.0
"""How long the first one waits, for which boards and names of moves are found in the rules."""


MOST_AHEAD = 60
"""How many positions are drawn ahead, at most."""

SLOW_SECONDS = 0.02
"""Where it takes longer to compute one of them, no other is: nothing else goes on meanwhile."""


@dataclass(frozen=True, slots=True)
class BoardKey:
    """What a drawing depends on: ``moves`` are the legal ones of ``persons``."""

    match: int
    step: int
    persons: tuple[Constant, ...]
    moves: tuple[str, ...]
    advised: str
    is_veiled: bool

    @property
    def of_position(self) -> tuple[int, int, bool]:
        """What is drawn, without the moves whose places are asked for."""
        return self.match, self.step, self.is_veiled


@dataclass(slots=True)
class TableBoard:
    """The drawing of a step; ``key`` says of which one. Another may take its place until it is."""

    key: BoardKey
    drawing: Drawing
    is_drawn: bool = True


class TableBoards:
    """Has the newest step of a table drawn, from :meth:`start` to :meth:`close`.

    While a person thinks, the positions to which the moves lead are drawn ahead, so that the board
    is there at once when one of them is made. ``version`` goes up with each board, of which the
    table wakes those who wait for news. The ``drawer`` is its owner's.
    """

    def __init__(self, table: Table, drawer: Drawer) -> None:
        self.version = 1
        self.names = MoveNames()
        self._table = table
        self._drawer = drawer
        self._board: TableBoard | None = None
        self._awaited: BoardKey | None = None
        self._drawing: asyncio.Task[None] | None = None
        self._ahead = _Ahead()

    def start(self) -> None:
        """Begin to draw, also before the first page looks."""
        self._drawing = asyncio.create_task(self._keep_drawn())

    async def close(self) -> None:
        """Draw no more."""
        if self._drawing is not None:
            self._drawing.cancel()
            await asyncio.gather(self._drawing, return_exceptions=True)

    @property
    def is_whole(self) -> bool:
        """Whether the newest step is drawn with all that there is to it."""
        board = self._board
        return board is not None and board.is_drawn and board.key == self._key()

    def newest(self) -> TableBoard | None:
        """The board of the newest step; None while that is waited for."""
        key = self._key()
        if self._board is not None and self._board.key == key:
            return self._board
        if self._awaited != key:
            self._awaited = key
            seconds = DRAWING_SECONDS if self._board is not None else PREPARING_SECONDS
            asyncio.get_running_loop().call_later(seconds, self._wait_no_longer, key)
        return None

    def _wait_no_longer(self, key: BoardKey) -> None:
        """Show a step without its drawing, unless that has come, or another step."""
        old = self._board
        if key != self._key() or (old is not None and old.key == key):
            return
        drawing = Drawing(facts=tuple(sorted(map(str, self._table.facts(key.step) or ()))))
        if old is not None and old.key.of_position == key.of_position:
            drawing = old.drawing
        self._show(TableBoard(key, drawing, is_drawn=False))

    def _show(self, board: TableBoard) -> None:
        self._board = board
        self.version += 1
        self._table.wake()

    async def _keep_drawn(self) -> None:
        rules = spaced(str(self._table.ruleset))
        self.names = await self._drawer.names(rules, _layout_file(self._table))
        while True:
            key, board = self._key(), self._board
            if self.is_whole:
                drawing_ahead = asyncio.create_task(self._draw_ahead())
                try:
                    await self._table.news()
                finally:
                    drawing_ahead.cancel()
                continue
            # To find what has decided a match takes several times as long as its board.
            is_shown = board is not None and board.key == key
            is_whole = is_shown or not self._table.line.is_over
            drawing = await self._draw(key, with_ending=is_whole)
            if key == self._key():
                self._show(TableBoard(key, drawing, is_drawn=is_whole))

    async def _draw(self, key: BoardKey, *, with_ending: bool) -> Drawing:
        """Draw what people may see of the newest step; nothing where that is no board."""
        facts = self._table.facts(key.step)
        if facts is None:
            return Drawing()
        before = self._table.facts(key.step - 1) if key.step else None
        request = replace(
            self._request(facts, before, key.moves),
            line=((key.advised,),) if key.advised else (),
            is_over=with_ending and self._table.line.is_over and not key.is_veiled,
        )
        if request in self._ahead.drawings:
            return self._ahead.drawings[request]
        drawings = await self._drawer.draw(request)
        return drawings[0] if drawings else Drawing(facts=tuple(sorted(map(str, facts))))

    async def _draw_ahead(self) -> None:
        """Draw what may be next, one position after the other; later it goes on where it was."""
        table = self._table
        of_step = table.line, table.choosing
        if table.choosing and of_step != (self._ahead.line, self._ahead.choosing):
            self._ahead = _Ahead(*of_step, islice(table.lines_ahead(), MOST_AHEAD))
        ahead, before = self._ahead, table.line.last.state
        began = monotonic()
        for line in ahead.lines:
            if monotonic() - began > SLOW_SECONDS:
                ahead.lines = iter(())
                return
            request = self._request(line.last.state, before, self._moves(line))
            for drawing in await self._drawer.draw(request):
                ahead.drawings[request] = drawing
            began = monotonic()

    def _key(self) -> BoardKey:
        table = self._table
        advice = table.shown.advice
        return BoardKey(
            table.match_number,
            table.line.number,
            table.persons,
            () if table.is_over else self._moves(table.line),
            advice.move if advice else "",
            table.is_veiled,
        )

    def _moves(self, line: MatchLine) -> tuple[str, ...]:
        """The legal moves of the people at the end of a line."""
        found = (
            str(move)
            for role, moves in zip(self._table.roles, line.last.legal_moves, strict=False)
            if role in self._table.persons
            for move in moves[:MAX_LEGAL]
        )
        return tuple(dict.fromkeys(found))

    def _request(self, facts: State, before: State | None, moves: tuple[str, ...]) -> DrawState:
        table = self._table
        return DrawState(
            spaced(str(table.ruleset)),
            state_text(facts),
            state_text(before) if before is not None else "",
            moves,
            layout_file=_layout_file(table),
            is_partial=table.sight.hides,  # the page says itself what it shows
            with_turn=False,
        )


@dataclass(slots=True)
class _Ahead:
    """What is drawn ahead: of which step, for whom, the lines that are left, and what is drawn."""

    line: MatchLine | None = None
    choosing: tuple[Constant, ...] = ()
    lines: Iterator[MatchLine] = field(default_factory=lambda: iter(()))
    drawings: dict[DrawState, Drawing] = field(default_factory=dict)


def _layout_file(table: Table) -> str:
    """The layout file beside the rulesheet, or nothing."""
    file = layout_file_of(Path(table.ruleset.source.name))
    return str(file.resolve()) if file is not None else ""
