"""Templates and static files."""

import re

import pytest
from aiohttp import web

from ggp_player.pages.security import PAGE_HEADERS
from ggp_player.pages.site import (
    BOARD_STYLE,
    CONTENT_TYPES,
    PageSite,
    StaticFiles,
    _read_static_files,
)
from tests.support.paths import ROOT

STATIC = ROOT / "ggp_player" / "pages" / "static"
TEMPLATES = ROOT / "ggp_player" / "pages" / "templates"


@pytest.fixture
def site() -> PageSite:
    return PageSite("<b>name", (("/", "Live & more"),))


@pytest.fixture
def static() -> StaticFiles:
    return _read_static_files()


def test_a_page_has_the_headers_and_escapes_what_it_is_given(site: PageSite) -> None:
    response = site.error(404, "<script>no</script>", "/SECRET")
    assert response.status == 404
    assert PAGE_HEADERS.items() <= dict(response.headers).items()
    text = response.text or ""
    assert "&lt;script&gt;no&lt;/script&gt;" in text
    assert "&lt;b&gt;name" in text
    assert "<script>no" not in text
    assert "<b>" not in text
    assert 'href="/SECRET/"' in text
    assert 'href="/SECRET/static/' in text


def test_static_files_are_kept_by_browsers_as_long_as_they_are_the_same(
    site: PageSite, static: StaticFiles
) -> None:
    current = site.static(static.version, "style.css")
    assert current.headers["Cache-Control"].endswith("immutable")
    assert current.content_type == "text/css"
    assert current.body == (STATIC / "style.css").read_bytes()
    assert site.static("older", "style.css").headers["Cache-Control"] == "no-store"
    assert PAGE_HEADERS.items() <= dict(current.headers).items()


@pytest.mark.parametrize(
    "name", ["", "..", "../site.py", "style", ".", "style.css/", "/etc/passwd"]
)
def test_only_static_files_are_served(site: PageSite, name: str) -> None:
    with pytest.raises(web.HTTPNotFound):
        site.static("x", name)


def test_every_static_file_has_a_content_type(static: StaticFiles) -> None:
    names = {path.name for path in STATIC.iterdir()}
    assert {path.suffix for path in STATIC.iterdir()} <= set(CONTENT_TYPES)
    assert set(static.files) == names | {BOARD_STYLE}


def test_modules_import_modules_that_exist(static: StaticFiles) -> None:
    for path in STATIC.glob("*.js"):
        imported = re.findall(r'from "(.*?)"', path.read_text())
        assert {name.removeprefix("./") for name in imported} <= set(static.files), path


def test_nothing_is_loaded_from_elsewhere_and_no_script_or_style_is_inline() -> None:
    for path in (*STATIC.iterdir(), *TEMPLATES.iterdir()):
        text = path.read_text()
        addresses = set(re.findall(r"https?://[^\"'\s)]+", text))
        assert addresses <= {"http://www.w3.org/2000/svg"}, path
        if path.suffix == ".html":
            assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", text), path
        if path.suffix == ".js":
            assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", text), (
                path
            )
