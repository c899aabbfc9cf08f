"""The analysis of a game: all stages, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gdl.analysis.decomposition import decompose
from gdl.analysis.evidence import prover as proving
from gdl.analysis.evidence.block_survey import observe_blocks
from gdl.analysis.evidence.evidence import Evidence
from gdl.analysis.evidence.findings import Latches, Size, Structure
from gdl.analysis.evidence.gate_graph import gate_graph_of
from gdl.analysis.evidence.influence_graph import supports
from gdl.analysis.evidence.reachability import enumerate_reachable
from gdl.analysis.evidence.survey import Survey, observe
from gdl.analysis.properties.goals import find_goals, observed_goals
from gdl.analysis.properties.latches import find_deciding_latches, prove_latches
from gdl.analysis.properties.length import find_length, find_size, observed_length
from gdl.analysis.properties.mutex_groups import prove_mutex_groups
from gdl.analysis.properties.turns import find_turns, observed_turns
from gdl.analysis.symmetry import find_symmetries
from gdl.engine import PropnetStateMachine
from gdl.state_machine import StateMachine

PLAYOUTS = 512
"""Random playouts of a compiled game: a block of the usual width."""

REASONER_PLAYOUTS = 16
"""Random playouts of a game that is not compiled, at most."""

MAX_GATES = 400_000
"""Gates of a circuit that is reasoned about; more would take gigabytes and half a minute."""


def analyse(machine: StateMachine, seed: int = 0, playouts: int = PLAYOUTS) -> Structure:
    """Analyse a game: its turns, goals, length, latches, parts and symmetries.

    A compiled machine is played in blocks and its circuit reasoned about; any other, and one with
    over ``MAX_GATES``, is only surveyed by random playouts. The same seed gives the same findings:
    the bounds on the work are counted, not timed. Raises :class:`ValueError` for fewer than one
    playout.
    """
    if playouts < 1:
        raise ValueError(f"expected at least one playout, found {playouts}")
    if isinstance(machine, PropnetStateMachine):
        analysis = Analysis(machine, seed, playouts)
        for _ in analysis.work:
            pass
        assert analysis.structure is not None
        return analysis.structure
    return _observed(machine, observe(machine, seed, min(playouts, REASONER_PLAYOUTS)))


def _observed(machine: StateMachine, survey: Survey) -> Structure:
    """Conclude what random playouts show."""
    return Structure(
        roles=machine.roles,
        turns=observed_turns(machine.roles, survey),
        goals=observed_goals(machine.roles, survey),
        length=observed_length(survey),
        size=Size(survey.lines, None, 0),
    )


class Analysis:
    """An analysis of a compiled game in pieces of work.

    Each ``next(work)`` does one piece, of tenths of a second in large games; when there is none
    left, ``structure`` is what :func:`analyse` returns.
    """

    def __init__(
        self, machine: PropnetStateMachine, seed: int = 0, playouts: int = PLAYOUTS
    ) -> None:
        self.structure: Structure | None = None
        self.work = self._work(machine, seed, playouts)

    def _work(self, machine: PropnetStateMachine, seed: int, playouts: int) -> Iterator[None]:
        if machine.engine.layout.gate_count > MAX_GATES:
            self.structure = _observed(machine, observe_blocks(machine, seed, playouts)[0])
            return
        evidence = gather_evidence(machine, seed, playouts)
        yield
        mutex_groups = prove_mutex_groups(evidence)
        yield
        latched = prove_latches(evidence)
        yield
        latches = Latches(
            evidence.facts_of(latched.rising),
            evidence.facts_of(latched.falling),
            find_deciding_latches(evidence, latched),
            latched.seen,
        )
        yield
        found = Structure(
            roles=machine.roles,
            turns=find_turns(evidence),
            goals=find_goals(evidence),
            length=find_length(evidence, latched, mutex_groups),
            size=find_size(evidence.survey, evidence.reachable, evidence.counted_states),
            latches=latches,
            mutex_groups=tuple(map(evidence.facts_of, mutex_groups)),
        )
        yield
        found = replace(found, decomposition=decompose(evidence))
        yield
        self.structure = replace(found, symmetries=find_symmetries(machine))


def gather_evidence(machine: PropnetStateMachine, seed: int, playouts: int) -> Evidence:
    """Survey a compiled game, and prepare to reason about its circuit."""
    circuit = gate_graph_of(machine.engine.layout)
    survey, samples = observe_blocks(machine, seed, playouts)
    initial = machine.initial_state()
    provable = circuit.gate_count <= proving.MAX_GATES and not machine.is_terminal(initial)
    return Evidence(
        machine,
        circuit,
        supports(circuit),
        survey,
        samples,
        machine.bits(initial),
        *enumerate_reachable(machine),
        proving.Prover(circuit) if provable else None,
    )
