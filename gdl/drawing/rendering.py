"""Renderings: a state as something that notebooks and terminals show."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from rich.console import Console

from gdl.analysis.boards import BoardLayout, LayoutRefinementError, find_layout
from gdl.analysis.move_names import MoveNames, find_move_names
from gdl.drawing.svg import SvgOptions, draw_svg
from gdl.drawing.text import draw_text
from gdl.language import Ruleset, Term
from gdl.reasoner import interpret
from gdl.system import is_file

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
        return draw_svg(self.layout, self.state, self.before, SvgOptions(self.title))

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


def layout_of(ruleset: Ruleset) -> BoardLayout:
    """Find the layout of a game, with its layout file where it has one, and remember it.

    Raises :class:`gdl.GdlError` for a layout file that is wrong or does not fit the rules.
    """
    return _layout(ruleset, *_layout_file(ruleset))


def move_names_of(ruleset: Ruleset) -> MoveNames:
    """Find what the moves of a game are called, and remember it. Raises as :func:`layout_of`."""
    return _move_names(ruleset, *_layout_file(ruleset))


def _layout_file(ruleset: Ruleset) -> tuple[Path | None, int]:
    """The layout file of a game and when it was changed, so that a new version is read."""
    file = layout_file_of(Path(ruleset.source.name))
    return file, 0 if file is None else file.stat().st_mtime_ns


@lru_cache(maxsize=64)
def _move_names(ruleset: Ruleset, file: Path | None, changed: int) -> MoveNames:
    return find_move_names(interpret(ruleset), _layout(ruleset, file, changed))


@lru_cache(maxsize=64)
def _layout(ruleset: Ruleset, file: Path | None, changed: int) -> BoardLayout:
    """Find a layout; ``changed`` is when the file was."""
    if file is None:
        return find_layout(ruleset)
    # Only few games have a layout file, and what checks it takes a while to import.
    from gdl.analysis.boards.layout_file import read_layout_file

    try:
        return find_layout(ruleset, read_layout_file(file))
    except LayoutRefinementError as error:
        raise LayoutRefinementError(f"{file}: {error}") from error


def layout_file_of(rulesheet: Path) -> Path | None:
    """Return the layout file ``NAME.board.toml`` beside ``NAME.kif``, None where there is none."""
    file = rulesheet.with_suffix(".board.toml") if rulesheet.suffix == ".kif" else None
    return file if file is not None and is_file(file) else None
