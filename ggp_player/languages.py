"""The languages in which pages speak: English, and those that have a catalogue in ``locale``.

What is said stands in English where it is said, in templates (``{% trans %}``), in Python
(:class:`Sentence`) and in scripts (``said("...")`` of ``dom.js``). A catalogue of gettext has the
translations; the machine-readable ``.mo`` lies beside it, so that nothing has to be built.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Self

DOMAIN = "pages"
"""The name of the catalogues."""

MAX_ACCEPTED = 20
"""Languages of an ``Accept-Language`` that are looked at."""

_ITEM = re.compile(r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9-]*)?\s*(?:;\s*q\s*=\s*([01](?:\.\d*)?))?\s*")


class Sentence(str):
    """English text that can be said in another language.

    ``message`` is what the catalogue translates, in the syntax of :meth:`str.format`, and
    ``values`` are put into it: a :class:`Sentence` among them is translated, too.
    """

    message: str
    values: Mapping[str, object]

    def __new__(cls, message: str, **values: object) -> Self:
        """Make the English text."""
        made = super().__new__(cls, message.format(**values) if values else message)
        made.message, made.values = message, values
        return made


_OWN_NAME = Sentence("English, in this language's own name")
"""What catalogues translate by the name of their language."""


def joined(texts: Iterable[str], between: str = " ") -> Sentence:
    """Texts as one, each of which is translated; ``between`` them are no braces."""
    values = {f"text{number}": text for number, text in enumerate(texts)}
    return Sentence(between.join(f"{{{name}}}" for name in values), **values)


def listed(texts: Sequence[str]) -> str:
    """Texts as in ``a, b and c``, or ``1,1; 1,2 and 1,3``."""
    *first, last = texts
    if not first:
        return last
    between = "; " if any("," in text for text in texts) else ", "
    return Sentence("{first} and {last}", first=joined(first, between), last=last)


def sentence_of(error: Exception) -> str:
    """What an error says, as a :class:`Sentence` where it was raised with one."""
    first = error.args[0] if error.args else ""
    return first if isinstance(first, Sentence) else str(error)


@dataclass(frozen=True)
class Language:
    """A language: ``code`` is that of HTML's ``lang``, ``name`` what it calls itself."""

    code: str
    name: str
    translations: gettext.NullTranslations

    def say(self, text: str) -> str:
        """Translate a text; what is in no catalogue stays as it is."""
        if not isinstance(text, Sentence):
            return self.translations.gettext(text) if text else ""
        message = self.translations.gettext(text.message) if text.message else ""
        if not text.values:
            return message
        values = text.values.items()
        return message.format(
            **{name: self.say(one) if isinstance(one, Sentence) else one for name, one in values}
        )


ENGLISH = Language("en", "English", gettext.NullTranslations())


@cache
def languages() -> Mapping[str, Language]:
    """All languages by their codes, English first."""
    found = {ENGLISH.code: ENGLISH}
    folders = (files("ggp_player") / "locale").iterdir()
    for folder in sorted(folders, key=lambda folder: folder.name):
        file = folder / "LC_MESSAGES" / f"{DOMAIN}.mo"
        if file.is_file():
            with file.open("rb") as opened:
                read = gettext.GNUTranslations(opened)
            found[folder.name] = Language(folder.name, read.gettext(_OWN_NAME), read)
    return found


def chosen_language(chosen: str, accepted: str) -> Language:
    """The language that a reader has chosen, by its code, or else likes best of those there are.

    ``accepted`` is the header ``Accept-Language``. Regions are not told apart.
    """
    if chosen in languages():
        return languages()[chosen]
    best, most = ENGLISH, 0.0
    for part in accepted.split(",", MAX_ACCEPTED)[:MAX_ACCEPTED]:
        found = _ITEM.fullmatch(part)
        if found is None:
            continue
        language = languages().get(found[1].lower())
        weight = 1.0 if found[2] is None else float(found[2])
        if language is not None and weight > most:
            best, most = language, weight
    return best
