"""A person in a match of the game manager's: ``human`` in place of a strategy.

The game manager asks as it asks any player, and holds the person to the clocks. What is legal and
what is drawn follows from the rules of START and the joint moves of each PLAY.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Literal, TypeAlias

import gdl
from ggp_player.errors import MatchError, ProtocolError
from ggp_player.languages import Sentence
from ggp_player.play.page import serve_table
from ggp_player.play.table import HUMAN, Table
from ggp_player.play.terminal import LeftError, Terminal
from ggp_player.protocol import (
    ABORTED,
    DONE,
    READY,
    Abort,
    Info,
    InfoReply,
    Play,
    Start,
    Stop,
    format_info_reply,
    parse_request,
)

Way: TypeAlias = Literal["terminal", "page"]
"""How a person is asked."""


@dataclass(frozen=True, slots=True)
class HumanSeat:
    """A seat for a person, who is asked in the terminal or on a page."""

    way: Way = "terminal"


def human_seat(player: str) -> HumanSeat | None:
    """Return the seat that a player's text means, None if it means no person.

    >>> human_seat("human"), human_seat("human:page"), human_seat("mcts")
    (HumanSeat(way='terminal'), HumanSeat(way='page'), None)
    """
    name, _, way = player.partition(":")
    seats = {"": HumanSeat(), "terminal": HumanSeat(), "page": HumanSeat("page")}
    return seats.get(way) if name == HUMAN else None


class Asker:
    """Shows a table to people and has them choose; a page does most of that by itself."""

    async def begin(self, table: Table) -> None:
        """Begin to show the table."""

    async def ask(self, table: Table) -> None:
        """Ask for a move of this step."""

    async def end(self, table: Table) -> None:
        """Show how it has ended."""


class HumanPlayer:
    """A person as the game manager sees a player.

    START has rules without comments and layout. Where these are the rules of ``rulesheet``, that is
    shown as its author wrote it.
    """

    is_human = True

    def __init__(self, asker: Asker, name: str = HUMAN) -> None:
        self.name = name
        self.rulesheet: gdl.Ruleset | None = None
        self._asker = asker
        self._table: Table | None = None
        self._role: gdl.Constant | None = None
        self._play_clock = 0

    async def send(self, text: str) -> str:
        """Return the reply to a request. Raises :class:`MatchError` where the person has left."""
        request = await asyncio.to_thread(parse_request, text)
        match request:
            case Start():
                await self._start(request)
                return READY
            case Play():
                return await self._play(request)
            case Stop():
                await self._stop(request)
                return DONE
            case Abort():
                await self._end(Sentence("The match was broken off."))
                return ABORTED
            case Info():
                return format_info_reply(InfoReply(self.name, "available"))
        return READY

    async def _start(self, start: Start) -> None:
        ruleset = await asyncio.to_thread(gdl.parse, start.rules)
        if self.rulesheet is not None and self.rulesheet == ruleset:
            ruleset = self.rulesheet
        machine = gdl.interpret(ruleset)
        role = _role(machine, start.role)
        self._table = await asyncio.to_thread(Table, ruleset, machine, (role,))
        self._table.names[role] = self.name
        self._role = role
        self._play_clock = start.play_clock
        await self._asker.begin(self._table)

    async def _play(self, play: Play) -> str:
        table, role = self._table, self._role
        if table is None or role is None:
            raise ProtocolError(0, "expected START before PLAY")
        await self._follow(table, play)
        table.ask_persons()
        if table.choosing:
            table.start_clock(self._play_clock)
            try:
                await self._asker.ask(table)
            except LeftError as error:
                raise MatchError("the person has left the match") from error
        return str(await asyncio.shield(table.choice(role)))

    async def _follow(self, table: Table, request: Play | Stop) -> None:
        if request.moves:
            moves = tuple(map(table.ruleset.spell, request.moves))
            table.line = await asyncio.to_thread(table.advance, moves)
            table.shown.notice, table.match_clock = "", None
            table.tell()

    async def _stop(self, stop: Stop) -> None:
        if self._table is not None:
            await self._follow(self._table, stop)
        await self._end("")

    async def _end(self, reason: str) -> None:
        table, self._table = self._table, None
        if table is not None:
            table.shown.ended = "" if table.line.is_over else reason
            table.shown.is_broken_off = bool(table.shown.ended)
            table.match_clock = None
            table.tell()
            await self._asker.end(table)


def _role(machine: gdl.StateMachine, name: str) -> gdl.Constant:
    for role in machine.roles:
        if str(role).lower() == name.lower():
            return role
    raise MatchError(f"the game has no role {name}")


_terminal_turn = asyncio.Lock()
"""There is one terminal, and one question in it at a time."""


class TerminalAsker(Asker):
    """Asks in the terminal when no other match does."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    async def begin(self, table: Table) -> None:
        """Say whom the person plays."""
        self._terminal.greet(table)

    async def ask(self, table: Table) -> None:
        """Show the state and read moves until one is legal."""
        async with _terminal_turn:
            self._terminal.show(table)
            while table.choosing:
                await self._terminal.read_choice(table)

    async def end(self, table: Table) -> None:
        """Show the last state, and the goals."""
        self._terminal.show(table)


class PageAsker(Asker):
    """Asks on a page of its own, which is there until the match is over."""

    def __init__(self, stack: AsyncExitStack, on_address: Callable[[str], object]) -> None:
        self._stack = stack
        self._on_address = on_address

    async def begin(self, table: Table) -> None:
        """Serve the page, and say where it is."""
        self._on_address(await self._stack.enter_async_context(serve_table(table)))


async def open_human(seat: HumanSeat, stack: AsyncExitStack) -> HumanPlayer:
    """Return a person for a seat, who is asked in the terminal, or on a page that it names."""
    terminal = Terminal()
    if seat.way == "page":
        return HumanPlayer(PageAsker(stack, lambda address: terminal.say(f"your page: {address}")))
    return HumanPlayer(TerminalAsker(terminal))
