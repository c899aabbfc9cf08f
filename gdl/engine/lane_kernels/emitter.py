"""What the functions of episodes are emitted with: rows, masks and records by their names."""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from gdl.engine.kernels.ir_helpers import (
    POINTER,
    IrHelpers,
    Record,
    Value,
    get_integer,
    integer,
)
from gdl.engine.kernels.play import EVALUATOR
from gdl.engine.lane_kernels.arguments import BlockArguments, CallArguments, GameArguments

ROLE_FIELDS = 4


@dataclass(frozen=True, slots=True)
class Pieces:
    """The functions that those below call."""

    deliver: Value
    spread: Value
    check: Value
    put: Value
    choices: Value


class Emitter:
    """Emits one function of game, block and call: what its parts have in common."""

    def __init__(self, helpers: IrHelpers, name: str, result: ir.Type, pieces: Pieces) -> None:
        self.helpers, self.pieces = helpers, pieces
        self.function, self.b = helpers.function(name, result, [POINTER, POINTER, POINTER])
        game, block, call = self.function.args
        self.game = Record(self.b, game, GameArguments._fields, helpers.known)
        self.block = Record(self.b, block, BlockArguments._fields)
        self.call = Record(self.b, call, CallArguments._fields)

    # ------------------------------------------------------------------ rows and masks

    def mask(self, field: str) -> Value:
        """Return a mask of lanes."""
        return self.helpers.load(self.b, self.block.address(field), integer(0))

    def set_mask(self, field: str, value: Value) -> None:
        """Store a mask of lanes."""
        self.helpers.store(self.b, value, self.block.address(field), integer(0))

    def row_address(self, number: Value) -> Value:
        """Return the address of a row of the block, by its number."""
        return self.helpers.at(self.b, self.block.address("rows"), number)

    def rows_of(self, field: str, offset: Value | None = None) -> Value:
        """Return the address of the first row of a kind, or of one behind it."""
        first = self.game.number(field)
        return self.row_address(first if offset is None else self.b.add(first, offset))

    def row(self, field: str) -> Value:
        """Return the first row of a kind."""
        return self.helpers.load(self.b, self.rows_of(field), integer(0))

    def without(self, value: Value, lanes: Value) -> Value:
        """Return the lanes of a mask that are not in another."""
        return self.b.and_(value, self.b.not_(lanes))

    def role(self, role: Value, field: int) -> Value:
        """Return an entry of a role's line in the table of roles."""
        place = self.b.add(self.b.mul(role, integer(ROLE_FIELDS)), integer(field))
        return get_integer(self.b, self.game.address("role_table"), place)

    def evaluate(self, field: str) -> None:
        """Call an evaluator, with its program, in the block."""
        given = [self.block.address("rows"), self.game.address(f"{field}_program")]
        self.helpers.call(self.b, field, self.game.number(field), EVALUATOR, given)

    def forward(self, function: Value) -> Value:
        """Call a function of the same arguments."""
        return self.b.call(function, list(self.function.args))
