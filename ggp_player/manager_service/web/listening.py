"""How the service listens: behind the same front as the player, with bounds of its own.

Its open files are shared out here. What the manager needs to play matches is reserved first, so
that it can always ask the players, whoever else connects; the rest is for connections.
"""

from __future__ import annotations

import ssl
from pathlib import Path

from aiohttp import web

from ggp_player.errors import ManagerError
from ggp_player.front.admission import open_access
from ggp_player.front.connections import ConnectionBounds, Timeouts
from ggp_player.front.front import MAX_LINE, FrontSettings, FrontSite
from ggp_player.front.request_reader import Reading, Refusal
from ggp_player.manager_service.rules.rules_pool import MAX_PROCESSES
from ggp_player.manager_service.scheduling.clients import MAX_ASKED
from ggp_player.manager_service.scheduling.people import MAX_PEOPLE
from ggp_player.manager_service.web.api import MAX_BODY
from ggp_player.manager_service.web.models import ApiProblem, ProblemShown
from ggp_player.manager_service.web.people_pages import MAX_PASSED_ON

MAX_CONNECTIONS = 1024
"""Connections to the service, where the system lets it have so many files."""

MAX_CONNECTIONS_OF_ADDRESS = 256

RESERVED_FILES = 128
"""Descriptors for the service itself and its database, and for connections not counted yet."""

FILES_PER_MATCH = 6
"""Descriptors for the connections to the players of a match."""

FILES_PER_PROCESS = 2
"""Descriptors for a process of rules, or of a person's page, at most."""

HEAD_SECONDS = 10.0
"""How long the head of a request may take."""

BODY_SECONDS = 60.0
"""How long the body of a request may take."""

MAX_HELD = 4 * MAX_BODY
"""Bytes of requests that are not whole yet, of all connections together."""

STOPPING_SECONDS = 2.0
"""How long open requests get when the service stops."""


def new_site(
    runner: web.AppRunner,
    address: tuple[str, int],
    concurrency: int,
    tls: ssl.SSLContext | None = None,
) -> FrontSite:
    """Create what listens at an address, beside so many matches at a time."""
    settings = FrontSettings(
        open_access,
        connection_bounds(concurrency),
        Timeouts(HEAD_SECONDS, BODY_SECONDS),
        Reading(MAX_BODY, guesses=False),
        _as_json,
        tls=tls,
    )
    return FrontSite(runner, address, settings)


def tls_context(certificate: Path, key: Path | None) -> ssl.SSLContext:
    """Return how connections are encrypted with a certificate, and those that it follows from.

    Without ``key``, the file of the certificate has the key, too. Raises :class:`ManagerError`
    where they cannot be used.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except (OSError, ValueError) as error:
        files = f"{certificate} and {key}" if key else str(certificate)
        raise ManagerError(f"{files}: expected a certificate and its key: {error}") from error
    return context


def _no_password() -> str:
    """Refuse a key that has a password: nobody may be there to enter it."""
    raise ValueError("the key has a password; expected one without")


def new_runner(application: web.Application) -> web.AppRunner:
    """Create what runs the application of the service."""
    return web.AppRunner(
        application,
        access_log=None,
        shutdown_timeout=STOPPING_SECONDS,
        max_line_size=MAX_LINE,
        max_field_size=MAX_LINE,
    )


def connection_bounds(concurrency: int) -> ConnectionBounds:
    """How many connections there may be, beside the open files that so many matches need."""
    reserved = reserved_files(concurrency)
    most, of_address = MAX_CONNECTIONS, MAX_CONNECTIONS_OF_ADDRESS
    return ConnectionBounds.beside(reserved, most, of_address, MAX_HELD)


def reserved_files(concurrency: int) -> int:
    """How many open files the manager keeps for itself, at so many matches at a time.

    Besides for matches they are for questions whether players are there, and for people: their
    pages are passed on by connections of the manager's own.
    """
    processes = MAX_PROCESSES + MAX_PEOPLE
    matches = FILES_PER_MATCH * concurrency + FILES_PER_PROCESS * processes
    return RESERVED_FILES + matches + MAX_ASKED + MAX_PASSED_ON


def _as_json(refusal: Refusal) -> bytes:
    """Write a refusal as all errors of the API are."""
    body = ProblemShown(error=ApiProblem(what=refusal.sentence)).model_dump_json()
    return refusal.response(body.encode(), "application/json")
