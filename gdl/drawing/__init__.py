"""Drawings of states: boards, counters and tables as text for terminals and as SVG.

In comes a :class:`gdl.analysis.boards.BoardLayout` and a state, out goes something that rich prints
(:func:`draw_text`) or an SVG text (:func:`draw_svg`). Both draw a :class:`Scene`, in which every
fact of the state has its place; ``glyphs`` says how words become pieces.
:func:`ending_in_words` says what has decided a match.
"""

from gdl.drawing.rendering import Rendering, layout_of, move_names_of, render
from gdl.drawing.scene import Scene, make_scene
from gdl.drawing.svg import SVG_STYLE, SvgOptions, draw_svg
from gdl.drawing.text import draw_text
from gdl.drawing.words import MAX_PLACES, EndingWords, ending_in_words

__all__ = [
    "MAX_PLACES",
    "SVG_STYLE",
    "EndingWords",
    "Rendering",
    "Scene",
    "SvgOptions",
    "draw_svg",
    "draw_text",
    "ending_in_words",
    "layout_of",
    "make_scene",
    "move_names_of",
    "render",
]
