"""Players that poll the manager, dialect F: what is for them waits here until they ask for it.

Each player has a mailbox. A request waits in it for the player's next poll, whose answer carries
it away; the reply comes with a request of its own, which names the number of the message. What
nobody waits for any more, since its clock has run out, is not handed out.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from ggp_player.clock import WallClock, wall_clock
from ggp_player.protocol import Dialect, Envelope, format_envelope

SENDER = "manager"
"""The manager's name in envelopes, to which replies are addressed."""


@dataclass(eq=False, slots=True)
class Letter:
    """A request with its number; ``on_sent`` is called when the player has it."""

    number: str
    text: str
    on_sent: Callable[[], None]
    reply: asyncio.Future[str] = field(repr=False)

    def __str__(self) -> str:
        """The text as it is sent, in its envelope."""
        return format_envelope(Envelope(self.number, SENDER, self.text))


class Mailbox:
    """What waits for one player, and what it has taken but not answered, by number.

    It is what the game manager sees of a player that polls, whose clock runs from the instant at
    which the answer to its poll has gone to the system; that it polls late is, like connecting to a
    server, not its thinking time.
    """

    def __init__(self, name: str, numbers: Callable[[], str]) -> None:
        self.name = name
        self.dialect = Dialect.STANFORD_POLLING
        self._numbers = numbers
        self._waiting: OrderedDict[str, Letter] = OrderedDict()
        self._taken: dict[str, Letter] = {}

    @property
    def is_empty(self) -> bool:
        """Whether no request waits for the player, or for its reply."""
        return not self._waiting and not self._taken

    async def send(self, text: str, on_sent: Callable[[], None] = lambda: None) -> str:
        """Have a request wait for the player, and return the reply to it.

        ``on_sent`` is called when the player has the request.
        """
        reply: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        letter = Letter(self._numbers(), text, on_sent, reply)
        self._waiting[letter.number] = letter
        try:
            return await reply
        finally:
            self._waiting.pop(letter.number, None)
            self._taken.pop(letter.number, None)

    def take(self) -> Letter | None:
        """Return the oldest letter that waits, or None if there is none."""
        if not self._waiting:
            return None
        number, letter = self._waiting.popitem(last=False)
        self._taken[number] = letter
        return letter

    def put_back(self, letter: Letter) -> None:
        """Have a letter wait again, as its way to the player has failed."""
        if self._taken.pop(letter.number, None) is not None:
            self._waiting[letter.number] = letter
            self._waiting.move_to_end(letter.number, last=False)

    def answer(self, number: str, text: str) -> bool:
        """Hand a reply to whoever waits for it; return whether anybody does."""
        letter = self._taken.get(number)
        if letter is None or letter.reply.done():
            return False
        letter.reply.set_result(text)
        return True


class Mailboxes:
    """The mailboxes of all players that poll, by name.

    Numbers of messages go on from the wall-clock time: a player that has played for a manager that
    was killed must not take new messages for those that it has answered already.
    """

    def __init__(self, now: WallClock = wall_clock) -> None:
        numbers = count(now())
        self._numbers = lambda: str(next(numbers))
        self._boxes: dict[str, Mailbox] = {}

    def of(self, name: str) -> Mailbox:
        """Return the mailbox of a player, which is made where there is none."""
        return self._boxes.setdefault(name, Mailbox(name, self._numbers))

    def drop(self, name: str) -> None:
        """Forget the mailbox of a player that has left, unless a request waits in it."""
        if name in self._boxes and self._boxes[name].is_empty:
            del self._boxes[name]
