"""Proofs: what is claimed to be impossible never happens, and easy proofs are found."""

from __future__ import annotations

import pytest

from gdl.analysis.evidence.block_survey import observe_blocks
from gdl.analysis.evidence.prover import Prover
from gdl.analysis.properties.latches import prove_latches
from gdl.analysis.properties.mutex_groups import prove_mutex_groups
from tests.support.analysed_games import evidence_of

GAMES = ["ticTacToe", "nim", "biddingTicTacToe", "dotsAndBoxes"]


def prover(name: str) -> Prover:
    return Prover(evidence_of(name).circuit)


def test_what_contradicts_itself_never_holds() -> None:
    asked = prover("ticTacToe")
    fluent = asked.before.fluents[0]
    claims = [asked.all_of([fluent, -fluent]), asked.all_of([fluent]), asked.before.terminal]
    assert asked.never(claims) == [True, False, True]


def test_each_role_makes_one_legal_move() -> None:
    asked = prover("connectFour")
    own = asked.moves[:8]
    claims = [asked.at_least(2, [(move, 1) for move in own]), -asked.any_of(own)]
    claims += [
        asked.all_of([move, -legal])
        for move, legal in zip(asked.moves, asked.before.legal, strict=True)
    ]
    assert all(asked.never(claims))


@pytest.mark.parametrize("name", GAMES)
def test_groups_exclude_each_other_in_every_sample(name: str) -> None:
    """Those of other playouts too: in its own the prover never sees two of a candidate."""
    evidence = evidence_of(name)
    groups = prove_mutex_groups(evidence)
    assert groups
    _, others = observe_blocks(evidence.machine, seed=1, playouts=512)
    for group in groups:
        for samples in (evidence.samples, others):
            assert samples.states[:, sorted(group)].sum(axis=1).max() <= 1


def test_the_contents_of_a_square_are_a_group() -> None:
    evidence = evidence_of("ticTacToe")
    facts = evidence.machine.facts
    names = [{str(facts[fluent]) for fluent in group} for group in prove_mutex_groups(evidence)]
    assert {"(marked b2 cross)", "(marked b2 nought)"} in names
    assert {"(turn cross)", "(turn nought)"} in names


def test_what_is_not_inductive_is_not_kept() -> None:
    asked = prover("ticTacToe")
    first, second = asked.before.fluents[0], asked.before.fluents[2]
    later, later_too = asked.after.fluents[0], asked.after.fluents[2]
    pairs = [(asked.all_of([first, second]), asked.all_of([later, later_too]))]
    assert asked.prove_invariants(pairs) == [False]


def test_latches_are_the_marks() -> None:
    evidence = evidence_of("ticTacToe")
    latched = prove_latches(evidence)
    assert len(latched.rising) == 18
    assert latched.falling == ()
    assert latched.seen == 0
