"""Strategies are created from text, and bad text is answered with a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from ggp_player.errors import GgpPlayerError
from ggp_player.strategies import Choice, Position, Strategy, StrategyError
from ggp_player.strategies.selection.registry import STRATEGIES, create
from ggp_player.strategies.textbook.alpha_beta import AlphaBeta
from ggp_player.strategies.textbook.bounded_minimax import BoundedMinimax
from ggp_player.strategies.textbook.legal import Legal


def test_every_strategy_goes_by_its_name() -> None:
    assert set(STRATEGIES) == {
        "alpha_beta",
        "auto",
        "bounded_minimax",
        "deliberation",
        "enumeration",
        "information_sets",
        "learned_alpha_beta",
        "learned_mcts",
        "legal",
        "max_n",
        "mcts",
        "minimax",
        "planner",
        "planning",
        "proof",
        "random",
        "textbook_uct",
        "uct",
    }
    for name, kind in STRATEGIES.items():
        strategy = create(name)
        assert type(strategy) is kind
        assert strategy.name == name
        assert create(name) is not strategy


def test_parameters_are_read_as_the_constructor_declares_them() -> None:
    bounded = create("bounded_minimax:lower=10,upper=51")
    assert isinstance(bounded, BoundedMinimax)
    assert (bounded.lower, bounded.upper) == (10, 51)
    search = create(" alpha_beta:depth=3, ordering=false, evaluation=probes ")
    assert isinstance(search, AlphaBeta)
    assert (search.depth, search.ordering, search.evaluation) == (3, False, "probes")


def test_a_class_of_ones_own() -> None:
    assert type(create("ggp_player.strategies.textbook.legal:Legal")) is Legal
    bounded = create("ggp_player.strategies.textbook.bounded_minimax:BoundedMinimax:upper=60")
    assert isinstance(bounded, BoundedMinimax)
    assert bounded.upper == 60


class Demanding(Strategy):
    def __init__(self, what) -> None:
        self.what = what

    def search(self, position: Position) -> Iterator[Choice]:
        yield from ()


HERE = f"{__name__}:Demanding"


def test_a_parameter_without_annotation_is_text() -> None:
    demanding = create(f"{HERE}:what=5")
    assert isinstance(demanding, Strategy)
    assert vars(demanding) == {"what": "5"}


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (
            "minmax",
            r"there is no strategy 'minmax' \(did you mean minimax\?\); "
            r"there are alpha_beta, auto, .*, uct, and",
        ),
        ("Alpha-Beta:depth=3", r"'Alpha-Beta' \(did you mean alpha_beta\?\)"),
        ("", "there is no strategy ''"),
        ("minimax:depth=3", "minimax has no parameter 'depth'; its parameters: none"),
        (
            "alpha_beta:deep=3",
            r"'deep' \(did you mean depth\?\); its parameters: depth, ordering, ",
        ),
        ("alpha_beta:depth=three", "alpha_beta: depth=three cannot be used: .* valid integer"),
        ("alpha_beta:depth=0", "depth=0 cannot be used: .* greater than or equal to 1"),
        ("alpha_beta:evaluation=best", "evaluation=best cannot be used: .*'mobility'.* or 'full'"),
        ("alpha_beta:depth", "alpha_beta: 'depth' is not of the form key=value"),
        ("alpha_beta:depth=", "alpha_beta: 'depth=' is not of the form key=value"),
        ("alpha_beta:depth=1,depth=2", "alpha_beta: 'depth' is given twice"),
        ("bounded_minimax:upper=101", "upper=101 cannot be used: .* less than or equal to 100"),
        ("no.such:Thing", "the module no.such cannot be imported: No module named 'no'"),
        (
            "ggp_player.strategies.textbook.legal",
            "names a module: write ggp_player.strategies.textbook.legal:Class",
        ),
        (
            "ggp_player.strategies.textbook.legal:Lega",
            r"no class 'Lega' in the module .* \(did you mean Legal\?\); its strategies: Legal",
        ),
        (
            "ggp_player.strategies.textbook.legal:Choice",
            "'Choice' in the module .* is no strategy: expected .* ggp_player.strategies.Strategy",
        ),
        (
            "ggp_player.strategies.base:Strategy",
            "'Strategy' in the module .* is no strategy yet: it has no method search",
        ),
        (HERE, "Demanding needs a value for what"),
    ],
)
def test_bad_specs_are_answered_with_a_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(StrategyError) as caught:
        create(spec)
    assert re.search(sentence, str(caught.value))
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, GgpPlayerError)
