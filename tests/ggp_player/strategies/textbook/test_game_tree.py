"""Roles in order and back, and deepening that ends in time."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl.playouts import play_out
from ggp_player.strategies import Choice, Counts, Limit, Position
from ggp_player.strategies.textbook.game_tree import (
    in_role_order,
    iterative_deepening,
    opponents_of,
    own_first,
    utility,
)
from tests.support.tree_games import LOOP, TWO_PLY, constants, position, turns

START = position(turns(TWO_PLY))
FIRST = Choice.first_of(START.legal_moves)

choices = st.builds(
    Choice, st.sampled_from(START.legal_moves), st.integers(0, 100), proved=st.booleans()
)
depths = st.lists(st.lists(choices, max_size=3), max_size=5)


@given(st.integers(1, 6), st.data())
def test_moves_are_put_back_into_the_order_of_roles(count: int, data: st.DataObject) -> None:
    roles = constants(*(f"r{number}" for number in range(count)))
    machine = turns((1, 2), [str(role) for role in roles])
    role = data.draw(st.sampled_from(roles))
    order = own_first(machine, role)
    assert order[0] == role
    assert order[1:] == opponents_of(machine, role) == tuple(r for r in roles if r is not role)
    assert in_role_order(machine, role, order) == roles


def test_a_goal_that_the_rules_do_not_give_is_worth_nothing() -> None:
    machine = gdl.interpret(gdl.parse(LOOP))
    first, second = machine.roles
    start = machine.initial_state()
    end = machine.next_state(start, constants("out", "wait"))
    values = [utility(machine, state, role) for state in (start, end) for role in (first, second)]
    assert values == [0, 0, 70, 0]


# ---------------------------------------------------------------------- deepening


@given(depths)
def test_it_deepens_until_a_choice_is_proved(found: list[list[Choice]]) -> None:
    asked: list[tuple[int, Choice]] = []

    def iteration(position: Position, depth: int, best: Choice) -> Iterator[Choice]:
        assert position is START
        asked.append((depth, best))
        yield from found[depth - 1]

    yielded = list(iterative_deepening(START, len(found), iteration))
    bests, expected = list[Choice](), [FIRST]
    for each in found:
        if expected[-1].proved:
            break
        bests.append(expected[-1])
        expected += each
    if not expected[-1].proved:
        depth = Counts(depth=len(found))
        expected.append(replace(expected[-1], counts=depth, limit=Limit.DEPTH))
    assert yielded == expected
    assert asked == list(enumerate(bests, start=1))


@given(st.lists(choices, max_size=3), st.integers(1, 4))
def test_a_search_too_deep_for_the_stack_ends_with_the_best_choice(
    found: list[Choice], deepest: int
) -> None:
    def iteration(position: Position, depth: int, best: Choice) -> Iterator[Choice]:
        if depth == deepest:
            yield from found
            raise RecursionError
        yield Choice(position.legal_moves[-1], depth)

    *before, last = iterative_deepening(START, 9, iteration)
    best = before[-1]
    assert before[deepest:] == found
    assert last == replace(best, counts=Counts(depth=deepest - 1), limit=Limit.STACK)
    assert last.details == f"depth {deepest - 1}, stack exhausted"


def test_other_faults_are_not_hidden() -> None:
    def iteration(position: Position, depth: int, best: Choice) -> Iterator[Choice]:
        raise ZeroDivisionError(depth)

    search = iterative_deepening(START, 3, iteration)
    assert next(search) == FIRST
    with pytest.raises(ZeroDivisionError, match="1"):
        next(search)


def test_there_is_no_choice_where_there_is_no_move() -> None:
    machine = turns((7,))
    *_, last = play_out(machine, Random(1))
    over = position(machine, state=last.state)
    assert not over.legal_moves
    assert list(iterative_deepening(over, 3, lambda *_: iter([FIRST]))) == []
