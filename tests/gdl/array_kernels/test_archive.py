"""Archives of kernels are used while they are current, and refused where they are damaged."""

from __future__ import annotations

import hashlib
import json
import lzma
import shutil
from pathlib import Path

import numpy as np
import pytest

from gdl.array_kernels.archive import (
    CODE,
    MANIFEST,
    EntryType,
    KernelArchive,
    Manifest,
    code_of,
    file_digests,
    kernel_digest,
)
from gdl.array_kernels.arguments import KernelArchiveError
from gdl.array_kernels.functions import kernel

HERE = __name__

SUM = """
define i32 @"{module}.total"(ptr %arguments, ptr %result) {{
  %data = load ptr, ptr %arguments
  %where = getelementptr i64, ptr %arguments, i64 1
  %size = load i64, ptr %where
  br label %head
head:
  %i = phi i64 [0, %0], [%following, %body]
  %sum = phi i64 [0, %0], [%next, %body]
  %more = icmp slt i64 %i, %size
  br i1 %more, label %body, label %end
body:
  %item = getelementptr i64, ptr %data, i64 %i
  %value = load i64, ptr %item
  %next = add i64 %sum, %value
  %following = add i64 %i, 1
  br label %head
end:
  store i64 %sum, ptr %result
  %failed = icmp slt i64 %sum, 0
  %status = zext i1 %failed to i32
  ret i32 %status
}}
"""
"""Adds up numbers, and fails where their sum is negative."""


@kernel
def total(numbers: np.ndarray) -> int:
    """Add up numbers."""
    found = 0
    for index in range(len(numbers)):  # by hand
        found += numbers[index]
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GDL_CACHE", str(tmp_path / "cache"))
    write_archive(tmp_path / "shipped")
    return tmp_path / "shipped"


def write_archive(folder: Path) -> None:
    folder.mkdir(parents=True)
    packed = lzma.compress(SUM.format(module=HERE).encode())
    (folder / CODE).write_bytes(packed)
    digest = hashlib.sha256(packed).hexdigest()
    entries = {f"{HERE}.total": EntryType([["<i8", 1]], "i")}
    files = {"gdl.array_kernels.functions": "", **file_digests(["tests.support.paths"])}
    files = dict.fromkeys(file_digests(files), "changed")
    Manifest(digest, kernel_digest(files), files, entries).write(folder)


def set_in_manifest(folder: Path, name: str, value: object) -> None:
    data = json.loads((folder / MANIFEST).read_text())
    data[name] = value
    (folder / MANIFEST).write_text(json.dumps(data))


def test_an_entry_is_called(folder: Path) -> None:
    entry = KernelArchive(folder).entry(f"{HERE}.total")
    assert entry is not None
    assert entry(np.array([1, 2, 39])) == 42
    with pytest.raises(TypeError, match="takes"):
        entry(np.array([1.0]))
    with pytest.raises(KernelArchiveError, match="failed"):
        entry(np.array([-1]))


def test_what_is_not_in_the_archive_is_none(folder: Path) -> None:
    assert KernelArchive(folder).entry("other") is None
    assert KernelArchive(folder / "nowhere").entry(f"{HERE}.total") is None


def test_native_code_is_ready_once_it_was_loaded(folder: Path) -> None:
    assert not KernelArchive(folder).is_ready
    KernelArchive(folder).load()
    assert KernelArchive(folder).is_ready


def test_damaged_code_is_refused(folder: Path) -> None:
    (folder / CODE).write_bytes(b"damaged")
    with pytest.raises(KernelArchiveError, match="is not the file"):
        KernelArchive(folder).load()


def test_changed_kernels_are_taken_from_the_cache_once_they_are_there(folder: Path) -> None:
    set_in_manifest(folder, "kernels", "another")
    found = KernelArchive(folder)
    assert not found.is_current
    assert not found.is_ready
    assert found.entry(f"{HERE}.total") is None
    write_archive(found.rebuilt_folder)
    assert not found.is_current
    found.forget()
    assert found.is_current
    found.load()
    assert found.entry(f"{HERE}.total") is not None


@pytest.mark.parametrize(
    "entry",
    [
        {"leaves": [["<i8", 0]], "result": 7},
        {"leaves": [["<i8", 0]], "result": "x"},
        {"leaves": [["<i8"]], "result": "i"},
        {"leaves": [["<i8", -1]], "result": "i"},
        {"leaves": [["<i8", "1"]], "result": "i"},
        {"leaves": [["<M8", 0]], "result": "i"},
        {"leaves": [["nothing", 1]], "result": "i"},
        {"leaves": 7, "result": "i"},
    ],
)
def test_a_manifest_with_types_that_there_are_not_is_damaged(entry: object) -> None:
    data = {"code": "", "kernels": "", "files": {}, "entries": {"kernel": entry}}
    with pytest.raises(KernelArchiveError, match="damaged"):
        Manifest.parse(json.dumps(data).encode())


@pytest.mark.parametrize("digest", [{"code": 1}, {"kernels": None}, {"files": {"a": []}}])
def test_a_manifest_whose_digests_are_no_texts_is_damaged(digest: dict[str, object]) -> None:
    data = {"code": "", "kernels": "", "files": {}, "entries": {}, **digest}
    with pytest.raises(KernelArchiveError, match="damaged"):
        Manifest.parse(json.dumps(data).encode())


@pytest.mark.parametrize("name", [CODE, MANIFEST])
@pytest.mark.parametrize("damage", [b"", b"{", b"[" * 10**5, b'{"entries": 1}', None])
def test_an_archive_in_the_cache_that_is_damaged_is_built_anew(
    folder: Path, name: str, damage: bytes | None
) -> None:
    set_in_manifest(folder, "kernels", "another")
    found = KernelArchive(folder)
    write_archive(found.rebuilt_folder)
    damaged = found.rebuilt_folder / name
    if damage is None:
        damaged.unlink()
    else:
        damaged.write_bytes(damage)
    assert not found.is_current
    assert not found.is_ready
    shutil.rmtree(found.rebuilt_folder)
    write_archive(found.rebuilt_folder)
    found.forget()
    assert found.is_current


def test_an_archive_in_the_cache_that_others_may_write_is_not_used(folder: Path) -> None:
    set_in_manifest(folder, "kernels", "another")
    found = KernelArchive(folder)
    write_archive(found.rebuilt_folder)
    (found.rebuilt_folder / CODE).chmod(0o666)
    assert not found.is_current


def test_a_damaged_installation_says_so(folder: Path, caplog) -> None:
    (folder / MANIFEST).write_text("{")
    found = KernelArchive(folder)
    assert not found.is_current
    assert not found.is_ready
    assert "kernels.json is damaged" in caplog.text


def test_changed_files_matter_only_where_kernels_have_changed(folder: Path) -> None:
    manifest = Manifest.read(folder)
    assert manifest is not None
    assert file_digests(manifest.files) != manifest.files
    assert KernelArchive(folder).is_current
    shutil.rmtree(folder)
    assert not KernelArchive(folder).is_current


def test_comments_and_docstrings_are_no_code() -> None:
    text = code_of(total.function)  # type: ignore[attr-defined]
    assert text.splitlines()[1].strip() == "found = 0"
    assert "Add up" not in text


def test_the_digest_is_of_constants_too() -> None:
    modules = ["gdl.engine.canonical_state", "gdl.engine.bits"]
    before = kernel_digest(modules)
    from gdl.engine import bits

    kept = bits.ONE
    try:
        bits.ONE = np.uint64(3)
        assert kernel_digest(modules) != before
    finally:
        bits.ONE = kept
    assert kernel_digest(modules) == before
