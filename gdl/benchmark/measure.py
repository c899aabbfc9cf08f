"""How fast a game runs: random playouts, start to terminal to goals to the next start.

A *run* is some seconds of playouts; several runs show how much the figures vary. Speeds are per
second of CPU time, which other load on the computer affects little, and per second of wall-clock
time, which is what matters with several threads.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from random import Random
from statistics import median
from time import monotonic, thread_time

import gdl
from gdl.benchmark.roofline import roofline_ands
from gdl.engine import MAX_CODE_GATES, Bits, Block, Playouts, PropnetStateMachine, warm_up_kernels
from gdl.language import parse
from gdl.playouts import Ending, play_out
from gdl.reasoner import interpret
from gdl.state_machine import StateMachine
from gdl.system import child_cpu_seconds, peak_memory

TRIAL_STEPS = 16
"""The steps of a first run, from which the number of steps for the planned time follows."""


@dataclass(frozen=True, slots=True)
class MeasurementPlan:
    """How to measure: ``repetitions`` runs of about ``seconds`` each, in every thread."""

    seconds: float = 1.0
    repetitions: int = 5
    threads: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """The results of one run of playouts.

    ``states`` counts state changes; ``playouts`` those that ended, ``steps`` their total length.
    ``cpu_seconds`` are those of all threads, ``seconds`` wall-clock time. ``goal_views`` is how
    often goals were evaluated, per step: 1 where they are not deferred.
    """

    states: int
    playouts: int
    steps: int
    cpu_seconds: float
    seconds: float
    goal_views: float = 1.0


@dataclass(frozen=True, slots=True)
class Quantiles:
    """A figure that was measured several times: its median, minimum and maximum."""

    median: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class CircuitFigures:
    """The size of a compiled game's circuit, the cost of making it, and its part of the roofline.

    ``ground_seconds`` are CPU seconds of the grounding process, ``code_seconds`` those of making
    native code with an empty cache: None with more than ``MAX_CODE_GATES`` gates, where the
    interpreter was measured. ``goal_gates`` are those of the view that only goals need; playouts
    evaluate them ``goal_views`` times a step. ``roofline`` is the measured maximum of ANDs of two
    bits per second on one core, without loads and stores; ``share`` is the part of it that
    playouts reach: the AND gates evaluated in a step times states per second over ``roofline``.
    """

    lanes: int
    view_gates: int
    goal_gates: int
    goal_views: float
    transition_gates: int
    ground_rules: int
    ground_seconds: float
    code_seconds: float | None
    roofline: float
    share: float


@dataclass(frozen=True, slots=True)
class SpeedReport:
    """The figures of one game.

    ``states_per_cpu_second`` is one core's speed; ``states_per_second`` that of all threads in
    wall-clock time. ``first_state_seconds`` lead from the text of the rules to the legal moves of
    the initial state. ``peak_memory`` is in bytes, grounding included.
    """

    game: str
    states_per_cpu_second: Quantiles
    states_per_second: Quantiles
    playouts_per_cpu_second: float
    playouts_per_second: float
    mean_length: float | None
    first_state_seconds: float
    peak_memory: int
    circuit: CircuitFigures | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A game that could not be measured, and why."""

    game: str
    reason: str


def measure_reasoner(game: str, text: str, plan: MeasurementPlan) -> SpeedReport:
    """Measure the reasoner, in one thread. Raises :class:`gdl.GdlError` for rules it refuses."""
    began = monotonic()
    machine = interpret(parse(text, game))
    machine.legal_moves(machine.initial_state(), machine.roles[0])
    ready = monotonic() - began
    chance = Random(plan.seed)
    runs = [_run_reasoner(machine, chance, plan.seconds) for _ in range(plan.repetitions)]
    return _report(game, ready, runs)


def measure_propnet(game: str, text: str, plan: MeasurementPlan) -> SpeedReport:
    """Measure the compiled machine.

    Meant for an isolated process: the memory is that of the whole process. Raises
    :class:`gdl.GdlError` for rules that cannot be compiled.
    """
    warm_up_kernels()
    began = monotonic()
    machine = gdl.compile(parse(text, game))
    machine.legal_moves(machine.initial_state(), machine.roles[0])
    ready = monotonic() - began
    ground_seconds = child_cpu_seconds()
    has_code = machine.engine.layout.gate_count <= MAX_CODE_GATES
    code_seconds = _compile_anew(machine) if has_code else None
    runs = _runs(machine, plan)
    report = _report(game, ready, runs)
    goal_views = median(run.goal_views for run in runs)
    layout, speed = machine.engine.layout, report.states_per_cpu_second.median
    of_moves, of_goals = layout.moves_view.and_count, layout.goals_view.and_count
    transition, roofline = layout.transition.and_count, roofline_ands()
    circuit = CircuitFigures(
        lanes=64 * machine.engine.words,
        view_gates=of_moves + of_goals,
        goal_gates=of_goals,
        goal_views=goal_views,
        transition_gates=transition,
        ground_rules=machine.ground_rules,
        ground_seconds=ground_seconds,
        code_seconds=code_seconds,
        roofline=roofline,
        share=(of_moves + of_goals * goal_views + transition) * speed / roofline,
    )
    return replace(report, circuit=circuit)


def bare_speed(machine: PropnetStateMachine, plan: MeasurementPlan) -> float:
    """Return the states per second of CPU time that random playouts of a machine make."""
    runs = _runs(machine, replace(plan, threads=1))
    return median(run.states / run.cpu_seconds for run in runs)


def _compile_anew(machine: PropnetStateMachine) -> float:
    """Make native code with an empty cache; return the CPU seconds that it takes."""
    engine = machine.engine
    kept = os.environ.get("GDL_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GDL_CACHE"] = folder
        try:
            began = thread_time() + child_cpu_seconds()
            engine.compile()
            return thread_time() + child_cpu_seconds() - began
        finally:
            if kept is None:
                del os.environ["GDL_CACHE"]
            else:
                os.environ["GDL_CACHE"] = kept


# ---------------------------------------------------------------------- runs


def _runs(machine: PropnetStateMachine, plan: MeasurementPlan) -> list[Run]:
    blocks = [machine.engine.block(plan.seed + number) for number in range(plan.threads)]
    start = machine.bits(machine.initial_state())[None, :]
    with ThreadPoolExecutor(plan.threads) as pool:
        trial = _run_blocks(pool, blocks[:1], start, TRIAL_STEPS)
        share = plan.seconds / max(trial.cpu_seconds, 1e-6)
        steps = max(TRIAL_STEPS, int(TRIAL_STEPS * share))
        return [_run_blocks(pool, blocks, start, steps) for _ in range(plan.repetitions)]


def _run_blocks(pool: Executor, blocks: Sequence[Block], start: Bits, steps: int) -> Run:
    """Play in several blocks at once, each in a thread of its own, from the same state."""

    def play(block: Block) -> tuple[Playouts, float]:
        block.load(start)
        began = thread_time()
        return block.play(steps, refill=True), thread_time() - began

    began = monotonic()
    results = list(pool.map(play, blocks))
    seconds = monotonic() - began
    return Run(
        states=sum(played.states for played, _ in results),
        playouts=sum(int(played.ended.sum()) for played, _ in results),
        steps=sum(int(played.steps.sum()) for played, _ in results),
        cpu_seconds=sum(used for _, used in results),
        seconds=seconds,
        goal_views=sum(played.goal_views for played, _ in results)
        / sum(played.views for played, _ in results),
    )


def _run_reasoner(machine: StateMachine, chance: Random, seconds: float) -> Run:
    began, clock = thread_time(), monotonic()
    states = playouts = steps = 0
    while thread_time() - began < seconds:
        *_, last = play_out(machine, chance)
        states += last.number
        if last.ending is Ending.TERMINAL:
            playouts += 1
            steps += last.number
    return Run(states, playouts, steps, thread_time() - began, monotonic() - clock)


def _report(game: str, ready: float, runs: Sequence[Run]) -> SpeedReport:
    playouts = sum(run.playouts for run in runs)
    return SpeedReport(
        game,
        states_per_cpu_second=spread([run.states / run.cpu_seconds for run in runs]),
        states_per_second=spread([run.states / run.seconds for run in runs]),
        playouts_per_cpu_second=median(run.playouts / run.cpu_seconds for run in runs),
        playouts_per_second=median(run.playouts / run.seconds for run in runs),
        mean_length=sum(run.steps for run in runs) / playouts if playouts else None,
        first_state_seconds=ready,
        peak_memory=peak_memory(),
    )


def spread(figures: Sequence[float]) -> Quantiles:
    """Return the median, minimum and maximum of some figures."""
    return Quantiles(median(figures), min(figures), max(figures))
