"""The parts of a game that do not influence each other, played in parallel or in series.

Two fluents belong to one part if the next value of one depends on the other, through the rules or
through the legality of a move. Clocks, whose course no move changes, and irrelevant fluents connect
no parts. The connected components can be as small as a square of tic-tac-toe, which only the goals
connect to the others; :mod:`gdl.analysis.decomposition.part_merging` merges those that only make
sense together.

Sources: E. Cox, E. Schkufza, R. Madsen and M. Genesereth, Factoring general games using
propositional automata (2009); A. Hufschmitt, J.-N. Vittaut and N. Jouandeau, Exploitation of
independent subgames in general game playing (2019).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from gdl.analysis.decomposition.part_merging import merged_by_goals
from gdl.analysis.evidence.evidence import Evidence
from gdl.analysis.evidence.findings import Decomposition, Finding, Subgame
from gdl.analysis.evidence.influence_graph import (
    Cluster,
    InfluenceGraph,
    bit_indices,
    build_influence_graph,
)
from gdl.analysis.properties.length import clock_fluents
from gdl.datalog import strongly_connected_components
from gdl.language import Constant, Term

MAX_CUTS = 40
"""Cuts that are tried to divide a game into a series."""

MAX_FORCED = 50
"""Moves that the prover is asked about, whether they are forced when they are legal."""

MAX_EFFECTS = 300_000
"""Games with more pairs of a move and a fluent that it influences are not cut."""

MAX_INFLUENCES = 200_000
"""Games with more edges between fluents in their influence graph are not cut."""

MAX_FLUENTS = 6_000
"""Larger games are not decomposed."""


def decompose(evidence: Evidence) -> Decomposition:
    """Decompose a game into parts; none where it cannot be decomposed."""
    facts = evidence.machine.facts
    if evidence.prover is not None:
        evidence.prover.grant(0.5)
    depends = build_influence_graph(evidence.circuit, evidence.supports)
    relevant = sum(1 << f for f in np.flatnonzero(evidence.machine.relevant_fluents).tolist())
    clock = sum(1 << fluent for fluent in clock_fluents(evidence.circuit, evidence.supports))
    irrelevant = ((1 << len(facts)) - 1) & ~relevant
    passes = _by_role(evidence, ~_moves_on(depends, relevant))
    parts: Sequence[Cluster] = ()
    in_series = Finding(False)
    if len(facts) <= MAX_FLUENTS:
        free = relevant & ~clock
        forced = _forced(evidence, depends, free)
        depends = replace(depends, moves_of=[mask & ~forced for mask in depends.moves_of])
        parts = merged_by_goals(evidence, _independent(depends, free))
        if len(parts) == 1:
            parts, in_series = _series(evidence, depends, parts[0])
    return Decomposition(
        parts=tuple(_subgame(evidence, depends, part) for part in parts if len(parts) > 1),
        in_series=in_series,
        irrelevant=evidence.facts_of(bit_indices(irrelevant)),
        passes=passes,
    )


def _independent(depends: InfluenceGraph, free: int) -> list[Cluster]:
    """The connected components of the influence graph that have some fluent and some move."""
    count = len(depends.fluents_of)
    edges = [
        1 << fluent | depends.fluents_of[fluent] & free | depends.moves_of[fluent] << count
        for fluent in bit_indices(free)
    ]
    edges += [
        1 << (count + move) | depends.legal_by[move] & free
        for move in bit_indices(_moves_on(depends, free))
    ]
    parts = [Cluster(mask & ((1 << count) - 1), mask >> count) for mask in _joined(edges)]
    return [part for part in parts if part.fluents and part.moves]


def _forced(evidence: Evidence, depends: InfluenceGraph, free: int) -> int:
    """The moves that clocks alone make legal, and then force, such as a noop out of turn.

    Whether such a move is made depends on nothing but the clocks.
    """
    prover = evidence.prover
    if prover is None:
        return 0
    legal = prover.before.legal
    several = [prover.has_choice(role) for role in range(len(evidence.machine.roles))]
    candidates = [
        (move, choice)
        for role, choice in enumerate(several)
        for move in evidence.circuit.moves_of(role)
        if not depends.legal_by[move] & free
    ][:MAX_FORCED]
    proved = prover.never([prover.all_of([legal[move], choice]) for move, choice in candidates])
    return sum(1 << move for (move, _), holds in zip(candidates, proved, strict=True) if holds)


def _joined(masks: Iterable[int]) -> list[int]:
    """Unite masks that share bits until all are disjoint, in the order of their lowest bits."""
    found: list[int] = []
    for mask in masks:
        disjoint = []
        for other in found:
            if other & mask:
                mask |= other
            else:
                disjoint.append(other)
        found = [*disjoint, mask]
    return sorted(found, key=lambda mask: mask & -mask)


def _series(
    evidence: Evidence, depends: InfluenceGraph, whole: Cluster
) -> tuple[Sequence[Cluster], Finding[bool]]:
    """Cut a part into parts that are played one after the other, if possible."""
    cuts = [cut for cut in _cuts(depends, whole) if _is_serial(evidence, depends, whole, cut)]
    chain: list[Cluster] = []
    for cut in sorted(cuts, key=lambda part: part.fluents.bit_count()):
        if not chain or (not chain[-1].fluents & ~cut.fluents and cut.moves & ~chain[-1].moves):
            chain.append(cut)
    if not chain:
        return [whole], Finding(False)
    confidence = evidence.confidence(
        [claim for cut in chain for claim in _disorders(evidence, depends, whole, cut)]
    )
    chain.append(whole)
    parts = [chain[0]]
    for before, part in pairwise(chain):
        parts.append(Cluster(part.fluents & ~before.fluents, part.moves & ~before.moves))
    return parts, Finding(True, confidence)


def _cuts(depends: InfluenceGraph, whole: Cluster) -> Iterator[Cluster]:
    """Yield clusters that nothing outside them influences: fluents and all that they depend on."""
    influence = _influence(depends, whole)
    above: dict[int, int] = {}
    found: dict[int, None] = {}
    for component in strongly_connected_components(
        {fluent: bit_indices(mask) for fluent, mask in influence.items()}
    ):
        mask = sum(1 << fluent for fluent in component)
        for fluent in component:
            for other in bit_indices(influence[fluent] & ~mask):
                mask |= above[other]
        above.update(dict.fromkeys(component, mask))
        found[mask] = None
    for mask in sorted(found, key=lambda mask: -mask.bit_count())[:MAX_CUTS]:
        moves = _moves_on(depends, mask)
        for fluent, needs in influence.items():
            # What the same moves decide belongs to them, such as who won the first game.
            if not needs & ~mask & ~(1 << fluent) and not depends.moves_of[fluent] & ~moves:
                mask |= 1 << fluent
        if mask != whole.fluents and moves:
            yield Cluster(mask, moves)


def _influence(depends: InfluenceGraph, whole: Cluster) -> dict[int, int]:
    """The fluents that each fluent of a part depends on; empty if there are too many.

    That includes what the legality of the moves that influence it depends on.
    """
    if (
        sum(depends.moves_of[fluent].bit_count() for fluent in bit_indices(whole.fluents))
        > MAX_EFFECTS
    ):
        return {}
    influence = {}
    for fluent in bit_indices(whole.fluents):
        mask = depends.fluents_of[fluent]
        for move in bit_indices(depends.moves_of[fluent]):
            mask |= depends.legal_by[move]
        influence[fluent] = mask & whole.fluents
    few = sum(mask.bit_count() for mask in influence.values()) <= MAX_INFLUENCES
    return influence if few else {}


def _moves_on(depends: InfluenceGraph, fluents: int) -> int:
    moves = 0
    for fluent in bit_indices(fluents):
        moves |= depends.moves_of[fluent]
    return moves


def _is_serial(evidence: Evidence, depends: InfluenceGraph, whole: Cluster, cut: Cluster) -> bool:
    """Whether, in the samples, all moves on one side of a cut come before all on the other."""
    rest = _moves_on(depends, whole.fluents & ~cut.fluents)
    if not rest or rest & cut.moves or whole.fluents == cut.fluents:
        return False
    samples = evidence.samples
    played = ~samples.terminal
    early = samples.legal[:, bit_indices(cut.moves)].any(axis=1) & played
    late = samples.legal[:, bit_indices(rest)].any(axis=1) & played
    step = np.arange(len(played))
    last_early = np.full(int(samples.lanes.max(initial=0)) + 1, -1)
    np.maximum.at(last_early, samples.lanes[early], step[early])
    in_order = (step[late] > last_early[samples.lanes[late]]).all()
    return bool(early.any() and late.any() and in_order)


def _disorders(
    evidence: Evidence, depends: InfluenceGraph, whole: Cluster, cut: Cluster
) -> Iterator[int]:
    """Yield the claims that both sides of a cut have moves, and that the first has moves again."""
    prover = evidence.prover
    if prover is None:
        return
    rest = bit_indices(_moves_on(depends, whole.fluents & ~cut.fluents))
    early = bit_indices(cut.moves)
    before, after = prover.before.legal, prover.after.legal
    first = prover.any_of(before[move] for move in early)
    second = prover.any_of(before[move] for move in rest)
    yield prover.all_of([first, second])
    yield prover.all_of([-first, prover.any_of(after[move] for move in early)])


def _rests(evidence: Evidence, part: Cluster) -> bool:
    """Whether it is proved that nothing in a part changes without its moves."""
    prover = evidence.prover
    if prover is None:
        return False
    changes = [
        change
        for fluent in bit_indices(part.fluents)
        for change in (prover.falls(fluent), prover.rises(fluent))
    ]
    elsewhere = [-prover.moves[move] for move in bit_indices(part.moves)]
    return all(prover.never([prover.all_of([*elsewhere, prover.any_of(changes)])]))


def _subgame(evidence: Evidence, depends: InfluenceGraph, part: Cluster) -> Subgame:
    machine = evidence.machine
    owners = [owner for owner, _ in machine.engine.goal_table.tolist()]
    concerned = {
        owner for owner, mask in zip(owners, depends.goal_by, strict=True) if mask & part.fluents
    }
    return Subgame(
        facts=evidence.facts_of(bit_indices(part.fluents)),
        moves=_by_role(evidence, part.moves),
        goals=tuple(machine.roles[owner] for owner in sorted(concerned)),
        ends=bool(depends.end_by & part.fluents),
        rests=_rests(evidence, part),
    )


def _by_role(evidence: Evidence, moves: int) -> dict[Constant, frozenset[Term]]:
    """Group moves by role, without the roles that have none of them."""
    machine, found = evidence.machine, {}
    for index, role in enumerate(machine.roles):
        own = evidence.circuit.moves_of(index)
        chosen = [machine.moves[index][move - own.start] for move in own if moves >> move & 1]
        if chosen:
            found[role] = frozenset(chosen)
    return found
