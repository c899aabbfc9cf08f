"""The option ``--machine``: what a command reasons with."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


class Machine(StrEnum):
    """What a command reasons with."""

    REASONER = "reasoner"
    """The rules themselves, at once, one state at a time."""
    PROPNET = "propnet"
    """A network of the ground rules, 512 states at a time, after some time to make it."""


def machine_option(default: Machine) -> Callable[[Command], Command]:
    """Give a command the option ``--machine``, as the argument ``machine``."""
    return click.option(
        "--machine",
        type=click.Choice([machine.value for machine in Machine]),
        callback=lambda context, parameter, value: Machine(value),
        default=default.value,
        show_default=True,
        help="Evaluate the rules themselves, or the network of all their instances.",
    )
