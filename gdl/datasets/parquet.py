"""Recorded playouts as Parquet, through PyArrow, which is optional."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl.datasets.recording import NO_GOAL, NO_MOVE, Recording
from gdl.engine import Bits, PropnetStateMachine
from gdl.errors import optional_library
from gdl.language import Term

ROWS = 2**18
"""How many rows are gathered, at least, before they are written as a row group."""


def _import(name: str) -> Any:  # noqa: ANN401 PyArrow has no types
    return optional_library(name, "Parquet needs PyArrow: pip install 'ggp-player[parquet]'")


def require_parquet() -> None:
    """Check that PyArrow is there; raises :class:`gdl.errors.MissingLibraryError`."""
    _import("pyarrow.parquet")


class ArrowRows:
    """Turns recordings of a game into record batches of PyArrow.

    Texts are dictionary-encoded. ``legal``, ``moves``, ``goals`` and, where the game has percepts,
    ``sees`` have a field for each role. Raises :class:`gdl.errors.MissingLibraryError` where
    PyArrow is not installed.
    """

    def __init__(self, machine: PropnetStateMachine) -> None:
        self._arrow = _import("pyarrow")
        self._roles = [str(role) for role in machine.roles]
        self._facts = self._dictionary(machine.facts)
        self._moves = [self._dictionary(moves) for moves in machine.moves]
        self._offsets = np.cumsum([0, *map(len, machine.moves)]).tolist()
        self._percepts = [
            [column for column, (role, _) in enumerate(machine.percept_rows) if role == number]
            for number in range(len(self._roles))
        ]
        seen = [term for _, term in machine.percept_rows]
        self._seen = [self._dictionary([seen[c] for c in columns]) for columns in self._percepts]
        self.schema = self._schema()

    def batch(self, recording: Recording) -> Any:  # noqa: ANN401
        """Turn a recording into a ``pyarrow.RecordBatch``."""
        arrow = self._arrow
        goals = [arrow.array(each, mask=each == NO_GOAL) for each in recording.goals.T.copy()]
        columns = [
            arrow.array(recording.playouts),
            arrow.array(recording.steps),
            self._lists(recording.facts, self._facts),
            self._by_role(self._legal(recording)),
            self._by_role(list(map(self._texts, recording.moves.T, self._moves))),
            self._by_role(goals),
            arrow.array(recording.terminal),
        ]
        if any(self._percepts):
            columns.append(self._by_role(self._sees(recording)))
        return arrow.RecordBatch.from_arrays(columns, schema=self.schema)

    # ------------------------------------------------------------------ columns

    def _legal(self, recording: Recording) -> list[Any]:
        ranges = zip(pairwise(self._offsets), self._moves, strict=True)
        return [
            self._lists(recording.legal[:, first:last], dictionary)
            for (first, last), dictionary in ranges
        ]

    def _sees(self, recording: Recording) -> list[Any]:
        return [
            self._lists(recording.percepts[:, columns], dictionary)
            for columns, dictionary in zip(self._percepts, self._seen, strict=True)
        ]

    def _dictionary(self, terms: Sequence[Term]) -> Any:  # noqa: ANN401
        return self._arrow.array([str(term) for term in terms], self._arrow.string())

    def _texts(self, indices: NDArray[np.int32], dictionary: Any) -> Any:  # noqa: ANN401
        """A column of texts by their indices; nothing where there is no move."""
        chosen = self._arrow.array(indices, mask=indices == NO_MOVE)
        return self._arrow.DictionaryArray.from_arrays(chosen, dictionary)

    def _lists(self, bits: Bits, dictionary: Any) -> Any:  # noqa: ANN401
        """A column of lists: in each row the texts whose bits are set."""
        rows, columns = bits.nonzero()
        ends = np.searchsorted(rows, np.arange(len(bits)), side="right")
        offsets = np.concatenate([[0], ends]).astype(np.int32)
        indices = self._arrow.array(columns.astype(np.int32))
        values = self._arrow.DictionaryArray.from_arrays(indices, dictionary)
        return self._arrow.ListArray.from_arrays(offsets, values)

    def _by_role(self, arrays: Sequence[Any]) -> Any:  # noqa: ANN401
        return self._arrow.StructArray.from_arrays(arrays, names=self._roles)

    def _schema(self) -> Any:  # noqa: ANN401
        arrow = self._arrow
        text = arrow.dictionary(arrow.int32(), arrow.string())

        def by_role(kind: object) -> object:
            return arrow.struct([(role, kind) for role in self._roles])

        fields = [
            ("playout", arrow.int64()),
            ("step", arrow.int32()),
            ("state", arrow.list_(text)),
            ("legal", by_role(arrow.list_(text))),
            ("moves", by_role(text)),
            ("goals", by_role(arrow.int32())),
            ("terminal", arrow.bool_()),
        ]
        if any(self._percepts):
            fields.append(("sees", by_role(arrow.list_(text))))
        return arrow.schema(fields)


class ParquetFile:
    """A Parquet file that record batches are written to, as a context manager.

    ``origin`` says what the rows were made from: keys and values of the schema's metadata.
    """

    def __init__(self, path: Path, schema: Any, origin: Mapping[str, str]) -> None:  # noqa: ANN401
        self._arrow = _import("pyarrow")
        self._gathered: list[Any] = []
        self._rows = 0
        parquet = _import("pyarrow.parquet")
        self._writer = parquet.ParquetWriter(path, schema.with_metadata(dict(origin)))

    def __enter__(self) -> ParquetFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._flush()
        self._writer.close()

    def write(self, batch: Any) -> None:  # noqa: ANN401
        """Write the rows of a record batch."""
        self._gathered.append(batch)
        self._rows += batch.num_rows
        if self._rows >= ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._gathered:
            self._writer.write_table(self._arrow.Table.from_batches(self._gathered))
            self._gathered, self._rows = [], 0
