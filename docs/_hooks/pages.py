"""Pages of the repository as pages of the site, without a change to what the repository shows.

Links that lead out of ``docs/`` lead to copies of those files below ``repository/``. Diagrams in
Mermaid become the drawings that :mod:`flowcharts` has made of them, and a comment
``<!-- include: FILE, NAME -->`` becomes what stands in that file between ``<!-- NAME: begin -->``
and ``<!-- NAME: end -->``. A comment ``<!-- steps: FILE, STRATEGY -->`` becomes a link to
a page that goes through that search step by step, which the build makes.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

import gdl
from ggp_player.pages.step_pages import steps_html
from ggp_player.search_steps.recording import record_search
from ggp_player.strategies import Position
from ggp_player.strategies.selection import create

ROOT = Path(__file__).parents[2]

OUTSIDE = "repository/"
"""Where the site has files of the repository that are not in ``docs/``."""

_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#|/)([^)\s#]+)(?=[)#])")
_INCLUDE = re.compile(r"<!-- include: ([^,]+), ([\w ]+) -->")
_STEPS = re.compile(r"<!-- steps: (\S+), (\S+) -->")
_MERMAID = re.compile(r"^```mermaid\n.*?^```$", re.MULTILINE | re.DOTALL)
_SESSION = re.compile(r"^```python\n(?=>>> )", re.MULTILINE)


def in_repository(uri: str) -> str:
    """The path in the repository of a file of the site."""
    return uri.removeprefix(OUTSIDE) if uri.startswith(OUTSIDE) else f"docs/{uri}"


def in_site(path: str) -> str:
    """Where the site has a file of the repository."""
    return path.removeprefix("docs/") if path.startswith("docs/") else OUTSIDE + path


def links(text: str, path: str) -> Iterator[tuple[str, str]]:
    """Yield the links of a file to others, as they are written and as paths in the repository."""
    for link in _LINK.findall(text):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
        if (ROOT / target).is_dir():
            target = f"{target}/README.md"
        yield link, target


def files_outside(paths: list[str]) -> list[str]:
    """The files outside of ``docs/`` to which these files lead, directly or by others."""
    found: list[str] = []
    waiting = list(paths)
    while waiting:
        path = waiting.pop()
        if path.endswith(".md"):
            for _, target in links((ROOT / path).read_text(encoding="utf-8"), path):
                if not target.startswith("docs/") and target not in found:
                    found.append(target)
                    waiting.append(target)
    return sorted(found)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files of the repository to which pages lead."""
    pages = [in_repository(file.src_uri) for file in files.documentation_pages()]
    for path in files_outside(pages):
        source = str(ROOT / path)
        file = File.generated(
            config, in_site(path), abs_src_path=source, inclusion=InclusionLevel.NOT_IN_NAV
        )
        files.append(file)
    for page in pages:
        found = _STEPS.search((ROOT / page).read_text(encoding="utf-8"))
        if found is not None:
            uri = f"{posixpath.splitext(in_site(page))[0]}_steps.html"
            made = File.generated(
                config, uri, content=_steps(*found.groups()), inclusion=InclusionLevel.NOT_IN_NAV
            )
            files.append(made)
    return files


def _steps(rulesheet: str, spec: str) -> str:
    """The page that goes through a search of a game of the documents."""
    machine = gdl.interpret(gdl.load(ROOT / "docs" / rulesheet))
    position = Position(machine, machine.initial_state(), machine.roles[0])
    heading = f"{Path(rulesheet).stem}: {spec} for {position.role}"
    return steps_html(record_search(create(spec), position), heading)


def _included(match: re.Match[str]) -> str:
    """What stands between two comments of a file."""
    file, name = match.groups()
    text = (ROOT / file).read_text(encoding="utf-8")
    between = re.search(f"<!-- {name}: begin -->\n(.*?)<!-- {name}: end -->", text, re.DOTALL)
    if between is None:
        raise ValueError(f"{file} has no part {name!r}")
    return between[1]


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Bring the text of a page into the form that the site needs."""
    uri = page.file.src_uri
    if page.file.generated_by and not uri.startswith(OUTSIDE):
        return markdown
    if page.is_homepage:
        page.meta["hide"] = ["navigation", "toc"]
    numbers = iter(range(1, 100))
    stem = posixpath.splitext(posixpath.basename(uri))[0]
    link = f"[Step through this search]({stem}_steps.html), forward and back, beside its source."
    markdown = _STEPS.sub(lambda _: link, markdown)
    markdown = _INCLUDE.sub(_included, markdown)
    markdown = _MERMAID.sub(lambda _: f"![diagram]({stem}_{next(numbers)}.svg)", markdown)
    markdown = _SESSION.sub("```pycon\n", markdown)
    places = {
        link: posixpath.relpath(in_site(target), posixpath.dirname(uri))
        for link, target in links(markdown, in_repository(uri))
    }
    return _LINK.sub(lambda match: places[match[1]], markdown)
