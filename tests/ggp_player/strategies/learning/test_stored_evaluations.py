"""What was learned of a game is found again in other words, and bad files do no harm."""

from __future__ import annotations

import base64
import errno
import json
import logging
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest

import gdl
from gdl.engine import PropnetStateMachine
from gdl.language import CanonicalForm, Scrambler, canonical_form
from ggp_player.strategies import Position
from ggp_player.strategies.learning import (
    FOLDER_VARIABLE,
    LearnedAlphaBeta,
    LearnedEvaluation,
    Learner,
    LearningRound,
    StoredEvaluation,
    evaluations_folder,
    learner,
    read_evaluation,
    stored_evaluations,
)
from ggp_player.strategies.learning.duel import Score
from ggp_player.strategies.learning.pattern_learning import Learning
from ggp_player.strategies.learning.stored_evaluations import (
    MAX_BYTES,
    MAX_ROUNDS,
    RecalledEvaluation,
    path_in,
    recall_evaluation,
)
from tests.support.learned_games import GAME, numbered_evaluation, ticking
from tests.support.small_games import compiled


def form_of(machine: PropnetStateMachine) -> CanonicalForm:
    form = canonical_form(machine.ruleset)
    assert form is not None
    return form


def stored(
    machine: PropnetStateMachine, evaluation: LearnedEvaluation | None = None
) -> StoredEvaluation:
    evaluation, duel = evaluation or numbered_evaluation(machine), Score(3.5, 5)
    rounds = [LearningRound(5.0, 30, 0.0, 0, True), LearningRound(12.0, 10, 3.5, 6, True)]
    return StoredEvaluation.of(evaluation, machine, form_of(machine), 12.5, duel, rounds)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of stored evaluations, with one of the game."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "evaluations"))
    stored(compiled(GAME)).save(evaluations_folder())
    return tmp_path / "evaluations"


@pytest.fixture
def scrambled() -> tuple[PropnetStateMachine, Scrambler]:
    """The game in other words and another order, and what has renamed it."""
    ruleset, random = gdl.parse(GAME), Random(5)
    scrambler = Scrambler.of(ruleset, random)
    rules = scrambler.scramble_ruleset(ruleset).rules
    roles = [rule for rule in rules if rule.head.name == "role"]
    others = [rule for rule in rules if rule.head.name != "role"]
    random.shuffle(others)
    return gdl.compile(gdl.Ruleset((*others, *roles))), scrambler


def test_what_is_stored_is_read(folder: Path) -> None:
    machine = compiled(GAME)
    digest = form_of(machine).digest
    assert [path.name for path in folder.iterdir()] == [f"{digest}.json"]
    found = read_evaluation(folder, digest)
    assert found == stored(machine)
    assert found.duel == Score(3.5, 5)
    evaluation, expected = (
        found.evaluation_of(machine, form_of(machine)),
        numbered_evaluation(machine),
    )
    for role in range(2):
        np.testing.assert_allclose(
            evaluation.seen_from(role).weights, expected.seen_from(role).weights, atol=1e-3
        )
    assert str(evaluation) == "stored 42 patterns learned from 40 games"


def test_the_last_rounds_are_stored() -> None:
    machine = compiled(GAME)
    rounds = [LearningRound(float(number), 1, 1.0, 2, True) for number in range(MAX_ROUNDS + 5)]
    evaluation = numbered_evaluation(machine)
    found = StoredEvaluation.of(evaluation, machine, form_of(machine), 1.0, None, rounds)
    assert found.rounds == tuple(rounds[5:])


def test_a_scrambled_game_gets_the_weights_of_its_own_fluents(
    folder: Path, scrambled: tuple[PropnetStateMachine, Scrambler]
) -> None:
    machine, (other, scrambler) = compiled(GAME), scrambled
    evaluation, expected = recall_evaluation(other), numbered_evaluation(machine)
    assert evaluation is not None
    assert evaluation.is_zero_sum
    known, found = expected.tables, evaluation.tables
    renamed = {str(scrambler.scramble(fact)): number for number, fact in enumerate(machine.facts)}
    for number, fact in enumerate(other.facts):
        first, before = found.starts[number], known.starts[renamed[str(fact)]]
        assert found.reached[first] == known.reached[before]
        assert found.offsets[first] == known.offsets[before] == 1
    assert [str(other.facts[phase]) for phase in found.phases] == [
        str(scrambler.scramble(machine.facts[phase])) for phase in known.phases
    ]
    np.testing.assert_allclose(evaluation.weights, expected.weights, atol=1e-3)


@pytest.mark.parametrize("version", [1, 2])
def test_a_file_of_an_earlier_version_is_ignored(
    version: int, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (path,) = folder.iterdir()
    path.write_text(json.dumps({"version": version, "rules": path.stem, "weights": []}))
    assert recall_evaluation(compiled(GAME)) is None
    assert f"the stored evaluation {path} is ignored: version" in caplog.text


def test_the_learner_uses_what_is_stored(
    folder: Path,
    scrambled: tuple[PropnetStateMachine, Scrambler],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(Learning, "work", None)  # nobody may learn
    monkeypatch.setattr(learner, "LEAST_GAMES", 40)  # as many as what is stored was learned from
    monkeypatch.setattr(learner, "play_in_all_seats", lambda *_arguments: iter([Score(6.0, 6)]))
    caplog.set_level(logging.INFO)
    found = Learner(ticking(0.01))
    for _ in found.work(scrambled[0], 1):
        pass
    assert found.note.startswith("stored 42 patterns learned from 40 games; guided by them")
    assert "using stored 42 patterns learned from 40 games" in caplog.text
    assert isinstance(found.strategy, LearnedAlphaBeta)


def test_alpha_beta_alone_uses_what_is_stored(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_evaluations, "Learning", None)
    machine = compiled(GAME)
    strategy = LearnedAlphaBeta(megabytes=1, clock=ticking(0.001))
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    assert any(choice.value is not None for choice in strategy.search(position))


def test_other_games_are_not_found(folder: Path) -> None:
    assert recall_evaluation(compiled(GAME.replace("(corner 1)", "(corner 2)"))) is None


def test_games_that_cannot_be_recognised_are_learned(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_evaluations, "canonical_form", lambda _ruleset: None)
    assert recall_evaluation(compiled(GAME)) is None


def test_without_a_folder_there_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_evaluations, "canonical_form", None)  # nothing to look for
    assert recall_evaluation(compiled(GAME), tmp_path / "none") is None
    assert recall_evaluation(compiled(GAME), tmp_path) is None


def test_the_folder_is_the_users_unless_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    assert evaluations_folder().parts[-2:] == ("ggp-player", "evaluations")
    monkeypatch.setenv(FOLDER_VARIABLE, "somewhere")
    assert evaluations_folder() == Path("somewhere")


# ---------------------------------------------------------------------- bad files

Document = dict[str, object]

ROUND: Document = {"seconds": 5.0, "games": 9, "points": 3.0, "matches": 6, "is_kept": True}


def changed(**values: object) -> Callable[[Document], str]:
    return lambda document: json.dumps(document | values)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda _: "", "JSON"),
        (lambda document: json.dumps(document)[:-20], "JSON"),
        (lambda _: "[" * 100_000, "JSON"),
        (lambda _: "\x00\xff", "JSON"),
        (changed(version=4), "version"),
        (changed(rules="0" * 64), "other rules"),
        (changed(rules="../../x"), "rules"),
        (changed(games=-1), "games"),
        (changed(games="many"), "games"),
        (changed(seconds=float("nan")), "seconds"),
        (changed(extra=1), "extra"),
        (changed(patterns="none"), "patterns"),
        (changed(rounds=[1]), "rounds.0"),
        (changed(rounds=[ROUND] * 1001), "rounds"),
        (changed(rounds=[ROUND | {"points": 7.0}]), "rounds.0: Value error, more than 6 points"),
        (changed(rounds=[ROUND | {"points": float("inf")}]), "rounds.0.points"),
        (changed(rounds=[ROUND | {"matches": 10**12}]), "rounds.0.matches"),
        (changed(rounds=[ROUND | {"seconds": -1.0}]), "rounds.0.seconds"),
        (lambda document: json.dumps(document) + " " * MAX_BYTES, "larger than"),
    ],
)
def test_a_bad_file_is_one_sentence_in_the_log(
    damage: Callable[[Document], str], reason: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (path,) = folder.iterdir()
    path.write_text(damage(json.loads(path.read_text())), encoding="latin-1")
    assert recall_evaluation(compiled(GAME)) is None
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    sentence = record.getMessage()
    assert sentence.startswith(f"the stored evaluation {path} is ignored: ")
    assert reason in sentence
    assert "\n" not in sentence


def packed(values: object) -> str:
    return base64.b64encode(zlib.compress(np.array(values, "<f2").tobytes())).decode()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"fluents": {}}, "knows 0 of"),
        ({"fluents": {"c": [-1, 0]}}, "fluents"),
        ({"fluents": {"c": "many"}}, "fluents"),
        ({"sizes": [0]}, "sizes"),
        ({"sizes": [2], "firsts": [0]}, "an entry that is in no table"),
        ({"sizes": [2]}, "patterns.firsts: not 1 numbers"),
        ({"sizes": [2**16] * 42, "firsts": [2**23 - 1] * 42}, "more than"),
        ({"firsts": [2**23]}, "firsts"),
        ({"sizes": [2] * 10_000}, "sizes"),
        ({"phases": ["none such"]}, "the game has no fluent none such"),
        ({"outputs": 3}, "patterns.outputs: 3, but of 2 roles"),
        ({"outputs": 0}, "outputs"),
        ({"weights": "?"}, "no compressed numbers"),
        ({"weights": packed([])}, "not "),
        ({"weights": packed([0.0] * 10**6)}, "not "),
        ({"weights": packed([float("nan")] * 2 * 85)}, "a number beyond 1000"),
        ({"weights": packed([2000.0] * 2 * 85)}, "a number beyond 1000"),
        ({"extra": 1}, "extra"),
    ],
)
def test_bad_patterns_are_one_sentence_in_the_log(
    change: Document, reason: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (path,) = folder.iterdir()
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"patterns": document["patterns"] | change}))
    assert recall_evaluation(compiled(GAME)) is None
    (record,) = caplog.records
    assert f"the stored evaluation {path} is ignored: " in record.getMessage()
    assert reason in record.getMessage()


def test_more_weights_than_memory_is_for_are_refused(
    folder: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_evaluations, "MAX_WEIGHTS", 100)
    assert recall_evaluation(compiled(GAME), folder) is None
    assert "patterns.weights: more than 100 numbers" in caplog.text


def test_a_table_without_an_offset_is_refused(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (path,) = folder.iterdir()
    document = json.loads(path.read_text())
    next(iter(document["patterns"]["fluents"].values())).append(1)
    path.write_text(json.dumps(document))
    assert recall_evaluation(compiled(GAME)) is None
    assert "a table without an offset" in caplog.text


def test_what_was_learned_in_less_time_is_ignored(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    machine = compiled(GAME)
    caplog.set_level("INFO")
    assert recall_evaluation(machine, folder, least_seconds=12.5) is not None
    assert recall_evaluation(machine, folder, least_seconds=15.0) is None
    assert "is ignored, as it was learned in 12 s, not 15 s" in caplog.text


def test_what_is_no_file_is_ignored(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (path,) = folder.iterdir()
    path.unlink()
    path.mkdir()
    assert recall_evaluation(compiled(GAME)) is None
    assert "is ignored: it is no file" in caplog.text


def test_a_fluent_that_is_not_known_is_in_no_pattern(folder: Path) -> None:
    machine = compiled(GAME)
    (path,) = folder.iterdir()
    document = json.loads(path.read_text())
    del document["patterns"]["fluents"][form_of(machine).text_of(machine.facts[5])]
    path.write_text(json.dumps(document))
    evaluation = recall_evaluation(machine)
    assert isinstance(evaluation, RecalledEvaluation)
    assert np.diff(evaluation.tables.starts).tolist() == [
        number != 5 for number in range(len(machine.facts))
    ]


def test_a_file_is_written_whole_or_not_at_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = compiled(GAME)
    path = path_in(folder, form_of(machine).digest)
    before = path.read_bytes()

    def fails(*_arguments: object) -> Path:
        raise OSError(errno.ENOSPC, "the disk is full")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="full"):
        stored(machine).save(folder)
    assert [each.name for each in folder.iterdir()] == [path.name]
    assert path.read_bytes() == before
