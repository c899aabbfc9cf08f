"""The catalogues of translations: what there is to translate, and how they are brought up to date.

``python -m tests.support.catalogues`` adds new texts to all catalogues, without a translation, and
marks those that have changed; then it compiles them. With the code of a language, such as ``fr``,
it begins one for that, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from ggp_player.languages import DOMAIN
from tests.support.paths import ROOT

PACKAGE = ROOT / "ggp_player"
LOCALE = PACKAGE / "locale"

METHODS = [
    ("pages/templates/**.html", "jinja2"),
    ("**.js", "javascript"),
    ("**.py", "python"),
]
OPTIONS = {"pages/templates/**.html": {"trimmed": "true", "silent": "false"}}
HEADER = "# The pages of ggp-player in another language; docs/pages.md says how to work on it."
LEFT_OUT = tuple(
    f'"{name}'.encode()
    for name in ("Project-Id", "Report-", "POT-", "PO-", "Last-", "Language-Team", "Generated-By")
)
"""How lines of the header begin that say nothing here, or differ from day to day."""

KEYWORDS = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "Sentence": None,
    "said": None,
}


def texts() -> Catalog:
    """All that is translated: of templates, scripts and Python."""
    found = Catalog(project="ggp-player", charset="utf-8", fuzzy=False)
    for name, _, text, comments, context in extract_from_dir(
        PACKAGE, METHODS, OPTIONS, keywords=KEYWORDS
    ):
        found.add(text, None, [(f"ggp_player/{name}", 0)], (), comments, context=context)
    return found


def catalogues() -> Iterator[tuple[Path, Catalog]]:
    """Each catalogue, with its file."""
    for file in sorted(LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.po")):
        with file.open("rb") as opened:
            yield file, read_po(opened, locale=file.parts[-3])


def compiled(catalogue: Catalog) -> bytes:
    """The bytes of a catalogue that programs read."""
    made = BytesIO()
    write_mo(made, catalogue)
    return made.getvalue()


def updated(catalogue: Catalog) -> None:
    """Give a catalogue the texts that there are now, and no others."""
    catalogue.update(texts(), update_creation_date=False)
    catalogue.obsolete.clear()


def write(file: Path, catalogue: Catalog) -> None:
    """Write a catalogue, and what programs read of it beside it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    made = BytesIO()
    write_po(made, catalogue, width=100, sort_output=True, include_lineno=False)
    lines = made.getvalue().splitlines(keepends=True)
    file.write_bytes(b"".join(line for line in lines if not line.startswith(LEFT_OUT)))
    file.with_suffix(".mo").write_bytes(compiled(catalogue))


def main(codes: list[str]) -> None:
    """Bring the catalogues up to date, and begin those of ``codes``."""
    found = dict(catalogues())
    for code in codes:
        begun = Catalog(locale=code, charset="utf-8", fuzzy=False, header_comment=HEADER)
        found.setdefault(LOCALE / code / "LC_MESSAGES" / f"{DOMAIN}.po", begun)
    for file, catalogue in found.items():
        updated(catalogue)
        write(file, catalogue)
        empty = sum(not all(strings(message.string)) for message in catalogue if message.id)
        print(f"{file.relative_to(ROOT)}: {len(catalogue)} texts, {empty} without a translation")


def strings(text: str | Sequence[str] | None) -> tuple[str, ...]:
    """The texts of a message, of which one with a plural has several."""
    return (text or "",) if isinstance(text, str | None) else tuple(text)


if __name__ == "__main__":
    main(sys.argv[1:])
