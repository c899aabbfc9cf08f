"""The search of a match: runs a strategy, and publishes its best choice so far.

It looks at the shared memory between two choices, and, where the strategy allows it, whenever the
strategy queries the machine, to see whether the search is still wanted. It begins with interpreted
rules where compiling takes long, and goes on with the compiled ones.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random

from ggp_player.belief import Belief
from ggp_player.clock import Deadline
from ggp_player.events import BestMove, GameDescribed, History, Step
from ggp_player.events.search_view import MAX_TEXT
from ggp_player.strategies import Choice, Method, Position, Strategy
from ggp_player.strategies.selection import create
from ggp_player.worker.choice_buffer import ChoiceBuffer
from ggp_player.worker.compiling import interpreted_notice
from ggp_player.worker.interruptible import SearchInterrupted, interruptible_for
from ggp_player.worker.match_tracker import MatchTracker
from ggp_player.worker.messages import (
    FALLBACK,
    BeginMatch,
    BeginSearch,
    MessageToServer,
    RulesCompiled,
    SearchEnded,
    SearchReady,
)
from ggp_player.worker.move_thoughts import SymmetricMoves
from ggp_player.worker.search_reporter import SearchReporter

_log = logging.getLogger(__name__)


class SearchWorker:
    """Runs a strategy, and writes every choice to the shared memory."""

    def __init__(
        self, message: BeginMatch, choices: ChoiceBuffer, send: Callable[[MessageToServer], None]
    ) -> None:
        self._spec = message.strategy or FALLBACK
        self._seed = message.seed
        self._choices = choices
        self._send = send
        self._looks_ahead = create(self._spec).looks_ahead
        compile_seconds = message.compile_seconds if self._looks_ahead else None
        self._tracker = MatchTracker(
            message.rules,
            message.role,
            compile_seconds,
            history=message.history,
            is_for_search=self._looks_ahead,
        )
        gc.freeze()  # the rules stay: scanning them for garbage would delay a reply
        self._number = 0
        self._symmetric_moves = SymmetricMoves()
        self._plays_by_belief = False
        self._strategy = self._new_strategy()
        self._sent: SearchReady | None = None
        self._sent_about_game = ""
        self._send_ready()
        self._send_compiled()

    def apply_step(self, step: Step) -> None:
        """Apply a step of the match."""
        self._tracker.apply_step(step)

    def replace_history(self, history: History) -> None:
        """Go to another position. What the strategy knows of states stays."""
        self._tracker.replace_history(history)

    def search(self, message: BeginSearch) -> None:
        """Search, and report the end. After a failure the next search has a new strategy."""
        failure = ""
        self._number = message.number
        self._use_compiled_rules()
        if self._plays_by_belief != (self._belief is not None):
            self._strategy = self._new_strategy()
        self._send_ready()
        try:
            self._search(message)
        except MemoryError:
            raise
        except Exception as error:
            _log.exception("search %d failed", message.number)
            text = str(error).encode(errors="backslashreplace").decode()
            failure = f"{type(error).__name__}: {text}"
            self._strategy = self._new_strategy()
        self._send(SearchEnded(message.number, failure))

    def _search(self, message: BeginSearch) -> None:
        legal_moves = self._tracker.legal_moves
        if not legal_moves:
            return
        if len(legal_moves) == 1:
            lone = BestMove(str(legal_moves[0]), note=Method.ONLY_MOVE)
            self._choices.publish(message.number, lone)
            if not (message.thorough or self._ponders):
                return
        reporter = self._reporter(message.number)
        best: Choice | None = None
        position: Position | None = None
        for position, found in self._found_choices(message.until):
            choice = self._strategy.credited(found)
            self._send_about_game()
            # A search that begins anew has nothing to say of its first moves.
            if choice != best and (best is None or best.value is None or choice.value is not None):
                self._publish(message.number, choice)
                best = choice
            if choice.proved or not self._is_wanted:
                break
            reporter.offer(self._strategy, position, best)
        # Where the search is to stop, the next turn waits.
        is_over = self._is_wanted and self._choices.is_watched
        if is_over and best is not None and position is not None:
            reporter.report(self._strategy, position, best)

    def _reporter(self, number: int) -> SearchReporter:
        choices = self._choices
        tracker = self._tracker
        return SearchReporter(
            self._send,
            lambda: choices.is_watched,
            number,
            tracker.turn,
            symmetric_moves=self._symmetric_moves,
            notice=lambda: interpreted_notice(tracker.machine, tracker.is_compiling),
        )

    @property
    def _is_wanted(self) -> bool:
        return self._choices.wanted == self._number

    def _should_stop(self) -> bool:
        return not self._is_wanted or self._tracker.has_new_compiled_rules

    def _found_choices(self, until: float | None) -> Iterator[tuple[Position, Choice]]:
        """Yield the strategy's choices; once the rules are compiled, a new one's on them.

        Each comes with the position that the strategy searches.
        """
        tracker = self._tracker
        deadline = Deadline(until) if until is not None else None
        while True:
            random = Random(f"{self._seed} {tracker.turn}")
            machine = interruptible_for(self._strategy, tracker.machine, self._should_stop)
            position = Position(
                machine, tracker.state, tracker.role, random, self._belief, deadline=deadline
            )
            with suppress(SearchInterrupted):
                for choice in self._strategy.search(position):
                    yield position, choice
                    if tracker.has_new_compiled_rules:
                        break
            if not self._use_compiled_rules():
                return

    def _use_compiled_rules(self) -> bool:
        """Go on with a new strategy if the rules have been compiled meanwhile."""
        if not self._tracker.use_compiled_rules():
            return False
        gc.freeze()
        self._strategy = self._new_strategy()
        self._send_ready()
        self._send_compiled()
        return True

    @property
    def _ponders(self) -> bool:
        """Whether to search while others choose. While the rules compile, that goes first."""
        return self._strategy.ponders and not self._tracker.is_compiling

    def _send_ready(self) -> None:
        ready = SearchReady(self._ponders)
        if ready != self._sent:
            self._sent = ready
            self._send(ready)

    def _send_compiled(self) -> None:
        seconds = self._tracker.compile_seconds
        if seconds is not None:
            self._send(RulesCompiled(seconds))

    def _send_about_game(self) -> None:
        text = self._strategy.about_game[:MAX_TEXT]
        if text != self._sent_about_game:
            self._sent_about_game = text
            self._send(GameDescribed(text=text))

    def _publish(self, number: int, choice: Choice) -> None:
        best = BestMove(str(choice.move), choice.value, choice.proved, choice.explanation)
        self._choices.publish(number, best)

    @property
    def _belief(self) -> Belief | None:
        """What is known of the state where it may be hidden, for who looks ahead."""
        return self._tracker.belief if self._looks_ahead else None

    def _new_strategy(self) -> Strategy:
        strategy = create(self._spec)
        refusal = strategy.refusal(self._tracker.machine)
        self._plays_by_belief = self._belief is not None
        if refusal is None and self._plays_by_belief:
            refusal = strategy.refusal_of_belief()
        if refusal is None:
            return strategy
        _log.warning("%s refuses the game: %s; %s plays instead", self._spec, refusal, FALLBACK)
        return create(FALLBACK)
