"""The report of an analysis: all findings, a line each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import isinf
from typing import Any

from gdl.analysis import Decomposition, Finding, Structure, Subgame, Symmetry
from gdl.language import Term

SHOWN = 6
"""Facts, moves or other things listed of each kind; the others are counted."""


def analysis_text(structure: Structure) -> str:
    """Write all findings, a line each; what is not marked as proved was observed."""
    return "\n".join(_lines(structure)) + "\n"


def _lines(structure: Structure) -> Iterator[str]:
    playouts = structure.length.playouts
    yield f"{_players(structure)}; seen in {playouts} random playouts"
    yield from _turn_lines(structure)
    yield from _goal_lines(structure)
    yield from _length_lines(structure)
    yield from _size_lines(structure)
    yield from _latch_lines(structure)
    if structure.decomposition is not None:
        yield from _decomposition_lines(structure.decomposition)
    for symmetry in structure.symmetries:
        yield f"symmetry (proved): {_exchange(symmetry)}"


def _players(structure: Structure) -> str:
    count = len(structure.roles) - (structure.turns.chance is not None)
    text = "1 player" if count == 1 else f"{count} players"
    return f"{text} and chance" if structure.turns.chance is not None else text


def _turn_lines(structure: Structure) -> Iterator[str]:
    turns = structure.turns
    if len(structure.roles) > 1:
        manner = turns.one_at_a_time
        text = "one role at a time has a choice" if manner.value else "several roles choose at once"
        yield f"turns: {text}{_mark(manner)}"
        if turns.alternating.value:
            yield f"turns: no role has a choice in two successive states{_mark(turns.alternating)}"
    for role, choices in turns.choices.items():
        if choices.share:
            yield (
                f"moves of {role}: a choice in {choices.share:.0%} of states, "
                f"then {choices.mean:.1f} on average, {choices.most} at most"
            )
    if turns.dummies.value:
        yield f"without any choice{_mark(turns.dummies)}: {_listed(turns.dummies.value)}"


def _goal_lines(structure: Structure) -> Iterator[str]:
    goals = structure.goals
    for role, values in goals.values.items():
        if values.value:
            listed = _listed(values.value, 12)
            yield f"goals of {role}{_mark(values)}: {listed}; mean {goals.means[role]:.1f}"
    if goals.sum.value is not None:
        yield f"goals: add up to {goals.sum.value}{_mark(goals.sum)}"
    elif goals.shared:
        yield "goals: the same for all"
    if goals.rising.value:
        yield f"goals: never fall during play{_mark(goals.rising)}: {_listed(goals.rising.value)}"


def _length_lines(structure: Structure) -> Iterator[str]:
    length = structure.length
    if length.mean is not None:
        yield f"length: {length.least} to {length.most} steps, mean {length.mean:.1f}"
    if length.ended < 1:
        yield f"length: {1 - length.ended:.0%} of the playouts were cut off"
    if length.bound.value is not None:
        yield f"length: at most {length.bound.value} steps{_mark(length.bound)}"
    if length.clock:
        yield f"clock, which no move changes: {_facts(length.clock)}"


def _size_lines(structure: Structure) -> Iterator[str]:
    size = structure.size
    if size.lines is not None:
        lines = "over 1e308" if isinf(size.lines) else f"about {size.lines:.2g}"
        yield f"size: {lines} lines of play"
    if size.states is not None:
        yield f"size: {size.states} states (counted)"
    elif size.counted:
        yield f"size: over {size.counted - 1} states (counted so far)"
        if size.typical is not None:
            yield f"size: playouts meet as if there were {size.typical} states"


def _latch_lines(structure: Structure) -> Iterator[str]:
    latches = structure.latches
    if latches is None:
        return
    if latches.rising:
        yield f"once true, always true (proved): {_facts(latches.rising)}"
    if latches.falling:
        yield f"once false, always false (proved): {_facts(latches.falling)}"
    if latches.seen:
        yield f"facts that changed only once in each playout, not proved: {latches.seen}"
    deciding = sorted(latches.deciding.items(), key=lambda pair: str(pair[0]))
    if deciding:
        texts = [
            f"{fact} gives {role} {value}" for fact, fixed in deciding for role, value in fixed
        ]
        yield f"decided for good (proved): {_listed(texts)}"
    if structure.mutex_groups:
        texts = [f"{{{_facts(group)}}}" for group in structure.mutex_groups]
        yield f"at most one is true (proved), {len(texts)} mutex groups: {_listed(texts, 2)}"


def _decomposition_lines(decomposition: Decomposition) -> Iterator[str]:
    if decomposition.parts:
        how = "in series" if decomposition.in_series.value else "in parallel"
        mark = _mark(decomposition.in_series) if decomposition.in_series.value else " (proved)"
        yield f"parts: {len(decomposition.parts)} {how}{mark}"
    for number, part in enumerate(decomposition.parts, 1):
        yield f"part {number}: {_part(part)}"
    if decomposition.irrelevant:
        yield f"irrelevant (proved): {_facts(decomposition.irrelevant)}"


def _part(part: Subgame) -> str:
    moves = "; ".join(f"{role} {_facts(own, 3)}" for role, own in part.moves.items())
    if part.is_idle:
        matters = "matters for nothing"
    else:
        matters = " and ".join(
            [f"the goal of {role}" for role in part.goals] + ["the end"] * part.ends
        )
        matters = f"matters for {matters}"
    rests = "; rests without them" if part.rests else ""
    return f"{_facts(part.facts, 3)}; moves of {moves}{rests}; {matters}"


def _exchange(symmetry: Symmetry) -> str:
    """Write the cycles of roles, else of moves: (a, b, c) where each becomes the next, c a."""
    if symmetry.roles:
        return _cycles(symmetry.roles)
    moves = {
        f"{role} {move}": f"{other} {becomes}"
        for (role, move), (other, becomes) in symmetry.moves.items()
    }
    return _cycles(moves)


def _cycles(mapping: Mapping[Any, Any]) -> str:
    cycles = []
    left = dict(mapping)
    while left:
        first = next(iter(left))
        cycle = [first]
        after = left.pop(first)
        while after != first:
            cycle.append(after)
            after = left.pop(after)
        cycles.append(f"({', '.join(map(str, cycle))})")
    return _listed(cycles, 3)


def _mark(finding: Finding[Any]) -> str:
    return f" ({finding.confidence.value})"


def _facts(facts: Iterable[Term], shown: int = SHOWN) -> str:
    return _listed(sorted(map(str, facts)), shown)


def _listed(things: Sequence[object], shown: int = SHOWN) -> str:
    text = ", ".join(str(thing) for thing in islice(things, shown))
    return f"{text} and {len(things) - shown} more" if len(things) > shown else text
