"""The registry: strategies by name, and new ones from text such as ``bounded_minimax:upper=51``."""

from __future__ import annotations

import importlib
import inspect
import logging
from collections.abc import Mapping
from types import MappingProxyType

from pydantic import TypeAdapter, ValidationError

from ggp_player.strategies import Strategy, StrategyError
from ggp_player.strategies.mcts import MonteCarlo, Uct
from ggp_player.strategies.planner import Planner
from ggp_player.strategies.selection.auto import Auto
from ggp_player.strategies.solver import Enumeration, Proof
from ggp_player.strategies.textbook import (
    AlphaBeta,
    BoundedMinimax,
    Deliberation,
    Legal,
    MaxN,
    Minimax,
    RandomMove,
    SequentialPlanning,
)

STRATEGIES: Mapping[str, type[Strategy]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            Auto,
            AlphaBeta,
            BoundedMinimax,
            Deliberation,
            Enumeration,
            Legal,
            MaxN,
            Minimax,
            MonteCarlo,
            Planner,
            SequentialPlanning,
            Proof,
            RandomMove,
            Uct,
        )
    }
)
"""Every strategy by its name."""

RENAMED_PARAMETERS: Mapping[tuple[str, str], str] = MappingProxyType(
    {("mcts", "equivalence"): "rave_equivalence"}
)
"""New names of parameters, by strategy and old name, which is accepted for one more release."""

_log = logging.getLogger(__name__)


def create(spec: str) -> Strategy:
    """Create a strategy, for one role in one match.

    ``spec`` is a name from ``STRATEGIES``, or a name with parameters, or a class of your own:
    ``minimax``, ``bounded_minimax:lower=0,upper=51``, ``package.module:Class``. Raises
    :class:`StrategyError` where it is none of these.
    """
    return strategy_from(spec, STRATEGIES)


def strategy_from(spec: str, strategies: Mapping[str, type[Strategy]]) -> Strategy:
    """Create a strategy from ``name`` or ``name:key=value,key=value``.

    A name with a dot is a module: ``package.module:Class``, with ``:key=value`` after that. The
    values are parsed as the types that the constructor declares; keyword-only parameters are for
    programs. Raises :class:`StrategyError` with a sentence that says what there is instead.
    """
    name, _, rest = spec.strip().partition(":")
    if "." in name:
        class_name, _, rest = rest.partition(":")
        kind = _imported(name, class_name)
        name = f"{name}:{class_name}"
    elif name in strategies:
        kind = strategies[name]
    else:
        known = ", ".join(sorted(strategies))
        raise StrategyError(
            f"there is no strategy {name!r}; there are {known}, and package.module:Class"
        )
    return _built(kind, name, _pairs(name, rest))


def _imported(module_name: str, class_name: str) -> type[Strategy]:
    if not class_name:
        raise StrategyError(f"{module_name!r} names a module: write {module_name}:Class")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise StrategyError(f"the module {module_name!r} cannot be imported: {error}") from error
    kind = getattr(module, class_name, None)
    if not (isinstance(kind, type) and issubclass(kind, Strategy)) or inspect.isabstract(kind):
        known = ", ".join(sorted(_strategy_classes(module))) or "none"
        raise StrategyError(
            f"{class_name!r} is no strategy in the module {module_name!r}, which has {known}"
        )
    return kind


def _strategy_classes(module: object) -> list[str]:
    return [
        name
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, Strategy) and not inspect.isabstract(kind)
    ]


def _pairs(name: str, text: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not key or not value:
            raise StrategyError(f"{name}: {pair!r} is not of the form key=value")
        key = _present_name(name, key)
        if key in pairs:
            raise StrategyError(f"{name}: {key!r} is given twice")
        pairs[key] = value
    return pairs


def _present_name(name: str, key: str) -> str:
    """The name of a parameter today; logs a notice where an old one is given."""
    renamed = RENAMED_PARAMETERS.get((name, key))
    if renamed:
        _log.warning("%s: the parameter %r is now called %r", name, key, renamed)
    return renamed or key


def _built(kind: type[Strategy], name: str, pairs: Mapping[str, str]) -> Strategy:
    declared = inspect.signature(kind, eval_str=True).parameters
    parameters = {name: p for name, p in declared.items() if p.kind is not p.KEYWORD_ONLY}
    values: dict[str, object] = {}
    for key, text in pairs.items():
        if key not in parameters:
            known = ", ".join(parameters) or "none"
            raise StrategyError(f"{name} has no parameter {key!r}; its parameters: {known}")
        values[key] = _read(name, parameters[key], text)
    missing = [p.name for p in parameters.values() if p.default is p.empty and p.name not in values]
    if missing:
        raise StrategyError(f"{name} needs a value for {', '.join(missing)}")
    return kind(**values)


def _read(name: str, parameter: inspect.Parameter, text: str) -> object:
    annotation = str if parameter.annotation is parameter.empty else parameter.annotation
    try:
        return TypeAdapter(annotation).validate_strings(text)
    except ValidationError as error:
        problem = error.errors()[0]["msg"]
        sentence = f"{name}: {parameter.name}={text} cannot be used: {problem}"
        raise StrategyError(sentence) from error
