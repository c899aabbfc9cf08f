"""What strategies and their parameters are, in words: for lists of them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from ggp_player.strategies import Strategy, StrategyError
from ggp_player.strategies.selection.own_strategies import installed_strategies, installed_strategy
from ggp_player.strategies.selection.registry import STRATEGIES, parameters_of

_NOUNS = {"integer": "whole number", "boolean": "true or false", "string": "text"}


@dataclass(frozen=True, slots=True)
class StrategyParameter:
    """A parameter. ``default`` is None for "none" or, where ``is_required``, for no default."""

    name: str
    type: str
    default: bool | int | float | str | None
    is_required: bool = False

    def __str__(self) -> str:
        if self.is_required:
            return f"{self.name}: {self.type}, required"
        is_word = self.default is None or isinstance(self.default, bool)
        default = str(self.default).lower() if is_word else self.default
        return f"{self.name}={default}: {self.type}"


@dataclass(frozen=True, slots=True)
class StrategyDescription:
    """A strategy, and the first sentence that its class says of itself.

    ``package`` is the distribution that declares the strategy, empty for one of ours. ``problem``
    says why the class cannot be imported, and is empty if it can.
    """

    name: str
    summary: str = ""
    parameters: tuple[StrategyParameter, ...] = ()
    package: str = ""
    problem: str = ""


def describe_strategies() -> tuple[StrategyDescription, ...]:
    """Describe our strategies, by name, then those that installed packages declare."""
    ours = tuple(_described(name, STRATEGIES[name]) for name in sorted(STRATEGIES))
    return ours + tuple(
        _described_entry(name) for name in sorted(installed_strategies()) if name not in STRATEGIES
    )


def _described_entry(name: str) -> StrategyDescription:
    entry = installed_strategies()[name]
    package = entry.dist.name if entry.dist else entry.module
    try:
        return _described(name, installed_strategy(entry), package)
    except StrategyError as error:
        return StrategyDescription(name, package=package, problem=str(error))


def _described(name: str, kind: type[Strategy], package: str = "") -> StrategyDescription:
    text = inspect.cleandoc(kind.__doc__ or "")  # not what it inherits
    summary = text.partition("\n\n")[0].replace("\n", " ")
    parameters = tuple(map(_parameter, parameters_of(kind).values()))
    return StrategyDescription(name, summary.partition(". ")[0].rstrip("."), parameters, package)


def _parameter(parameter: inspect.Parameter) -> StrategyParameter:
    is_required = parameter.default is parameter.empty
    annotation = str if parameter.annotation is parameter.empty else parameter.annotation
    kind = _in_words(TypeAdapter(annotation).json_schema())
    return StrategyParameter(
        parameter.name, kind, None if is_required else parameter.default, is_required
    )


def _in_words(schema: Mapping[str, Any]) -> str:
    """Say what values a JSON schema allows, such as ``whole number from 0 to 64``."""
    if "anyOf" in schema:
        return " or ".join(_in_words(each) for each in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    kind = str(schema.get("type", "any"))
    words = _NOUNS.get(kind, "none" if kind == "null" else kind)
    least, most = schema.get("minimum"), schema.get("maximum")
    words += "" if least is None else f" from {least:g}"
    return words + ("" if most is None else f" to {most:g}")
