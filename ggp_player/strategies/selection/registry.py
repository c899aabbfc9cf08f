"""The registry: strategies by name, and new ones from text such as ``bounded_minimax:upper=51``."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pydantic import TypeAdapter, ValidationError

from ggp_player.strategies import Strategy, StrategyError
from ggp_player.strategies.information_sets.information_set_search import InformationSetSearch
from ggp_player.strategies.learning import LearnedAlphaBeta, LearnedMonteCarlo
from ggp_player.strategies.mcts import MonteCarlo, Uct
from ggp_player.strategies.planner.planner import Planner
from ggp_player.strategies.selection.auto import Auto
from ggp_player.strategies.selection.own_strategies import (
    explained,
    installed_strategies,
    installed_strategy,
    strategy_in_file,
    strategy_in_module,
    suggestion,
)
from ggp_player.strategies.solver import Enumeration, Proof
from ggp_player.strategies.textbook.alpha_beta import AlphaBeta
from ggp_player.strategies.textbook.bounded_minimax import BoundedMinimax
from ggp_player.strategies.textbook.deliberation import Deliberation
from ggp_player.strategies.textbook.legal import Legal
from ggp_player.strategies.textbook.max_n import MaxN
from ggp_player.strategies.textbook.minimax import Minimax
from ggp_player.strategies.textbook.random_move import RandomMove
from ggp_player.strategies.textbook.sequential_planning import SequentialPlanning
from ggp_player.strategies.textbook.textbook_uct import TextbookUct

STRATEGIES: Mapping[str, type[Strategy]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            Auto,
            AlphaBeta,
            BoundedMinimax,
            Deliberation,
            Enumeration,
            InformationSetSearch,
            LearnedAlphaBeta,
            LearnedMonteCarlo,
            Legal,
            MaxN,
            Minimax,
            MonteCarlo,
            Planner,
            SequentialPlanning,
            Proof,
            RandomMove,
            TextbookUct,
            Uct,
        )
    }
)
"""Every strategy by its name."""


def create(spec: str) -> Strategy:
    """Create a strategy, for one role in one match.

    ``spec`` is a name from ``STRATEGIES``, or a class of your own, each with or without parameters:
    ``minimax``, ``bounded_minimax:lower=0,upper=51``, ``./file.py:Class``,
    ``package.module:Class``. Raises :class:`StrategyError` where it is none of these.
    """
    return strategy_from(spec, STRATEGIES)


def strategy_from(spec: str, strategies: Mapping[str, type[Strategy]]) -> Strategy:
    """Create a strategy from ``name`` or ``name:key=value,key=value``.

    The name is one of ``strategies``, one that an installed package declares, or a class of your
    own: ``./file.py:Class`` or ``package.module:Class``, with ``:key=value`` after that. The values
    are parsed as the types that the constructor declares; keyword-only parameters are for
    programs. Raises :class:`StrategyError` with a sentence that says what there is instead.
    """
    name, kind, parameters = _found(spec.strip(), strategies)
    return _built(kind, name, _pairs(name, parameters))


def strategy_class(spec: str) -> type[Strategy]:
    """Return the class of a strategy; raises :class:`StrategyError` where there is none."""
    return _found(spec.strip(), STRATEGIES)[1]


def parameters_of(kind: type[Strategy]) -> dict[str, inspect.Parameter]:
    """The parameters of a strategy that a text can give; keyword-only ones are for programs."""
    declared = inspect.signature(kind, eval_str=True).parameters
    return {name: p for name, p in declared.items() if p.kind is not p.KEYWORD_ONLY}


def _found(spec: str, strategies: Mapping[str, type[Strategy]]) -> tuple[str, type[Strategy], str]:
    """Find the class that a text names; return its name, the class and the text of parameters."""
    name, _, rest = spec.partition(":")
    if name in strategies:
        return name, strategies[name], rest
    class_name, _, parameters = rest.partition(":")
    is_file = name.endswith(".py") or os.sep in name
    if class_name.isidentifier():
        kind = (
            strategy_in_file(Path(name), class_name)
            if is_file
            else strategy_in_module(name, class_name)
        )
        return f"{name}:{class_name}", kind, parameters
    if is_file or "." in name:
        noun = "file" if is_file else "module"
        raise StrategyError(f"{name!r} names a {noun}: write {name}:Class, with a class in it")
    if name in installed_strategies():
        return name, installed_strategy(installed_strategies()[name]), rest
    known = sorted({*strategies, *installed_strategies()})
    raise StrategyError(
        f"there is no strategy {name!r}{suggestion(name, known)}; there are {', '.join(known)}, "
        "and classes of your own: file.py:Class or package.module:Class"
    )


def _pairs(name: str, text: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not key or not value:
            raise StrategyError(f"{name}: {pair!r} is not of the form key=value")
        if key in pairs:
            raise StrategyError(f"{name}: {key!r} is given twice")
        pairs[key] = value
    return pairs


def _built(kind: type[Strategy], name: str, pairs: Mapping[str, str]) -> Strategy:
    parameters = parameters_of(kind)
    values: dict[str, object] = {}
    for key, text in pairs.items():
        if key not in parameters:
            known = ", ".join(parameters) or "none"
            raise StrategyError(
                f"{name} has no parameter {key!r}{suggestion(key, list(parameters))}; "
                f"its parameters: {known}"
            )
        values[key] = _read(name, parameters[key], text)
    missing = [p.name for p in parameters.values() if p.default is p.empty and p.name not in values]
    if missing:
        raise StrategyError(f"{name} needs a value for {', '.join(missing)}")
    try:
        return kind(**values)
    except StrategyError:
        raise
    except Exception as error:
        raise StrategyError(f"{name} cannot be created: {explained(error)}") from error


def _read(name: str, parameter: inspect.Parameter, text: str) -> object:
    annotation = str if parameter.annotation is parameter.empty else parameter.annotation
    try:
        return TypeAdapter(annotation).validate_strings(text)
    except ValidationError as error:
        problem = error.errors()[0]["msg"]
        sentence = f"{name}: {parameter.name}={text} cannot be used: {problem}"
        raise StrategyError(sentence) from error
