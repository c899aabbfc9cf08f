"""A search goes on with compiled rules as soon as there are some, and stops where it is slow."""

import logging
from collections.abc import Iterator
from time import monotonic
from unittest.mock import Mock

import pytest

from gdl import StateMachine
from gdl.engine.machine import PropnetStateMachine
from ggp_player.events import BestMove, GameDescribed, ObservedStep, Step
from ggp_player.strategies import Choice, Method, Position, Strategy
from ggp_player.strategies.engine_strategy import EngineStrategy
from ggp_player.worker import compiling, search_worker
from ggp_player.worker.choice_buffer import ChoiceBuffer
from ggp_player.worker.messages import (
    BeginMatch,
    BeginSearch,
    MessageToServer,
    RulesCompiled,
    SearchEnded,
    SearchReady,
    decode_to_server,
    encode,
)
from ggp_player.worker.search_worker import SearchWorker
from tests.support.hidden_games import coin
from tests.support.slow_compiler import SlowCompiler


class TellingMachines(EngineStrategy):
    """Looks at the game first; then its value is 1 where the rules are interpreted, otherwise 2."""

    name = "telling_machines"
    ponders = True

    def refusal(self, machine: StateMachine) -> str | None:
        return None

    def search(self, position: Position) -> Iterator[Choice]:
        first, *_, last = position.legal_moves
        yield Choice(first, note="looking")
        if isinstance(position.machine, PropnetStateMachine):
            yield Choice(last, value=2.0)
        else:
            yield Choice(last, value=1.0)
            SlowCompiler.is_done = True
            yield Choice(last, value=1.0)


class RecordingBuffer(ChoiceBuffer):
    """Keeps all that is published."""

    def __init__(self) -> None:
        self.published: list[BestMove] = []
        self.searches: list[int] = []
        super().__init__()

    def publish(self, search: int, best: BestMove) -> None:
        self.published.append(best)
        self.searches.append(search)
        super().publish(search, best)


def test_a_search_begins_anew_on_compiled_rules_and_keeps_its_choice_until_then(
    fields: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "is_warm", lambda: True)
    monkeypatch.setattr(compiling, "BackgroundCompiler", SlowCompiler)
    monkeypatch.setattr(SlowCompiler, "is_done", False)
    spec = f"{__name__}:{TellingMachines.__name__}"
    sent: list[MessageToServer] = []
    choice = RecordingBuffer()
    worker = SearchWorker(
        BeginMatch(fields, "xena", strategy=spec, compile_seconds=0.0), choice, sent.append
    )
    choice.wanted = 1
    worker.search(BeginSearch(1))
    ready, ready_anew, compiled, ended = sent
    assert (ready, ready_anew) == (SearchReady(ponders=False), SearchReady(ponders=True))
    assert isinstance(compiled, RulesCompiled)
    assert compiled.seconds > 0
    assert ended == SearchEnded(1, "")
    assert [found.value for found in choice.published] == [None, 1.0, 2.0]


@pytest.mark.parametrize("spec", ["legal", "random"])
def test_rules_are_not_compiled_for_who_does_not_look_ahead(
    fields: str, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = Mock()
    monkeypatch.setattr(compiling, "is_warm", lambda: True)
    monkeypatch.setattr(compiling, "BackgroundCompiler", compiler)
    choice = RecordingBuffer()
    choice.wanted = 1
    SearchWorker(BeginMatch(fields, "xena", strategy=spec), choice, Mock()).search(BeginSearch(1))
    assert len(choice.published) == 1
    assert not compiler.called


class AskingForEver(Strategy):
    """Asks the machine again and again after its first choice, with which it is wanted no more."""

    name = "asking_for_ever"

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(position.legal_moves[0])
        BUFFERS[-1].wanted = 0
        while True:
            position.machine.legal_moves(position.state, position.role)


class Explaining(Strategy):
    """Finds a move as it says, then one in the way of another strategy; and knows the game."""

    name = "explaining"
    method = "by looking"
    about = ""

    @property
    def about_game(self) -> str:
        return self.about

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice.first_of(position.legal_moves, "looking at the game")
        self.about = "a game of luck"
        yield Choice(position.legal_moves[-1], 10.0, note="12 playouts")
        yield Choice(position.legal_moves[-1], 20.0, note="13 playouts")
        self.about = "a game of luck; what was learned is useless"
        yield Choice(position.legal_moves[-1], 30.0, method=Method.SOLVED, proved=True)


def test_each_move_says_how_it_was_found_and_the_game_is_described_once(fields: str) -> None:
    sent: list[MessageToServer] = []
    choice = RecordingBuffer()
    choice.wanted = 1
    begin = BeginMatch(fields, "xena", strategy=f"{__name__}:{Explaining.__name__}")
    SearchWorker(begin, choice, sent.append).search(BeginSearch(1))
    assert [found.note for found in choice.published] == [
        "first legal move; looking at the game",
        "by looking; 12 playouts",
        "by looking; 13 playouts",
        "solved",
    ]
    assert [message for message in sent if isinstance(message, GameDescribed)] == [
        GameDescribed(text="a game of luck"),
        GameDescribed(text="a game of luck; what was learned is useless"),
    ]


BUFFERS: list[RecordingBuffer] = []


@pytest.mark.parametrize("is_warm", [False, True], ids=["interpreted", "compiled"])
def test_a_search_stops_between_two_choices(
    fields: str, is_warm: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "is_warm", lambda: is_warm)
    spec = f"{__name__}:{AskingForEver.__name__}"
    sent: list[MessageToServer] = []
    choice = RecordingBuffer()
    BUFFERS.append(choice)
    begin = BeginMatch(fields, "xena", strategy=spec, compile_seconds=600)
    worker = SearchWorker(begin, choice, sent.append)
    choice.wanted = 1
    worker.search(BeginSearch(1))
    choice.wanted = 2
    worker.search(BeginSearch(2))
    others = [message for message in sent if not isinstance(message, RulesCompiled)]
    assert others == [SearchReady(ponders=False), SearchEnded(1, ""), SearchEnded(2, "")]
    assert len(sent) - len(others) == is_warm
    assert choice.searches == [1, 2]


class TellingTime(Strategy):
    """Says how many seconds it has."""

    name = "telling_time"

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(position.legal_moves[0], value=position.seconds)


def test_a_strategy_is_told_the_time_of_its_search(fields: str) -> None:
    spec = f"{__name__}:{TellingTime.__name__}"
    choice = RecordingBuffer()
    worker = SearchWorker(BeginMatch(fields, "xena", strategy=spec), choice, Mock())
    for number, until in enumerate((monotonic() + 1000, monotonic() - 1, None), 1):
        choice.wanted = number
        worker.search(BeginSearch(number, until=until))
    first, *others = (found.value for found in choice.published)
    assert first == pytest.approx(1000, abs=60)
    assert others == [0, None]


class RaisingSurrogates(Strategy):
    """Fails with a message that is no valid Unicode text, as names of files can be."""

    name = "raising_surrogates"

    def search(self, position: Position) -> Iterator[Choice]:
        raise ValueError("\udcff")
        yield Choice(position.legal_moves[0])


def test_a_failure_that_is_no_valid_text_can_be_sent(
    fields: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A runner of tests in several processes could not send what is logged here, either.
    monkeypatch.setattr(logging.getLogger(search_worker.__name__), "propagate", False)
    sent: list[MessageToServer] = []
    spec = f"{__name__}:{RaisingSurrogates.__name__}"
    choice = RecordingBuffer()
    choice.wanted = 1
    worker = SearchWorker(BeginMatch(fields, "xena", strategy=spec), choice, sent.append)
    worker.search(BeginSearch(1))
    assert sent[-1] == SearchEnded(1, "ValueError: \\udcff")
    assert decode_to_server(encode(sent[-1])) == sent[-1]


def worker_told(spec: str, *steps: Step) -> tuple[SearchWorker, RecordingBuffer]:
    """A search of the guesser of a hidden coin, which was told these steps."""
    choices = RecordingBuffer()
    rules = str(coin("rival"))
    worker = SearchWorker(BeginMatch(rules, "guesser", strategy=spec), choices, Mock())
    for step in steps:
        worker.apply_step(step)
    return worker, choices


def last_published(worker: SearchWorker, choices: RecordingBuffer) -> BestMove:
    choices.wanted = 7
    worker.search(BeginSearch(7))
    return choices.published[-1]


BY_BELIEF = (Method.INFORMATION_SETS, Method.EQUILIBRIUM, Method.EXPECTIMAX)


@pytest.mark.thorough
def test_a_strategy_that_needs_the_state_says_so_where_it_is_hidden(
    caplog: pytest.LogCaptureFixture,
) -> None:
    worker, choices = worker_told("minimax", ObservedStep("noop", ()))
    found = last_published(worker, choices)
    assert "minimax needs to know the state, and this match hides it" in caplog.text
    assert "auto plays instead" in caplog.text
    assert found.note.startswith(BY_BELIEF)
    assert found.move == "pass"


def test_a_strategy_that_needs_the_state_gets_it_where_all_moves_are_told() -> None:
    worker, choices = worker_told("minimax", ("tails", "noop"))
    found = last_published(worker, choices)
    assert (found.move, found.value) == ("tails", 100)
    assert not found.note.startswith(BY_BELIEF)


def test_who_does_not_look_ahead_plays_whatever_is_hidden() -> None:
    worker, choices = worker_told("legal", ObservedStep("noop", ()))
    assert last_published(worker, choices).move in {"heads", "tails", "pass"}
