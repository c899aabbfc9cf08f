"""Archives of kernels: LLVM code that was made in advance, and what it was made from.

An archive is two files in a folder. ``kernels.ll.xz`` is LLVM code that fits every 64-bit
processor; each kernel that Python calls is a function ``int32 name(const void *arguments, int64
*result)`` in it, which returns 0 unless it failed. ``kernels.json`` names these functions with
their types, and has digests: of the LLVM code, of the kernels, and of the files in which they are.

Whether an archive is current is decided by the files, and where some have changed, by the text of
the kernels. Where a kernel has changed, an archive in the cache on disk takes the place of the one
that is shipped, once it has been built.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import json
import logging
import lzma
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from gdl.array_kernels.arguments import RESULT_KINDS, Entry, KernelArchiveError, Leaf
from gdl.code_cache import cache_folders, read_own
from gdl.native_code import NativeCode, is_compiled, native_code
from gdl.system import write_whole

if TYPE_CHECKING:
    from gdl.array_kernels.functions import KernelFunction

MANIFEST, CODE = "kernels.json", "kernels.ll.xz"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EntryType:
    """The type of a kernel: the leaves of its arguments, and NumPy's kind of its result."""

    leaves: list[list[Any]]
    result: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive holds. The digests are SHA-256; ``files`` has one for each module."""

    code: str
    kernels: str
    files: dict[str, str]
    entries: dict[str, EntryType] = field(default_factory=dict)

    @staticmethod
    def read(folder: Path) -> Manifest | None:
        """Read the manifest of an archive; None where there is none.

        Raises KernelArchiveError where it is damaged.
        """
        try:
            return Manifest.parse((folder / MANIFEST).read_bytes())
        except FileNotFoundError:
            return None

    @staticmethod
    def parse(text: bytes) -> Manifest:
        """Do the reverse of :meth:`write`. Raises KernelArchiveError where that cannot be done."""
        try:
            data = json.loads(text)
            entries = {name: EntryType(**entry) for name, entry in data.pop("entries").items()}
            manifest = Manifest(entries=entries, **data)
            manifest._check_types()
            return manifest
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise KernelArchiveError(f"{MANIFEST} is damaged: {error!r}") from error

    def _check_types(self) -> None:
        """Raise TypeError, or what NumPy raises for types that it does not know."""
        texts = [self.code, self.kernels, *self.files.values()]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a digest is no text")
        for entry in self.entries.values():
            if entry.result not in RESULT_KINDS:
                raise TypeError(f"a kernel's result is of the kind {entry.result!r:.20}")
            for leaf in entry.leaves:
                Leaf.from_json(leaf)

    def write(self, folder: Path) -> None:
        """Write it into a folder, last of all files."""
        text = json.dumps(asdict(self), indent=1) + "\n"
        write_whole(folder / MANIFEST, text.encode())


class KernelArchive:
    """The archive of a package: the one that is shipped in ``folder``, or built in its place."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def _current(self) -> tuple[Path, Manifest] | None:
        """The archive of the kernels as they are, None where it has not been built."""
        shipped = self._shipped
        if shipped is None:
            return None
        if file_digests(shipped.files) == shipped.files:
            return self.folder, shipped
        if kernel_digest(shipped.files) == shipped.kernels:
            return self.folder, shipped
        folders = (folder / self._rebuilt_name for folder in cache_folders())
        found = ((folder, _whole_manifest(folder)) for folder in folders)
        return next(((folder, known) for folder, known in found if known is not None), None)

    @cached_property
    def _shipped(self) -> Manifest | None:
        try:
            return Manifest.read(self.folder)
        except KernelArchiveError as error:
            _log.error("%s: %s; install the package anew", self.folder, error)
            return None

    @property
    def rebuilt_folder(self) -> Path:
        """The folder in the cache on disk for an archive of the kernels as they are.

        Raises KernelArchiveError where no folder can be used.
        """
        for folder in cache_folders()[-1:]:
            return folder / self._rebuilt_name
        raise KernelArchiveError("there is no folder of our own in which kernels could be kept")

    @cached_property
    def _rebuilt_name(self) -> str:
        shipped = self._shipped
        digest = kernel_digest(shipped.files) if shipped is not None else "new"
        return f"kernels-{digest[:16]}"

    @property
    def is_current(self) -> bool:
        """Whether there is an archive of the kernels as they are."""
        return self._current is not None

    @property
    def is_ready(self) -> bool:
        """Whether native code for this processor is in the cache on disk."""
        return self._current is not None and is_compiled(self._current[1].code)

    def forget(self) -> None:
        """Look for the archive anew: it has been built."""
        self.__dict__.pop("_current", None)
        self.__dict__.pop("_code", None)

    @cached_property
    def _code(self) -> NativeCode:
        assert self._current is not None
        folder, manifest = self._current
        return native_code(manifest.code, lambda: read_code(folder, manifest))

    def load(self) -> None:
        """Load the native code, made first if it is not in the cache on disk."""
        assert self._code is not None

    def entry(self, name: str) -> Callable[..., Any] | None:
        """The native code of a kernel, by its full name; None where it is not in the archive."""
        if self._current is None:
            return None
        kind = self._current[1].entries.get(name)
        if kind is None:
            return None
        return Entry(name, map(Leaf.from_json, kind.leaves), kind.result, self._code)


def _whole_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of an archive in the cache; None unless both its files are whole."""
    text, packed = read_own(folder / MANIFEST), read_own(folder / CODE)
    if text is None or packed is None:
        return None
    try:
        manifest = Manifest.parse(text)
    except KernelArchiveError:
        return None
    return manifest if hashlib.sha256(packed).hexdigest() == manifest.code else None


# ---------------------------------------------------------------------- the archives in use

ARCHIVES: list[KernelArchive] = []
"""The archives of the packages imported so far."""


def register_archive(folder: Path) -> KernelArchive:
    """Use the archive in a folder."""
    ARCHIVES.append(KernelArchive(folder))
    return ARCHIVES[-1]


def find_entry(name: str) -> Callable[..., Any] | None:
    """Find a kernel's native code in an archive, by its full name."""
    return next((found for each in ARCHIVES if (found := each.entry(name)) is not None), None)


@contextmanager
def no_archives() -> Iterator[None]:
    """Have no archive be used, so that kernels are compiled anew."""
    kept = ARCHIVES.copy()
    ARCHIVES.clear()
    try:
        yield
    finally:
        ARCHIVES[:] = kept


# ---------------------------------------------------------------------- digests


def read_code(folder: Path, manifest: Manifest) -> str:
    """Read an archive's LLVM code. Raises KernelArchiveError where it is damaged."""
    packed = (folder / CODE).read_bytes()
    if hashlib.sha256(packed).hexdigest() != manifest.code:
        raise KernelArchiveError(f"{folder / CODE} is not the file that {MANIFEST} names")
    return lzma.decompress(packed).decode()


def file_digests(modules: Iterable[str]) -> dict[str, str]:
    """Digest the files of modules; those that are not there are left out."""
    found = {}
    for module in modules:
        package, *rest = module.split(".")
        root = importlib.import_module(package).__file__
        assert root is not None
        file = Path(root).parent.joinpath(*rest).with_suffix(".py")
        if file.exists():
            text = file.read_text(encoding="utf-8")
            found[module] = hashlib.sha256(text.encode()).hexdigest()
    return found


def kernel_digest(modules: Iterable[str]) -> str:
    """Digest all that the kernels of some modules are made from.

    That is their own text without comments and docstrings, and the constants and operations that
    they name. Modules that are no longer there have none.
    """
    from gdl.array_kernels.functions import KERNELS

    among = {module for module in modules if find_spec(module) is not None}
    for module in among:
        importlib.import_module(module)
    kernels = sorted(
        (kernel for kernel in KERNELS.values() if kernel.function.__module__ in among),
        key=lambda kernel: kernel.name,
    )
    digest = hashlib.sha256()
    for kernel in kernels:
        for part in _parts(kernel):
            digest.update(f"{len(part)} {part}".encode())
    return digest.hexdigest()


def _parts(kernel: KernelFunction) -> Iterator[str]:
    """Yield all that a kernel is made from."""
    yield f"{kernel.name} {kernel.is_inlined}"
    yield from _code_and_names(kernel.function)


def _code_and_names(function: Callable[..., Any]) -> Iterator[str]:
    """Yield the text of a function, and what the names in it stand for."""
    text, known = code_of(function), function.__globals__
    yield text
    # By the text and not the code object, which differs between versions of Python.
    (definition,) = ast.parse(text).body
    assert isinstance(definition, ast.FunctionDef)
    nodes = (node for part in definition.body for node in ast.walk(part))
    named = {node.id for node in nodes if isinstance(node, ast.Name)}
    for name in sorted(named & known.keys()):
        yield f"{name} = {_described(known[name])}"


def code_of(function: Callable[..., Any]) -> str:
    """Return the text of a function without its docstring, decorators, comments and blank lines."""
    text = textwrap.dedent(inspect.getsource(function))
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    lines = text.splitlines()
    body = node.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        for number in range(body[0].lineno - 1, body[0].end_lineno or body[0].lineno):
            lines[number] = ""
    kept = (line.rstrip() for line in lines[node.lineno - 1 :])
    return "\n".join(line for line in kept if line and not line.lstrip().startswith("#"))


def _described(value: object) -> str:
    """Describe what a kernel names, as far as its code depends on that."""
    from gdl.array_kernels.functions import Intrinsic, KernelFunction

    if isinstance(value, KernelFunction):
        return value.name
    if isinstance(value, Intrinsic):
        return "\n".join(_code_and_names(value.define))
    if isinstance(value, FunctionType):
        return "\n".join(_code_and_names(value))
    if isinstance(value, (bool, int, float, str, tuple, np.generic, np.dtype)):
        return repr(value)
    return str(getattr(value, "_fields", getattr(value, "__name__", "")))
