"""What was learned of a game is found again in other words, and bad files do no harm."""

from __future__ import annotations

import json
import logging
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
    DuelResult,
    LearnedAlphaBeta,
    LearnedEvaluation,
    Learner,
    StoredEvaluation,
    evaluations_folder,
    learner,
    read_evaluation,
    stored_evaluations,
)
from ggp_player.strategies.learning.duel import Score
from ggp_player.strategies.learning.stored_evaluations import (
    RecalledEvaluation,
    path_in,
    recall_evaluation,
)
from tests.support.learned_games import GAME, numbered_evaluation, numbered_network, ticking
from tests.support.small_games import compiled


def form_of(machine: PropnetStateMachine) -> CanonicalForm:
    form = canonical_form(machine.ruleset)
    assert form is not None
    return form


def stored(
    machine: PropnetStateMachine, evaluation: LearnedEvaluation | None = None
) -> StoredEvaluation:
    evaluation, duel = evaluation or numbered_evaluation(machine), DuelResult(3.5, 5)
    return StoredEvaluation.of(evaluation, machine, form_of(machine), 12.5, duel)


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
    assert found.duel == DuelResult(3.5, 5)
    evaluation, expected = (
        found.evaluation_of(machine, form_of(machine)),
        numbered_evaluation(machine),
    )
    for role in range(2):
        np.testing.assert_allclose(
            evaluation.seen_from(role).weights, expected.seen_from(role).weights
        )
    assert str(evaluation) == "stored evaluation of 3000 states and 40 games"


def test_a_scrambled_game_gets_the_weights_of_its_own_fluents(
    folder: Path, scrambled: tuple[PropnetStateMachine, Scrambler]
) -> None:
    machine, (other, scrambler) = compiled(GAME), scrambled
    evaluation, expected = recall_evaluation(other), numbered_evaluation(machine)
    assert evaluation is not None
    assert evaluation.is_zero_sum
    for role in range(2):
        found = evaluation.seen_from(role).weights
        by_fact = dict(zip(map(str, other.facts), found, strict=False))
        known = expected.seen_from(role).weights
        for fact, weight in zip(machine.facts, known, strict=False):
            assert by_fact[str(scrambler.scramble(fact))] == pytest.approx(weight)
        assert found[-1] == pytest.approx(known[-1])


def test_a_network_is_stored_and_read(folder: Path) -> None:
    machine = compiled(GAME)
    expected = numbered_network(machine)
    stored(machine, expected).save(folder)
    found = recall_evaluation(machine)
    assert found is not None
    assert found.is_network
    assert found.is_zero_sum
    assert str(found) == "stored network of 3000 states and 40 games"
    for role in range(2):
        layer, known = found.seen_from(role).hidden, expected.seen_from(role).hidden
        np.testing.assert_allclose(layer.rows, known.rows, atol=1e-5)
        np.testing.assert_allclose(layer.output, known.output, atol=1e-6)


def test_a_scrambled_game_gets_the_network_of_its_own_fluents(
    folder: Path, scrambled: tuple[PropnetStateMachine, Scrambler]
) -> None:
    machine, (other, scrambler) = compiled(GAME), scrambled
    expected = numbered_network(machine)
    stored(machine, expected).save(folder)
    evaluation = recall_evaluation(other)
    assert evaluation is not None
    rows, known = evaluation.seen_from(0).hidden.rows, expected.seen_from(0).hidden.rows
    by_fact = dict(zip(map(str, other.facts), rows, strict=False))
    for fact, row in zip(machine.facts, known, strict=False):
        np.testing.assert_allclose(by_fact[str(scrambler.scramble(fact))], row, atol=1e-6)
    np.testing.assert_allclose(rows[len(machine.facts) :], known[len(machine.facts) :], atol=1e-5)


def test_a_file_of_version_1_is_read(folder: Path) -> None:
    machine = compiled(GAME)
    (path,) = folder.iterdir()
    document = json.loads(path.read_text())
    del document["networks"]
    path.write_text(json.dumps(document | {"version": 1}))
    evaluation = recall_evaluation(machine)
    assert evaluation is not None
    assert not evaluation.is_network


def test_the_learner_uses_what_is_stored(
    folder: Path,
    scrambled: tuple[PropnetStateMachine, Scrambler],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(learner, "Learning", None)  # nobody may learn
    monkeypatch.setattr(learner, "play_pairs", lambda *_arguments: iter([Score(6.0, 6)]))
    caplog.set_level(logging.INFO)
    found = Learner(ticking(0.01))
    for _ in found.work(scrambled[0], 1):
        pass
    assert found.note.startswith("stored evaluation of 3000 states and 40 games; alpha-beta")
    assert "using a stored evaluation of 3000 states and 40 games" in caplog.text
    assert isinstance(found.strategy, LearnedAlphaBeta)


def test_alpha_beta_alone_uses_what_is_stored(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_evaluations, "learn_evaluation", None)
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


def changed(**values: object) -> Callable[[Document], str]:
    return lambda document: json.dumps(document | values)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda _: "", "JSON"),
        (lambda document: json.dumps(document)[:-20], "JSON"),
        (lambda _: "[" * 100_000, "JSON"),
        (lambda _: "\x00\xff", "JSON"),
        (changed(version=3), "version"),
        (changed(rules="0" * 64), "other rules"),
        (changed(rules="../../x"), "rules"),
        (changed(games=-1), "games"),
        (changed(seconds=float("nan")), "seconds"),
        (changed(states="many"), "states"),
        (changed(extra=1), "extra"),
        (changed(networks="none"), "networks"),
        (changed(weights=[]), "weights"),
        (changed(weights=[{"constant": 0.0, "fluents": {}}] * 2), "knows 0 of"),
        (changed(weights=[{"constant": 1e300, "fluents": {}}] * 2), "constant"),
        (changed(weights=[{"constant": 0.0, "fluents": {"c": float("inf")}}] * 2), "fluents"),
        (lambda document: json.dumps(document) + " " * 2**24, "larger than"),
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


ROW = [0.5] * 16
NETWORK = {"fluents": {"c": ROW}, "widths": [ROW, ROW], "constants": ROW, "output": ROW}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, "knows 0 of"),
        ({"fluents": {"c": ROW[:-1]}}, "fluents"),
        ({"fluents": {"c": "many"}}, "fluents"),
        ({"widths": [ROW]}, "widths"),
        ({"widths": [ROW] * 3}, "widths"),
        ({"constants": [*ROW, 0.0]}, "constants"),
        ({"output": [*ROW[1:], float("nan")]}, "output"),
        ({"output": [*ROW[1:], 1e6]}, "output"),
        ({"output": None}, "output"),
        ({"extra": 1}, "extra"),
    ],
)
def test_a_bad_network_is_one_sentence_in_the_log(
    change: Document, reason: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (path,) = folder.iterdir()
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"networks": [NETWORK | change] * 2}))
    assert recall_evaluation(compiled(GAME)) is None
    (record,) = caplog.records
    assert f"the stored evaluation {path} is ignored: " in record.getMessage()
    assert reason in record.getMessage()


def test_one_network_alone_is_refused(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (path,) = folder.iterdir()
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"networks": [NETWORK]}))
    assert recall_evaluation(compiled(GAME)) is None
    assert "networks" in caplog.text


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


def test_a_fluent_that_is_not_known_weighs_nothing(folder: Path) -> None:
    machine = compiled(GAME)
    (path,) = folder.iterdir()
    document = json.loads(path.read_text())
    fact = machine.facts[0]
    for known in document["weights"]:
        del known["fluents"][form_of(machine).text_of(fact)]
    path.write_text(json.dumps(document))
    evaluation = recall_evaluation(machine)
    assert isinstance(evaluation, RecalledEvaluation)
    weights = evaluation.seen_from(0).weights
    assert weights[0] == 0
    assert np.count_nonzero(weights) >= len(weights) - 2


def test_a_file_is_written_whole_or_not_at_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = compiled(GAME)
    path = path_in(folder, form_of(machine).digest)
    before = path.read_bytes()

    def fails(*_arguments: object) -> Path:
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="full"):
        stored(machine).save(folder)
    assert [each.name for each in folder.iterdir()] == [path.name]
    assert path.read_bytes() == before
