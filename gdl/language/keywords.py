"""The words to which the Game Description Language gives a meaning.

Sources: N. Love et al., General Game Playing: Game Description Language Specification (2008);
M. Thielscher, A general game description language for incomplete information games (2010), for
``sees`` and ``random``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType

from gdl.language.rules import Constant, RelationKey


class Level(IntEnum):
    """What a relation's extension depends on; each level includes those below it."""

    STATIC = 0
    """Nothing but the rules."""
    VIEW = 1
    """The state, through ``true``."""
    TRANSITION = 2
    """The joint move, through ``does``."""


@dataclass(frozen=True, slots=True)
class Keyword:
    """A relation to which the language gives a meaning."""

    name: str
    arity: int
    level: Level
    """The highest level that its rules may depend on, or its own where the match gives it."""
    in_head: bool = True
    """Whether rules may define it; otherwise the match gives it."""
    in_body: bool = True
    """Whether rules may ask for it."""

    @property
    def relation(self) -> RelationKey:
        """The relation, with the only arity that it may have."""
        return self.name, self.arity

    @property
    def starts_with_role(self) -> bool:
        """Whether the first of its arguments is a role and the second is something of that role."""
        return self.arity == 2


KEYWORDS: Mapping[str, Keyword] = MappingProxyType(
    {
        keyword.name: keyword
        for keyword in (
            Keyword("role", 1, Level.STATIC),
            Keyword("init", 1, Level.STATIC, in_body=False),
            Keyword("true", 1, Level.VIEW, in_head=False),
            Keyword("does", 2, Level.TRANSITION, in_head=False),
            Keyword("legal", 2, Level.VIEW),
            Keyword("next", 1, Level.TRANSITION, in_body=False),
            Keyword("goal", 2, Level.VIEW),
            Keyword("terminal", 0, Level.VIEW),
            Keyword("sees", 2, Level.TRANSITION),
            Keyword("base", 1, Level.STATIC, in_body=False),
            Keyword("input", 2, Level.STATIC, in_body=False),
        )
    }
)
"""The keyword relations by name."""

GIVEN_LEVELS: Mapping[RelationKey, Level] = MappingProxyType(
    {keyword.relation: keyword.level for keyword in KEYWORDS.values() if not keyword.in_head}
)
"""The levels of the relations that the match gives."""

HIGHEST_LEVELS: Mapping[RelationKey, Level] = MappingProxyType(
    {keyword.relation: keyword.level for keyword in KEYWORDS.values() if keyword.in_head}
)
"""What the keyword relations that rules define may depend on."""

MACHINE_RELATIONS = tuple(
    relation for relation in HIGHEST_LEVELS if relation[0] not in ("base", "input")
)
"""The relations that a state machine's answers are made of; ``base`` and ``input`` only declare."""

CONNECTIVES = frozenset({"<=", "not", "or", "and", "distinct"})

RESERVED_WORDS = CONNECTIVES | KEYWORDS.keys()

RANDOM_ROLE = "random"
"""The role that moves by chance: each of its legal moves is equally likely."""


def moves_by_chance(role: Constant) -> bool:
    """Return True for the role ``random``, which has no interest of its own."""
    return role.name.lower() == RANDOM_ROLE
