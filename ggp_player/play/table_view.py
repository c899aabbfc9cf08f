"""What a page shows of a table besides the board and the thoughts, as values for JSON."""

from __future__ import annotations

from gdl.analysis.move_names import MoveNames
from ggp_player.languages import ENGLISH, Language
from ggp_player.play.session import PlaySession
from ggp_player.play.table import HIDDEN_MOVE, MAX_LEGAL, OWN_WORDS, Table, told_of
from ggp_player.protocol import move_texts


def view_of(
    table: Table, language: Language = ENGLISH, names: MoveNames = OWN_WORDS
) -> dict[str, object]:
    """What a page shows of a table besides the board and the thoughts, as values for JSON.

    The moves are those of the rules; what people saw is told with their ``names``.
    """
    line, shown = table.line, table.shown
    choosing = table.choosing
    legal = {str(role): move_texts(table.legal_moves(role)[:MAX_LEGAL]) for role in choosing}
    goals = dict(zip(map(str, table.machine.roles), line.last.goals, strict=False))
    return {
        "match": table.match_number,
        "step": line.number,
        "roles": list(map(str, table.machine.roles)),
        "players": {str(role): name for role, name in table.names.items()},
        "persons": list(map(str, table.persons)),
        "choosing": list(legal),
        "legal": legal,
        "legal_counts": {str(role): len(table.legal_moves(role)) for role in choosing},
        "chosen": {
            str(role): str(move)
            for role in table.persons
            if (move := table.chosen(role)) is not None
        },
        "moves": _moves(table, names),
        "knowledge": tuple(map(language.say, told_of(table, names))),
        "is_over": table.is_over,
        "result": language.say(table.result()),
        "goals": goals,
        "notice": language.say(shown.notice),
        "advice": shown.advice,
        "waiting_for": table.waiting_for,
        "clocks": () if table.match_clock is None else table.match_clock.faces,
        "actions": sorted(table.actions),
        "is_thinking": isinstance(table, PlaySession) and table.is_thinking,
        "level": _level(table, language),
    }


def _level(table: Table, language: Language) -> dict[str, object] | None:
    """The level to remember, and what is said of it, where that adapts to the person."""
    if not isinstance(table, PlaySession) or (level := table.next_level) is None:
        return None
    return {"number": level.number, "told": language.say(table.told_of_level())}


def names_told(names: MoveNames, table: Table) -> dict[str, str]:
    """What a table's moves are called, by their texts: those that were made and the legal ones."""
    steps = range(1, len(table.line.steps))
    made = {move for number in steps for move in table.moves(number) if move is not None}
    return names.told(made, [table.legal_moves(role)[:MAX_LEGAL] for role in table.choosing])


def _moves(table: Table, names: MoveNames) -> list[dict[str, object]]:
    return [
        {
            "turn": number,
            "joint_move": [
                HIDDEN_MOVE if move is None else str(move) for move in table.moves(number)
            ],
            "errors": table.errors(number),
            "seen": _percepts(table, number, names),
        }
        for number in range(1, len(table.line.steps))
    ]


def _percepts(table: Table, step: int, names: MoveNames) -> str | None:
    """What people saw in a step, where that is all that they may know."""
    if not table.sight.hides:
        return None
    percepts = table.knowledge[step].percepts
    return ", ".join(words for seen in percepts for words in table.sight.in_words(seen, names))
