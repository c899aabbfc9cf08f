"""Templates and static files, as responses.

Static files are read once, and their address has a hash of them all in it: a browser may keep them
for ever, and gets new ones with a new version. Only the names that were read are served.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from aiohttp import web
from jinja2 import Environment, PackageLoader, StrictUndefined

from gdl.drawing import SVG_STYLE
from gdl.version import __version__
from ggp_player.languages import ENGLISH, Language, Sentence, chosen_language, languages
from ggp_player.pages.security import PAGE_HEADERS, UNSTORED_HEADERS

CONTENT_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
"""The kinds of static files; files of other kinds are not served."""

STATIC = "static"
"""The folder of static files, and the first part of their addresses."""

BOARD_STYLE = "board.css"
"""The style sheet of the drawings, which pages load as they allow no styles inside of them."""

LANGUAGE_COOKIE = "ggp_player_language"
"""The cookie with the code of the language that a reader has chosen; ``language.js`` sets it."""

NO_PAGE = Sentence("There is no page at this address.")

_SAID = re.compile(r'\bsaid\(\s*"((?:[^"\\]|\\.)*)"')
"""What a script says: a string of JavaScript, which is one of JSON, too."""


@dataclass(frozen=True, slots=True)
class StaticFiles:
    """All static files by name; ``version`` is a hash of them.

    ``said`` are the texts that the scripts say, in English.
    """

    version: str
    files: dict[str, tuple[str, bytes]]
    said: tuple[str, ...]


class PageSite:
    """Renders pages and serves the static files; ``name`` is in the title of every page.

    ``base`` in its methods is what stands before the path in the addresses of this server, such as
    ``/SECRET``, and mostly nothing. ``links`` are the pages in the head of each: path and words.
    """

    def __init__(self, name: str, links: tuple[tuple[str, str], ...] = ()) -> None:
        self._globals = {"site_name": name, "links": links, "version": __version__}
        self._environments: dict[str, Environment] = {}
        self._static = _read_static_files()

    def page(
        self,
        template: str,
        base: str = "",
        status: int = 200,
        language: Language | None = None,
        **values: object,
    ) -> web.Response:
        """Render a template; ``token`` among the values lets the page change something.

        Pages that are translated are given their ``language``, and let readers choose another.
        """
        static = f"{base}/{STATIC}/{self._static.version}"
        offered = [] if language is None else list(languages().values())
        given = {"base": base, "static": static, "token": "", "offered": offered, **values}
        environment = self._environment(language or ENGLISH)
        text = environment.get_template(template).render(given)
        return web.Response(
            status=status, text=text, content_type="text/html", headers=UNSTORED_HEADERS
        )

    def _environment(self, language: Language) -> Environment:
        if language.code not in self._environments:
            made = Environment(
                loader=PackageLoader("ggp_player.pages"),
                autoescape=True,
                undefined=StrictUndefined,
                trim_blocks=True,
                lstrip_blocks=True,
                extensions=["jinja2.ext.i18n"],
            )
            made.install_gettext_translations(language.translations, newstyle=True)  # type: ignore[attr-defined]
            made.globals.update(
                self._globals,
                language=language.code,
                say=language.say,
                words=_words_of_scripts(language, self._static.said),
            )
            self._environments[language.code] = made
        return self._environments[language.code]

    def json(self, body: bytes, status: int = 200) -> web.Response:
        """Answer a page's module with JSON."""
        return web.Response(
            status=status, body=body, content_type="application/json", headers=UNSTORED_HEADERS
        )

    def error(
        self, status: int, sentence: str, base: str = "", language: Language | None = None
    ) -> web.Response:
        """Answer with a page that says what is wrong."""
        said = (language or ENGLISH).say(sentence)
        return self.page("error.html", base, status, language, sentence=said)

    def static(self, version: str, name: str) -> web.Response:
        """Serve a static file. Raises HTTPNotFound where there is none of that name."""
        found = self._static.files.get(name)
        if found is None:
            raise web.HTTPNotFound
        content_type, body = found
        is_current = version == self._static.version
        keep = "public, max-age=31536000, immutable" if is_current else "no-store"
        headers = {**PAGE_HEADERS, "Cache-Control": keep}
        return web.Response(body=body, content_type=content_type, charset="utf-8", headers=headers)

    def add_static_route(self, router: web.UrlDispatcher) -> None:
        """Have an application serve the static files."""

        async def static(request: web.Request) -> web.Response:
            return self.static(request.match_info["version"], request.match_info["name"])

        router.add_get(f"/{STATIC}/{{version}}/{{name}}", static, allow_head=False)


def asks_for_page(request: web.Request) -> bool:
    """Check for a browser's address bar, or a link; scripts and programs accept anything."""
    return request.method == "GET" and "text/html" in request.headers.get("Accept", "")


def language_of(request: web.Request) -> Language:
    """The language in which a request is answered: by its cookie, or what its reader accepts."""
    accepted = request.headers.get("Accept-Language", "")
    return chosen_language(request.cookies.get(LANGUAGE_COOKIE, ""), accepted)


def _words_of_scripts(language: Language, said: tuple[str, ...]) -> str:
    """What the scripts of a page say, as JSON by the English text; empty where that is the same."""
    words = {text: language.say(text) for text in said if language.say(text) != text}
    return json.dumps(words, ensure_ascii=False) if words else ""


@cache
def _read_static_files() -> StaticFiles:
    folder = files("ggp_player.pages") / STATIC
    found = {BOARD_STYLE: (CONTENT_TYPES[".css"], SVG_STYLE.encode())}
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        suffix = f".{file.name.rpartition('.')[2]}"
        if suffix in CONTENT_TYPES:
            found[file.name] = CONTENT_TYPES[suffix], file.read_bytes()
    whole = b"".join(name.encode() + body for name, (_, body) in found.items())
    scripts = "".join(body.decode() for name, (_, body) in found.items() if name.endswith(".js"))
    said = tuple(dict.fromkeys(json.loads(f'"{text}"') for text in _SAID.findall(scripts)))
    return StaticFiles(hashlib.sha256(whole).hexdigest()[:12], found, said)
