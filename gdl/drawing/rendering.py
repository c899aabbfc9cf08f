"""Renderings: a state as something that notebooks and terminals show."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from rich.console import Console

from gdl.analysis.boards import BoardLayout, find_layout
from gdl.drawing.svg import draw_svg
from gdl.drawing.text import draw_text
from gdl.language import Ruleset, Term

DEFAULT_WIDTH = 100
"""Characters of a line of text, unless the caller says otherwise."""


@dataclass(frozen=True)
class Rendering:
    """A state, drawn when asked: ``svg`` as a picture, ``text`` for a terminal, without colours."""

    layout: BoardLayout
    state: tuple[Term, ...]
    before: tuple[Term, ...] | None = None
    title: str = ""
    width: int = DEFAULT_WIDTH

    @cached_property
    def svg(self) -> str:
        """The picture as SVG text."""
        return draw_svg(self.layout, self.state, self.before, title=self.title)

    @cached_property
    def text(self) -> str:
        """The picture as plain text."""
        console = Console(file=io.StringIO(), width=self.width, color_system=None, highlight=False)
        with console.capture() as captured:
            console.print(draw_text(self.layout, self.state, self.before))
        return captured.get()

    def _repr_svg_(self) -> str:
        """The picture for a notebook."""
        return self.svg

    def __str__(self) -> str:
        return self.text.rstrip("\n")


def render(
    ruleset: Ruleset, state: Iterable[Term], before: Iterable[Term] | None = None
) -> Rendering:
    """Render a state of a game; what has changed since the state ``before`` is marked."""
    name = Path(ruleset.source.name).stem
    return Rendering(
        layout_of(ruleset),
        tuple(sorted(state, key=str)),
        None if before is None else tuple(sorted(before, key=str)),
        title=name if name.isidentifier() else "",
    )


@lru_cache(maxsize=64)
def layout_of(ruleset: Ruleset) -> BoardLayout:
    """Find the layout of a game, and remember it."""
    return find_layout(ruleset)
