"""Records in files and folders: which files are records, and what is in them.

Apart from what parses records, which sees their bytes alone and opens no files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ggp_player.archive.archived_match import NewMatch
from ggp_player.archive.match_records import parse_json_record, parse_xml_record
from ggp_player.errors import ArchiveError

MAX_RECORD = 2**28
"""Bytes of the longest record that is read."""

_STEP_FILE = re.compile(r"step_(\d{1,9})\.xml")
_FINAL_FILE = "finalstate.xml"


def find_records(paths: Iterable[Path]) -> Iterator[Path]:
    """Find the files that may hold records, in folders all that are in them, by their names.

    Of the files that the Dresden GameController has written for one match, only the last counts.
    """
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        files = sorted(file for file in path.rglob("*") if file.suffix in {".json", ".xml"})
        for file in files:
            if file.is_file() and not _is_superseded(file):
                yield file


def read_record(path: Path, rules: str = "", game: str = "") -> NewMatch:
    """Read a record, whose rules may be known. Raises :class:`ArchiveError`, with the file's name.

    What begins with ``<`` is XML, whatever its name.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_RECORD + 1)
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(data) > MAX_RECORD:
        raise ArchiveError(f"{path} has more than {MAX_RECORD} bytes, the most that are read")
    is_xml = data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    parse = parse_xml_record if is_xml else parse_json_record
    try:
        return parse(data, rules, game)
    except ArchiveError as error:
        raise ArchiveError(f"{path}: {error}") from error


def _is_superseded(file: Path) -> bool:
    """Check whether a later file of the same match is beside this one."""
    step = _STEP_FILE.fullmatch(file.name)
    if step is None:
        return False
    if (file.parent / _FINAL_FILE).exists():
        return True
    others = (_STEP_FILE.fullmatch(other.name) for other in file.parent.glob("step_*.xml"))
    return any(other is not None and int(other[1]) > int(step[1]) for other in others)
