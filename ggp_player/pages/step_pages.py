"""Pages that go through a search step by step: one as a file, and those of an archive's matches.

==============================================  ================================================
``GET /archive/NUMBER/steps?step=&line=``       the page, for a position and a ``strategy``
``GET /archive/NUMBER/steps/data?step=&line=``  what its module reads
==============================================  ================================================
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlencode

from aiohttp import web
from aiohttp.typedefs import Handler
from pydantic import ValidationError

from ggp_player.archive.archived_match import ArchivedMatch
from ggp_player.errors import AnalysisError, PositionError
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.drawing_messages import RecordSteps
from ggp_player.pages.page_file import page_in_a_file
from ggp_player.pages.position_pages import AskedPosition, with_sentences
from ggp_player.pages.security import is_own_page
from ggp_player.pages.site import PageSite
from ggp_player.search_steps.recording import STEPPED_STRATEGIES, RecordedSearch
from ggp_player.strategies.textbook.alpha_beta import AlphaBeta
from ggp_player.strategies.textbook.deliberation import Deliberation

STYLES = ("style.css", "tree_nodes.css", "stepper.css")


def steps_html(recorded: RecordedSearch, heading: str) -> str:
    """Write the steps of a search as an HTML file."""
    data = recorded.as_values()
    return page_in_a_file("steps.html", STYLES, "stepper.js", data, heading=heading)


class StepPages:
    """Answers requests for the steps of searches; ``found`` reads the match of a request."""

    def __init__(
        self,
        site: PageSite,
        path: Path,
        drawer: Drawer,
        base_of: Callable[[web.Request], str],
        found: Callable[[web.Request], Awaitable[ArchivedMatch]],
    ) -> None:
        self._site = site
        self._path = path
        self._drawer = drawer
        self._base_of = base_of
        self._found = found
        self.handlers: dict[str, Handler] = {
            "/archive/{match}/steps": self._page,
            "/archive/{match}/steps/data": with_sentences(self._data),
        }

    async def _page(self, request: web.Request) -> web.Response:
        found, asked = await self._found(request), _asked(request)
        strategy = asked.strategy or _usual(found)
        query = urlencode({"step": asked.step, "line": asked.line, "strategy": strategy})
        summary = found.summary
        game = summary.game or summary.match_id
        return self._site.page(
            "steps.html",
            self._base_of(request),
            here="",
            heading=f"{game}, after {asked.step} steps: {strategy}",
            match=summary.number,
            source=f"/archive/{summary.number}/steps/data?{query}",
            step=asked.step,
            line=asked.line,
            strategy=strategy,
            strategies=sorted(STEPPED_STRATEGIES),
        )

    async def _data(self, request: web.Request) -> web.Response:
        if not is_own_page(request.headers, request.host):
            raise web.HTTPForbidden(reason="only a page of this server may have a search recorded")
        found, asked = await self._found(request), _asked(request)
        if found.summary.status == "running" and asked.step >= len(found.moves):
            raise AnalysisError("this position is played now; it can be searched after the move")
        if asked.strategy not in STEPPED_STRATEGIES:
            names = ", ".join(sorted(STEPPED_STRATEGIES))
            raise PositionError(f"there are steps of the strategies {names}")
        wanted = RecordSteps(
            str(self._path),
            request.match_info["match"],
            asked.step,
            asked.line,
            len(found.steps),
            asked.strategy,
        )
        steps = await self._drawer.steps(wanted, request.remote or "")
        return self._site.json(steps.encode())


def _asked(request: web.Request) -> AskedPosition:
    try:
        return AskedPosition.model_validate({"strategy": "", **request.query})
    except ValidationError as error:
        raise web.HTTPBadRequest(reason="the link has no position that can be read") from error


def _usual(found: ArchivedMatch) -> str:
    """The strategy of a match that no link names."""
    return AlphaBeta.name if len(found.summary.seats) > 1 else Deliberation.name
