"""The kernels of one game on a device: each thread works on the lanes of one word, in registers.

This is the hot loop of playouts on a GPU: :func:`_emit_play`. The kernels are those of blocks
(:mod:`gdl.engine.kernels`), with the gates of the game written into them. Arrays are *planes*,
words (planes, threads): the words of neighbouring threads are neighbours in memory.

``play(state, start, random, alive, ended, sums, last, held, states, ..., threads)``
    Random playouts. ``start`` has the states from which lanes start again. Bit by bit, a plane for
    each: ``ended`` counts each lane's playouts, ``sums`` adds up the goals of each role in
    ``sum_planes`` planes, ``last`` is the step in which a lane's last playout has ended. ``held``
    has room for the last states of playouts whose goals are added up later, and behind them for
    their lanes. ``states`` int64 (threads,) counts the steps made in lanes that play.
``view(state, legal, terminal, goals, threads)``
    What depends on the states alone.
``move(state, moves, lanes, threads)``
    Makes joint moves in some lanes.
``choose(state, random, moves, threads)``
    Chooses one of the legal moves of each role.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from gdl.circuit import Layout
from gdl.engine.device_kernels.choice_emitter import FORGOTTEN_LEVELS, choose_move
from gdl.engine.device_kernels.gate_emitter import CircuitEmitter
from gdl.engine.device_kernels.targets import KernelTarget, signature
from gdl.engine.device_kernels.word_emitter import ZERO, ThreadEmitter

RANDOM_PLANES = 4


@dataclass(frozen=True, slots=True)
class DeviceGame:
    """What kernels are made of: the gates, and role and value of each goal row, by role."""

    layout: Layout
    goal_table: tuple[tuple[int, int], ...]
    roles: int

    @property
    def value_bits(self) -> int:
        """How many bits a goal value has."""
        return max((value.bit_length() for _, value in self.goal_table), default=1)


def kernel_source(name: str, game: DeviceGame, target: KernelTarget) -> str:
    """Write the LLVM source of a kernel."""
    functions = [target.kernel(name, ARGUMENTS[name], _KERNELS[name](game, target))]
    if name == "play" and game.layout.goals_are_expensive:
        functions.insert(0, _held_goals_function(game, target))
    return "\n".join([target.head(), *functions])


ZEROS = tuple(f"i64 zero{level}" for level in range(FORGOTTEN_LEVELS))
"""Arguments that are always 0; see :func:`gdl.engine.device_kernels.choice_emitter.choose_move`."""

ARGUMENTS = {
    "play": (
        *("state", "start", "random", "alive", "ended", "sums", "last", "held", "states"),
        *("i64 sum_planes", "i64 steps", "i64 refill", *ZEROS, "i64 threads"),
    ),
    "view": ("state", "legal", "terminal", "goals", "i64 threads"),
    "move": ("state", "moves", "lanes", "i64 threads"),
    "choose": ("state", "random", "moves", *ZEROS, "i64 threads"),
}
"""What each kernel takes; see :func:`.targets.signature`."""


def _emit_view(game: DeviceGame, target: KernelTarget) -> list[str]:
    e, circuit = _with_state(game, target)
    circuit.evaluate(game.layout.view)
    for index in range(sum(game.layout.move_counts)):
        e.keep(circuit.legal(index, 1), "legal", index)
    e.keep([circuit.terminal()], "terminal")
    e.keep(circuit.goals(), "goals")
    return _returned(e)


def _emit_move(game: DeviceGame, target: KernelTarget) -> list[str]:
    e, circuit = _with_state(game, target)
    old = circuit.rows(game.layout.fluents, game.layout.fluent_count)
    circuit.evaluate(game.layout.moves_view)
    new = circuit.transition(e.read("moves", 0, sum(game.layout.move_counts)))
    lanes = e.load(e.at("lanes", 0))
    e.keep([e.choose(lanes, a, b) for a, b in zip(new, old, strict=True)], "state")
    return _returned(e)


def _emit_choose(game: DeviceGame, target: KernelTarget) -> list[str]:
    e, circuit = _with_state(game, target)
    circuit.evaluate(game.layout.moves_view)
    moves, random = _choose_moves(e, circuit, e.read("random", 0, RANDOM_PLANES))
    e.keep(moves, "moves")
    e.keep(random, "random")
    return _returned(e)


def _with_state(game: DeviceGame, target: KernelTarget) -> tuple[ThreadEmitter, CircuitEmitter]:
    e = ThreadEmitter(target.bits, target.pointer)
    circuit = CircuitEmitter(e, game.layout)
    circuit.put(game.layout.fluents, e.read("state", 0, game.layout.fluent_count))
    return e, circuit


def _returned(e: ThreadEmitter) -> list[str]:
    e.write("ret void")
    return e.lines


def _choose_moves(
    e: ThreadEmitter, circuit: CircuitEmitter, random: list[str]
) -> tuple[list[str], list[str]]:
    """Choose a move of each role; return the moves, and the random state."""
    moves: list[str] = []
    counts = circuit.layout.move_counts
    for first, count in zip(accumulate(counts, initial=0), counts, strict=False):
        chosen, random = choose_move(e, circuit.legal(first, count), random)
        moves += chosen
    return moves, random


# ---------------------------------------------------------------------- playouts


def _emit_play(game: DeviceGame, target: KernelTarget) -> list[str]:
    """Emit the playouts: view, results of the lanes that have ended, choice, transition, refill."""
    layout = game.layout
    e = ThreadEmitter(target.bits, target.pointer)
    deferred = layout.goals_are_expensive
    first = e.read("state", 0, layout.fluent_count)
    first += [*e.read("random", 0, RANDOM_PLANES), e.load(e.at("alive", 0))]
    e.jump("step")
    e.begin("step")
    place = len(e.lines)
    now = [e.name("word") for _ in first]
    state, random, alive = now[: layout.fluent_count], now[layout.fluent_count : -1], now[-1]
    step, made = e.name("step"), e.name("made")
    circuit = CircuitEmitter(e, layout)
    circuit.put(layout.fluents, state)
    circuit.evaluate(layout.moves_view if deferred else layout.view)
    ended = e.and_(circuit.terminal(), alive)
    e.branch(e.any(ended), "results", "after")
    e.begin("results")
    count_ended(e, ended, step)
    if deferred:
        _hold(game, e, ended, state)
    else:
        add_goals(game, e, circuit.branch().goals(), ended)
    e.jump("after")
    e.begin("after")
    if deferred:
        _let_go_now_and_then(e, step)
    left, refilled, made_next = go_on_or_finish(e, alive, ended, step, made)
    moves, random_next = _choose_moves(e, circuit, random)
    following = circuit.transition(moves)
    chosen = e.block
    e.branch(e.any(refilled), "refill_lanes", "next")
    e.begin("refill_lanes")
    start = e.read("start", 0, layout.fluent_count)
    filled = [e.choose(refilled, a, b) for a, b in zip(start, following, strict=True)]
    e.jump("next")
    e.begin("next")
    merged = [e.name("next") for _ in following]
    for name, plain, other in zip(merged, following, filled, strict=True):
        e.phi(name, e.word, (plain, chosen), (other, "refill_lanes"))
    step_next = e.value(f"add i64 {step}, 1")
    e.jump("step")
    for name, value, after in zip(now, first, [*merged, *random_next, left], strict=True):
        e.phi(name, e.word, (value, "entry"), (after, "next"), place=place)
    for name, after in ((step, step_next), (made, made_next)):
        e.phi(name, "i64", ("0", "entry"), (after, "next"), place=place)
    e.begin("finished")
    e.keep(state, "state")
    e.keep(random, "random")
    keep_counts(e, left, made)
    if deferred:
        _call_held_goals(e)
    return _returned(e)


def go_on_or_finish(
    e: ThreadEmitter, alive: str, ended: str, step: str, made: str
) -> tuple[str, str, str]:
    """Go on to ``go_on`` with the next step, or to ``finished`` where there is none.

    Returns the lanes that are alive then, those that begin again, and how many steps were made.
    """
    again = e.value("icmp ne i64 %refill, 0")
    playing = e.and_(alive, e.not_(ended))
    left = e.value(f"select i1 {again}, {e.word} {alive}, {e.word} {playing}")
    refilled = e.value(f"select i1 {again}, {e.word} {ended}, {e.word} 0")
    made_next = e.value(f"add i64 {made}, {e.population(playing)}")
    more = e.value(f"icmp slt i64 {step}, %steps")
    e.branch(e.value(f"and i1 {more}, {e.any(left)}"), "go_on", "finished")
    e.begin("go_on")
    return left, refilled, made_next


def keep_counts(e: ThreadEmitter, alive: str, made: str) -> None:
    """Store which lanes are alive at the end, and how many steps were made."""
    e.store(alive, e.at("alive", 0))
    place = e.value(f"getelementptr i64, {e.pointer} %states, i64 %thread")
    e.write(f"store i64 {made}, {e.pointer} {place}")


def count_ended(e: ThreadEmitter, ended: str, step: str) -> None:
    """Count a playout in the lanes that have ended, and note the step."""
    _add_from(e, "ended", "0", ended)
    before, label, done = e.block, e.label("note"), e.label("noted")
    e.jump(label)
    e.begin(label)
    bit, rest = e.name("bit"), e.name("rest")
    e.phi(bit, "i64", ("0", before), (f"{bit}.next", label))
    e.phi(rest, "i64", ("%steps", before), (f"{rest}.next", label))
    shifted = e.value(f"lshr i64 {step}, {bit}")
    low = e.value(f"trunc i64 {shifted} to i1")
    address = e.at("last", bit)
    old = e.load(address)
    on, off = e.or_(old, ended), e.and_(old, e.not_(ended))
    e.store(e.value(f"select i1 {low}, {e.word} {on}, {e.word} {off}"), address)
    e.write(f"{bit}.next = add i64 {bit}, 1")
    e.write(f"{rest}.next = lshr i64 {rest}, 1")
    again = e.value(f"icmp ne i64 {rest}.next, 0")
    e.branch(again, label, done)
    e.begin(done)


def _add_from(e: ThreadEmitter, array: str, first: str, carry: str) -> None:
    """Add 1 to bit-sliced numbers where ``carry`` is set, from a plane on.

    It ends when nothing is carried any more.
    """
    before, label, done = e.block, e.label("carry"), e.label("carried")
    some = e.any(carry)
    e.branch(some, label, done)
    e.begin(label)
    plane, left = e.name("plane"), e.name("left")
    e.phi(plane, "i64", (first, before), (f"{plane}.next", label))
    e.phi(left, e.word, (carry, before), (f"{left}.next", label))
    address = e.at(array, plane)
    old = e.load(address)
    e.store(e.xor(old, left), address)
    e.write(f"{left}.next = and {e.word} {old}, {left}")
    e.write(f"{plane}.next = add i64 {plane}, 1")
    e.branch(e.any(f"{left}.next"), label, done)
    e.begin(done)


def sum_planes(game: DeviceGame, steps: int) -> int:
    """Return how many planes the goals of a role take, added up over so many steps at most."""
    most = max((value for _, value in game.goal_table), default=1)
    return max(game.value_bits, ((steps + 1) * most).bit_length())


def add_goals(game: DeviceGame, e: ThreadEmitter, goals: Sequence[str], lanes: str) -> None:
    """Add up the goals of some lanes. The lowest goal of a role counts."""
    for role in range(game.roles):
        left, bits = lanes, [ZERO] * game.value_bits
        for (other, value), goal in zip(game.goal_table, goals, strict=True):
            if other != role:
                continue
            holds = e.and_(left, goal)
            left = e.and_(left, e.not_(goal))
            for bit in range(game.value_bits):
                if value >> bit & 1:
                    bits[bit] = e.or_(bits[bit], holds)
        base = e.value(f"mul i64 %sum_planes, {role}")
        carry = ZERO
        for bit, added in enumerate(bits):
            address = e.at("sums", e.value(f"add i64 {base}, {bit}"))
            old = e.load(address)
            either = e.xor(old, added)
            e.store(e.xor(either, carry), address)
            carry = e.or_(e.and_(old, added), e.and_(either, carry))
        _add_from(e, "sums", e.value(f"add i64 {base}, {len(bits)}"), carry)


# ---------------------------------------------------------------------- deferred goals

HELD_STEPS = 16
"""Every so many steps the goals of held states are added up, in all threads at once.

Threads that come to it each in a step of its own wait for one another. Most games are longer.
"""

_HELD_ARGUMENTS = ("sums", "held", "i64 sum_planes", "i64 threads", "i64 thread")


def _call_held_goals(e: ThreadEmitter) -> None:
    """Add up the goals of the states that are held, and let go of them."""
    e.write(f"call void @add_held_goals({signature(_HELD_ARGUMENTS, e.pointer)})")


def _held_goals_function(game: DeviceGame, target: KernelTarget) -> str:
    """Write the function that adds up goals of held states: most gates of the game, once."""
    e = ThreadEmitter(target.bits, target.pointer)
    held = e.load(e.at("held", game.layout.fluent_count))
    e.branch(e.any(held), "some", "none")
    e.begin("none")
    e.write("ret void")
    e.begin("some")
    circuit = CircuitEmitter(e, game.layout)
    circuit.put(game.layout.fluents, e.read("held", 0, game.layout.fluent_count))
    circuit.evaluate(game.layout.view)
    add_goals(game, e, circuit.goals(), held)
    e.store(ZERO, e.at("held", game.layout.fluent_count))
    arguments = signature(_HELD_ARGUMENTS, target.pointer)
    head = f"define internal void @add_held_goals({arguments}) noinline {{"
    return "\n".join([head, "entry:", *_returned(e), "}"])


def _let_go_now_and_then(e: ThreadEmitter, step: str) -> None:
    due = e.value(f"and i64 {step}, {HELD_STEPS - 1}")
    now = e.value(f"icmp eq i64 {due}, {HELD_STEPS - 1}")
    e.branch(now, "let_go", "playing")
    e.begin("let_go")
    _call_held_goals(e)
    e.jump("playing")
    e.begin("playing")


def _hold(game: DeviceGame, e: ThreadEmitter, ended: str, state: Sequence[str]) -> None:
    """Hold the states of the lanes that have ended; first add up goals if one is held already."""
    count = game.layout.fluent_count
    full = e.load(e.at("held", count))
    add, hold = e.label("add"), e.label("hold")
    e.branch(e.any(e.and_(full, ended)), add, hold)
    e.begin(add)
    _call_held_goals(e)
    e.jump(hold)
    e.begin(hold)
    left = e.load(e.at("held", count))
    for index, value in enumerate(state):
        address = e.at("held", index)
        e.store(e.choose(ended, value, e.load(address)), address)
    e.store(e.or_(left, ended), e.at("held", count))


_KERNELS = {"play": _emit_play, "view": _emit_view, "move": _emit_move, "choose": _emit_choose}
