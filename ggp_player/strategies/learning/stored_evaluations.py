"""Evaluations on disk: what was learned of a game at leisure, for whoever meets it again.

A file holds the weights of patterns, and what each fluent, by its canonical text, adds to their
indices. It is named after the digest of the canonical rules
(:func:`gdl.language.canonical_form`): the game is recognised in whatever words and order its rules
come, and by whatever engine. ``ggp-player learn`` writes such files, and both the learner and
``learned_alpha_beta`` look for one.

A file is not trusted: its size, its version, its numbers and its digest are checked, and what is
wrong is one sentence in the log.
"""

from __future__ import annotations

import base64
import binascii
import logging
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Literal

import numpy as np
import platformdirs
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, NonNegativeInt, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from gdl.engine import PropnetStateMachine
from gdl.language import CanonicalForm, canonical_form
from gdl.system import write_whole
from ggp_player.clock import Clock
from ggp_player.strategies import Position
from ggp_player.strategies.learning.duel import Score
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.learning_time import OwnTime, clock_until, seconds_from
from ggp_player.strategies.learning.long_learning import LearningRound
from ggp_player.strategies.learning.pattern_learning import Learning
from ggp_player.strategies.patterns.pattern_tables import PatternTables

VERSION: Literal[3] = 3
"""The version of the format. What earlier versions knew is worth nothing beside patterns."""

FOLDER_VARIABLE = "GGP_PLAYER_EVALUATIONS"
"""The environment variable that names the folder of stored evaluations."""

MAX_BYTES = 2**26
"""A larger file is not read."""

MAX_WEIGHT = 1_000.0
"""Logits beyond this are nothing that was learned."""

MIN_KNOWN = 0.5
"""The part of a game's fluents that a file must know: engines differ in what they leave out."""

MAX_TABLES, MAX_ENTRIES, MAX_PHASES, MAX_WEIGHTS = 4_096, 2**23, 64, 2**25
"""Tables, their entries in all, phases, and weights."""

MAX_ROUNDS = 1_000
"""Rounds of learning, the last ones where there are more."""

_CONFIG = ConfigDict(extra="forbid", strict=True)

_log = logging.getLogger(__name__)


def evaluations_folder() -> Path:
    """The folder of stored evaluations; the variable ``FOLDER_VARIABLE`` overrides the default."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named:
        return Path(named)
    return Path(platformdirs.user_data_dir("ggp-player", appauthor=False)) / "evaluations"


class RecalledEvaluation(LearnedEvaluation):
    """An evaluation that was learned before the match."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"stored {LearnedEvaluation.__str__(self)}"


@checked_dataclass(frozen=True, slots=True, config=_CONFIG)
class StoredPatterns:
    """Tables and weights: see :class:`.PatternTables`; fluents by their canonical texts.

    ``fluents`` has, for each fluent, the tables that it reaches and the offsets there in turn.
    ``weights`` are the bytes of float16 (entries + 1, phases * ``outputs``), from the smallest byte
    on, compressed by zlib, in base64.
    """

    sizes: Annotated[list[Annotated[int, Field(ge=1, le=2**16)]], Field(max_length=MAX_TABLES)]
    firsts: Annotated[
        list[Annotated[int, Field(ge=0, lt=MAX_ENTRIES)]], Field(max_length=MAX_TABLES)
    ]
    fluents: Mapping[str, list[Annotated[int, Field(ge=0, lt=2**16)]]]
    phases: Annotated[list[str], Field(max_length=MAX_PHASES)]
    outputs: Annotated[int, Field(ge=1)]
    weights: str

    @classmethod
    def of(cls, evaluation: LearnedEvaluation, texts: list[str]) -> StoredPatterns:
        """What to store of an evaluation, given the texts of the fluents."""
        tables = evaluation.tables
        pairs = np.stack([tables.reached, tables.offsets], axis=1).astype(int)
        fluents = {
            text: pairs[tables.starts[number] : tables.starts[number + 1]].ravel().tolist()
            for number, text in enumerate(texts)
        }
        weights = np.clip(evaluation.weights, -MAX_WEIGHT, MAX_WEIGHT).astype("<f2").tobytes()
        return cls(
            tables.sizes.tolist(),
            tables.firsts.tolist(),
            fluents,
            [texts[number] for number in tables.phases],
            evaluation.outputs,
            base64.b64encode(zlib.compress(weights)).decode(),
        )

    def tables(self, texts: list[str]) -> PatternTables:
        """The tables for a game with fluents of these texts.

        Raises ValueError for tables or phases that there cannot be.
        """
        found = [np.array(self.fluents.get(text, ()), np.int64) for text in texts]
        pairs = np.concatenate([*found, np.zeros(0, np.int64)])
        if any(len(each) % 2 for each in found):
            raise ValueError("patterns.fluents: a table without an offset")
        reached, offsets = pairs[::2], pairs[1::2]
        sizes, firsts = np.array(self.sizes, np.int64), np.array(self.firsts, np.int64)
        if len(sizes) != len(firsts):
            raise ValueError(f"patterns.firsts: not {len(sizes)} numbers, one for each table")
        if (reached >= len(sizes)).any() or (offsets >= sizes[reached]).any():
            raise ValueError("patterns.fluents: an entry that is in no table")
        if (firsts + sizes).max(initial=0) > MAX_ENTRIES:
            raise ValueError(f"patterns.sizes: more than {MAX_ENTRIES} entries")
        if missing := set(self.phases) - set(texts):
            raise ValueError(f"patterns.phases: the game has no fluent {min(missing)[:50]}")
        return PatternTables(
            np.cumsum([0, *(len(each) // 2 for each in found)]).astype(np.uint32),
            reached.astype(np.uint32),
            offsets.astype(np.uint16),
            firsts.astype(np.uint32),
            sizes.astype(np.uint32),
            np.array([texts.index(text) for text in self.phases], np.int32),
        )

    def weights_of(self, tables: PatternTables) -> NDArray[np.float32]:
        """The weights for the tables. Raises ValueError for anything but as many numbers."""
        shape = (tables.entries + 1, tables.phase_count * self.outputs)
        if shape[0] * shape[1] > MAX_WEIGHTS:
            raise ValueError(f"patterns.weights: more than {MAX_WEIGHTS} numbers")
        expected = 2 * shape[0] * shape[1]
        try:
            packed = base64.b64decode(self.weights, validate=True)
            found = zlib.decompressobj().decompress(packed, expected + 1)
        except (binascii.Error, ValueError, zlib.error) as error:
            raise ValueError("patterns.weights: no compressed numbers in base64") from error
        if len(found) != expected:
            raise ValueError(f"patterns.weights: not {expected} bytes")
        weights = np.frombuffer(found, "<f2").reshape(shape).astype(np.float32)
        if not (np.abs(weights) <= MAX_WEIGHT).all():
            raise ValueError(f"patterns.weights: a number beyond {MAX_WEIGHT:.0f}")
        return weights


@checked_dataclass(frozen=True, slots=True, config=_CONFIG)
class StoredEvaluation:
    """An evaluation as it is stored.

    ``rules`` is the digest of the canonical rules. It was learned from so many ``games`` for so
    many ``seconds``, in these ``rounds``. In the ``duel`` a search with it has played the tree
    search: alpha-beta where two rivals play, and else the tree search that is guided.
    """

    version: Literal[3]
    rules: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    patterns: StoredPatterns
    games: NonNegativeInt
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    duel: Score | None = None
    rounds: Annotated[tuple[LearningRound, ...], Field(max_length=MAX_ROUNDS)] = ()

    @classmethod
    def of(
        cls,
        evaluation: LearnedEvaluation,
        machine: PropnetStateMachine,
        form: CanonicalForm,
        seconds: float,
        duel: Score | None = None,
        rounds: Sequence[LearningRound] = (),
    ) -> StoredEvaluation:
        """What to store of an evaluation for a game's machine, with the form of its rules."""
        texts = list(map(form.text_of, machine.facts))
        patterns = StoredPatterns.of(evaluation, texts)
        last = tuple(rounds[-MAX_ROUNDS:])
        return cls(VERSION, form.digest, patterns, evaluation.games, seconds, duel, last)

    def save(self, folder: Path) -> Path:
        """Write a file, which at any moment is whole or absent, and return its path.

        A file of the same game is replaced. Raises OSError where it cannot be written, and
        ValueError where it would be too large to be read again.
        """
        text = _ADAPTER.dump_json(self) + b"\n"
        if len(text) > MAX_BYTES:
            raise ValueError(f"it takes {len(text)} bytes, and no more than {MAX_BYTES} are read")
        path = path_in(folder, self.rules)
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
        return path

    def evaluation_of(self, machine: PropnetStateMachine, form: CanonicalForm) -> LearnedEvaluation:
        """The evaluation for a machine of the game.

        A fluent that the file does not know is in no pattern. Raises ValueError where it knows too
        few of them, where it is of other roles, and for tables that fit together in no way.
        """
        texts = list(map(form.text_of, machine.facts))
        count = sum(text in self.patterns.fluents for text in texts)
        if count < MIN_KNOWN * len(texts):
            raise ValueError(f"it knows {count} of the game's {len(texts)} fluents")
        outputs, roles = self.patterns.outputs, len(machine.roles)
        if outputs != roles and (outputs, roles) != (1, 2):
            raise ValueError(f"patterns.outputs: {outputs}, but of {roles} roles")
        tables = self.patterns.tables(texts)
        return RecalledEvaluation(tables, self.patterns.weights_of(tables), self.games)


_ADAPTER = TypeAdapter(StoredEvaluation)


def path_in(folder: Path, digest: str) -> Path:
    """Where the evaluation for the rules of a digest is stored."""
    return folder / f"{digest}.json"


def read_evaluation(folder: Path, digest: str) -> StoredEvaluation | None:
    """Read what is stored for the rules of a digest; None where there is nothing.

    Raises ValueError, with a sentence, for a file that is no stored evaluation of these rules, and
    OSError for one that cannot be read.
    """
    path = path_in(folder, digest)
    if not path.exists():
        return None
    if not path.is_file():
        raise ValueError("it is no file")
    with path.open("rb") as file:
        text = file.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES} bytes")
    try:
        stored = _ADAPTER.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{place[:100]}: {first['msg']}" if place else first["msg"]) from error
    if stored.rules != digest:
        raise ValueError("it is of other rules than its name says")
    return stored


def recall_evaluation(
    machine: PropnetStateMachine, folder: Path | None = None, least_seconds: float = 0.0
) -> LearnedEvaluation | None:
    """The stored evaluation of a machine's game; None where there is none that can be used.

    One that took less than ``least_seconds`` to learn is not. What is used, or is wrong, is logged.
    Where anything is stored at all, recognising the game takes some hundredths of a second, and
    about a second at most.
    """
    folder = evaluations_folder() if folder is None else folder
    if not _holds_any(folder):
        return None
    form = canonical_form(machine.ruleset)
    if form is None:
        return None
    try:
        stored = read_evaluation(folder, form.digest)
        if stored is None:
            return None
        if stored.seconds < least_seconds:
            seconds = f"{stored.seconds:.0f} s, not {least_seconds:.0f} s"
            _log.info("the stored evaluation is ignored, as it was learned in %s", seconds)
            return None
        evaluation = stored.evaluation_of(machine, form)
    except (OSError, ValueError) as error:
        path, reason = path_in(folder, form.digest), " ".join(str(error).split())
        _log.warning("the stored evaluation %s is ignored: %s", path, reason)
        return None
    _log.info("using %s", evaluation)
    return evaluation


class OwnEvaluation:
    """The evaluation of who learns alone: what is stored is taken, or else one is learned.

    ``evaluation`` is None before that, and where there are too few states to find patterns in. What
    was learned in less than ``seconds`` of CPU time, by ``clock``, is learned anew.
    """

    def __init__(
        self, seconds: float, clock: Clock, evaluation: LearnedEvaluation | None = None
    ) -> None:
        self.evaluation = evaluation
        self._seconds = seconds
        self._clock = clock
        self._work: Iterator[None] | None = None if evaluation is None else iter(())
        self._later: Learning | None = None

    def learn(self, machine: PropnetStateMachine, random: Random) -> Iterator[None]:
        """Learn, or go on where that was broken off; yield every few hundredths of a second."""
        if self._work is None:
            self._work = self._recall_or_learn(machine, random.getrandbits(32))
        # Not "yield from": closing this would end what should go on later.
        for _ in self._work:
            yield

    def learn_from(
        self, machine: PropnetStateMachine, position: Position, share: float
    ) -> Iterator[None]:
        """Learn on from games that begin in a position, for a part of the time for its move.

        Nothing is learned where there is no choice, and the evaluation stays as it is then.
        """
        seconds = seconds_from(position, share)
        if self.evaluation is None or seconds == 0 or len(position.legal_moves) == 1:
            return
        if self._later is None:
            self._later = Learning(machine, position.random.getrandbits(30), self.evaluation)
        time = OwnTime(self._clock)
        clock = clock_until(position.deadline, time)
        yield from time.of_steps(self._later.work_from(position.state, seconds, clock))
        self.evaluation = self._later.evaluation

    def _recall_or_learn(self, machine: PropnetStateMachine, seed: int) -> Iterator[None]:
        self.evaluation = recall_evaluation(machine, least_seconds=self._seconds)
        if self.evaluation is None:
            learning = Learning(machine, seed)
            yield from learning.work(self._seconds, self._clock)
            self.evaluation = learning.evaluation


def _holds_any(folder: Path) -> bool:
    """Whether a folder has files of this kind."""
    try:
        return any(folder.glob("*.json"))
    except OSError:
        return False
