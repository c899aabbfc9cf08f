"""A table in the terminal: the board in text, the legal moves with numbers, and what is typed.

Lines are read in a thread, so that clocks run on and an ended match ends the question.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from rich.columns import Columns
from rich.console import Console
from rich.text import Text

from gdl import Constant, GdlError, Term
from gdl.analysis.move_names import MoveNames
from gdl.drawing import draw_text, layout_of, move_names_of
from gdl.language import opening_comment
from ggp_player.errors import GgpPlayerError, PlayError
from ggp_player.events import move_table_lines
from ggp_player.pages.told_moves import named_cells
from ggp_player.play.match_clock import CLOCK_RULE
from ggp_player.play.move_reading import have_numbers, read_move
from ggp_player.play.session import PlaySession
from ggp_player.play.table import HIDDEN_MOVE, Table, told_of

MAX_SHOWN = 100
"""Legal moves that are listed; ``moves`` lists all."""

_HELP = """a move      its name, number or text in the rules, or a part that no other move has
back        take your last move back
hint        the move that a search finds best
think       show what a search thinks of your moves, or no longer
moves       all legal moves
board       the board again
rules       how the game is played, as its rulesheet says in plain words
flip        change seats
resign      give the match up
new         begin a new match
save FILE   write the match record
quit        leave (also Ctrl-D and Ctrl-C)"""


class LeftError(Exception):
    """The person has closed the terminal's input, or asked to leave."""


class Lines:
    """Lines of a file descriptor, one at a time, without holding up the event loop."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._thread: threading.Thread | None = None

    async def next(self) -> str:
        """Return the next line. Raises :class:`LeftError` where there are no more."""
        if self._thread is None:
            loop = asyncio.get_running_loop()
            # As a daemon it does not keep the program from ending while nothing is typed.
            self._thread = threading.Thread(target=self._read, args=(loop,), daemon=True)
            self._thread.start()
        line = await self._waiting.get()
        if line is None:
            self._waiting.put_nowait(None)
            raise LeftError
        return line

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        # Not through sys.stdin, whose lock would be held when the interpreter ends.
        rest = b""
        with suppress(RuntimeError):  # the loop has ended
            while data := self._read_some():
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self._hand_over(loop, line.decode(errors="replace"))
            if rest:
                self._hand_over(loop, rest.decode(errors="replace"))
            self._hand_over(loop, None)

    def _read_some(self) -> bytes:
        try:
            return os.read(self._descriptor, 4096)
        except OSError:
            return b""

    def _hand_over(self, loop: asyncio.AbstractEventLoop, line: str | None) -> None:
        loop.call_soon_threadsafe(self._waiting.put_nowait, line)


@cache
def standard_input() -> Lines:
    """Return the lines of the standard input: what was typed ahead is lost with no terminal."""
    return Lines(sys.stdin.fileno() if sys.stdin is not None else 0)


class Terminal:
    """Shows tables in a terminal, and reads what people choose."""

    def __init__(self, console: Console | None = None, lines: Lines | None = None) -> None:
        self._console = console or Console(highlight=False, markup=False, emoji=False)
        self._lines = lines or standard_input()

    def say(self, sentence: str, style: str = "") -> None:
        """Print a sentence."""
        self._console.print(Text(sentence, style=style))

    def greet(self, table: Table) -> None:
        """Say who plays."""
        players = ", ".join(f"{role} is {name or 'another'}" for role, name in table.names.items())
        self.say(f"You are {table.persons_in_words()}. {players}.")

    def show(self, table: Table) -> None:
        """Print the board, the last joint move, and what can be done."""
        line, console = table.line, self._console
        console.rule(f"step {line.number + 1}" if not table.is_over else "the end")
        if line.number:
            self.say(f"last: {_last_move(table)}", "dim")
        for sentence in told_of(table, names_of(table)):
            self.say(sentence, "dim")
        facts = table.facts(line.number)
        if facts is not None:
            self._draw(table, facts, table.facts(line.number - 1) if line.number else None)
        if table.shown.notice:
            self.say(table.shown.notice, "yellow")
        if table.is_over:
            self._show_end(table)
        for role in table.choosing:
            self.list_moves(table, role, MAX_SHOWN)

    def _draw(self, table: Table, facts: frozenset[Term], before: frozenset[Term] | None) -> None:
        try:
            layout = layout_of(table.ruleset)
            self._console.print(draw_text(layout, facts, before, is_partial=table.sight.hides))
        except GdlError:
            self.say(" ".join(sorted(map(str, facts))))

    def _show_end(self, table: Table) -> None:
        self.say(table.result(), "bold")
        for role, goal in zip(table.machine.roles, table.line.last.goals, strict=False):
            self.say(f"goal: {role} {'none' if goal is None else goal}")

    def list_moves(self, table: Table, role: Constant, limit: int | None = None) -> None:
        """Print the legal moves with their numbers."""
        moves, names = table.legal_moves(role), names_of(table)
        called = list(names.names(moves).values())[:limit]
        numbered = [f"{n:3} {name}" for n, name in enumerate(called, 1)]
        shown = list(map(Text, numbered if have_numbers(names, moves) else called))
        self._console.print(Columns(shown, padding=(0, 3), column_first=True))
        if len(shown) < len(moves):
            self.say(f"and {len(moves) - len(shown)} more: moves lists all", "dim")

    async def read_choice(self, table: Table) -> None:
        """Read a line for the first person who has yet to choose; say what is wrong with it."""
        role, step = table.choosing[0], table.line.number
        text = await self.read(f"{role}> ")
        try:
            table.choose(role, read_move(text, table.legal_moves(role), names_of(table)), step)
        except PlayError as error:
            self.say(f"{_capital(str(error))}.", "red")

    async def read(self, prompt: str) -> str:
        """Read a line. Raises :class:`LeftError` where there are no more."""
        self._console.print(Text(prompt, style="bold"), end="")
        self._console.file.flush()
        return (await self._lines.next()).strip()


def names_of(table: Table) -> MoveNames:
    """What the moves at a table are called."""
    try:
        return move_names_of(table.ruleset)
    except GdlError:
        return MoveNames()


def _last_move(table: Table) -> str:
    """The joint move that was made last, without the moves of roles that only waited."""
    names = names_of(table)
    moves = list(zip(table.machine.roles, table.moves(table.line.number), strict=True))
    acting = [each for each in moves if each[1] is None or not names.waits(each[1])]
    told = [
        (role, HIDDEN_MOVE if move is None else names.name(move)) for role, move in acting or moves
    ]
    return "  ".join(f"{role} {name}" for role, name in told)


class TerminalSession:
    """A session in a terminal, with commands besides moves."""

    def __init__(self, session: PlaySession, terminal: Terminal, save: Path | None = None) -> None:
        self._session = session
        self._terminal = terminal
        self._save = save
        self._shown: object = None

    async def run(self) -> None:
        """Play until the person leaves."""
        self._terminal.greet(self._session)
        self._say_terms()
        self._terminal.say("Type a move, or help.", "dim")
        try:
            while True:
                await self._until_asked()
                self._show_what_is_new()
                await self._handle_next_line()
        except LeftError:
            self._terminal.say("")

    def _say_terms(self) -> None:
        """Say what the level is, and what the clock means."""
        self._say_level()
        if (control := self._session.setup.control) is not None:
            self._terminal.say(f"Clock: {control.name}. {CLOCK_RULE}", "dim")

    def _say_level(self) -> None:
        if told := self._session.told_of_level():
            self._terminal.say(told, "dim")

    async def _until_asked(self) -> None:
        """Wait until there is something to type."""
        session = self._session
        is_told = False
        while not (session.is_over or session.choosing):
            if session.shown.notice and not is_told:
                self._terminal.say(session.shown.notice, "yellow")
                is_told = True
            await session.news()

    def _show_what_is_new(self) -> None:
        session = self._session
        now = session.match_number, session.line.number, session.is_over, session.persons
        if now != self._shown:
            self._shown = now
            self._terminal.show(session)
            if session.is_over:
                self._say_level()
                self.save(self._save)
                back = ", back takes a move back" if "back" in session.actions else ""
                self._terminal.say(f"new begins another match{back}; quit", "dim")

    async def _handle_next_line(self) -> None:
        """Read a line, unless something else happens first, and do what it says."""
        session = self._session
        before = session.match_number, session.line.number, session.is_over
        role = session.choosing[0] if session.choosing else None
        reading = asyncio.ensure_future(self._terminal.read(f"{self._prompt(role)}> "))
        try:
            while not reading.done():
                news = asyncio.ensure_future(session.news())
                await asyncio.wait({reading, news}, return_when=asyncio.FIRST_COMPLETED)
                news.cancel()
                now = session.match_number, session.line.number, session.is_over
                if not reading.done() and before != now:
                    self._terminal.say("")
                    return
            await self._do(reading.result(), role)
        finally:
            reading.cancel()

    def _prompt(self, role: Constant | None) -> str:
        """Who is to move, and the time that is left."""
        clock = self._session.match_clock
        if role is None:
            return "the match is over"
        return str(role) if clock is None else f"{role}, {clock.left(role):.0f} s left"

    async def _do(self, text: str, role: Constant | None) -> None:
        session = self._session
        name, _, rest = text.partition(" ")
        legal = names_of(session).names(session.legal_moves(role)) if role else {}
        texts = {text.lower() for text in (*legal, *legal.values())}
        command = self._commands(rest.strip()).get(name.lower())
        try:
            if command is not None and text.lower() not in texts:
                await command()
            elif role is None:
                raise PlayError("the match is over: new, back, save FILE or quit")
            else:
                move = read_move(text, session.legal_moves(role), names_of(session))
                session.choose(role, move, session.line.number)
        except GgpPlayerError as error:
            self._terminal.say(f"{_capital(str(error))}.", "red")

    def _commands(self, rest: str) -> Mapping[str, Callable[[], Awaitable[None]]]:
        session, step = self._session, self._session.line.number
        return {
            "help": self._help,
            "back": lambda: session.take_back(step),
            "hint": self._hint,
            "think": self._think,
            "moves": self._moves,
            "board": self._board,
            "rules": self._rules,
            "flip": lambda: session.flip(step),
            "resign": lambda: session.resign(step),
            "new": session.new_match,
            "save": lambda: self._save_as(rest),
            "quit": self._quit,
        }

    async def _help(self) -> None:
        self._terminal.say(_HELP)

    async def _hint(self) -> None:
        advice = await self._session.hint(self._session.line.number)
        value = "" if advice.value is None else f", value {advice.value:.0f}"
        proof = ", proved" if advice.proved else ""
        move = names_of(self._session).name(advice.move)
        self._terminal.say(f"hint for {advice.role}: {move}{value}{proof}", "green")

    async def _think(self) -> None:
        """Let a search run for a moment, and show what it thinks."""
        session = self._session
        await session.think(True)
        with suppress(TimeoutError):
            async with asyncio.timeout(max(1, session.setup.play_clock)):
                while True:
                    await session.news()
        view = session.shown.thoughts
        await session.think(False)
        if view is None:
            raise PlayError("the search has nothing to say of this position yet")
        if view.notice:
            self._terminal.say(f"  {view.notice}", "dim")
        names = names_of(session)
        for row in move_table_lines([named_cells(known, names) for known in view.moves[:12]]):
            self._terminal.say(f"  {row}", "green")
        self._terminal.say(f"  {view.strategy}: {view.note}", "dim")

    async def _moves(self) -> None:
        for role in self._session.choosing:
            self._terminal.list_moves(self._session, role)

    async def _board(self) -> None:
        self._shown = None

    async def _rules(self) -> None:
        comment = opening_comment(self._session.ruleset.source.text)
        if not comment:
            raise PlayError("the rulesheet says nothing in plain words")
        for paragraph in (*comment.paragraphs, *comment.drawings) or (comment.title,):
            self._terminal.say(paragraph)
        for name, said in comment.items:
            self._terminal.say(f"{name}: {said}", "dim")

    async def _save_as(self, file: str) -> None:
        if not file:
            raise PlayError("save needs the name of a file")
        if self._session.is_veiled:
            raise PlayError("the record tells what is hidden from you; it can be saved at the end")
        self.save(Path(file))

    async def _quit(self) -> None:
        raise LeftError

    def save(self, file: Path | None) -> None:
        """Write the match record to a file, if there is one to write to."""
        if file is None:
            return
        try:
            self._session.record().save(file)
        except OSError as error:
            message = f"the record cannot be written to {file}: {error.strerror or error}"
            raise PlayError(message) from error
        self._terminal.say(f"The match record is in {file}.", "dim")


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
