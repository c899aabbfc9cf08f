"""The command ``ggp-player learn``: learn an evaluation of a game at leisure, and store it."""

from __future__ import annotations

import json
import logging
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from threading import Timer
from time import monotonic
from typing import Any

import click
from pydantic import TypeAdapter
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

import gdl
from gdl import StateMachine
from gdl.analysis import analyse
from gdl.cli.lazy_group import INTERRUPTED
from gdl.cli.options import check_plot, game_name, write_text
from gdl.cluster import connected
from gdl.engine import PropnetStateMachine
from gdl.errors import counted
from gdl.language import CanonicalForm, canonical_form
from gdl.system import available_cpus
from ggp_player.belief import hides_states
from ggp_player.cli.options import reporting_unplayable_game, say_on_stderr
from ggp_player.cli.terminal import interrupted_once
from ggp_player.lab.learning_curve import learning_curve, write_learning_plot
from ggp_player.strategies.learning import (
    ClusterLearning,
    LearnedEvaluation,
    Learner,
    LearningRound,
    LongLearning,
    StoredEvaluation,
    evaluations_folder,
    read_evaluation,
)
from ggp_player.strategies.learning.duel import ChallengeVerdict, Score
from ggp_player.strategies.learning.learned_evaluation import has_two_rivals
from ggp_player.strategies.learning.learning_time import LearningTime
from ggp_player.strategies.learning.pattern_learning import Learning
from ggp_player.strategies.selection import add_winning_moves
from ggp_player.worker.warm_up_process import warm_up_first

LONG = 60.0
"""Seconds from which on tables are those for a long time of learning."""

DUEL_SHARE = 0.25
"""The part of the time for the duel at most."""

QUIET_SECONDS = 2.0
"""After so many seconds of compiling the command says what it waits for."""

COMPILING = "the rules are compiled first, once on a machine; of a large game that takes a minute"
"""What it says then."""

UNUSED = "matches in which roles do not see all that happens do not use this"
"""What it says of a game whose matches may hide the state."""


@dataclass(frozen=True, slots=True)
class _Options:
    """The options of the command line. Time is in seconds."""

    seconds: float
    seed: int
    threads: int | None
    folder: Path | None
    ray: str | None
    json: Path | None
    plot: Path | None


def run_learn(context: click.Context, /, rulesheet: Path, **options: object) -> None:
    """Learn an evaluation of the game RULESHEET, a file or one of ours, for later matches."""
    given = TypeAdapter(_Options).validate_python(options)
    if given.ray is not None and given.threads is not None:
        raise click.UsageError(
            "--threads are those of this machine, and --ray has others: give one"
        )
    if given.plot is not None:
        check_plot(given.plot)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)-7s %(message)s")
    folder = _writable(given.folder or evaluations_folder())
    try:
        with interrupted_once():
            is_interrupted = _run(rulesheet, folder, given)
    except KeyboardInterrupt:
        is_interrupted = True
    if is_interrupted:
        context.exit(INTERRUPTED)


def _run(rulesheet: Path, folder: Path, options: _Options) -> bool:
    """Learn, and write what is asked for; return whether Ctrl-C interrupted the learning."""
    with reporting_unplayable_game():
        machine = gdl.compile(gdl.load(rulesheet))
        form, by_alpha_beta = _check(machine)
    if machine.ruleset.has_percepts and hides_states(machine, Random(options.seed)):
        say_on_stderr(UNUSED)
    warm_up_first(say_on_stderr)
    with _cluster(options.ray) as ray:
        task = _Task(machine, form, folder, options, ray, by_alpha_beta=by_alpha_beta)
        is_interrupted = task.run()
    _write_rounds(game_name(rulesheet), task, options)
    return is_interrupted


@contextmanager
def _cluster(address: str | None) -> Iterator[Any]:
    """Connect with the cluster at an address, and yield the module ``ray``; None without one.

    Raises click's ClickException where that fails.
    """
    with ExitStack() as stack:
        try:
            ray = stack.enter_context(connected(address)) if address is not None else None
        except (ConnectionError, ValueError) as error:
            raise click.ClickException(str(error).strip()) from error
        yield ray


def _write_rounds(game: str, task: _Task, options: _Options) -> None:
    """Write what is asked for of the rounds."""
    rounds, duel = task.rounds, task.duel
    if options.json is not None:
        write_text(options.json, json.dumps(_to_json(game, rounds, duel), indent=1) + "\n")
    if options.plot is not None and rounds:
        write_learning_plot(rounds, options.plot, f"{game}: {task.verdict}")


def _to_json(game: str, rounds: Sequence[LearningRound], duel: Score | None) -> dict[str, object]:
    points = learning_curve(rounds)
    return {
        "game": game,
        "rounds": [asdict(each) | asdict(at) for each, at in zip(rounds, points, strict=True)],
        "duel": None if duel is None else asdict(duel),
    }


def _writable(folder: Path) -> Path:
    """Make a folder where there is none. Raises click's BadParameter if it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        sentence = f"the folder {folder} cannot be written: {error.strerror}"
        raise click.BadParameter(sentence, param_hint="--evaluations") from error
    return folder


def _check(machine: PropnetStateMachine) -> tuple[CanonicalForm, bool]:
    """Make a game ready for learning; return its canonical form, and whether alpha-beta plays it.

    Raises click's ClickException for a game that is not for learning.
    """
    check_patterns(machine)
    structure = analyse(machine)
    form = canonical_form(machine.ruleset)
    if form is None:
        raise click.ClickException("the rules are too large to be recognised in a later match")
    _compile(machine)
    in_turn = structure.turns.one_at_a_time.value
    if in_turn:
        add_winning_moves(machine, structure)
    return form, in_turn and has_two_rivals(machine)


def _compile(machine: PropnetStateMachine) -> None:
    """Make native code of the rules, and say so where that takes long."""
    notice = Timer(QUIET_SECONDS, say_on_stderr, [COMPILING])
    notice.start()
    try:
        machine.warm_up()
    finally:
        notice.cancel()


def check_patterns(machine: StateMachine) -> None:
    """Raise click's ClickException for a game whose patterns cannot be learned."""
    refusal = Learner(monotonic).refusal(machine)
    if refusal is not None:
        raise click.ClickException(f"nothing can be learned of this game: {refusal}")
    if machine.is_terminal(machine.initial_state()):
        raise click.ClickException("the match is over before it begins: there is nothing to learn")


class _Task:
    """One run of the command: learns, stores, and reports."""

    def __init__(
        self,
        machine: PropnetStateMachine,
        form: CanonicalForm,
        folder: Path,
        options: _Options,
        ray: Any,  # noqa: ANN401 its types are not looked at
        *,
        by_alpha_beta: bool,
    ) -> None:
        self._by_alpha_beta = by_alpha_beta
        self._machine, self._form, self._folder = machine, form, folder
        self._seconds, self._seed = options.seconds, options.seed
        self._console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
        self.duel: Score | None = None
        self._rounds_before: tuple[LearningRound, ...] = ()
        self._seconds_before = 0.0
        stored = self._stored()
        learning = self._new_learning(stored, ray, options)
        self._learning = LongLearning(
            machine,
            options.seed,
            monotonic,
            stored,
            self._seconds_before,
            learning,
            by_alpha_beta=by_alpha_beta,
        )
        self._is_stored = self._learning.evaluation
        self._rounds_shown = 0
        self._began = monotonic()

    def _new_learning(
        self,
        stored: LearnedEvaluation | None,
        ray: Any,  # noqa: ANN401 its types are not looked at
        options: _Options,
    ) -> Learning:
        """What plays the games: on a cluster, or in threads."""
        machine, seed, is_long = self._machine, options.seed, options.seconds >= LONG
        if ray is not None:
            return ClusterLearning(ray, machine, seed, stored, is_long)
        threads = options.threads or available_cpus()
        return Learning(machine, seed, stored, threads=threads, is_long=is_long)

    @property
    def rounds(self) -> Sequence[LearningRound]:
        """The rounds of this run, after those of the runs before that are stored."""
        return (*self._rounds_before, *self._learning.rounds)

    @property
    def verdict(self) -> str:
        """How the duel ended, and what follows from it, in a sentence."""
        duel = self.duel
        if duel is None:
            return "no duel with the tree search was finished, so it is not known how good this is"
        share, duels = duel.share, counted(duel.matches, "duel")
        if not self._by_alpha_beta:
            won = f"guided by it, the tree search won {100 * share:.0f} % of the points of {duels}"
            return f"{won} with the one that is not"
        won = f"alpha-beta with it won {100 * share:.0f} % of {duels} with the tree search"
        if duel.verdict is ChallengeVerdict.CHALLENGER:
            return won
        return f"{won}, so auto plays with the tree search, guided by it"

    def run(self) -> bool:
        """Learn, hold the duel, and store; return whether Ctrl-C interrupted it."""
        columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
        hidden = not self._console.is_terminal
        is_interrupted = False
        with Progress(*columns, console=self._console, transient=True, disable=hidden) as bar:
            task = bar.add_task("round 1", total=self._seconds)

            def show(what: str) -> None:
                bar.update(task, description=what, completed=self._passed)

            try:
                self._learn(show)
                if self._learning.evaluation is not None:
                    self.duel = self._duel(show)
            except KeyboardInterrupt:
                is_interrupted = True
                self._learning.keep_first_round()
                self._show_rounds()
        self._report(is_interrupted)
        return is_interrupted

    @property
    def _passed(self) -> float:
        return monotonic() - self._began

    @property
    def _duel_seconds(self) -> float:
        return min(LearningTime().duels, DUEL_SHARE * self._seconds)

    def _stored(self) -> LearnedEvaluation | None:
        """What is stored of the game. A bad file is reported, and will be replaced."""
        try:
            stored = read_evaluation(self._folder, self._form.digest)
            if stored is None:
                return None
            found = stored.evaluation_of(self._machine, self._form)
        except (OSError, ValueError) as error:
            self._say(f"what is stored of the game cannot be used: {error}", "red")
            return None
        self._say(f"going on from {found}")
        self._rounds_before, self._seconds_before = stored.rounds, stored.seconds
        return found

    def _learn(self, show: Callable[[str], None]) -> None:
        learning = self._learning
        for _ in learning.work(self._seconds - self._duel_seconds):
            show(f"round {len(learning.rounds) + 1}")
            self._show_rounds()
        self._show_rounds()

    def _show_rounds(self) -> None:
        """Print the rounds that have ended, and store what is better, lest it be lost."""
        for finished in self._learning.rounds[self._rounds_shown :]:
            self._rounds_shown += 1
            self._say(f"round {self._rounds_shown}: {finished}")
        if self._learning.evaluation is not self._is_stored:
            self._save()

    def _duel(self, show: Callable[[str], None]) -> Score | None:
        """Let a search with the evaluation play the tree search."""
        machine, evaluation = self._machine, self._learning.evaluation
        assert evaluation is not None
        learner, random, score = Learner(monotonic), Random(self._seed), Score(0, 0)
        duel = learner.duel if self._by_alpha_beta else learner.duel_over_guidance
        for score in duel(machine, evaluation, random, self._duel_seconds):  # noqa: B007 the last counts
            show("duel")
        return score if score.matches else None

    def _save(self) -> Path:
        evaluation = self._learning.evaluation
        assert evaluation is not None
        seconds = self._seconds_before + self._passed
        stored = StoredEvaluation.of(
            evaluation, self._machine, self._form, seconds, self.duel, self.rounds
        )
        self._is_stored = evaluation
        try:
            return stored.save(self._folder)
        except ValueError as error:
            raise click.ClickException(f"what was learned cannot be stored: {error}") from error

    def _report(self, is_interrupted: bool) -> None:
        """Store the result, and say what it is worth."""
        evaluation = self._learning.evaluation
        if evaluation is None:
            if is_interrupted:
                self._say("interrupted before anything was learned")
                return
            if self._learning.rounds:
                raise click.ClickException("no game came to its end: give it more --time")
            raise click.ClickException("too few states to find patterns in")
        path = self._save()
        kept = sum(each.is_kept for each in self._learning.rounds)
        rounds = f"{kept} of {len(self._learning.rounds)} rounds kept"
        self._say(f"{evaluation}, {rounds}, {self._passed:.0f} s")
        self._say(self.verdict)
        self._say(f"stored in {path}")

    def _say(self, line: str, style: str = "") -> None:
        self._console.print(Text(line, style=style))
