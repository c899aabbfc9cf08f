"""The pages in other languages: that nothing is left out, and what is chosen for whom."""

from __future__ import annotations

import re
from functools import cache
from gettext import GNUTranslations, NullTranslations
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from aiohttp.test_utils import make_mocked_request

import gdl
from gdl.drawing import EndingWords, SvgOptions, draw_svg, layout_of
from gdl.language import opening_comment
from ggp_player.languages import (
    ENGLISH,
    Language,
    Sentence,
    chosen_language,
    joined,
    languages,
    listed,
    sentence_of,
)
from ggp_player.pages.site import LANGUAGE_COOKIE, PageSite, _read_static_files, language_of
from ggp_player.play.gallery import KINDS, LENGTHS, game_card
from ggp_player.play.levels import LEVELS
from ggp_player.play.match_clock import TIME_CONTROLS
from ggp_player.play.table import told_of_ending
from tests.support.catalogues import catalogues, strings, texts

CATALOGUES = dict(catalogues())

wanted_texts = cache(texts)
"""Reading all sources takes a second."""

PLACEHOLDER = re.compile(r"\{\w+\}|%\(\w+\)s|<[^>]*>")


def test_there_is_german() -> None:
    assert list(languages()) == ["en", "de"]
    assert [language.name for language in languages().values()] == ["English", "Deutsch"]


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.parts[-3])
class TestCatalogue:
    def test_nothing_is_missing_or_fuzzy_or_left_over(self, file: Path) -> None:
        catalogue, wanted = CATALOGUES[file], wanted_texts()
        assert {message.id for message in catalogue} == {message.id for message in wanted}
        assert not catalogue.obsolete
        for message in catalogue:
            assert all(strings(message.string)), message.id
            assert not message.fuzzy, message.id

    def test_placeholders_and_tags_are_those_of_the_english_text(self, file: Path) -> None:
        for message in filter(lambda message: message.id, CATALOGUES[file]):
            wanted = sorted(PLACEHOLDER.findall(strings(message.id)[-1]))
            for text in strings(message.string):
                assert sorted(PLACEHOLDER.findall(text)) == wanted, message.id
                assert not re.search("[%{}<>]", PLACEHOLDER.sub("", text)), message.id

    def test_what_programs_read_is_compiled_from_it(self, file: Path) -> None:
        with file.with_suffix(".mo").open("rb") as opened:
            compiled = GNUTranslations(opened)
        for message in filter(lambda message: message.id, CATALOGUES[file]):
            if isinstance(message.id, str):
                said: tuple[str, ...] = (compiled.gettext(message.id),)
            else:
                one, several = message.id
                said = tuple(compiled.ngettext(one, several, count) for count in (1, 2))
            assert said == strings(message.string), message.id


def test_pages_are_given_all_that_their_scripts_say() -> None:
    found = {
        message.id
        for message in wanted_texts()
        if any(place.endswith(".js") for place, _ in message.locations)
    }
    assert found == set(_read_static_files().said)


class Marked(NullTranslations):
    """Puts brackets around whatever is translated."""

    def gettext(self, message: str) -> str:
        return f"[{message}]"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"[{msgid1 if n == 1 else msgid2}]"


class Unmarked(HTMLParser):
    """Collects texts outside of brackets, but for those of elements that say their language."""

    VOID = ("meta", "link", "input", "img", "br")

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._said = ""
        self._open: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        for name in ("aria-label", "title", "alt"):
            self._look(values.get(name) or "")
        if tag not in self.VOID:
            self._open.append(values.get("lang", "xx") != "xx")

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if not any(self._open):
            self._said += data

    def close(self) -> None:
        super().close()
        self._look(self._said)

    def _look(self, text: str) -> None:
        self.found += re.findall(r"[^\W\d_]+", re.sub(r"\[[^\]]*\]", "", text))


GALLERY = {
    "games": [
        {
            "card": game_card("0", "0", "; 1\n;\n; It is played.\n", ("1", "2")),
            "problems": [{"line": 1, "sentence": "It is wrong."}],
        }
    ],
    "kinds": {kind: words for kind, (_, words) in KINDS.items()},
    "lengths": {key: words for key, (_, words) in LENGTHS.items()},
    "levels": LEVELS,
    "level": 1,
    "adaptive": LEVELS[2],
    "controls": TIME_CONTROLS,
    "control": "",
    "opponents": "",
    "match": "/",
    "title": "0",
    "most": 1,
}

PLAY = {"number": 1, "gallery": "", "game": "0", "persons": "0", "is_session": True}


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("gallery.html", {**GALLERY, "is_over": False}),
        ("gallery.html", {**GALLERY, "is_over": True}),
        ("play.html", {**PLAY, "rules": opening_comment("")}),
        ("play.html", {**PLAY, "rules": opening_comment("; A\n;\n; So.\n;\n; Roles: a, b\n")}),
        ("play.html", {**PLAY, "gallery": "/", "rules": opening_comment("")}),
        ("error.html", {"sentence": "1"}),
        ("seat.html", {"name": "0", "number": 0}),
    ],
)
def test_all_that_stands_in_a_template_is_translated(
    template: str, values: dict[str, object]
) -> None:
    page = PageSite("0").page(template, language=Language("xx", "0", Marked()), **values)  # type: ignore[arg-type]
    looked = Unmarked()
    looked.feed(page.text or "")
    looked.close()
    assert looked.found == []


@pytest.mark.parametrize(
    ("chosen", "accepted", "wanted"),
    [
        ("", "", "en"),
        ("", "de-CH,de;q=0.9,en;q=0.8", "de"),
        ("", "en-GB,de;q=0.9", "en"),
        ("", "fr, DE ; q=0.5, en;q=0.4", "de"),
        ("", "fr,it", "en"),
        ("", "de;q=0", "en"),
        ("", "*;q=1, de;q=x, ;;;,,", "en"),
        ("", "x," * 1000 + "de", "en"),
        ("en", "de", "en"),
        ("de", "en", "de"),
        ("../de", "", "en"),
        ("fr", "de", "de"),
    ],
)
def test_a_language_is_chosen(chosen: str, accepted: str, wanted: str) -> None:
    assert chosen_language(chosen, accepted).code == wanted
    headers = {"Accept-Language": accepted, "Cookie": f"{LANGUAGE_COOKIE}={chosen}"}
    assert language_of(make_mocked_request("GET", "/", headers)).code == wanted


@pytest.mark.parametrize(
    "ending",
    [
        EndingWords(),
        EndingWords(things=(("a king", ("e1",)),)),
        EndingWords(things=(("x", ("1,1", "1,2")), ("y", tuple(map(str, range(13)))))),
        EndingWords(causes=("quiet 50", "not prizes left")),
    ],
)
def test_what_has_decided_a_match_is_said_as_drawings_say_it(ending: EndingWords) -> None:
    assert told_of_ending(ending) == ENGLISH.say(told_of_ending(ending)) == str(ending)


CELLS = "".join(f"(base (at {x} {y} a)) (base (at {x} {y} b))" for x in "123" for y in "123")

NOTED = f"""
(role a) (role b) {CELLS} (init (at 1 1 a)) (init alone) (base alone)
(init (step 1)) (base (step 1)) (base (step 2)) (base (step 3)) (succ 1 2) (succ 2 3)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step 3)))
{"".join(f"(init (seen f{i})) (base (seen f{i}))" for i in range(300))}
"""
"""A game that is drawn with a board, a counter, a fact that is true, and too many others."""


def test_what_drawings_say_in_english_pages_can_say_in_other_languages() -> None:
    script = _read_static_files().files["board.js"][1].decode()
    phrases = dict(re.findall(r'^  (\w+): .* => said\("([^"]*)"', script, re.MULTILINE))
    rules = gdl.parse(NOTED)
    state = gdl.interpret(rules).initial_state()
    options = SvgOptions(decisive=frozenset(["(at 1 1 a)"]))
    said = set()
    for element in ElementTree.fromstring(draw_svg(layout_of(rules), state, None, options)).iter():
        values = {name.removeprefix("data-"): value for name, value in element.items()}
        if name := values.get("said"):
            assert element.text == phrases[name].format(**values)
            said.add(name)
    assert said == set(phrases)


def test_sentences_are_translated_with_what_is_in_them() -> None:
    german = languages()["de"]
    sentence = Sentence("{roles} resigned.", roles=listed(["a", "{b}", "c"]))
    assert sentence == "a, {b} and c resigned."
    assert ENGLISH.say(sentence) == sentence
    assert german.say(sentence) == "Aufgegeben von a, {b} und c."
    assert german.say(joined([Sentence("You win."), "x"])) == "Sie gewinnen. x"
    assert german.say("") == german.say(Sentence("")) == ""
    assert german.say("in no catalogue {x} %s") == "in no catalogue {x} %s"
    assert listed(["1,1", "1,2", "1,3"]) == "1,1; 1,2 and 1,3"
    assert listed(["a"]) == "a"


def test_errors_keep_their_sentences() -> None:
    error = ValueError(Sentence("You win."))
    assert languages()["de"].say(sentence_of(error)) == "Sie gewinnen."
    assert sentence_of(ValueError("plain")) == "plain"
    assert sentence_of(ValueError()) == ""
