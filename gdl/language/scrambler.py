"""The scrambler: renames everything in a game, so that names give nothing away.

A game manager that scrambles sends rules in which every name is an invented word, so that players
can only go by the rules themselves::

    >>> import gdl
    >>> from random import Random
    >>> rules = gdl.parse("(role white) (init (cell 1 b)) (legal white noop)")
    >>> scrambler = Scrambler.of(rules, Random(1))
    >>> move = gdl.parse_term("(mark 1 noop)")
    >>> scrambler.unscramble(scrambler.scramble(move)) == move
    True

Roles, constants, functions, relations and variables are renamed. The keywords, ``random``, ``nil``
and integers stay: they mean the same to every player.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from random import Random
from types import MappingProxyType

from gdl.language.keywords import RANDOM_ROLE, RESERVED_WORDS
from gdl.language.lexical import WORD
from gdl.language.rules import (
    Atom,
    Constant,
    Function,
    Rule,
    Ruleset,
    Term,
    Variable,
    map_atoms,
    map_terms,
    named_in,
)

KEPT = RESERVED_WORDS | {RANDOM_ROLE, "nil"}
"""Names that stay as they are, in lower case."""

_INTEGER = re.compile(r"[+-]?\d+")

_ONSETS, _VOWELS, _CODAS = "bcdfghjklmnprstvw", "aeiou", "lmnrst"

_NAMES_PER_SYLLABLE = 10_000
"""Words get one more syllable per so many names; there are 260,100 words of two syllables."""


@dataclass(frozen=True, slots=True)
class Scrambler:
    """A renaming that exchanges each name with an invented word.

    As an exchange it is its own inverse, on every term: an original name in a scrambled reply
    becomes a word, and so is never taken for a move.
    """

    words: Mapping[str, str]
    """The word for each name that changes; variables have their question mark.

    Raises ValueError if one name would stand for two, or for a keyword.
    """

    variables: bool = True
    """Whether variables are renamed too."""

    _partners: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        partners: dict[str, str] = {}
        for name, word in chain(self.words.items(), map(reversed, self.words.items())):
            if not WORD.fullmatch(name) or _stays(name.lower()):
                raise ValueError(f"'{name}' cannot be exchanged for another name")
            if partners.setdefault(name.lower(), word) != word:
                raise ValueError(f"'{name}' stands for '{partners[name.lower()]}' and '{word}'")
        object.__setattr__(self, "_partners", MappingProxyType(partners))

    @classmethod
    def of(cls, ruleset: Ruleset, random: Random, variables: bool = True) -> Scrambler:
        """Draw a word for each name of the ruleset."""
        names = {name.lower(): name for name in chain.from_iterable(map(_names, ruleset.rules))}
        changing = [name for key, name in names.items() if not _stays(key)]
        taken = KEPT | {name.lstrip("?") for name in names}
        words = _words(random, 2 + len(names) // _NAMES_PER_SYLLABLE, taken)
        drawn = {name: f"{'?' * name.startswith('?')}{next(words)}" for name in changing}
        return cls(MappingProxyType(drawn), variables)

    def scramble(self, term: Term) -> Term:
        """Rename a term to what the players see."""
        if isinstance(term, Constant):
            return Constant(self._partner(term.name))
        if isinstance(term, Function):
            return Function(self._partner(term.name), tuple(map(self.scramble, term.args)))
        return Variable(self._partner(f"?{term.name}")[1:]) if self.variables else term

    def unscramble(self, term: Term) -> Term:
        """Rename a term written by a player to what it is in the ruleset."""
        return self.scramble(term)

    def scramble_ruleset(self, ruleset: Ruleset) -> Ruleset:
        """Rename a ruleset to what the players see; its rules keep their order."""
        rules = tuple(map(self._rule, ruleset.rules))
        names = chain.from_iterable(map(_names, rules))
        spellings = {name.lower(): name for name in names if not name.startswith("?")}
        return Ruleset(rules, spellings=spellings)

    def _partner(self, name: str) -> str:
        return self._partners.get(name.lower(), name)

    def _rule(self, rule: Rule) -> Rule:
        body = (map_terms(map_atoms(part, self._renamed), self.scramble) for part in rule.body)
        head = self._renamed(rule.head)
        return Rule(Atom(head.name, tuple(map(self.scramble, head.args))), tuple(body))

    def _renamed(self, atom: Atom) -> Atom:
        """Return the atom with the word for its relation."""
        return Atom(self._partner(atom.name), atom.args)


def _stays(key: str) -> bool:
    return key in KEPT or _INTEGER.fullmatch(key) is not None


def _words(random: Random, syllables: int, taken: Iterable[str]) -> Iterator[str]:
    """Yield invented words without end, none twice and none that is taken."""
    seen = set(taken)
    while True:
        letters = (random.choice(part) for part in (_ONSETS, _VOWELS, _CODAS) * syllables)
        word = "".join(letters)
        if word not in seen:
            seen.add(word)
            yield word


def _names(rule: Rule) -> Iterator[str]:
    """Yield every name in a rule, from left to right."""
    for part in named_in(rule):
        yield f"?{part.name}" if isinstance(part, Variable) else part.name
