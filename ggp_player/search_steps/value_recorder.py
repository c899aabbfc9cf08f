"""Records searches that follow lines of play: a call that chooses, or ends a line, is a node.

A role that only waits chooses nothing: its call shares the node of the call above, so that where
players move in turn each step of the match is one level, as in a textbook.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from types import CodeType, FrameType
from typing import cast

from gdl import Constant, State, StateMachine, Term
from gdl.language import moves_by_chance
from ggp_player.protocol import state_text
from ggp_player.search_steps.routines import Locals, Routine, RoutinePart
from ggp_player.search_steps.step_log import LoggedNode, StepLog
from ggp_player.search_steps.texts import choosing_roles, move_label, number, shortened
from ggp_player.strategies import Choice
from ggp_player.strategies.textbook.game_tree import own_first

HIGHEST = 100

MAX_SKIPPED = 12
"""Moves of a node that are shown as not searched."""

LONGEST_TITLE = 300


@dataclass(slots=True, eq=False)
class _Call:
    """A running call. ``window`` is the one that it began with, from the player's view.

    ``is_passing`` says that calls below share its node. ``first`` is the first of its lines that
    has run, ``line`` the last. ``searched`` are the moves below so far.
    """

    routine: Routine
    frame: FrameType
    node: LoggedNode
    above: _Call | None
    chooser: Constant | None = None
    is_passing: bool = False
    is_leaf: bool = False
    window: tuple[float, float] = (0, HIGHEST)
    line: int = 0
    first: int = 0
    known: dict[str, str] = field(default_factory=dict)
    has_called: bool = False
    searched: list[tuple[Term | None, LoggedNode]] = field(default_factory=list)
    best: int = -1
    choice: Choice | None = None


class ValueRecorder:
    """The watcher of one search; ``each`` says that every role maximizes its own utility."""

    def __init__(
        self,
        routines: Sequence[Routine],
        log: StepLog,
        machine: StateMachine,
        role: Constant,
        each: bool,
    ) -> None:
        self._routines: dict[CodeType, Routine] = {each.code: each for each in routines}
        self._log = log
        self._machine = machine
        self._role = role
        self._order = own_first(machine, role)
        self._each = each
        self._stack: list[_Call] = []
        self._resting: dict[FrameType, _Call] = {}
        self._pending: _Call | None = None
        """A call whose node begins with a step, which waits until it is known if it is a leaf."""
        self._moved: tuple[State, tuple[Term, ...]] | None = None
        self._trees = 0
        self._choosers = cache(lambda state: choosing_roles(machine, state, self._order))

    # ------------------------------------------------------------------ what is watched

    def on_call(self, frame: FrameType) -> None:
        """Begin a call, in a node of its own or in that of the call above."""
        routine = self._routines[frame.f_code]
        if frame in self._resting:
            self._stack.append(self._resting.pop(frame))
            return
        if routine.part is RoutinePart.MOVING:
            return
        above = self._stack[-1] if self._stack else None
        call = self._new_call(routine, frame, above)
        self._stack.append(call)
        if above is not None:
            above.has_called = True
        begins = routine.part is RoutinePart.ROOT or (
            routine.part is RoutinePart.CHOICE and not call.is_passing
        )
        if begins or call.is_leaf:
            self._flush()
            self._pending = call

    def on_line(self, frame: FrameType) -> None:
        """Note what the line before has changed."""
        call = self._running(frame)
        if call is None:
            return
        self._note_changes(call)
        call.line = frame.f_lineno
        call.first = call.first or call.line

    def on_return(self, frame: FrameType, value: object) -> None:
        """End a call, or let a generator rest."""
        if self._routines[frame.f_code].part is RoutinePart.MOVING:
            if value is not None:
                self._moved = cast(State, value), frame.f_locals["moves"]
            return
        call = self._running(frame)
        if call is None:
            return
        self._note_changes(call)
        if isinstance(value, Choice):  # of a generator that yields
            self._note_choice(call, value)
            self._resting[frame] = call
        elif value is not None or call.choice is not None:
            self._end(call, value)
        elif self._pending is call:
            self._pending = None  # it is given up before it has shown anything
        self._stack.pop()

    def _running(self, frame: FrameType) -> _Call | None:
        call = self._stack[-1] if self._stack else None
        return call if call is not None and call.frame is frame else None

    # ------------------------------------------------------------------ beginning

    def _new_call(self, routine: Routine, frame: FrameType, above: _Call | None) -> _Call:
        found = frame.f_locals
        line = frame.f_lineno
        if routine.part is RoutinePart.DEEPENING:
            root = LoggedNode(-1, -1, -1)
            return _Call(routine, frame, root, above, is_passing=True, line=line)
        if routine.part is RoutinePart.ROOT:
            self._trees += 1
            node = self._log.new_node(self._trees - 1, -1, "", self._title(found["state"]))
        elif above is None or above.node.number < 0:
            raise AssertionError(f"{frame.f_code.co_qualname} was called outside of a tree")
        elif above.is_passing or routine.part is RoutinePart.BODY:
            node = above.node
        else:
            node = self._child(above, found)
        call = _Call(routine, frame, node, above, line=line)
        state = _state_of(found)
        if routine.part in (RoutinePart.CHOICE, RoutinePart.PASSING):
            call.is_leaf = found.get("depth") == 0 or self._machine.is_terminal(state)
        call.chooser = None if call.is_leaf else routine.chooser(found)
        call.is_passing = not call.is_leaf and self._passes(call, state)
        call.window = self._window(call, found)
        if not call.is_passing and routine.part is RoutinePart.CHOICE:
            node.title = self._title(state)
        call.known = self._variables(call)
        return call

    def _child(self, above: _Call, found: Locals) -> LoggedNode:
        move = self._move(above, found)
        edge = "" if move is None else move_label(move)
        node = self._log.new_node(above.node.tree, above.node.number, edge, "")
        above.searched.append((move, node))
        return node

    def _move(self, above: _Call, found: Locals) -> Term | None:
        """The move that the role above has chosen for this call."""
        if found.get("moves"):
            move: Term = found["moves"][-1]
            return move
        chosen: Term | None = found.get("move", above.frame.f_locals.get("action"))
        if chosen is not None:
            return chosen
        if self._moved is not None and self._moved[0] is _state_of(found) and above.chooser:
            return self._moved[1][self._order.index(above.chooser)]
        return None

    def _passes(self, call: _Call, state: State) -> bool:
        """Whether nothing is chosen in a call: it leads on, or its role waits."""
        if call.routine.part in (RoutinePart.PASSING, RoutinePart.TABLE):
            return True
        if call.routine.part is RoutinePart.BODY:
            return False
        return call.chooser not in self._choosers(state)

    def _window(self, call: _Call, found: Locals) -> tuple[float, float]:
        """Alpha and beta of a call from the player's view, or the bounds of a whole search."""
        if "alpha" in found and "beta" in found:
            alpha, beta = found["alpha"], found["beta"]
            if self._is_flipped(call):
                return HIGHEST - beta, HIGHEST - alpha
            return alpha, beta
        search = found.get("self")
        return getattr(search, "lower", 0), getattr(search, "upper", HIGHEST)

    def _is_flipped(self, call: _Call) -> bool:
        """Whether the values of a call are those that an opponent sees."""
        found: Locals = call.frame.f_locals
        if call.routine.part is RoutinePart.TABLE:
            return any(role != self._role for role in found.get("view", ()))
        return call.routine.is_own_view and found["role"] != self._role

    # ------------------------------------------------------------------ going on

    def _variables(self, call: _Call) -> dict[str, str]:
        found = call.frame.f_locals
        return {name: _value_text(found[name]) for name in call.routine.shown if name in found}

    def _note_changes(self, call: _Call) -> None:
        """Make a step of it where the line that has run has changed a variable."""
        if call.is_passing or call.is_leaf:
            return
        now = self._variables(call)
        changed = [name for name in now if name in call.known and now[name] != call.known[name]]
        call.known = now
        if not changed or call.routine.part is RoutinePart.ROOT:  # its choices are steps
            return
        if call.searched:
            call.best = call.searched[-1][1].number
        says = "now " + ", ".join(f"{name} = {now[name]}" for name in changed)
        self._step(call, call.line, says + self._view(call))

    def _note_choice(self, call: _Call, choice: Choice) -> None:
        if call.routine.part is not RoutinePart.ROOT:
            call.choice = choice
            return
        before, call.choice = call.choice, choice
        chosen = [node.number for move, node in call.searched if move == choice.move]
        is_same = before is not None and (before.move, before.value) == (choice.move, choice.value)
        if is_same or choice.value is None:
            return
        call.best = chosen[-1] if chosen else call.best
        says = f"the best so far is {move_label(choice.move)}, worth {number(choice.value)}"
        self._step(call, call.frame.f_lineno, says)

    def _end(self, call: _Call, value: object) -> None:
        """Note what a call returns."""
        line, is_told = call.frame.f_lineno, not call.is_passing
        if call.routine.part is RoutinePart.DEEPENING:
            self._end_deepening(call)
        elif call.routine.part is RoutinePart.ROOT:
            self._end_tree(call)
        elif call.is_leaf or not call.has_called:
            self._end_leaf(call, value, line)
        elif is_told and call.routine.part is RoutinePart.CHOICE:
            self._end_choice(call, value, line)

    def _end_deepening(self, call: _Call) -> None:
        last = self._log.shown[-1:]
        choice = call.choice
        if not last or choice is None:
            return
        root = next(node for node in self._log.nodes if node.tree == last[0].tree)
        why = "no deeper search can change it" if choice.proved else choice.details
        says = f"plays {move_label(choice.move)}: {why}"
        self._flush()
        self._log.add(root, [call.frame], call.line, {}, says)

    def _end_tree(self, call: _Call) -> None:
        choice = call.choice
        if choice is None:
            return
        worth = "" if choice.value is None else f", worth {number(choice.value)}"
        says = f"this tree says {move_label(choice.move)}{worth}"
        self._show_skipped(call, self._step(call, call.line, says))

    def _end_leaf(self, call: _Call, value: object, line: int) -> None:
        if self._pending is call:
            self._pending = None
        found = call.frame.f_locals
        state = _state_of(found)
        if self._machine.is_terminal(state):
            shape, says = "leaf", "the match is over: worth"
        elif call.routine.part is RoutinePart.TABLE:
            shape, says = "seen", "searched before: the table has"
        else:
            shape, says = "evaluated", "the depth ends here: it is estimated as"
        if call.routine.part is RoutinePart.CHOICE or not call.node.title:
            call.node.title = self._title(state)
        text = self._text(call, value, is_exact=shape != "seen")
        step = self._add(call, line, f"{says} {text}")
        call.node.look(step, shape, text, "", -1)

    def _end_choice(self, call: _Call, value: object, line: int) -> None:
        text = self._text(call, value, is_exact=False)
        skipped = self._skipped(call)
        says = f"returns {_value_text(value)}{self._view(call)}"
        if skipped:
            says += f"; {len(skipped)} of its moves cannot matter any more"
        step = self._add(call, line, says)
        call.node.look(step, self._shape(call), text, self._beside(call), call.best)
        self._show_skipped(call, step)

    # ------------------------------------------------------------------ moves not searched

    def _skipped(self, call: _Call) -> list[Term]:
        if call.chooser is None:
            return []
        searched = {move for move, _ in call.searched}
        legal = self._machine.legal_moves(_state_of(call.frame.f_locals), call.chooser)
        return [move for move in legal if move not in searched] if None not in searched else []

    def _show_skipped(self, call: _Call, step: int) -> None:
        for move in self._skipped(call)[:MAX_SKIPPED]:
            title = f"{move} was not searched"
            node = self._log.new_node(call.node.tree, call.node.number, move_label(move), title)
            node.born = step
            node.look(step, "pruned", "", "", -1)

    # ------------------------------------------------------------------ steps

    def _step(self, call: _Call, line: int, says: str) -> int:
        """Add a step of a node in which a role chooses, and its look."""
        step = self._add(call, line, says)
        value = call.choice.value if call.choice is not None else None
        if value is None and call.routine.value:
            value = call.frame.f_locals.get(call.routine.value)
        text = "" if value is None else _value_text(value)
        call.node.look(step, self._shape(call), text, self._beside(call), call.best)
        return step

    def _add(self, call: _Call, line: int, says: str) -> int:
        self._flush()
        frames = [each.frame for each in self._stack]
        return self._log.add(call.node, frames, line, self._variables(call), says)

    def _flush(self) -> None:
        """Add the step that was kept back."""
        call, self._pending = self._pending, None
        if call is None:
            return
        frames = [each.frame for each in self._stack[: self._stack.index(call) + 1]]
        says = self._words_at_begin(call)
        step = self._log.add(call.node, frames, call.first, call.known, says)
        call.node.look(step, self._shape(call), "", self._beside(call), -1)

    # ------------------------------------------------------------------ words and looks

    def _words_at_begin(self, call: _Call) -> str:
        if call.routine.part is RoutinePart.ROOT:
            depth = call.frame.f_locals.get("depth")
            told = "" if depth is None else f", to depth {depth}"
            return f"a new tree{told}: {self._role} is to choose"
        seen = f"; alpha and beta are as {call.chooser} sees them" if self._is_flipped(call) else ""
        return f"{call.chooser} is to choose{seen}"

    def _view(self, call: _Call) -> str:
        return f", as {call.chooser} sees it" if self._is_flipped(call) else ""

    def _shape(self, call: _Call) -> str:
        role = call.chooser
        if call.is_passing and call.node.history:
            return call.node.history[-1][1]
        if role is not None and moves_by_chance(role) and call.routine.part is not RoutinePart.ROOT:
            return "chance"
        if self._each:
            return "each"
        if role == self._role:
            return "up"
        earlier = self._order[: self._order.index(role)] if role is not None else ()
        choosers = self._choosers(_state_of(call.frame.f_locals))
        return "together" if set(earlier) & set(choosers) else "down"

    def _beside(self, call: _Call) -> str:
        if "alpha" not in call.routine.shown:
            return ""
        alpha, beta = self._window(call, call.frame.f_locals)
        if call.routine.part is RoutinePart.ROOT:
            alpha = call.frame.f_locals.get("alpha", 0)
        return f"α {number(alpha)}  β {number(beta)}"  # noqa: RUF001 it is alpha

    def _text(self, call: _Call, value: object, *, is_exact: bool) -> str:
        """Write a value from the player's view; ≤ and ≥ mean that only this bound is known."""
        if not isinstance(value, int | float):
            return _value_text(value)
        if self._is_flipped(call):
            value = HIGHEST - value
        if is_exact or self._each:
            return number(value)
        alpha, beta = call.window
        if value <= alpha and value > 0:
            return f"≤{number(value)}"
        return f"≥{number(value)}" if value >= beta and value < HIGHEST else number(value)

    def _title(self, state: State) -> str:
        return shortened(state_text(state), LONGEST_TITLE)


def _state_of(found: Locals) -> State:
    """The state of a frame; a table of :func:`remembered` has it as its first argument."""
    state: State = found["state"] if "state" in found else found["args"][0]
    return state


def _value_text(value: object) -> str:
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_value_text, value))})"
    if isinstance(value, list):
        return f"[{', '.join(map(_value_text, value))}]"
    return str(value)
