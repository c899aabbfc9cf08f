"""Records a tree search by playouts: its nodes are those of the tree, with visits and means."""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType, FrameType, MappingProxyType
from typing import Any

from gdl import Constant, StateMachine, Term
from ggp_player.protocol import state_text
from ggp_player.search_steps.step_log import LoggedNode, StepLog
from ggp_player.search_steps.texts import move_label, number, shortened
from ggp_player.search_steps.value_recorder import LONGEST_TITLE
from ggp_player.strategies import Choice
from ggp_player.strategies.textbook.game_tree import Moves
from ggp_player.strategies.textbook.textbook_uct import PlayoutNode, UctSearch

PLAYOUT_CODES: Mapping[CodeType, str] = MappingProxyType(
    {
        function.__code__: function.__name__
        for function in (
            UctSearch.bestmove,
            UctSearch.play_once,
            UctSearch.select,
            UctSearch.expand,
            UctSearch.simulate,
            UctSearch.backpropagate,
            UctSearch.add_goals,
        )
    }
)
"""The watched functions, in the order in which they are shown."""


class PlayoutTreeRecorder:
    """The watcher of one search."""

    def __init__(self, log: StepLog, machine: StateMachine, role: Constant) -> None:
        self._log = log
        self._machine = machine
        self._index = machine.roles.index(role)
        self._nodes: dict[PlayoutNode, LoggedNode] = {}
        self._stack: list[FrameType] = []
        self._chosen: tuple[Term, float | None] | None = None
        self._best = -1
        self._end: Mapping[str, Any] = {
            "select": self._end_select,
            "expand": self._end_expand,
            "simulate": self._end_simulate,
            "add_goals": self._end_add_goals,
        }

    def on_call(self, frame: FrameType) -> None:
        """Note what runs; the root is shown when the search begins."""
        self._stack.append(frame)
        root = frame.f_locals["self"].root if not self._nodes else None
        if root is not None:
            self._nodes[root] = node = self._log.new_node(0, -1, "", _title(root))
            self._step(root, frame.f_lineno, "the tree is its root alone", {})
            node.look(0, self._shape(root), "", "0 visits", -1)

    def on_line(self, frame: FrameType) -> None:
        """Lines are read when a function returns."""

    def on_return(self, frame: FrameType, value: object) -> None:
        """Make a step of what a function has done."""
        if isinstance(value, Choice):
            self._note_choice(frame, value)
        elif value is not None or PLAYOUT_CODES[frame.f_code] == "add_goals":
            end = self._end.get(PLAYOUT_CODES[frame.f_code])
            if end is not None:
                end(frame, value)
        self._stack.pop()

    # ------------------------------------------------------------------ what functions have done

    def _end_select(self, frame: FrameType, move: Term) -> None:
        found = frame.f_locals
        node, role = found["node"], found["role"]
        moves = node.moves[self._machine.roles.index(role)]
        if len(moves) < 2:
            return
        shown = {}
        for each, tried in list(moves.items())[:8]:
            mean = f"{number(tried.total / tried.visits)}, " if tried.visits else ""
            shown[move_label(each)] = f"{mean}{_visits(tried.visits)}"
        why = "not tried yet" if moves[move].visits == 0 else "of the highest bound"
        if moves[move].visits and "highest" in found:
            why += f", {found['highest']:.2f}"
        if "tried" not in found:
            why = "at random"
        self._step(node, frame.f_lineno, f"{role} selects {move_label(move)}: {why}", shown)

    def _end_expand(self, frame: FrameType, child: PlayoutNode) -> None:
        above, joint_move = frame.f_locals["node"], frame.f_locals["joint_move"]
        edge = self._edge(above, joint_move)
        self._nodes[child] = node = self._log.new_node(
            0, self._nodes[above].number, edge, _title(child)
        )
        step = self._step(child, frame.f_lineno, "a new node", {})
        node.look(step, self._shape(child), "", "0 visits", -1)

    def _end_simulate(self, frame: FrameType, goals: tuple[int, ...]) -> None:
        above = self._stack[-2].f_locals["node"]
        roles = ", ".join(f"{r} {g}" for r, g in zip(self._machine.roles, goals, strict=True))
        over = self._machine.is_terminal(above.state)
        says = "the match is over here" if over else "a playout at random ends"
        self._step(above, frame.f_lineno, f"{says}: {roles}", {"goals": roles})

    def _end_add_goals(self, frame: FrameType, _: None) -> None:
        node: PlayoutNode = frame.f_locals["node"]
        mean = node.totals[self._index] / node.visits
        says = f"{_visits(node.visits)}, on average {number(mean)}"
        step = self._step(node, frame.f_lineno, says, {"visits": str(node.visits)})
        self._look(node, step)

    def _note_choice(self, frame: FrameType, choice: Choice) -> None:
        root = frame.f_locals["self"].root
        value = choice.value
        is_last = choice.limit is not None
        if value is None or (not is_last and (choice.move, value) == self._chosen):
            return
        self._chosen = choice.move, value
        chosen = [
            (child.visits, self._nodes[child].number)
            for joint_move, child in root.children.items()
            if joint_move[self._index] == choice.move
        ]
        self._best = max(chosen)[1]
        says = f"the most visited is {move_label(choice.move)}, on average {number(value)}"
        if is_last:
            says = f"plays {move_label(choice.move)}, on average {number(value)}: {choice.details}"
        self._look(root, self._step(root, frame.f_lineno, says, {}))

    # ------------------------------------------------------------------ steps and looks

    def _step(self, node: PlayoutNode, line: int, says: str, shown: Mapping[str, str]) -> int:
        return self._log.add(self._nodes[node], self._stack, line, shown, says)

    def _look(self, node: PlayoutNode, step: int) -> None:
        mean = number(node.totals[self._index] / node.visits)
        shown = self._nodes[node]
        best = self._best if shown.parent < 0 else -1
        shown.look(step, self._shape(node), mean, _visits(node.visits), best)

    def _shape(self, node: PlayoutNode) -> str:
        choosing = [index for index, moves in enumerate(node.moves) if len(moves) > 1]
        if self._machine.is_terminal(node.state):
            return "leaf"
        if len(choosing) > 1:
            return "together"
        return "up" if self._index in choosing or not choosing else "down"

    def _edge(self, node: PlayoutNode, joint_move: Moves) -> str:
        """The moves of those who have a choice, or else the first."""
        told = [
            move_label(move)
            for moves, move in zip(node.moves, joint_move, strict=True)
            if len(moves) > 1
        ]
        return " / ".join(told or [move_label(joint_move[0])])


def _visits(count: int) -> str:
    return f"{count} visit{'' if count == 1 else 's'}"


def _title(node: PlayoutNode) -> str:
    return shortened(state_text(node.state), LONGEST_TITLE)
