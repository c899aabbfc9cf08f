"""What words say of the things that they stand for: pieces with traits of two values, and cards.

Apart from the search for boards: it looks at the letters of words, as nothing else does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gdl.analysis.boards.evidence import RulesEvidence

CARDS = ("card", "cards")
"""What rules call the relation that lists their cards."""

_COUNTS = (2**3, 2**4)
"""How many pieces can be drawn: by their size, colour and shape, and a hole."""


def traits_of_words(domains: Iterable[frozenset[str]]) -> Mapping[str, tuple[int, ...]]:
    """Return the traits of all words of arguments whose values are letters in all combinations.

    So of slrf, slrh, ... tdqh, the sixteen pieces of quarto, and p0000 to p1111; each is 0 or 1.
    """
    found: dict[str, tuple[int, ...]] = {}
    for words in domains:
        length = min(map(len, words), default=0)
        if len(words) not in _COUNTS or max(map(len, words)) != length:
            continue
        letters = [sorted({word[i] for word in words}) for i in range(length)]
        telling = [i for i, each in enumerate(letters) if len(each) == 2]
        is_whole = 2 ** len(telling) == len(words) and max(map(len, letters)) == 2
        if is_whole and not any(word.isdigit() for word in words):
            found |= {word: tuple(letters[i].index(word[i]) for i in telling) for word in words}
    return found


def hands_of(evidence: RulesEvidence) -> frozenset[tuple[str, int]]:
    """Return the functions of one or two arguments, of a holder and a card, whose last is a card.

    Cards are what facts of the rules list in a relation that is called so, of one argument.
    """
    cards = {
        str(rule.head.args[0])
        for rule in evidence.ruleset.rules
        if not rule.body and len(rule.head.args) == 1 and rule.head.name.lower() in CARDS
    }
    return frozenset(
        fluent.key
        for fluent in evidence.fluents.values()
        if fluent.arity in (1, 2) and fluent.columns[-1] and fluent.columns[-1] <= cards
    )
