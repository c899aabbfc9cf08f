"""The settings of a player server: what each means, its unit, its range, and its sources.

A setting is taken from the first of these that has it: the command line, the environment (its name
in upper case after ``GGP_PLAYER_``), a TOML file, the default here.

The sources are read here and not by pydantic-settings, which ignores unknown variables and a
missing file, and does not say which source a bad value came from.

What the settings mean to other modules is imported when it is asked for, so that a command line can
list them without importing a server.
"""

from __future__ import annotations

import logging
import os
import socket
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from gdl.system import available_cpus, total_memory
from ggp_player.archive.archive_limit import ArchiveLimit
from ggp_player.errors import ConfigError
from ggp_player.logs import LogFormat
from ggp_player.search_memory import default_search_memory
from ggp_player.server.reply_deadline import MIN_MARGIN

if TYPE_CHECKING:
    from ggp_player.front.connections import Timeouts
    from ggp_player.server.access import AccessRules
    from ggp_player.worker.process import MemoryLimits

ADDRESSES_PER_BYTE = 2
"""The address space that a search tree reserves, for each byte that it may take."""

ENVIRONMENT_PREFIX = "GGP_PLAYER_"


PROGRAM_MIB, THREAD_MIB, MOST_THREADS = 960, 64, 16
"""What a search takes of its address space: on four cores 1133 MiB; with 1088 it dies now and then.

Each thread reserves memory for its own allocations; beyond so many it does with what there is.
"""


def least_memory() -> int:
    """Return the least MiB of address space with which a search plays on this machine."""
    return PROGRAM_MIB + THREAD_MIB * min(MOST_THREADS, available_cpus())


class Config(BaseModel):
    """The settings of a player server, checked and frozen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(
        default="127.0.0.1",  # strangers are to be let in on purpose
        min_length=1,
        description="the address to listen at; 127.0.0.1 is for managers on this machine alone, "
        "0.0.0.0 is every address of this machine",
    )
    port: int = Field(
        default=9147,
        ge=0,
        le=65535,
        description="the port to listen at, 0 to 65535; 0 takes any free one",
    )
    allow: tuple[str, ...] = Field(
        default=(),
        description="an address or network whose requests are answered, such as 192.0.2.7 or "
        "192.0.2.0/24, besides this machine; without any, all are",
    )
    token: str = Field(
        default="",
        pattern=r"^([A-Za-z0-9_~-]{16,200})?$",
        description="a secret of 16 to 200 letters, digits, _ ~ and -, that every request has to "
        "give, as the path http://host:port/SECRET or as Authorization: Bearer SECRET",
    )
    register_at: str = Field(
        default="",
        pattern=r"^(https?://[^\s/?#]+/?)?$",
        description="a manager to announce this player to, such as http://manager:9148",
    )
    register_token: str = Field(
        default="",
        pattern=r"^[!-~]*$",
        description="the token that the manager wants of a player",
    )
    register_address: str = Field(
        default="",
        pattern=r"^(\S+:\d{1,5}(/\S*)?)?$",
        description="host:port at which the manager reaches this player; without it the manager "
        "takes the address that the announcement comes from",
    )
    allow_host: tuple[str, ...] = Field(
        default=(),
        description="a domain name under which game managers call this machine; addresses and "
        "names without a dot are always answered",
    )
    allow_origin: tuple[str, ...] = Field(
        default=(),
        description="a web page that may drive the player, such as http://localhost:8000; * is "
        "every page",
    )
    allow_get: bool = Field(
        default=False,
        description="whether START, PLAY, STOP and ABORT are also answered when sent by GET, as "
        "course tools do: true or false",
    )
    bind_matches: bool = Field(
        default=True,
        description="whether a match is played only with the address, or holder of the secret, "
        "that sent its START: true or false",
    )
    max_connections: int = Field(
        default=256,
        ge=8,
        le=10000,
        description="how many connections are open at a time, 8 to 10000; beyond that, the oldest "
        "that has sent no whole request is closed",
    )
    max_connections_per_address: int = Field(
        default=64,
        ge=4,
        le=10000,
        description="how many of them are of one address, 4 to 10000",
    )
    head_timeout: float = Field(
        default=10,
        gt=0,
        le=3600,
        description="the seconds in which the head of a request has to come, up to 3600",
    )
    body_timeout: float = Field(
        default=60,
        gt=0,
        le=3600,
        description="the seconds in which the message has to follow, up to 3600",
    )
    pages: bool = Field(
        default=True,
        description="whether browsers are shown pages of the matches: true or false",
    )
    gallery: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="a port at which people on this machine play, on a page of all games, 1 to "
        "65535; without it there is none",
    )
    max_viewers: int = Field(
        default=32,
        ge=1,
        le=1000,
        description="how many pages are kept up to date at a time, 1 to 1000; half of the "
        "connections, and of those of one address, are never theirs",
    )
    max_clock: int = Field(
        default=3600,
        ge=1,
        le=86400,
        description="the longest start clock or play clock that is accepted, in seconds, 1 to "
        "86400",
    )
    poll: str = Field(
        default="",
        pattern=r"^(https?://[^\s?#]+)?$",
        description="the address of a game manager that players ask for messages, such as "
        "http://manager:8000/messages",
    )
    poll_as: str = Field(
        default="",
        pattern=r"^[!-'*-:<-~]{0,80}$",
        description="the name under which messages are asked for; without it, that of the player",
    )
    poll_reply: str = Field(
        default="",
        pattern=r"^(https?://[^\s?#]+)?$",
        description="the address to which replies are sent, where it is not that of --poll",
    )
    poll_interval: float = Field(
        default=1,
        ge=0.05,
        le=60,
        description="the seconds between two questions for messages, 0.05 to 60",
    )
    name: str = Field(
        default="ggp-player",
        pattern=r"^[!-'*-:<-~]{1,80}$",
        description="the player's name, 1 to 80 visible ASCII characters without blanks and ( ) ;",
    )
    strategy: str = Field(
        default="auto",
        description="a strategy, such as auto, minimax or bounded_minimax:upper=51, or a class of "
        "your own, ./file.py:Class or module:Class",
    )
    ponder: bool = Field(
        default=True,
        description="whether to think while others choose: true or false",
    )
    margin: float | None = Field(
        default=None,
        ge=MIN_MARGIN,
        le=60,
        description="the seconds kept in reserve before the end of every clock, 0.1 to 60, a third "
        "of it at most; without it, what measured replies call for, 1 at most",
    )
    max_matches: int = Field(
        default=1,
        ge=1,
        le=64,
        description="how many matches are played at a time, 1 to 64; each has two processes",
    )
    memory_limit: int = Field(
        default=4096,
        le=2**20,
        description=f"the MiB of address space of each process of a match, {least_memory()} to "
        "1048576 on this machine; the trees of its searches come on top",
    )
    search_memory: int | None = Field(
        default=None,
        ge=16,
        le=2**20,
        description="the MiB that the searches of a match take for their trees, 16 to 1048576, and "
        "for all matches not more than there is; without it, a quarter of what is free, for all "
        "matches together",
    )
    spares: int = Field(
        default=2,
        ge=0,
        le=64,
        description="how many processes wait to begin a match or replace a dead one, 0 to 64",
    )
    idle_limit: float = Field(
        default=60,
        gt=0,
        le=86400,
        description="the seconds of silence, beyond three clocks, that end a match, up to 86400",
    )
    evaluations: Path | None = Field(
        default=None,
        description="the folder in which ggp-player learn has stored evaluations; without it, one "
        "in the user's data folder",
    )
    state_dir: Path | None = Field(
        default=None,
        description="the folder in which running matches are kept, to go on with them after a "
        "restart; without it, they end with the server",
    )
    archive: Path | None = Field(
        default=None,
        description="the database to which all matches go; without it, one in the user's data "
        "folder",
    )
    no_archive: bool = Field(
        default=False,
        description="whether matches go to no archive at all: true or false",
    )
    archive_limit: str = Field(
        default="1GiB",
        description="how much the archive holds: a number of matches, a size such as 500MB, or "
        "none; beyond it the oldest finished matches are deleted",
    )
    events: str = Field(
        default="",
        description="a file to which all that happens in matches is appended, as lines of JSON; - "
        "is the standard output",
    )
    drain: bool = Field(
        default=False,
        description="whether to finish the matches of the state folder, begin no others, and end: "
        "true or false",
    )
    seed: int = Field(
        default=0,
        description="a whole number; with the same one a match is played with the same chances",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info",
        description="how much is logged: debug, info, warning or error",
    )
    log_format: LogFormat = Field(
        default="text",
        description="how lines are logged: text, or json with an object a line",
    )

    @field_validator("strategy")
    @classmethod
    def _exists(cls, spec: str) -> str:
        from ggp_player.strategies.selection import create

        create(spec)
        return spec

    @field_validator("archive_limit")
    @classmethod
    def _is_limit(cls, limit: str) -> str:
        ArchiveLimit.parse(limit)
        return limit

    @field_validator("memory_limit")
    @classmethod
    def _suffices(cls, limit: int) -> int:
        if limit < least_memory():
            found = f"with {limit} MiB no search works"
            raise ValueError(f"{found}; the least that works on this machine is {least_memory()}")
        return limit

    @field_validator("search_memory")
    @classmethod
    def _fits_into_memory(cls, value: int | None, info: ValidationInfo) -> int | None:
        total, matches = total_memory(), info.data.get("max_matches", 1)
        if value is not None and total is not None and value * matches * 2**20 > total:
            taken = f"{value} MiB for each of {matches} matches" if matches > 1 else f"{value} MiB"
            raise ValueError(
                f"{taken} is more than there is: this machine, or its container, has "
                f"{total // 2**20} MiB of memory; give fewer, or a smaller --max-matches"
            )
        return value

    @field_validator("allow", "allow_host", "allow_origin", mode="before")
    @classmethod
    def _separated(cls, values: object) -> object:
        return values.replace(",", " ").split() if isinstance(values, str) else values

    @field_validator("allow")
    @classmethod
    def _are_networks(cls, networks: tuple[str, ...]) -> tuple[str, ...]:
        for network in networks:
            try:
                ip_network(network, strict=False)
            except ValueError as error:
                raise ValueError(f"{network!r} is no address and no network") from error
        return networks

    @field_validator("log_level", "log_format", mode="before")
    @classmethod
    def _in_lower_case(cls, level: object) -> object:
        return level.lower() if isinstance(level, str) else level

    @cached_property
    def access(self) -> AccessRules:
        """Who may talk to the player."""
        from ggp_player.pages.player_pages import PAGE_PATHS
        from ggp_player.pages.position_pages import CHANGING_PATHS
        from ggp_player.server.access import AccessRules

        return AccessRules(
            networks=tuple(ip_network(network, strict=False) for network in self.allow),
            token=self.token,
            hosts=frozenset(
                name.lower() for name in (self.host, socket.gethostname(), *self.allow_host)
            ),
            origins=frozenset(self.allow_origin),
            get_changes=self.allow_get,
            pages=PAGE_PATHS if self.pages else (),
            page_changes=CHANGING_PATHS if self.pages else None,
        )

    @property
    def gallery_address(self) -> str:
        """Where people on this machine play; empty where they do not."""
        return f"http://127.0.0.1:{self.gallery}/" if self.gallery else ""

    @property
    def timeouts(self) -> Timeouts:
        """How long a request may take to come, and its reply to be received."""
        from ggp_player.front.connections import Timeouts

        return Timeouts(self.head_timeout, self.body_timeout)

    @property
    def memory_limits(self) -> MemoryLimits:
        """The memory of each process of a match."""
        from ggp_player.worker.process import MemoryLimits

        search = default_search_memory() // self.max_matches
        if self.search_memory is not None:
            search = self.search_memory * 2**20
        return MemoryLimits(self.memory_limit * 2**20 + ADDRESSES_PER_BYTE * search, search)

    @property
    def logging_level(self) -> int:
        """The level as :mod:`logging` numbers it."""
        return logging.getLevelNamesMapping()[self.log_level.upper()]


def load_config(file: Path | None = None, flags: Mapping[str, object] | None = None) -> Config:
    """Load the settings from flags, environment and file; flags that are None do not count.

    Raises :class:`ConfigError` with a sentence for every setting that is wrong, wherever it is.
    """
    sources = [_flags(flags or {}), _environment(), _file(file)]
    if unreadable := tuple(_unreadable(sources)):
        raise ConfigError(unreadable)
    origins: dict[str, str] = {}
    values: dict[str, Any] = {}
    for origin, found in sources:
        for key, value in found.items():
            if key not in values:
                values[key], origins[key] = value, origin.format(key=key, KEY=key.upper())
    try:
        return Config(**values)
    except ValidationError as error:
        raise ConfigError(tuple(_sentences(error, origins))) from error


def _flags(flags: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    return "the command line", {key: value for key, value in flags.items() if value is not None}


def _environment() -> tuple[str, Mapping[str, object]]:
    values = {
        name.removeprefix(ENVIRONMENT_PREFIX).lower(): value
        for name, value in os.environ.items()
        if name.startswith(ENVIRONMENT_PREFIX)
    }
    return f"the variable {ENVIRONMENT_PREFIX}{{KEY}}", values


def _file(path: Path | None) -> tuple[str, Mapping[str, object]]:
    if path is None:
        return "", {}
    try:
        return f"the file {path}", tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # of bytes, TOML, digits, brackets
        raise ConfigError((f"the file {path} cannot be read as TOML: {error}",)) from error


def _unreadable(sources: Iterable[tuple[str, Mapping[str, object]]]) -> Iterator[str]:
    """Yield a sentence for every text that is not UTF-8, as arguments and variables can be."""
    for origin, found in sources:
        for key, value in found.items():
            if not (_is_utf_8(key) and _is_utf_8(value)):
                name = ascii(key)[1:-1]
                yield f"{name} in {origin.format(key=name, KEY=name.upper())} is not UTF-8"


def _is_utf_8(value: object) -> bool:
    try:
        str(value).encode()
    except UnicodeEncodeError:
        return False
    return True


def _sentences(error: ValidationError, origins: Mapping[str, str]) -> Iterable[str]:
    for problem in error.errors():
        key = str(problem["loc"][0])
        field = Config.model_fields.get(key)
        if field is None:
            known = ", ".join(Config.model_fields)
            yield f"{key} in {origins[key]} is no setting; there are {known}"
        elif problem["type"] == "value_error":
            yield f"{key} in {origins[key]}: {problem['ctx']['error']}"
        else:
            value = problem["input"]
            yield f"{key} in {origins[key]} is {value!r}; expected {field.description}"
