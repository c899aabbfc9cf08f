"""Sets of solved positions: what they hold, and their files.

A set belongs to one rulesheet, and holds positions of which the value of every legal move is known.
Its file is JSON lines, compressed by xz. The first line describes the set, and each other one is a
position::

    {"game": "connectFour", "rules": "5c0e...", "solver": "...", "seed": 0, ...}
    {"line": ["(drop 4)", "(drop 4)"], "values": {"50": ["(drop 3)"], "100": ["(drop 4)", ...]}}

``line`` are the moves from the initial state of whoever had a choice; ``values`` are goal values
for the role that has the choice now, each with the moves that are worth it.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from gdl import GdlError, Ruleset, Term, load, parse_term
from gdl.game_library import find_own_game
from ggp_player.errors import PositionSetError

SUFFIX = ".positions.xz"
"""What the names of files of sets end in; before it comes the name of the game."""

OWN_SETS = Path(__file__).parents[3] / "benchmarks/strength/positions"
"""The sets of the sources; an installed package has none."""

FORMAT = 1
"""The version of the format, raised when older readers cannot read it."""

MAX_BYTES = 2**26
"""The most bytes of a file once it is decompressed: 64 MiB, some hundred times a large set."""


_term = lru_cache(maxsize=2**14)(parse_term)
"""The few moves of a game are read again and again."""


@dataclass(frozen=True, slots=True)
class SolvedPosition:
    """A position, by the choices that lead to it, and the value of each legal move.

    Values are goal values, 0 to 100, that the move assures the role that makes it.
    """

    line: tuple[Term, ...]
    values: Mapping[Term, int]

    @property
    def best(self) -> int:
        """The value of the position for the role that has the choice."""
        return max(self.values.values())

    def is_error(self, move: Term) -> bool:
        """Whether a legal move gives some of the value away."""
        return self.values[move] < self.best

    def to_json(self) -> str:
        """The position as a line of a file."""
        moves: defaultdict[int, list[str]] = defaultdict(list)
        for move, value in self.values.items():
            moves[value].append(str(move))
        line = {"line": list(map(str, self.line)), "values": dict(sorted(moves.items()))}
        return json.dumps(line, separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> SolvedPosition:
        """Read a line of a file. Raises :class:`PositionSetError` for anything else."""
        try:
            read = json.loads(text)
            line = tuple(map(_term, read["line"]))
            values = {
                _term(move): int(value) for value, moves in read["values"].items() for move in moves
            }
        except (ValueError, KeyError, TypeError, AttributeError, GdlError) as error:
            raise PositionSetError(
                'expected {"line": [move, ...], "values": {value: [move, ...]}}; '
                f"found {text[:80]}"
            ) from error
        if not values or not all(0 <= value <= 100 for value in values.values()):
            raise PositionSetError(
                f"expected moves with goal values of 0 to 100; found {text[:80]}"
            )
        return SolvedPosition(line, values)


@dataclass(frozen=True, slots=True)
class PositionSet:
    """Solved positions of one game.

    ``rules`` is :func:`rules_digest` of its rulesheet, which is beside the file of the set or among
    our own. ``about`` says how the set was made, for readers: solver, seed, version, date.
    """

    game: str
    rules: str
    positions: Sequence[SolvedPosition]
    about: Mapping[str, Any] = field(default_factory=dict)

    def check(self, ruleset: Ruleset) -> None:
        """Raise :class:`PositionSetError` unless the positions were solved by these rules."""
        found = rules_digest(ruleset)
        if found != self.rules:
            raise PositionSetError(
                f"the positions of {self.game} were solved by other rules: expected a rulesheet "
                f"with the digest {self.rules[:12]}, found {found[:12]}; make the set anew"
            )


def rules_digest(ruleset: Ruleset) -> str:
    """The SHA-256 of the rules in hexadecimal, whatever their order, layout and comments."""
    rules = sorted(map(str, ruleset.rules))
    return hashlib.sha256("\n".join(rules).encode()).hexdigest()


def save_set(positions: PositionSet, path: Path) -> None:
    """Write a set to a file, whole or not at all."""
    head = {"format": FORMAT, "game": positions.game, "rules": positions.rules, **positions.about}
    lines = [json.dumps(head), *(position.to_json() for position in positions.positions)]
    partial = path.with_name(f"{path.name}.new")
    partial.write_bytes(lzma.compress("\n".join(lines).encode() + b"\n", preset=6))
    partial.replace(path)


def load_set(path: Path) -> PositionSet:
    """Read a set from a file. Raises :class:`PositionSetError` for one that cannot be used."""
    try:
        first, *rest = _text_of(path).splitlines()
        about = json.loads(first)
        version = about.pop("format")
        game, rules = str(about.pop("game")), str(about.pop("rules"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PositionSetError(
            f"{path}: expected a set of positions; its first line names the format, game and rules"
        ) from error
    if version != FORMAT:
        raise PositionSetError(f"{path}: expected format {FORMAT}, found {version}")
    try:
        return PositionSet(game, rules, [SolvedPosition.from_json(line) for line in rest], about)
    except PositionSetError as error:
        raise PositionSetError(f"{path}: {error}") from error


def _text_of(path: Path) -> str:
    try:
        with lzma.open(path) as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise PositionSetError(f"{path} cannot be read: {error}") from error
    if len(data) > MAX_BYTES:
        raise PositionSetError(f"{path}: expected at most {MAX_BYTES} bytes of positions")
    return data.decode()


def rules_of(positions: PositionSet, path: Path) -> Ruleset:
    """Read the rulesheet of a set: ``GAME.kif`` beside its file, or our own game of that name.

    Raises :class:`PositionSetError` where there is none, or it is not that of the set.
    """
    beside = path.parent / f"{positions.game}.kif"
    found = beside if beside.is_file() else find_own_game(positions.game)
    if found is None:
        raise PositionSetError(
            f"{path}: expected the rulesheet {beside}, or a game of ours named {positions.game}"
        )
    ruleset = load(found)
    positions.check(ruleset)
    return ruleset


def sets_in(folder: Path) -> list[Path]:
    """The files of sets in a folder, in alphabetical order."""
    return sorted(folder.glob(f"*{SUFFIX}"))
