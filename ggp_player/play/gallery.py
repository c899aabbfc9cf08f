"""All games on a page, from which a match of one after the other is begun.

=====================  =========================================================================
``GET /``              the games, and a place for rulesheets of one's own
``GET /board/GAME``    a game's first position: ``{"svg", "facts"}``
``POST /begin``        begin a match: ``{"game", "roles", "level", "clock"}``, the level a number
                       or ``"adaptive"``; the one before is ended
``POST /rules``        check a rulesheet, and add its game: ``{"name", "text"}``
``GET /match/``        the page of the match, and so on, as :mod:`.page` says
=====================  =========================================================================

Whatever is asked for is guarded as there. A rulesheet from the page is read in the process that
draws; only one that can be played from its initial state comes into this one, like a file that is
named on the command line.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path, PurePath
from typing import Annotated, Literal, TypeAlias, TypeVar

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import to_json

import gdl
from gdl import GdlError, Ruleset
from gdl.drawing.rendering import layout_file_of
from gdl.game_library import own_games
from gdl.language import RANDOM_ROLE, opening_comment
from ggp_player.errors import GgpPlayerError, PlayError
from ggp_player.languages import Sentence, sentence_of
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.drawing_messages import Drawing, FindGame
from ggp_player.pages.rulesheets import GameFound, ShownProblem
from ggp_player.pages.security import PAGE_HEADERS, WriteGuard
from ggp_player.pages.site import PageSite, language_of
from ggp_player.play.levels import ADAPTIVE, LEVELS, MIDDLE, remembered_level
from ggp_player.play.match_clock import TIME_CONTROLS, TimeControl
from ggp_player.play.match_pages import MatchPages
from ggp_player.play.page import MAX_REQUEST, by_name_of_this_machine, in_sentences, listening
from ggp_player.play.play_setup import PlaySetup
from ggp_player.play.session import PlaySession

MAX_RULESHEET = 2**20
"""Characters of the longest rulesheet from the page."""

MAX_BODY = 2 * MAX_RULESHEET
"""Bytes of the longest request, which has a rulesheet as JSON."""

MAX_ADDED = 8
"""Rulesheets from the page that are kept, the newest ones."""

MATCH = "/match"
"""What the addresses of the match begin with."""

_NO_WORD = re.compile(r"[^A-Za-z0-9_-]+")
_ROLE = re.compile(r"^\(role\s+([^\s()]+)\)", re.MULTILINE)
_ABOUT = re.compile(r"\babout (\d{1,6})\b")
_NUMBER = re.compile(r"\b\d{1,6}\b")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z(])")

KINDS = {
    "turns": ("alternating", Sentence("in turns")),
    "simultaneous": ("simultaneous", Sentence("moves at the same time")),
    "chance": ("chance", Sentence("chance")),
    "hidden": ("imperfect information", Sentence("hidden information")),
    "puzzle": ("one player", Sentence("puzzle")),
}
"""Kinds of games: how a comment's line of roles begins to say so, and what people read."""

LENGTHS = {
    "10": (10, Sentence("up to 10 steps")),
    "30": (30, Sentence("11 to 30 steps")),
    "60": (60, Sentence("31 to 60 steps")),
    "longer": (inf, Sentence("more than 60 steps")),
}
"""Lengths of matches: the most steps of each, and what people read."""


@dataclass(frozen=True, slots=True)
class GameCard:
    """A game in a list of games. ``roles`` are those without chance, ``kinds`` keys of KINDS.

    ``sentence`` says how it is played and ``length`` how many steps a match has; either is empty
    where the comment does not tell.
    """

    key: str
    title: str
    sentence: str
    roles: tuple[str, ...]
    kinds: tuple[str, ...]
    length: str

    @property
    def kinds_in_words(self) -> tuple[str, ...]:
        """The kinds as people read them."""
        return tuple(KINDS[kind][1] for kind in self.kinds)

    @property
    def steps(self) -> str:
        """The key in LENGTHS of about how long a match is; empty where that is not told.

        That is how long one is at random, or else the middle of the shortest and the longest.
        """
        about = _ABOUT.search(self.length)
        numbers = about.groups() if about else _NUMBER.findall(self.length)[:2]
        steps = round(sum(map(int, numbers)) / max(1, len(numbers)))
        return next(key for key, (most, _) in LENGTHS.items() if steps <= most) if numbers else ""


def game_card(key: str, name: str, text: str, roles: Sequence[str] = ()) -> GameCard:
    """Make the card of a rulesheet; ``name`` is its title where the comment has none.

    Without ``roles`` they are read off the lines that state them, as our own rulesheets have them.
    """
    comment = opening_comment(text)
    items = dict(comment.items)
    roles = roles or _ROLE.findall(text)
    tags = re.split(r"[,;] ", items.get("Roles", "").partition("(")[2].rstrip(")"))
    kinds = [kind for kind, (word, _) in KINDS.items() if any(tag.startswith(word) for tag in tags)]
    persons = tuple(role for role in roles if role.lower() != RANDOM_ROLE)
    if len(persons) < len(roles) and "chance" not in kinds:
        kinds.append("chance")
    first = comment.paragraphs[0] if comment.paragraphs else ""
    return GameCard(
        key,
        comment.title or name,
        _SENTENCE_END.split(first, maxsplit=1)[0],
        persons,
        tuple(kinds),
        items.get("Length", ""),
    )


NewSetup: TypeAlias = Callable[[Ruleset, str, str], PlaySetup]
"""Says what a match of a game, of some name and address, is played with unless the page does."""

NewSession: TypeAlias = Callable[[PlaySetup], Awaitable[PlaySession]]
"""Makes the session of a match. Raises GgpPlayerError or GdlError where it cannot be played."""


@dataclass(frozen=True, slots=True)
class _Game:
    """A game of the page: a file, or the text that was added; the problems are warnings.

    ``name`` is what the ids of its matches begin with.
    """

    name: str
    card: GameCard
    text: str
    file: Path | None = None
    problems: tuple[ShownProblem, ...] = ()

    def ruleset(self) -> Ruleset:
        return gdl.load(self.file) if self.file is not None else gdl.parse(self.text)

    @property
    def layout_file(self) -> str:
        found = layout_file_of(self.file) if self.file is not None else None
        return str(found.resolve()) if found is not None else ""


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


_Word: TypeAlias = Annotated[str, StringConstraints(max_length=4000)]


class _Begin(_Asked):
    game: _Word
    roles: Annotated[list[_Word], Field(max_length=100)] = []
    level: Annotated[int, Field(ge=0, le=len(LEVELS))] | Literal["adaptive"]
    clock: _Word = ""


class _Rules(_Asked):
    name: _Word = ""
    text: Annotated[str, StringConstraints(max_length=MAX_RULESHEET)]


_Kind = TypeVar("_Kind", bound=_Asked)


class Gallery:
    """The games and the match that is under way, while it is served: see :func:`serve_gallery`.

    ``level`` is chosen at first, a number or ``ADAPTIVE``; where it is 0, ``opponents`` are named
    in its place. The clocks of ``control`` can be chosen, too, and are at first.
    """

    def __init__(
        self,
        new_setup: NewSetup,
        new_session: NewSession,
        level: int | str,
        opponents: Sequence[str] = (),
        control: TimeControl | None = None,
    ) -> None:
        self.session: PlaySession | None = None
        self._new_setup, self._new_session = new_setup, new_session
        self._level, self._opponents = level, ", ".join(opponents)
        self._control = control.key if control is not None else ""
        self._controls = {one.key: one for one in (*TIME_CONTROLS, control) if one is not None}
        self._guard = WriteGuard()
        self._site = PageSite("ggp-player")
        self._drawer = Drawer()
        self._pages = MatchPages(MATCH, {("GET", "/"): self._to_gallery}, gallery="/")
        self._games = _own_games()  # before anybody asks
        self._drawings: dict[str, Drawing] = {}
        self._finding: set[asyncio.Task[tuple[GameFound, Drawing]]] = set()
        self._added = 0
        self._title = ""
        self._turn = asyncio.Lock()
        self._is_closing = False

    def application(self) -> web.Application:
        """Return the aiohttp application of the games and of the match."""
        app = web.Application(
            middlewares=[by_name_of_this_machine, in_sentences], client_max_size=MAX_BODY
        )
        app.router.add_get("/", self._page)
        app.router.add_get("/board/{game}", self._board)
        app.router.add_post("/begin", self._begin)
        app.router.add_post("/rules", self._rules)
        app.router.add_get(MATCH, self._to_match)
        self._site.add_static_route(app.router)
        below = web.Application()
        self._site.add_static_route(below.router)
        below.router.add_route("*", "/{path:.*}", self._match)
        app.add_subapp(MATCH, below)
        return app

    async def start(self) -> None:
        """Start the processes that draw, that of matches first."""
        await self._pages.warm_up()
        await self._drawer.warm_up()

    async def close(self) -> None:
        """End the match, and draw no more."""
        self._is_closing = True
        for finding in self._finding:
            finding.cancel()
        async with self._turn:
            await self._pages.close()
            if self.session is not None:
                await self.session.close()
        await self._drawer.close()

    # ---------------------------------------------------------------------- the games

    async def _page(self, request: web.Request) -> web.Response:
        session = self.session
        added = [game for game in self._games.values() if game.file is None]
        own = [game for game in self._games.values() if game.file is not None]
        return self._site.page(
            "gallery.html",
            language=language_of(request),
            token=self._guard.token,
            games=[*reversed(added), *own],
            kinds={kind: words for kind, (_, words) in KINDS.items()},
            lengths={key: words for key, (_, words) in LENGTHS.items()},
            levels=LEVELS,
            level=self._level,
            adaptive=remembered_level(request.cookies) or MIDDLE,
            opponents=self._opponents,
            controls=self._controls.values(),
            control=self._control,
            match=f"{MATCH}/" if session is not None else "",
            title=self._title,
            is_over=session is not None and session.is_over,
            most=MAX_RULESHEET,
        )

    async def _board(self, request: web.Request) -> web.Response:
        key = request.match_info["game"]
        game = self._game(key)
        drawing = self._drawings.get(key)
        if drawing is None:
            asked = FindGame(game.text, game.layout_file, f"{key}-")
            _, drawing = await self._found(asked, "the gallery")
            if drawing.svg:  # a list of facts may be for want of time, which there may be later
                self._drawings[key] = drawing
        return self._site.json(to_json({"svg": drawing.svg, "facts": drawing.facts}))

    async def _rules(self, request: web.Request) -> web.Response:
        """Check a rulesheet; answer with its key, or with what is wrong."""
        asked = await self._asked(request, _Rules)
        key = f"added-{self._added + 1}"
        self._added += 1
        found, drawing = await self._found(FindGame(asked.text, prefix=f"{key}-"), "a rulesheet")
        if not found.roles:
            return self._site.json(to_json({"problems": found.problems}))
        name = PurePath(asked.name).stem[:80] or "rulesheet"
        card = game_card(key, name, asked.text, found.roles)
        word = _NO_WORD.sub("_", name)
        self._games[key] = _Game(word, card, asked.text, problems=found.problems)
        if drawing.svg:
            self._drawings[key] = drawing
        added = [one for one, game in self._games.items() if game.file is None]
        for oldest in added[:-MAX_ADDED]:
            del self._games[oldest]
            self._drawings.pop(oldest, None)
        return self._site.json(to_json({"key": key}))

    async def _found(self, asked: FindGame, asker: str) -> tuple[GameFound, Drawing]:
        finding = asyncio.create_task(self._drawer.game(asked, asker))
        self._finding.add(finding)
        finding.add_done_callback(self._finding.discard)
        try:
            return await finding
        except GgpPlayerError as error:
            raise PlayError(sentence_of(error)) from error

    def _game(self, key: str) -> _Game:
        if key not in self._games:
            raise web.HTTPNotFound(reason=Sentence("there is no such game here"))
        return self._games[key]

    async def _asked(self, request: web.Request, kind: type[_Kind]) -> _Kind:
        self._guard.check(request)
        try:
            return kind.model_validate_json(await request.read())
        except ValidationError as error:
            raise web.HTTPBadRequest(reason=Sentence("that is no request of a page")) from error

    # ---------------------------------------------------------------------- the match

    async def _begin(self, request: web.Request) -> web.Response:
        """Begin a match, then end the one before: where that cannot be done, it goes on."""
        asked = await self._asked(request, _Begin)
        game = self._game(asked.game)
        if asked.clock and asked.clock not in self._controls:
            raise web.HTTPNotFound(reason=Sentence("there is no such clock here"))
        async with self._turn:
            if self._is_closing:
                raise web.HTTPServiceUnavailable(reason=Sentence("the program ends"))
            try:
                ruleset = await asyncio.to_thread(game.ruleset)
                address = game.file.resolve().as_uri() if game.file is not None else ""
                setup = replace(
                    self._new_setup(ruleset, game.name, address),
                    persons=tuple(asked.roles),
                    adapts=asked.level == ADAPTIVE,
                    control=self._controls.get(asked.clock),
                )
                if isinstance(asked.level, str):
                    setup = setup.at(remembered_level(request.cookies) or MIDDLE)
                elif asked.level:
                    setup = setup.at(LEVELS[asked.level - 1])
                session = await self._new_session(setup)
            except (GgpPlayerError, GdlError) as error:
                raise PlayError(sentence_of(error)) from error
            before, self.session = self.session, await session.__aenter__()
            self._title = game.card.title
            await self._pages.show(session, game.card.title)
            if before is not None:
                await before.close()
        return self._site.json(b"{}")

    async def _match(self, request: web.Request) -> web.StreamResponse:
        if self._is_closing:
            raise web.HTTPServiceUnavailable(reason=Sentence("the program ends"))
        if request.method == "POST" and len(await request.read()) > MAX_REQUEST:
            raise web.HTTPRequestEntityTooLarge(MAX_REQUEST, 0)
        return await self._pages.answer(request, f"/{request.match_info['path']}")

    async def _to_match(self, _request: web.Request) -> web.Response:
        return _at(f"{MATCH}/")

    async def _to_gallery(self, _request: web.Request) -> web.Response:
        return _at("/")


def _own_games() -> dict[str, _Game]:
    found = {}
    for name, file in own_games().items():
        text = file.read_text(encoding="utf-8")
        found[name] = _Game(name, game_card(name, name, text), text, file)
    return found


def _at(path: str) -> web.Response:
    return web.Response(status=303, headers={**PAGE_HEADERS, "Location": path})


@asynccontextmanager
async def serve_gallery(gallery: Gallery, port: int = 0) -> AsyncIterator[str]:
    """Serve a gallery on the loopback address, as :func:`listening` does; yield the address."""
    async with listening(gallery.application(), port) as address:
        try:
            await gallery.start()
            yield address
        finally:
            with suppress(asyncio.CancelledError):
                await gallery.close()
