"""Dialect F: the player asks a game manager for messages, and sends it the replies.

So a player can be behind a firewall. The manager is asked again and again, also while replies are
due, since STOP and ABORT can come at any time; each message is answered in a task of its own. A
message that comes again, by its number, gets the same reply. A manager that cannot be reached is
asked less and less often, until it is there again; its matches go on meanwhile, as long as the
clocks allow.

:mod:`ggp_player.protocol.dialects.stanford` has the form of the messages.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable

import aiohttp
from yarl import URL

from ggp_player.errors import ProtocolError, ServerError
from ggp_player.front.request_reader import MAX_MESSAGE
from ggp_player.logs import shown
from ggp_player.protocol import Envelope, parse_envelope
from ggp_player.server.player import UTF_8, Message, Player, Reply
from ggp_player.server.reply_deadline import UNKNOWN_ROUND_TRIP, ReplyDeadline

ANSWER_SECONDS = 30.0
"""How long the manager may take to answer a poll; some hold it until there is a message."""

PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds before a manager is asked again that could not be reached, the longer the more often."""

REPLY_PAUSES = (0.1, 0.3, 0.6, 1.0, 2.0)
"""Seconds before a reply is sent again that the manager has not taken."""

MAX_OPEN = 64
"""The most messages that are answered at a time; what comes beyond that is dropped."""

MAX_REMEMBERED = 256
"""How many replies are remembered, for messages that come again."""

MAX_FLUSHED = 256
"""The most old messages that are dropped at the beginning."""

CLOSING_SECONDS = 1.0
"""How long the last replies may take to leave when the server stops."""

_PACKET = 2**16
_NOTHING = frozenset({"", "\x1a", "nil", "[]", "{}"})
"""What managers answer where there is no message."""

_log = logging.getLogger(__name__)

Pause = Callable[[float], Awaitable[object]]


class Poller:
    """Asks the manager that a player's settings name for messages, and has the player answer them.

    ``name`` is what the manager calls the player, and ``host`` the manager's, for people to read.
    """

    def __init__(self, player: Player, pause: Pause = asyncio.sleep) -> None:
        config = player.config
        self.address = URL(config.poll)
        self.reply_address = URL(config.poll_reply) if config.poll_reply else self.address
        self.name = config.poll_as or config.name
        self.host = f"{self.address.host}:{self.address.port}"
        self._player = player
        self._interval = config.poll_interval
        self._pause = pause
        self._polling: asyncio.Task[None] | None = None
        self._replies: OrderedDict[tuple[str, str], asyncio.Task[Reply]] = OrderedDict()
        self._sending: set[asyncio.Task[None]] = set()
        self._session: aiohttp.ClientSession | None = None
        self._asked: float | None = None
        self._failures = 0

    async def __aenter__(self) -> Poller:
        timeout = aiohttp.ClientTimeout(total=ANSWER_SECONDS)
        self._session = aiohttp.ClientSession(timeout=timeout, auto_decompress=False)
        self._polling = asyncio.create_task(self._poll())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
        sending = list(self._sending)
        if sending:
            await asyncio.wait(sending, timeout=CLOSING_SECONDS)
        for task in sending:
            task.cancel()
        await asyncio.gather(*sending, return_exceptions=True)
        if self._session is not None:
            await self._session.close()

    async def stop(self) -> None:
        """Ask for no more messages; replies are sent still."""
        if self._polling is not None:
            self._polling.cancel()
            await asyncio.gather(self._polling, return_exceptions=True)

    async def _poll(self) -> None:
        await self._flush()
        while True:
            try:
                seconds = await self._poll_once()
            except Exception:  # whatever a message does, the next one is asked for
                _log.exception("the manager at %s could not be asked", self.host)
                seconds = PAUSES[-1]
            await self._pause(seconds)

    async def _flush(self) -> None:
        """Drop what was meant for a player before us, unless we go on with its matches."""
        if self._player.has_matches:
            return
        for _ in range(MAX_FLUSHED):
            if not await self._next_message():
                return

    async def _poll_once(self) -> float:
        """Ask for a message and begin to answer it; return the seconds until the next poll."""
        before = self._asked
        text = await self._next_message()
        if text is None:
            return PAUSES[min(self._failures, len(PAUSES)) - 1]
        if not text:
            return self._interval
        unsure = 0.0 if before is None or self._asked is None else self._asked - before
        return 0.0 if self._begin(text, unsure) else self._interval

    async def _next_message(self) -> str | None:
        """The next message, empty where there is none, None where the manager is not there."""
        try:
            text = await self._get()
        except (aiohttp.ClientError, OSError, ServerError) as error:
            self._note_failure(str(error) or type(error).__name__)
            return None
        if self._failures:
            _log.info("the manager at %s is there again", self.host)
        self._failures = 0
        self._asked = asyncio.get_running_loop().time()
        return "" if text.strip() in _NOTHING else text

    def _note_failure(self, reason: str) -> None:
        self._failures += 1
        if self._failures == 1:
            message = "the manager at %s cannot be asked: %s; it is tried again"
            _log.warning(message, self.host, shown(reason))

    async def _get(self) -> str:
        assert self._session is not None
        address = self.address.update_query(recipient=self.name)
        async with self._session.get(address, allow_redirects=False) as response:
            if response.status >= 300:
                raise ServerError(f"its answer has the status {response.status}")
            body = bytearray()
            async for packet in response.content.iter_chunked(_PACKET):
                body += packet
                if len(body) > MAX_MESSAGE:
                    raise ServerError(f"a message has more than {MAX_MESSAGE} bytes")
            return body.decode(UTF_8, errors="replace")

    def _begin(self, text: str, unsure: float) -> bool:
        """Begin to answer a message; return False for one that is no message, or not new.

        It has waited for our poll for ``unsure`` seconds at most.
        """
        try:
            envelope = parse_envelope(text)
        except ProtocolError as error:
            _log.warning("%s: no message in its envelope: %s", self.host, error)
            return False
        key = envelope.sender, envelope.number
        is_new = key not in self._replies
        if is_new and len(self._sending) >= MAX_OPEN:
            _log.warning("%s: too many messages at once, one is dropped", self.host)
            return False
        deadline = self._player.new_deadline(UNKNOWN_ROUND_TRIP, unsure=unsure)
        if is_new:
            message = Message(envelope.message, UTF_8, f"poll {envelope.sender}")
            replying = self._player.reply_in_time(message, deadline, self.host)
            self._replies[key] = asyncio.create_task(replying)
            while len(self._replies) > MAX_REMEMBERED:
                self._replies.popitem(last=False)
        sending = asyncio.create_task(self._send(envelope, self._replies[key], deadline))
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)
        return is_new

    async def _send(
        self, envelope: Envelope, reply: asyncio.Task[Reply], deadline: ReplyDeadline
    ) -> None:
        """Send a reply, again and again where the manager does not take it."""
        try:
            body = bytes(await asyncio.shield(reply))
        except Exception:
            _log.exception("a message could not be answered")
            return
        query = {"sender": self.name, "recipient": envelope.sender}
        address = self.reply_address.update_query({**query, "msgid": envelope.number})
        for pause in (*REPLY_PAUSES, None):
            try:
                await self._post(address, body)
            except (aiohttp.ClientError, OSError, ServerError) as error:
                reason = shown(str(error) or type(error).__name__)
                message = "the manager at %s does not take a reply: %s"
                _log.warning(message, self.host, reason)
            else:
                deadline.reply_sent()
                return
            if pause is not None:
                await self._pause(pause)

    async def _post(self, address: URL, body: bytes) -> None:
        assert self._session is not None
        headers = {"Content-Type": "text/acl"}
        posting = self._session.post(address, data=body, headers=headers, allow_redirects=False)
        async with posting as response:
            if response.status >= 300:
                raise ServerError(f"its answer has the status {response.status}")
