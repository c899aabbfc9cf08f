"""The command ``ggp-player matches replay``: a match, step by step."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from ggp_player.archive.archived_match import ArchivedMatch
from ggp_player.archive.replay import draw_state, facts_of, names_of, replay
from ggp_player.cli.matches import archive_of, print_step
from ggp_player.cli.terminal import result_console
from ggp_player.logs import shown


def run_replay(match: str, step: int | None, facts: bool, archive: Path | None) -> None:
    """Step through a match in the terminal; all at once where the output is no terminal."""
    found = archive_of(archive).match(match)
    states = list(replay(found))
    if not states:
        raise click.ClickException(f"match {match} has no steps")
    if step is not None:
        if step >= len(states):
            raise click.ClickException(f"match {match} has {len(states) - 1} steps")
        _print_position(found, states, step, facts)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _step_through(found, states, facts)
    else:
        for number in range(len(states)):
            _print_position(found, states, number, facts)


def _step_through(match: ArchivedMatch, states: Sequence[str], as_facts: bool) -> None:
    """Show the state that the user asks for, until there is no more to ask."""
    place, last = 0, len(states) - 1
    commands: dict[str, Callable[[int], int]] = {
        "": lambda now: now + 1,
        "n": lambda now: now + 1,
        "b": lambda now: now - 1,
        "f": lambda now: 0,
        "l": lambda now: last,
    }
    while True:
        _print_position(match, states, place, as_facts)
        prompt = "Enter: next, b: back, f: first, l: last, a number: that step, q: end"
        answer = click.prompt(prompt, default="", show_default=False, prompt_suffix=" > ").strip()
        if answer == "q" or (answer == "" and place == last):
            return
        if answer.isdecimal() and len(answer) < 10:
            place = int(answer)
        elif answer in commands:
            place = commands[answer](place)
        place = max(0, min(last, place))


def _print_position(
    match: ArchivedMatch, states: Sequence[str], place: int, as_facts: bool
) -> None:
    """Print a step and its state: drawn unless facts are wanted, or there is no drawing."""
    console, number = result_console(wraps=False), match.steps[place].step
    console.print(f"--- step {number} of {len(states) - 1}")
    names = names_of(match.rules) if match.rules and not as_facts else None
    print_step(console, match, number, names)
    state, before = states[place], states[place - 1] if place else ""
    drawing = None if as_facts else draw_state(match.rules, state, before)
    lines = shown_lines("\n".join(facts_of(state))) or "the state is not known"
    console.print(lines if drawing is None else drawing)


def shown_lines(text: str) -> str:
    """The lines of a text, with control characters escaped."""
    return "\n".join(shown(line, 500) for line in text.splitlines())
