"""Files that were damaged: each is read, or refused as its reader says, whatever is in it.

The first line of an input says what kind of file the rest is.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout, suppress
from functools import cache
from io import StringIO
from pathlib import Path
from random import Random
from types import MappingProxyType
from unittest.mock import patch

import click
from pydantic import ValidationError

import gdl
from gdl.__main__ import main as gdl_commands
from gdl.array_kernels.archive import Manifest
from gdl.array_kernels.arguments import KernelArchiveError, Leaf
from gdl.engine import PropnetStateMachine
from gdl.language import CanonicalForm, canonical_form
from ggp_player.__main__ import main as player_commands
from ggp_player.errors import ConfigError, JointMoveError, TournamentError
from ggp_player.inspect.move_sequences import MatchPrefix
from ggp_player.manager.tournament.report import result_line
from ggp_player.manager.tournament.results import Identity, MatchResult, ResultsFile
from ggp_player.manager.tournament.standings import standings
from ggp_player.protocol import MatchRecord, Start
from ggp_player.server.config import ENVIRONMENT_PREFIX, load_config
from ggp_player.server.match_journal import SUFFIX, JournalFolder
from ggp_player.strategies.learning.duel import Score
from ggp_player.strategies.learning.stored_evaluations import (
    StoredEvaluation,
    path_in,
    read_evaluation,
)
from tests.fuzz.mutators import mutate_expressions, mutate_json, token_mutator
from tests.fuzz.quiet import no_log
from tests.fuzz.target import Target
from tests.support.learned_games import GAME, learned, numbered_evaluation
from tests.support.paths import ROOT

IDENTITY = Identity({"nim": "1f"}, ("uct", "legal"), 10, 5, 0)

RESULT = MatchResult(
    *("m", "nim", 1, 7, ("a", "b"), ("uct", "legal"), (100, 0), 12),
    *((("3 TO", "5 IL (take x)"), ()), (0.5, 0.1), 3.5),
)

TOML = b"""port = 9147
name = "x"
allow = ["192.0.2.0/24", "::1"]
margin = 0.5
strategy = "bounded_minimax:upper=51"
log_level = "info"
token = "0123456789abcdef"
ponder = true
"""

COMMANDS = (
    b"ggp-player serve --port 9147 --allow 192.0.2.7 --allow ::1 --ponder false --margin=1",
    b"ggp-player match games/nim.kif uct legal --start-clock 2 --play-clock 1 --seed 7",
    b"ggp-player analyze games/nim.kif --strategy alpha_beta --tree --depth 2",
    b"ggp-player tournament --game games/nim.kif --start-clock 2 mcts uct",
    b"ggp-player info localhost:9147",
    b"gdl check games/nim.kif --simulate",
    b"gdl perft games/nim.kif --depth 4",
    b"gdl bench games --baselines --seconds 0.5",
)

_words = token_mutator(
    rb"[\w.-]+|[^\w.-]",
    (
        *(b"=", b"\n", b"[", b"]", b'"', b"'", b"{", b"}", b"#", b"0", b"-1", b"1e400", b"nan"),
        *(b"true", b"port", b"name", b"strategy", b"mcts", b"uct:x=1", b"auto:", b"[table]\n"),
        *(b"1" * 5000, b"1979-05-27", b"0.0.0.0/33", b"memory_limit", b"margin = inf\n", b"\xff"),
        *(
            b'"""',
            b"allow_host",
            b"seed",
            b"GGP",
            b"evaluations = ",
            b"log_format",
            b"\0",
            b"\xc5\xb7",
        ),
    ),
)


@cache
def _folder() -> Path:
    """An own folder for the files of this process."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-files-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "state").mkdir(mode=0o700)
    return folder


def _file(name: str, data: bytes) -> Path:
    path = _folder() / name
    path.write_bytes(data)
    return path


# ---------------------------------------------------------------------- kinds of files


def _check_record(data: bytes) -> None:
    with suppress(ValidationError):
        record = MatchRecord.from_json(data)
        assert MatchRecord.from_json(record.to_json()) == record
    path = _file("record.json", data)
    with suppress(JointMoveError):
        MatchPrefix(_ruleset(), _machine(), 3).follow(str(path))


def _check_moves(data: bytes) -> None:
    try:
        MatchPrefix(_ruleset(), _machine(), 3).follow(os.fsdecode(data))
    except JointMoveError as error:
        assert str(error)


def _check_journal(data: bytes) -> None:
    """Read the journal of a match as a server does that starts again."""
    folder = _folder() / "state"
    for path in folder.glob("*.*"):
        path.unlink()
    (folder / f"{_JOURNAL_NAME}{SUFFIX}").write_bytes(data)
    journals = JournalFolder(folder)
    try:
        for stored in journals.stored_matches(8, lambda _: 1e9):
            assert isinstance(stored.start, Start)
    finally:
        journals.close()


_JOURNAL_NAME = "62c66a7a5dd70c3146618063c344e531"
"""The digest of the match id ``m``."""


def _check_summed_journal(data: bytes) -> None:
    """The same, with the checksums that belong to the lines."""
    lines = data.split(b"\n")
    _check_journal(b"".join(b"%08x %b\n" % (zlib.crc32(line), line) for line in lines))


def _check_evaluation(data: bytes) -> None:
    form = _form()
    path_in(_folder(), form.digest).write_bytes(data)
    with suppress(ValueError):
        stored = read_evaluation(_folder(), form.digest)
        assert stored is not None
        evaluation = stored.evaluation_of(_machine(), form)
        assert str(evaluation)


def _check_results(data: bytes) -> None:
    path = _file("results.jsonl", data)
    try:
        with ResultsFile(path, IDENTITY) as file:
            found, players = file.results, file.identity.players
    except TournamentError as error:
        assert str(error)
        return
    standings(found, players, tuple(IDENTITY.games))
    assert all(map(result_line, found))
    with ResultsFile(path, IDENTITY) as again:
        assert again.results == found


def _check_manifest(data: bytes) -> None:
    with suppress(KernelArchiveError):
        manifest = Manifest.parse(data)
        assert isinstance(manifest.code + manifest.kernels, str)
        assert all(isinstance(name + digest, str) for name, digest in manifest.files.items())
        for entry in manifest.entries.values():
            assert isinstance(entry.result, str)
            for leaf in entry.leaves:
                Leaf.from_json(leaf)


def _check_settings(data: bytes) -> None:
    path = _file("settings.toml", data)
    try:
        config = load_config(path)
    except ConfigError as error:
        assert str(error)
        return
    assert config.access
    assert config.timeouts
    assert config.memory_limits


def _check_environment(data: bytes) -> None:
    """Set variables, one a line."""
    pairs = [os.fsdecode(line).partition("=") for line in data.replace(b"\0", b"").split(b"\n")]
    variables = {f"{ENVIRONMENT_PREFIX}{key}": value for key, _, value in pairs if key}
    with patch.dict(os.environ, variables), suppress(ConfigError):
        load_config()


def _check_flags(data: bytes) -> None:
    """Read a command line, an argument a line, without doing what it says."""
    program, *words = [os.fsdecode(line) for line in data.replace(b"\0", b"").split(b"\n")]
    group = {"gdl": gdl_commands}.get(program, player_commands)
    if not words:
        return
    with redirect_stdout(StringIO()), suppress(click.ClickException, click.exceptions.Exit):
        command = group.get_command(click.Context(group), words[0])
        if command is not None:
            found = command.make_context(words[0], words[1:]).params
            if words[0] == "serve":
                _load_flags(found)


def _load_flags(flags: Mapping[str, object]) -> None:
    given = {name: None if value == () else value for name, value in flags.items()}
    file = given.pop("config")
    with suppress(ConfigError):
        load_config(file if isinstance(file, Path) else None, given)


KINDS: Mapping[bytes, Callable[[bytes], None]] = MappingProxyType(
    {
        b"record": _check_record,
        b"moves": _check_moves,
        b"journal": _check_journal,
        b"summed-journal": _check_summed_journal,
        b"evaluation": _check_evaluation,
        b"results": _check_results,
        b"manifest": _check_manifest,
        b"settings": _check_settings,
        b"environment": _check_environment,
        b"flags": _check_flags,
    }
)


def check(data: bytes) -> None:
    """Have the reader of its kind read a file."""
    kind, _, content = data.partition(b"\n")
    if kind in KINDS:
        with no_log():
            KINDS[kind](content)


# ---------------------------------------------------------------------- seeds


@cache
def _ruleset() -> gdl.Ruleset:
    return gdl.parse(GAME)


@cache
def _machine() -> PropnetStateMachine:
    return gdl.compile(_ruleset())


@cache
def _form() -> CanonicalForm:
    form = canonical_form(_ruleset())
    assert form is not None
    return form


def _evaluations() -> list[bytes]:
    machine, folder = _machine(), _folder()
    found = []
    for evaluation in (numbered_evaluation(machine), learned(machine)):
        stored = StoredEvaluation.of(evaluation, machine, _form(), 12.5, Score(3.5, 5))
        found.append(stored.save(folder).read_bytes())
    return found


def _record() -> bytes:
    moves = ((str(_moves()[0]), "noop"),)
    names, states = ("a", "b"), ("( a )", "( b )")
    record = MatchRecord("m", 1, 10, 5, names, states, (1, 2), moves, (("", ""), ("TO", "")))
    return record.to_json().encode()


def _moves() -> tuple[gdl.Term, ...]:
    machine = _machine()
    return machine.legal_moves(machine.initial_state(), machine.roles[0])


def _journal() -> list[bytes]:
    start = {"match_id": "m", "role": "x", "rules": "(role x)", "start_clock": 1, "play_clock": 1}
    first = {"start": start, "owner": "", "encoding": "utf-8", "version": 1}
    steps = [{"turn": turn, "moves": ["(a 1)", "noop"]} for turn in (1, 2)]
    return [json.dumps(entry).encode() for entry in (first, *steps)]


@cache
def seeds() -> tuple[bytes, ...]:
    """A file of each kind as it should be, small ones first."""
    journal = b"\n".join(_journal())
    identity = json.dumps({"games": {"nim": "1f"}, "players": ["uct", "legal"]}).encode()
    path = _folder() / "first.jsonl"
    with ResultsFile(path, IDENTITY) as file:
        file.append(RESULT)
    move = str(_moves()[0]).encode()
    return (
        b"record\n" + _record(),
        b"moves\n" + move + b" noop",
        b"moves\n((" + move + b" noop))",
        b"summed-journal\n" + journal,
        b"journal\n" + b"".join(b"%08x %b\n" % (zlib.crc32(x), x) for x in _journal()),
        b"results\n" + path.read_bytes(),
        b"results\n" + identity,
        b"manifest\n" + _manifest(),
        b"settings\n" + TOML,
        b"environment\nPORT=9147\nALLOW=192.0.2.7 ::1\nSTRATEGY=mcts\nPONDER=false\nMARGIN=1",
        *(b"flags\n" + line.replace(b" ", b"\n") for line in COMMANDS),
        *(kind + b"\n" + opening * 20_000 for kind in KINDS for opening in (b"[", b'{"a":')),
        *(b"evaluation\n" + text for text in _evaluations()),
    )


def _manifest() -> bytes:
    """The manifest that is shipped, with a few of its kernels."""
    manifest = json.loads((ROOT / "ggp_player" / "strategies" / "kernels.json").read_bytes())
    manifest["entries"] = dict(list(manifest["entries"].items())[:2])
    manifest["files"] = dict(list(manifest["files"].items())[:2])
    return json.dumps(manifest).encode()


def mutate(data: bytes, random: Random) -> bytes:
    """Change a file as suits its kind, line by line where each line is JSON."""
    kind, _, content = data.partition(b"\n")
    if random.random() < 0.02:
        kind = random.choice(list(KINDS))
    if kind in {b"settings", b"environment", b"flags"}:
        content = _words(content, random)
    elif kind == b"moves":
        content = mutate_expressions(content, random)
    elif kind in {b"results", b"summed-journal"}:
        lines = content.split(b"\n")
        at = random.randrange(len(lines))
        lines[at] = random.choice(
            (lines[random.randrange(len(lines))], mutate_json(lines[at], random))
        )
        content = b"\n".join(lines)
    else:
        content = mutate_json(content, random)
    return kind + b"\n" + content


_machine()  # no input has to pay for compiling it
TARGET = Target("files", check, seeds, mutate, seconds=2.0, max_bytes=2**16)
