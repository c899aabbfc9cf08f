"""Evaluations on disk: what was learned of a game at leisure, for whoever meets it again.

A file holds the weights of each role's evaluation by the canonical texts of fluents, with those of
its network where there is one. It is named after the digest of the canonical rules
(:func:`gdl.language.canonical_form`): the game is recognised in whatever words and order its rules
come, and by whatever engine. ``ggp-player learn`` writes such files, and both the learner and
``learned_alpha_beta`` look for one.

A file is not trusted: its size, its version, its numbers and its digest are checked, and what is
wrong is one sentence in the log.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import platformdirs
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, NonNegativeInt, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from gdl.engine import PropnetStateMachine
from gdl.language import CanonicalForm, canonical_form
from ggp_player.strategies.learning.evaluation import learn_evaluation
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.network import Network
from ggp_player.strategies.learning.playout_states import Clock
from ggp_player.strategies.solver import UNITS

VERSION: Literal[2] = 2
"""The version of the format. Version 1, which knows no networks, is still read."""

FOLDER_VARIABLE = "GGP_PLAYER_EVALUATIONS"
"""The environment variable that names the folder of stored evaluations."""

MAX_BYTES = 2**24
"""A larger file is not read."""

MAX_WEIGHT = 1_000.0
"""Logits beyond this are nothing that was learned."""

MIN_KNOWN = 0.5
"""The part of a game's fluents that a file must know: engines differ in what they leave out."""

DIGITS = 7
"""Decimals of the weights of networks: more would make no difference."""

Weight = Annotated[float, Field(ge=-MAX_WEIGHT, le=MAX_WEIGHT, allow_inf_nan=False)]

UnitWeights = Annotated[list[Weight], Field(min_length=UNITS, max_length=UNITS)]
"""A number for each unit of a network."""

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
class RoleWeights:
    """What each fluent, by its canonical text, adds to the logit that a role wins."""

    constant: Weight
    fluents: Mapping[str, Weight]


@checked_dataclass(frozen=True, slots=True, config=_CONFIG)
class RoleNetwork:
    """A role's network: see :class:`.Network`; fluents by their canonical texts."""

    fluents: Mapping[str, UnitWeights]
    widths: Annotated[list[UnitWeights], Field(min_length=2, max_length=2)]
    constants: UnitWeights
    output: UnitWeights

    @classmethod
    def of(cls, network: Network, texts: list[str]) -> RoleNetwork:
        """What to store of a network, given the texts of the fluents."""
        parts = (network.fluents, network.widths, network.constants, network.output)
        fluents, *others = (part.astype(np.float64).round(DIGITS).tolist() for part in parts)
        return cls(dict(zip(texts, fluents, strict=True)), *others)

    def network(self, texts: list[str]) -> Network:
        """The network for a game with fluents of these texts."""
        none = [0.0] * UNITS
        parts = ([self.fluents.get(text, none) for text in texts], self.widths)
        return Network(
            *(np.array(part, np.float32) for part in (*parts, self.constants, self.output))
        )


@checked_dataclass(frozen=True, slots=True, config=_CONFIG)
class DuelResult:
    """The points of alpha-beta with the evaluation against the tree search, of so many matches."""

    points: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    matches: NonNegativeInt


@checked_dataclass(frozen=True, slots=True, config=_CONFIG)
class StoredEvaluation:
    """An evaluation as it is stored.

    ``rules`` is the digest of the canonical rules. There are ``weights`` for each of two
    rivals, in role order, and ``networks`` or none. ``states`` and ``games`` were learned from for
    so many ``seconds``.
    """

    version: Literal[1, 2]
    rules: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    weights: Annotated[tuple[RoleWeights, RoleWeights], Field(strict=False)]
    states: NonNegativeInt
    games: NonNegativeInt
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    duel: DuelResult | None = None
    networks: Annotated[tuple[RoleNetwork, RoleNetwork] | None, Field(strict=False)] = None

    @classmethod
    def of(
        cls,
        evaluation: LearnedEvaluation,
        machine: PropnetStateMachine,
        form: CanonicalForm,
        seconds: float,
        duel: DuelResult | None = None,
    ) -> StoredEvaluation:
        """What to store of an evaluation for a game's machine, in the canonical form of its rules.

        Raises pydantic's ValidationError for weights beyond ``MAX_WEIGHT``.
        """
        texts = list(map(form.text_of, machine.facts))
        weights = []
        for of_role in evaluation.weights:
            *fluents, constant = of_role.tolist()
            weights.append(RoleWeights(constant, dict(zip(texts, fluents, strict=True))))
        first, second = weights
        networks = None
        if evaluation.networks is not None:
            own, other = (RoleNetwork.of(network, texts) for network in evaluation.networks)
            networks = (own, other)
        return cls(
            VERSION,
            form.digest,
            (first, second),
            evaluation.states,
            evaluation.games,
            seconds,
            duel,
            networks,
        )

    def save(self, folder: Path) -> Path:
        """Write a file, which at any moment is whole or absent, and return its path.

        A file of the same game is replaced. Raises OSError where it cannot be written.
        """
        path = path_in(folder, self.rules)
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / f".{path.name}.{os.getpid()}"
        try:
            with temporary.open("wb") as file:
                file.write(_ADAPTER.dump_json(self, indent=1) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        return path

    def evaluation_of(self, machine: PropnetStateMachine, form: CanonicalForm) -> LearnedEvaluation:
        """The evaluation for a machine of the game.

        A fluent that the file does not know weighs nothing. Raises ValueError where it knows too
        few of them.
        """
        texts = list(map(form.text_of, machine.facts))
        for known in (*self.weights, *(self.networks or ())):
            count = sum(text in known.fluents for text in texts)
            if count < MIN_KNOWN * len(texts):
                raise ValueError(f"it knows {count} of the game's {len(texts)} fluents")
        first, second = (_array(known, texts) for known in self.weights)
        networks = None
        if self.networks is not None:
            own, other = (known.network(texts) for known in self.networks)
            networks = (own, other)
        return RecalledEvaluation((first, second), self.states, self.games, networks)


_ADAPTER = TypeAdapter(StoredEvaluation)


def _array(known: RoleWeights, texts: list[str]) -> NDArray[np.float32]:
    """A role's weights in the order of the fluents' texts, then the constant."""
    values = [known.fluents.get(text, 0.0) for text in texts]
    return np.array([*values, known.constant], np.float32)


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
    _log.info("using a %s", evaluation)
    return evaluation


def recall_or_learn(
    machine: PropnetStateMachine, seed: int, seconds: float, clock: Clock
) -> Generator[None, None, LearnedEvaluation | None]:
    """The stored evaluation as it is, or else what :func:`.learn_evaluation` learns.

    One that was learned in less time than there is now is learned anew.
    """
    evaluation = recall_evaluation(machine, least_seconds=seconds)
    if evaluation is not None:
        return evaluation
    return (yield from learn_evaluation(machine, seed, seconds, clock))


def _holds_any(folder: Path) -> bool:
    """Whether a folder has files of this kind."""
    try:
        return any(folder.glob("*.json"))
    except OSError:
        return False
