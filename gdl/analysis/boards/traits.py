"""Pieces that differ in traits of two values: their words have a letter for each, in all ways.

Apart from the search for boards: it looks at the letters of words, as nothing else does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

TRAITS = (3, 4)
"""How many traits can be drawn: size, colour, shape, and a hole."""


def traits_of_words(domains: Iterable[frozenset[str]]) -> Mapping[str, tuple[int, ...]]:
    """Return the traits of all words of arguments whose values are letters in all combinations.

    So of slrf, slrh, ... tdqh, the sixteen pieces of quarto; each trait is 0 or 1.
    """
    found: dict[str, tuple[int, ...]] = {}
    for words in domains:
        lengths = {len(word) for word in words}
        length = min(lengths, default=0)
        if lengths != {length} or length not in TRAITS or len(words) != 2**length:
            continue
        letters = [sorted({word[i] for word in words}) for i in range(length)]
        is_named = all(len(each) == 2 and "".join(each).isalpha() for each in letters)
        if is_named and words == {"".join(word) for word in product(*letters)}:
            found |= {
                word: tuple(letters[i].index(letter) for i, letter in enumerate(word))
                for word in words
            }
    return found
