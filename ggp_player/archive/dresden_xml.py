"""Match records of the Dresden GameController: one XML file for each state of a match.

``step_1.xml`` has the initial state, ``step_2.xml`` the state after the first joint move, and so
on; ``finalstate.xml`` is the last with the goal values. Each has the joint moves so far, so the
last file of a folder tells all but the states before and the times. It lacks the play clock::

    <match>
      <match-id>m</match-id> <role>WHITE</role> <role>BLACK</role>
      <player>A</player> <player>B</player>
      <timestamp>1267937366177</timestamp> <startclock>85</startclock> <playclock>15</playclock>
      <history>
        <step> <step-number>1</step-number> <move>(MARK 1 1)</move> <move>NOOP</move> </step>
      </history>
      <scores> <reward>100</reward> <reward>0</reward> </scores>
      <state> <fact> <prop-f>CELL</prop-f> <arg>1</arg> </fact> </state>
    </match>
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from ggp_player.archive.archived_match import ArchivedStep, NewMatch, SeatSummary
from ggp_player.errors import ArchiveError

UNKNOWN_CLOCK = 0
"""Seconds, where the record does not have the clock."""


def parse_xml_record(data: bytes) -> NewMatch:
    """Read a file. Raises :class:`ArchiveError`, which says what is wrong, and where.

    The time of all that is in it is when the file was written.
    """
    root = _root_of(data)
    roles, players, goals = _texts(root, "role"), _texts(root, "player"), tuple(_goals(root))
    count = len(roles)
    if not count:
        raise ArchiveError("expected a role; found none")
    if len(players) > count:
        raise ArchiveError(f"{count} roles have {len(players)} players")
    if len(goals) not in {0, count}:
        raise ArchiveError(f"{count} roles have {len(goals)} rewards")
    names = (*players, *("",) * (count - len(players)))
    time = _number(root, "timestamp")
    moves = enumerate(((), *_moves(root, count)))
    return NewMatch(
        match_id=_text(root, "match-id"),
        start_time=time,
        start_clock=_number(root, "startclock"),
        play_clock=_number(root, "playclock") if _has(root, "playclock") else UNKNOWN_CLOCK,
        seats=tuple(map(SeatSummary, roles, names, goals or (None,) * count)),
        steps=tuple(ArchivedStep(number, joint_move, time) for number, joint_move in moves),
        status="completed" if goals else "aborted",
        document=data,
        document_format="xml",
    )


def last_state(data: bytes) -> str:
    """The state of a file, as in match records; empty where it has none."""
    root = _root_of(data)
    try:
        facts = sorted(_fact(fact) for fact in root.iterfind("state/fact"))
    except RecursionError as error:
        raise ArchiveError("its state is nested beyond any depth") from error
    return " ".join(["(", *facts, ")"]) if _has(root, "state") else ""


def _root_of(data: bytes) -> Element:
    try:
        root: Element = fromstring(data)
    except ParseError as error:
        raise ArchiveError(f"it is no XML: {error}") from error
    except (DefusedXmlException, ValueError, LookupError) as error:
        raise ArchiveError(f"its XML is refused: {error}") from error
    if root.tag != "match":
        raise ArchiveError(f"expected the element match; found {root.tag[:100]}")
    return root


def _moves(root: Element, roles: int) -> Iterator[tuple[str, ...]]:
    """The joint moves, whose steps must be numbered from 1."""
    for number, step in enumerate(root.iterfind("history/step"), 1):
        if _number(step, "step-number") != number:
            raise ArchiveError(f"expected step {number}; found {_text(step, 'step-number')}")
        moves = _texts(step, "move")
        if len(moves) != roles:
            raise ArchiveError(f"step {number}: expected {roles} moves; found {len(moves)}")
        yield moves


def _goals(root: Element) -> Iterator[int]:
    for reward in root.iterfind("scores/reward"):
        yield _as_number("reward", _content(reward))


def _fact(element: Element) -> str:
    """A fact, or an argument, which can itself have arguments."""
    children = list(element)
    if not children:
        return _content(element)
    words = [_fact(child) for child in children]
    return f"({' '.join(words)})" if len(words) > 1 else words[0]


def _has(element: Element, tag: str) -> bool:
    return element.find(tag) is not None


def _text(element: Element, tag: str) -> str:
    found = element.find(tag)
    if found is None or not _content(found):
        raise ArchiveError(f"{element.tag} has no {tag}")
    return _content(found)


def _texts(element: Element, tag: str) -> tuple[str, ...]:
    return tuple(map(_content, element.iterfind(tag)))


def _content(element: Element) -> str:
    return " ".join((element.text or "").split())


def _number(element: Element, tag: str) -> int:
    return _as_number(tag, _text(element, tag))


def _as_number(tag: str, text: str) -> int:
    if not text.isascii() or not text.removeprefix("-").isdigit() or len(text) > 18:
        raise ArchiveError(f"{tag}: expected a whole number; found {text[:100]!r}")
    return int(text)
