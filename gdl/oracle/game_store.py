"""Games that are kept between requests, the latest ones only."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Literal, TypeAlias

from gdl.compilation import compile
from gdl.errors import GdlError
from gdl.language import Ruleset, Term, is_ground, parse, parse_term
from gdl.oracle.limits import Limits
from gdl.oracle.requests import RequestError
from gdl.reasoner import interpret
from gdl.state_machine import RuledMachine, State

NAME = "<rules>"
"""What messages call the rules of a request."""

MachineName: TypeAlias = Literal["reasoner", "propnet"]


class CachedGame:
    """A game's rules, and its machines as soon as somebody has asked for them."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.ruleset: Ruleset = parse(text, NAME)
        self._machines: dict[str, RuledMachine] = {}

    def machine(self, name: MachineName) -> RuledMachine:
        """Return a machine of the game; raises :class:`gdl.GdlError`."""
        if name not in self._machines:
            make = compile if name == "propnet" else interpret
            self._machines[name] = make(self.ruleset)
        return self._machines[name]

    def forget_machines(self) -> None:
        """Drop machines whose work was broken off; they are made anew when asked for."""
        self._machines.clear()


class GameStore:
    """The games that were asked about last."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._games: OrderedDict[str, CachedGame] = OrderedDict()

    def find(self, rules: str | None, name: str | None) -> CachedGame:
        """Find a game by its rules or its name.

        Raises :class:`.requests.RequestError` where there is none, :class:`gdl.GdlSyntaxError` for
        rules that cannot be read.
        """
        if (rules is None) == (name is None):
            raise RequestError("bad_request", "expected either rules or a game")
        if rules is not None:
            digest = hashlib.sha256(rules.encode("utf-8", "surrogatepass")).hexdigest()
            return self._keep(self._games.get(digest) or CachedGame(rules, digest))
        if name is None or name not in self._games:
            message = "no such game is kept; send its rules (again)"
            raise RequestError("unknown_game", message)
        self._games.move_to_end(name)
        return self._games[name]

    def _keep(self, game: CachedGame) -> CachedGame:
        self._games[game.name] = game
        self._games.move_to_end(game.name)
        while len(self._games) > self._limits.games:
            self._games.popitem(last=False)
        return game

    def forget_machines(self) -> None:
        """Drop the machines of the game that was asked about last."""
        if self._games:
            self._games[next(reversed(self._games))].forget_machines()


def read_term(text: str, what: str) -> Term:
    """Read a fact or a move; raises :class:`.requests.RequestError`."""
    shown = text if len(text) <= 80 else f"{text[:77]}..."
    try:
        term = parse_term(text)
    except GdlError as error:
        first = str(error).splitlines()[0].partition("error: ")[2]
        raise RequestError("bad_term", f"{what} {shown!r}: {first}") from None
    if not is_ground(term):
        raise RequestError("bad_term", f"{what} {shown!r} has a variable")
    return term


def read_state(machine: RuledMachine, facts: Sequence[str]) -> State:
    """Return the state of some facts; raises :class:`.requests.RequestError`."""
    terms = [read_term(fact, "the fact") for fact in facts]
    state = machine.state_of(map(machine.ruleset.spell, terms))
    present = {str(fact).lower() for fact in state}
    missing = next((str(term) for term in terms if str(term).lower() not in present), None)
    if missing is not None:
        raise RequestError("bad_state", f"no state of this game can have the fact {missing[:80]}")
    return state
