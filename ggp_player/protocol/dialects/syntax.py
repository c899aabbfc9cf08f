"""What every dialect can do: read and write requests, and the replies to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar, TypeAlias

from gdl import Term
from ggp_player.protocol.messages import InfoReply, Play, Request, Stop


class Dialect(StrEnum):
    """The dialects, by the letters under which the documentation has them."""

    GGP_BASE = "A"
    DRESDEN = "B"
    DRESDEN_TURNS = "C"
    DRESDEN_PERCEPTS = "C'"
    STANFORD_PREFIX = "D"
    STANFORD_INFIX = "E"
    STANFORD_POLLING = "F"


RequestKind: TypeAlias = type[Request]


class Syntax(ABC):
    """How the messages of a dialect are written. Nothing here does I/O."""

    dialect: ClassVar[Dialect]
    messages: ClassVar[Sequence[RequestKind]]
    """The requests that the dialect has."""
    has_percepts: ClassVar[bool] = False
    """Whether players are told what their roles see, and not the joint move."""
    follows_rules: ClassVar[bool] = False
    """Whether players are told percepts in games that have some, and the joint move in others."""
    has_turns: ClassVar[bool] = False
    """Whether PLAY and STOP say how many steps were made."""

    def format_request(self, request: Request) -> str:
        """Write a request.

        Raises ValueError where the dialect has none of its kind, or tells other things of a step.
        """
        if not isinstance(request, tuple(self.messages)):
            name = type(request).__name__.upper()
            raise ValueError(f"dialect {self.dialect} has no {name}")
        if isinstance(request, Play | Stop) and not self._can_tell(request):
            told = "what roles see" if self.has_percepts else "joint moves"
            raise ValueError(f"dialect {self.dialect} tells {told}")
        return self._format(request)

    @abstractmethod
    def _format(self, request: Request) -> str:
        """Write a request of a kind that the dialect has."""

    @abstractmethod
    def parse_info_reply(self, text: str) -> InfoReply:
        """Parse the reply to INFO. Raises :class:`ProtocolError`."""

    @abstractmethod
    def format_info_reply(self, reply: InfoReply) -> str:
        """Write the reply to INFO."""

    @abstractmethod
    def parse_move(self, text: str) -> Term:
        """Parse the reply to PLAY. Raises :class:`gdl.GdlSyntaxError`."""

    @abstractmethod
    def format_move(self, move: Term, /) -> str:
        """Write the reply to PLAY."""

    def _can_tell(self, request: Play | Stop) -> bool:
        return not request.moves if self.has_percepts else request.observation is None
