"""The learner: from short games to an evaluation, and to settings of the search that use it."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator
from random import Random

from gdl.engine import PropnetStateMachine
from ggp_player.strategies.learning.duel import Score, play_pairs
from ggp_player.strategies.learning.linear_model import explained, fit
from ggp_player.strategies.learning.self_play import Clock, LabelledStates, joined, play_for_samples
from ggp_player.strategies.mcts import Settings, TreeSearch, Tuning

SAMPLE_SECONDS = 5.0
"""CPU time for each round of self-play."""

DUEL_SECONDS = 8.0
"""CPU time for duels at most."""

MOVE_SECONDS = 0.012
"""CPU time for a move in self-play and duels."""

CUTOFF = 8
"""Steps after which playouts are cut off where the evaluation is used."""

NEEDED_SHARE = 0.6
"""The share of the points in duels from which on the evaluation is used."""

MIN_MATCHES, MAX_MATCHES = 6, 40
"""With fewer matches nothing is decided, with more it is clear."""

MIN_SAMPLES = 500
"""Fewer labelled states say too little."""

MAX_FLUENTS = 3000
"""With more fluents the fit takes too long."""

MEMORY = 2**26
"""Bytes of each search of a learner."""

_log = logging.getLogger(__name__)


class Learner:
    """Learns an evaluation for a game of two roles that choose, and tries it against playouts.

    ``clock`` returns seconds of CPU time, of which all steps together take some twenty. ``tuning``
    is what the search should use from then on, None before that or where nothing was gained;
    ``note`` says how it went.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.tuning: Tuning | None = None
        self.note = ""

    def work(self, machine: PropnetStateMachine, settings: Settings, seed: int) -> Iterator[None]:
        """Learn; yield every few hundredths of a second. ``settings`` are those without it."""
        search = TreeSearch(machine, settings, seed, MEMORY)
        fluents = machine.engine.layout.fluent_count
        is_short = search.playout_length < 2 * CUTOFF
        if len(machine.roles) != 2 or fluents > MAX_FLUENTS or is_short:
            self.note = "no evaluation is learned for a game like this"
            return
        random = Random(seed)
        samples: list[LabelledStates] = []
        yield from self._gather(search, samples, random)
        if sum(len(each.states) for each in samples) < MIN_SAMPLES:
            self.note = "too few states to learn an evaluation"
            return
        tuning = _fitted(machine, settings, samples)
        yield
        score = yield from self._duel(machine, settings, tuning, random)
        self.note = f"{tuning.note}; {100 * score.share:.0f} % of {score.matches} duels won with it"
        if score.matches >= MIN_MATCHES and score.share >= NEEDED_SHARE:
            search = tuned_search(machine, tuning, seed, MEMORY)
            yield from self._gather(search, samples, random)
            self.tuning = _fitted(machine, settings, samples)
        _log.info("%s", self.note)

    def _gather(
        self, search: TreeSearch, samples: list[LabelledStates], random: Random
    ) -> Iterator[None]:
        """Let a search play against itself, and add what it has found to the samples."""
        began, longest_opening = self._clock(), search.playout_length // 2
        while self._clock() - began < SAMPLE_SECONDS:
            game = play_for_samples(search, random, longest_opening, MOVE_SECONDS, self._clock)
            for found in game:
                samples.append(found)
                yield
                if self._clock() - began >= SAMPLE_SECONDS:
                    break

    def _duel(
        self, machine: PropnetStateMachine, settings: Settings, tuning: Tuning, random: Random
    ) -> Generator[None, None, Score]:
        """Let the search with the evaluation play the one without; return its score."""
        challenger = tuned_search(machine, tuning, random.getrandbits(30), MEMORY)
        champion = TreeSearch(machine, settings, random.getrandbits(30), MEMORY)
        began = self._clock()
        for score in play_pairs(challenger, champion, random, MOVE_SECONDS, self._clock):
            yield
            if score.matches >= MAX_MATCHES or self._clock() - began >= DUEL_SECONDS:
                break
        return score


def _fitted(
    machine: PropnetStateMachine, settings: Settings, samples: list[LabelledStates]
) -> Tuning:
    """The settings with an evaluation that is fitted to samples."""
    known = joined(samples)
    weights = fit(known, machine.engine.layout.fluent_count)
    part = explained(weights, LabelledStates(known.states[::7], known.values[::7]))
    note = f"evaluation of {len(known.states)} states explains {100 * part:.0f} %"
    return Tuning(settings._replace(cutoff=CUTOFF), weights, note)


def tuned_search(
    machine: PropnetStateMachine, tuning: Tuning, seed: int, memory: int
) -> TreeSearch:
    """A search that uses a learned evaluation."""
    search = TreeSearch(machine, tuning.settings, seed, memory)
    search.tune(tuning)
    return search
