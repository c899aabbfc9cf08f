"""The steps of a search and the nodes of its trees, within bounds, as JSON for the page."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from types import CodeType, FrameType
from typing import Any

from ggp_player.search_steps.texts import shortened

MAX_STEPS = 2_000
"""The most steps of a search that are kept; a person takes half an hour for so many."""

MAX_BYTES = 4 * 2**20
"""The most characters of texts in them, about the bytes of a page."""

LONGEST_TEXT = 160
"""Characters of what a step says, and of a variable's value."""

ROOT_FOLDER = Path(__file__).parents[2]

Place = tuple[int, int]
"""A function by its number, and a line of its file."""


class StepLimitReached(BaseException):
    """There is no room for another step; the text says which bound was reached.

    It is no error, and no handler of the search may take it.
    """


@dataclass(slots=True, eq=False)
class LoggedNode:
    """A node of the tree. ``edge`` is the move that leads to it, ``born`` the step that shows it.

    ``history`` has what it looks like from a step on: the step, its shape, the value in it, what
    stands beside it, and the number of the child that gives the value, -1 where there is none.
    """

    number: int
    tree: int
    parent: int
    edge: str = ""
    title: str = ""
    born: int = -1
    history: list[tuple[int, str, str, str, int]] = field(default_factory=list)

    def look(self, step: int, shape: str, text: str, beside: str, best: int) -> None:
        """Look like this from a step on."""
        look = (shape, text, beside, best)
        if self.history and self.history[-1][1:] == look:
            return
        if self.history and self.history[-1][0] == step:
            self.history.pop()
        self.history.append((step, *look))

    @property
    def text(self) -> str:
        """The value that it shows last."""
        return self.history[-1][2] if self.history else ""


@dataclass(frozen=True, slots=True)
class SearchStep:
    """A step: its node, the line that runs, the lines that wait for it, variables, and words."""

    node: int
    tree: int
    place: Place
    callers: tuple[Place, ...]
    variables: tuple[tuple[str, str], ...]
    says: str


class StepLog:
    """What a recorder writes: functions, nodes and steps. ``cut`` says why it ends too early.

    ``check`` is called with each step, and raises where there is no time for more.
    """

    def __init__(
        self,
        codes: Sequence[CodeType],
        check: Callable[[], None] = lambda: None,
        max_steps: int = MAX_STEPS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.nodes: list[LoggedNode] = []
        self.steps: list[SearchStep] = []
        self.cut = ""
        self._check = check
        self._max_steps = max_steps
        self._room = max_bytes
        self.numbers = {code: number for number, code in enumerate(codes)}

    def new_node(self, tree: int, parent: int, edge: str, title: str = "") -> LoggedNode:
        """Make a node, which is shown with its first step."""
        node = LoggedNode(len(self.nodes), tree, parent, edge, title)
        self.nodes.append(node)
        return node

    def add(
        self,
        node: LoggedNode,
        frames: Sequence[FrameType],
        line: int,
        variables: Mapping[str, str],
        says: str,
    ) -> int:
        """Add a step in the last of some running frames; return its number.

        Raises :class:`StepLimitReached` where there is no room for it.
        """
        *waiting, running = frames
        callers = dict.fromkeys(self._place(frame) for frame in waiting)
        return self.add_at(
            node, (self.numbers[running.f_code], line), tuple(callers), variables, says
        )

    def next_number(self) -> int:
        """The number of the next step. Raises :class:`StepLimitReached` where there can be none."""
        self._check()
        if len(self.steps) == self._max_steps:
            raise StepLimitReached(f"after {self._max_steps:,} steps")
        return len(self.steps)

    def add_at(
        self,
        node: LoggedNode,
        place: Place,
        callers: tuple[Place, ...],
        variables: Mapping[str, str],
        says: str,
    ) -> int:
        """Add a step at a place, to which some callers have led. Otherwise as :meth:`add`."""
        number = self.next_number()
        step = SearchStep(
            node.number,
            node.tree,
            place,
            callers,
            tuple((name, shortened(text, LONGEST_TEXT)) for name, text in variables.items()),
            shortened(says, LONGEST_TEXT),
        )
        self._room -= 80 + len(says) + len(node.title) + 12 * len(callers)
        self._room -= sum(len(name) + len(text) for name, text in step.variables)
        if self._room < 0:
            raise StepLimitReached("as the page would grow too large")
        if node.born < 0:
            node.born = number
        self.steps.append(step)
        return number

    def _place(self, frame: FrameType) -> Place:
        return self.numbers[frame.f_code], frame.f_lineno

    @property
    def shown(self) -> list[LoggedNode]:
        """The nodes that a step shows."""
        return [node for node in self.nodes if node.born >= 0]

    def as_values(self) -> dict[str, Any]:
        """All of it as values for JSON, as ``stepper.js`` reads them."""
        run = {number for step in self.steps for number, _ in (step.place, *step.callers)}
        return {
            "cut": self.cut,
            "sources": [_source(c) if n in run else None for c, n in self.numbers.items()],
            "nodes": [[n.tree, n.parent, n.edge, n.title, n.born, n.history] for n in self.nodes],
            "steps": [
                [s.node, s.tree, s.place, s.callers, s.variables, s.says] for s in self.steps
            ],
        }


def _source(code: CodeType) -> dict[str, Any]:
    lines, first = inspect.getsourcelines(code)
    file = Path(code.co_filename).resolve().relative_to(ROOT_FOLDER).as_posix()
    source = dedent("".join(lines)).splitlines()
    return {"name": code.co_name, "file": file, "first": first, "lines": source}
