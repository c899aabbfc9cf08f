"""The process that draws: rules come from strangers, and finding a board in them takes its time.

It reads a request a line and answers each with a line, at low priority and within bounds of its
own, and ends with its server. What it has found out of rules and matches is kept for the next
request. To find the boards of a game may take :data:`LAYOUT_SECONDS` of CPU time, and to compute
and draw a position :data:`POSITION_SECONDS`; what takes longer costs nothing else, and the server
lets some time pass before it asks again.
"""

from __future__ import annotations

import logging
import signal
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import gdl
from gdl import GdlError, Term
from gdl.analysis.boards import (
    BoardCell,
    BoardLayout,
    LayoutRefinement,
    Outcome,
    Part,
    cells_of_move,
    find_layout,
    state_after,
)
from gdl.analysis.decisive_facts import decisive_facts, ending_rules
from gdl.analysis.move_names import MoveNames, find_move_names, names_without_play
from gdl.drawing import EndingWords, SvgOptions, draw_svg, ending_in_words, make_scene
from gdl.game_library import own_layout_file
from gdl.state_machine import RuledMachine
from gdl.system import OutOfTimeError, time_limit
from gdl.system.helper_process import answer_lines, begin_helper
from ggp_player.archive import open_archive, prepare_archives
from ggp_player.errors import PositionError, StrategyError
from ggp_player.pages.drawing_messages import (
    MAX_LINE,
    REQUESTS,
    Answer,
    Drawing,
    DrawingRequest,
    DrawMoves,
    DrawPosition,
    DrawState,
    DrawSteps,
    FindGame,
    Line,
    NameMoves,
    RecordSteps,
    encode,
)
from ggp_player.pages.positions import MatchTree
from ggp_player.pages.rulesheets import find_game
from ggp_player.protocol import parse_state

MAX_MEMORY = 2 * 2**30
"""Bytes of address space of the process."""

LAYOUT_SECONDS = 10.0
"""CPU seconds in which the boards of a game are found; a game with others has none."""

POSITION_SECONDS = 5.0
"""CPU seconds in which a position is computed and drawn."""

NAMES_SECONDS = 3.0
"""CPU seconds in which names for moves are found; otherwise they follow from the board alone."""

STEPS_SECONDS = 12.0
"""CPU seconds in which the steps of one request are drawn; those that are left are listed."""

REQUEST_SECONDS = 30.0
"""CPU seconds of a request, after which the system ends the process: more than all limits together.

It is for what no other limit can end, as code outside of Python that goes on and on.
"""

REPEAT_SECONDS = 0.05
"""CPU seconds after which a limit that went unheard is raised again."""

DECIDING_SECONDS = 1.0
"""CPU seconds in which it is found what has decided a match, or what moves that name no place
change; otherwise nothing is marked."""

LEAST_SECONDS = 0.05
"""CPU seconds for each of these, in which its state is computed."""

MAX_FOLLOWED = 24
"""Matches whose positions are remembered while they go on."""

MAX_LISTED_FACTS = 400
"""Facts of a state that are listed where there is no drawing."""

MOST_NAMED = 2
"""Places that a move names one by one: from and to. With more, it names a row or a column."""

NICENESS = 5
"""How much every search goes before it, unless somebody waits to move.

It has a quarter of a core beside a search, and its first board needs 0.2 s of CPU time: with 10 it
would have a tenth, and a busy machine shows that board after 15 s.
"""

FOR_PERSON = "for-person"
"""The argument of a process for somebody who waits to move."""

FOR_ARCHIVE = "for-archive"
"""The argument of a process that is asked for matches of an archive.

It imports what reads one before it lets others go before it: that takes longer than the drawings.
"""

_log = logging.getLogger(__name__)


def main() -> None:
    """Answer requests until there are no more."""
    if FOR_ARCHIVE in sys.argv:
        prepare_archives()
    begin_helper(MAX_MEMORY, 0 if FOR_PERSON in sys.argv else NICENESS)
    answer_lines(_answer_line)


def _answer_line(line: bytes) -> bytes:
    has_timer = hasattr(signal, "setitimer")
    if has_timer:  # nothing handles its signal, which ends the process
        signal.setitimer(signal.ITIMER_VIRTUAL, REQUEST_SECONDS)
    answered = encode(answer(REQUESTS.validate_json(line)))
    if has_timer:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return answered


def _at_most(seconds: float) -> AbstractContextManager[None]:
    """Bound the CPU time of what is computed, where the system can tell.

    Again every ``REPEAT_SECONDS``, as Python drops what is raised in a destructor or a callback.
    """
    return time_limit(seconds, REPEAT_SECONDS, of_cpu=True)


def answer(request: DrawingRequest) -> Answer:
    """Draw what is asked for."""
    try:
        if isinstance(request, DrawState):
            return Answer((_draw(request),))
        if isinstance(request, DrawPosition):
            return _draw_position(request)
        if isinstance(request, DrawMoves):
            return Answer((_draw_moves(request),))
        if isinstance(request, RecordSteps):
            return Answer(steps=_record_steps(request))
        if isinstance(request, FindGame):
            return _find_game(request)
        if isinstance(request, NameMoves):
            return Answer(names=_move_names(request.rules, request.layout_file))
        return Answer(tuple(_draw_steps(request)))
    except (PositionError, StrategyError) as error:
        return Answer(refusal=str(error)[:500])
    except OutOfTimeError:
        reason = f"it takes more than {POSITION_SECONDS:g} s of CPU time"
        return Answer(error=reason, is_too_hard=True)
    except Exception as error:  # whatever the rules do, the next request is answered
        return Answer(error=f"{type(error).__name__}: {error}"[:500])


@lru_cache(maxsize=16)
def _layout(rules: str, layout_file: str = "") -> BoardLayout | None:
    """Find the boards of a game; None where they cannot be found."""
    try:
        with _at_most(LAYOUT_SECONDS):
            file = layout_file or own_layout_file(rules)
            return find_layout(gdl.parse(rules), _refinement(file))
    except OutOfTimeError:
        _log.warning("no board is found in %g s, and states are listed", LAYOUT_SECONDS)
        return None
    except Exception:
        _log.exception("no board is found, and states are listed")
        return None


@lru_cache(maxsize=16)
def _move_names(rules: str, layout_file: str) -> MoveNames:
    """Find names for the moves of a game; without a board they are said in their own words."""
    layout = _layout(rules, layout_file)
    if layout is None:
        return MoveNames()
    ways: tuple[Callable[[], MoveNames], ...] = (
        lambda: find_move_names(_machine(rules), layout),
        lambda: names_without_play(layout),
    )
    for find in ways:
        try:
            with _at_most(NAMES_SECONDS):
                return find()
        except OutOfTimeError:
            _log.warning("it is not found in %g s what moves are called", NAMES_SECONDS)
        except Exception:
            _log.exception("it is not found what moves are called")
    return MoveNames()


def _refinement(layout_file: str | Path | None) -> LayoutRefinement:
    """Read a layout file; one that is wrong is logged, and refines nothing."""
    if not layout_file:
        return LayoutRefinement()
    from gdl.analysis.boards.layout_file import read_layout_file

    try:
        return read_layout_file(Path(layout_file))
    except (GdlError, OSError):
        _log.exception("the layout file cannot be used")
        return LayoutRefinement()


def _draw(request: DrawState) -> Drawing:
    layout = _layout(request.rules, request.layout_file)
    with _at_most(POSITION_SECONDS):
        return _drawn_on(layout, request)


def _draw_moves(request: DrawMoves) -> Drawing:
    with _at_most(POSITION_SECONDS):
        found = _tree_of(request).position(len(request.moves), "")
    drawing = _draw(
        DrawState(
            request.rules,
            found.state,
            found.before,
            is_over=found.is_over,
            with_legend=False,
            prefix=request.prefix,
        )
    )
    layout = _layout(request.rules)
    names = MoveNames() if layout is None else names_without_play(layout)
    last = request.moves[-1] if request.moves else ()
    said = tuple(
        (role, "" if names.waits(move) else names.name(move))
        for role, move in zip(found.roles, last, strict=False)
    )
    return replace(drawing, roles=found.roles, last_moves=said)


_followed: OrderedDict[str, tuple[str, MatchTree]] = OrderedDict()
"""The rules and the positions of the matches that are drawn move by move, by their prefixes."""


def _tree_of(request: DrawMoves) -> MatchTree:
    """The positions of a match; those of earlier moves are remembered."""
    rules, tree = _followed.pop(request.prefix, ("", None))
    if tree is None or rules != request.rules or not tree.go_on(request.moves):
        tree = MatchTree(request.rules, request.moves)
    _followed[request.prefix] = request.rules, tree
    if len(_followed) > MAX_FOLLOWED:
        _followed.popitem(last=False)
    return tree


def _find_game(request: FindGame) -> Answer:
    with _at_most(POSITION_SECONDS):
        game, state = find_game(request.rules)
    if not game.roles:
        return Answer(game=game)
    drawn = DrawState(
        request.rules,
        state,
        layout_file=request.layout_file,
        is_partial=game.has_percepts,  # nobody need be told that it is whole
        with_turn=False,
        with_legend=False,
        prefix=request.prefix,
    )
    return Answer((_draw(drawn),), game=game)


def _drawn_on(layout: BoardLayout | None, request: DrawState) -> Drawing:
    state = parse_state(request.state)
    cells: dict[str, tuple[str, ...]] = {}
    line: Line = ()
    if layout is not None:
        outcome = _outcome(request.rules, state)
        cells = {move: _names(_cells(layout, move, state, outcome)) for move in request.moves}
        line = places_of_line(layout, state, request.line, outcome)
    if not request.with_drawing:
        return Drawing(cells=cells, line=line)
    before = parse_state(request.before) if request.before else None
    ending = _Ending()
    if request.is_over:
        ending = _ending(request.rules, request.layout_file, request.state)
    options = SvgOptions(
        with_style=False,  # the page has the style sheet, and allows none inside of drawings
        is_partial=request.is_partial,
        with_turn=request.with_turn and not request.is_over,
        with_legend=request.with_legend,
        prefix=request.prefix,
        decisive=ending.facts,
    )
    drawing = _drawn(layout, state, before, options)
    return replace(drawing, cells=cells, line=line, ending=ending.words)


def _drawn(
    layout: BoardLayout | None,
    state: Sequence[Term],
    before: Sequence[Term] | None,
    options: SvgOptions,
) -> Drawing:
    """Draw a state, or list its facts."""
    if layout is not None:
        try:
            return Drawing(draw_svg(layout, state, before, options))
        except Exception:
            _log.exception("a state cannot be drawn, and is listed")
    return _listed(state)


@dataclass(frozen=True, slots=True)
class _Ending:
    """Whether a match is over, and what has decided it: facts, as text, and words for it."""

    is_over: bool = False
    facts: frozenset[str] = frozenset()
    words: EndingWords = field(default_factory=EndingWords)


@lru_cache(maxsize=64)
def _ending(rules: str, layout_file: str, state: str) -> _Ending:
    """How a match has ended; it says no more than that it has where the cause is not found."""
    layout, found = _layout(rules, layout_file), _Ending()
    try:
        machine = _machine(rules)
        last = machine.state_of(parse_state(state))
        found = _Ending(machine.is_terminal(last))
        if layout is None or not found.is_over:
            return found
        facts = decisive_facts(machine, last, DECIDING_SECONDS)
        ended_by = ending_rules(gdl.parse(rules), last, DECIDING_SECONDS)
        words = ending_in_words(layout, facts, ended_by)
        return _Ending(True, frozenset(map(str, facts)), words)
    except GdlError:
        return found


@lru_cache(maxsize=4)
def _machine(rules: str) -> RuledMachine:
    return gdl.interpret(gdl.parse(rules))


def _listed(state: Sequence[Term]) -> Drawing:
    return Drawing("", tuple(map(str, state[:MAX_LISTED_FACTS])))


def _outcome(rules: str, state: Sequence[Term]) -> Outcome:
    """What moves in a state lead to; nothing where the rules go wrong, or time is up."""
    end = time.process_time() + DECIDING_SECONDS

    def facts_after(move: Term) -> Iterable[Term] | None:
        with suppress(GdlError):
            if time.process_time() < end:
                machine = _machine(rules)
                return state_after(machine, machine.state_of(state), move)
        return None

    return facts_after


def _cells(
    layout: BoardLayout, move: str, state: Sequence[Term], outcome: Outcome | None = None
) -> tuple[BoardCell, ...]:
    """The places that a move names."""
    try:
        return cells_of_move(layout, gdl.parse_term(move), state, outcome)
    except GdlError:
        return ()


def _names(cells: Iterable[BoardCell]) -> tuple[str, ...]:
    return tuple(f"{cell.board} {' '.join(cell.key)}" for cell in cells)


def places_of_line(
    layout: BoardLayout, state: Sequence[Term], line: Line, outcome: Outcome | None = None
) -> Line:
    """Find the places of the next joint moves; of the first one by its ``outcome``.

    Where a move names a column only, things fall to its lowest free place, as in connect four.
    """
    scene = make_scene(layout, state)
    taken = {
        BoardCell(board.index, placed.place.key)
        for board in scene.boards
        for placed in board.cells
        if any(item.part is Part.PIECE for item in placed.shown)
    }
    found = []
    for number, joint_move in enumerate(line[:MAX_LINE]):
        known = None if number else outcome
        cells = [
            cell
            for move in joint_move
            for cell in _lowest_free(layout, _cells(layout, move, state, known), taken)
        ]
        taken.update(cells)
        found.append(_names(dict.fromkeys(cells)))
    return tuple(found)


def _lowest_free(
    layout: BoardLayout, cells: tuple[BoardCell, ...], taken: Collection[BoardCell]
) -> tuple[BoardCell, ...]:
    """The lowest free place of a column; all cells where they are none."""
    if len(cells) <= MOST_NAMED:
        return cells
    places = {cell: layout.boards[cell.board].places for cell in cells}
    where = {
        cell: next((place for place in places[cell] if place.key == cell.key), None)
        for cell in cells
    }
    free = [(place.y, cell) for cell, place in where.items() if place and cell not in taken]
    is_column = len({place.x for place in where.values() if place}) == 1
    return (max(free)[1],) if free and is_column else cells[:1]


def _draw_steps(request: DrawSteps) -> Iterator[Drawing]:
    match = _archived(request.archive, request.match, request.length)
    end = time.process_time() + STEPS_SECONDS
    for step in range(request.first, request.first + request.count):
        left = end - time.process_time()
        try:
            with _at_most(min(POSITION_SECONDS, max(left, LEAST_SECONDS))):
                if not _is_reached(match, step):
                    return
                drawing = None if step in match.too_hard else _drawn_step(match, step)
        except OutOfTimeError:
            if len(match.states) <= step:  # the steps after it follow from this one
                return
            if left > POSITION_SECONDS:
                match.too_hard.add(step)
            drawing = None
        yield drawing or _listed(parse_state(match.states[step]))


def _is_reached(match: _Replayed, step: int) -> bool:
    """Compute the states of a match up to a step; return whether there is one."""
    while len(match.states) <= step and (found := next(match.others, None)) is not None:
        match.states.append(found)
    return len(match.states) > step


def _drawn_step(match: _Replayed, step: int) -> Drawing:
    state, before = match.states[step], match.states[step - 1] if step else ""
    is_last = match.layout is not None and not _is_reached(match, step + 1)
    is_over = is_last and _ending(match.rules, "", state).is_over
    line = match.lines.get(step, ())
    return _drawn_on(
        match.layout, DrawState(match.rules, state, before, line=line, is_over=is_over)
    )


def _draw_position(request: DrawPosition) -> Answer:
    rules, tree = _tree(request.archive, request.match, request.length)
    with _at_most(POSITION_SECONDS):
        position = tree.position(request.step, request.line)
    moves = dict.fromkeys(move for legal in position.legal.values() for move in legal)
    state = DrawState(rules, position.state, position.before, tuple(moves))
    drawing = _draw(replace(state, is_over=position.is_over))
    return Answer((drawing,), position=position)


def _record_steps(request: RecordSteps) -> str:
    from ggp_player.search_steps.recording import STEPPED_STRATEGIES, record_search

    _, tree = _tree(request.archive, request.match, request.length)
    with _at_most(POSITION_SECONDS):
        position = tree.to_search(request.step, request.line)
        strategy = STEPPED_STRATEGIES[request.strategy]()
        return record_search(strategy, position, clock=time.process_time).as_json()


@lru_cache(maxsize=8)
def _tree(archive: str, match: str, _length: int) -> tuple[str, MatchTree]:
    """The rules of a match and its positions. Raises :class:`PositionError` without rules."""
    found = open_archive(Path(archive)).match(match)
    if not found.rules:
        raise PositionError("the rules of this match are not known")
    return found.rules, MatchTree(found.rules, found.moves)


@dataclass(slots=True)
class _Replayed:
    """A match: the states that are known, as text, what computes the others, and its lines.

    ``lines`` are the principal lines by the turn in which they were expected; the steps that are
    ``too_hard`` to draw are listed.
    """

    rules: str
    layout: BoardLayout | None
    states: list[str]
    others: Iterator[str]
    lines: dict[int, Line]
    too_hard: set[int] = field(default_factory=set)


@lru_cache(maxsize=8)
def _archived(archive: str, match: str, _length: int) -> _Replayed:
    from ggp_player.archive.replay import states_of

    found = open_archive(Path(archive)).match(match)
    layout = _layout(found.rules) if found.rules else None
    lines = {choice.turn: choice.line for choice in reversed(found.choices) if choice.line}
    return _Replayed(found.rules or "", layout, [], states_of(found), lines)
