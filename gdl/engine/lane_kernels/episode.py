"""Episodes: steps of all lanes of a block, from actions to arrays, in one call.

This is the hot loop of environments: moves from actions, or made at random; transition; view; ends;
steps that leave no choice; rewards; what begins again; and delivery.
"""

from __future__ import annotations

from llvmlite import ir

from gdl.engine.kernels.ir_helpers import (
    I8,
    I64,
    POINTER,
    IrHelpers,
    Value,
    batches,
    each_bit,
    get_integer,
    integer,
    local,
    loop,
)
from gdl.engine.kernels.masked_rows import copy_in_lanes
from gdl.engine.kernels.play import EVALUATOR
from gdl.engine.lane_kernels.actions import emit_check, emit_choices, emit_put
from gdl.engine.lane_kernels.arguments import BlockArguments, CallArguments
from gdl.engine.lane_kernels.delivery import emit_deliver, emit_spread
from gdl.engine.lane_kernels.emitter import Emitter, Pieces

SELECT = ir.FunctionType(ir.VoidType(), [POINTER, POINTER, I64, POINTER, POINTER])
"""``void select(legal, moves, count, scratch, random)``."""

DOUBLE = ir.DoubleType()

NEXT_STEP, SAME_STEP, DISABLED = range(3)
"""When lanes whose episode has ended begin again; as in :class:`.stepper.Autoreset`."""


# ---------------------------------------------------------------------- choices


def emit_find_choices(helpers: IrHelpers, pieces: Pieces) -> Value:
    """Emit what follows a view: who has a choice, and the rows of shared actions."""
    e = Emitter(helpers, "find_choices", ir.VoidType(), pieces)
    b = e.b
    e.set_mask("stuck", helpers.zero)
    with loop(b, integer(0), e.game.number("roles")) as role:
        first, count = e.role(role, 0), e.role(role, 1)
        several = e.rows_of("choices", role)
        stuck = e.block.address("stuck")
        b.call(pieces.choices, [e.rows_of("legal", first), count, several, stuck])
    with b.if_then(e.game.flag("shared")):
        _emit_shared_rows(e)
    b.ret_void()
    return e.function


def _emit_shared_rows(e: Emitter) -> None:
    """A shared action is legal where a player with a choice has a legal move of its name."""
    b, helpers = e.b, e.helpers
    count, table = e.game.number("shared_count"), e.game.address("shared_moves")
    for batch in batches(b, count, helpers.batch):
        found = [helpers.variable(b, helpers.zero) for _ in batch]
        with loop(b, integer(0), e.game.number("roles")) as role:
            first = e.role(role, 0)
            several = helpers.load(b, e.rows_of("choices", role), integer(0))
            line = b.gep(table, [b.mul(role, count)], source_etype=I64)
            numbers = [get_integer(b, line, action) for action in batch]
            for lanes, move in zip(found, numbers, strict=True):
                known = b.icmp_signed(">=", move, integer(0))
                legal = e.rows_of("legal", b.add(first, b.select(known, move, integer(0))))
                here = b.and_(helpers.load(b, legal, integer(0)), several)
                here = b.select(known, here, helpers.zero)
                b.store(b.or_(helpers.get(b, lanes), here), lanes)
        for action, lanes in zip(batch, found, strict=True):
            helpers.store(b, helpers.get(b, lanes), e.rows_of("shared_rows", action), integer(0))


# ---------------------------------------------------------------------- moves


def emit_check_actions(helpers: IrHelpers, pieces: Pieces) -> Value:
    """Emit the check of all actions: the first lane with a bad one, times columns, plus column.

    -1 where all are legal. Lanes that are done, or terminal already, need no action.
    """
    e = Emitter(helpers, "check_actions", I64, pieces)
    b = e.b
    idle = b.or_(b.or_(e.mask("done"), e.mask("held")), e.row("terminal"))
    e.set_mask("pending", e.without(e.mask("used"), idle))
    actions, pending = e.call.address("actions"), e.block.address("pending")
    columns = e.game.number("action_columns")
    with b.if_then(e.game.flag("shared")):
        legal = e.rows_of("shared_rows")
        given = [legal, e.game.number("shared_count"), actions, columns, pending]
        b.ret(b.call(pieces.check, given))
        b.position_at_end(e.function.append_basic_block("unreachable"))
    with loop(b, integer(0), e.game.number("roles")) as role:
        column = e.role(role, 2)
        with b.if_then(b.icmp_signed(">=", column, integer(0))):
            legal, count = e.rows_of("legal", e.role(role, 0)), e.role(role, 1)
            given = b.gep(actions, [column], source_etype=I64)
            lane = b.call(pieces.check, [legal, count, given, columns, pending])
            with b.if_then(b.icmp_signed(">=", lane, integer(0)), likely=False):
                b.ret(b.add(b.mul(lane, columns), column))
                b.position_at_end(e.function.append_basic_block("unreachable"))
    b.ret(integer(-1))
    return e.function


def emit_choose(helpers: IrHelpers, pieces: Pieces) -> Value:
    """Emit the moves of one step: from actions if the call has them, forced, or at random."""
    e = Emitter(helpers, "choose", ir.VoidType(), pieces)
    b = e.b
    has_actions = e.call.flag("actions")
    with loop(b, integer(0), e.game.number("roles")) as role:
        column = e.role(role, 2)
        with b.if_else(b.icmp_signed("<", column, integer(0))) as (by_chance, by_player):
            with by_chance:
                _emit_select(e, role)
            with by_player:
                _emit_player_moves(e, role, has_actions)
    b.ret_void()
    return e.function


def _emit_select(e: Emitter, role: Value) -> None:
    first = e.role(role, 0)
    legal, moves = e.rows_of("legal", first), e.rows_of("moves", first)
    state = [e.block.address("scratch"), e.block.address("random")]
    given = [legal, moves, e.role(role, 1), *state]
    e.helpers.call(e.b, "select", e.game.number("select"), SELECT, given)


def _emit_player_moves(e: Emitter, role: Value, has_actions: Value) -> None:
    """Make the moves of a player: its actions, and the one legal move where it has no choice."""
    b, helpers = e.b, e.helpers
    first, count = e.role(role, 0), e.role(role, 1)
    legal, moves = e.rows_of("legal", first), e.rows_of("moves", first)
    mover = _lanes_with_action(e, role, has_actions)
    helpers.store(b, mover, e.block.address("movers"), integer(0))
    for batch in batches(b, count, helpers.batch):
        forced = [e.without(helpers.load(b, legal, move), mover) for move in batch]
        for move, lanes in zip(batch, forced, strict=True):
            helpers.store(b, lanes, moves, move)
    with b.if_then(has_actions):
        table = b.mul(role, e.game.number("shared_count"))
        table = b.gep(e.game.address("shared_moves"), [table], source_etype=I64)
        shared = e.game.flag("shared")
        table = b.select(shared, table, ir.Constant(POINTER, None))
        column = b.select(shared, integer(0), e.role(role, 2))
        actions = helpers.column(b, e.call.address("actions"), column)
        columns = e.game.number("action_columns")
        b.call(e.pieces.put, [moves, count, actions, columns, e.block.address("movers"), table])


def _lanes_with_action(e: Emitter, role: Value, has_actions: Value) -> Value:
    """The lanes in which a player's move is in the actions."""
    b, helpers = e.b, e.helpers
    several = helpers.load(b, e.rows_of("choices", role), integer(0))
    lanes = b.and_(e.mask("pending"), b.select(e.game.flag("shared"), several, helpers.ones))
    return b.select(has_actions, lanes, helpers.zero)


# ---------------------------------------------------------------------- steps


def emit_advance(helpers: IrHelpers, pieces: Pieces, choose: Value, find: Value) -> Value:
    """Emit steps of the pending lanes, while they leave no choice, and new starts of others.

    The first step is made with the call's actions if there are any. Adds to ``ended`` and
    ``truncated``; nothing is pending or resetting after it.
    """
    e = Emitter(helpers, "advance", ir.VoidType(), pieces)
    b = e.b
    start = e.function.append_basic_block("start")
    step, look, finished = (e.function.append_basic_block(n) for n in ("step", "look", "finished"))
    b.branch(start)
    b.position_at_end(start)
    b.cbranch(helpers.any(b, e.mask("pending")), step, look)
    b.position_at_end(step)
    e.forward(choose)
    _emit_transition(e)
    _emit_count(e)
    b.branch(look)
    b.position_at_end(look)
    with b.if_then(helpers.any(b, e.mask("resetting"))):
        _emit_reset(e)
    e.evaluate("view")
    e.forward(find)
    _emit_ends(e)
    # What follows is made without actions.
    actions = CallArguments._fields.index("actions")
    b.store(integer(0), b.gep(e.function.args[2], [integer(actions)], source_etype=I64))
    b.cbranch(helpers.any(b, e.mask("pending")), step, finished)
    b.position_at_end(finished)
    b.ret_void()
    return e.function


def _emit_transition(e: Emitter) -> None:
    """Put the pending lanes into the state that their moves lead to."""
    helpers = e.helpers
    if helpers.moves_in_place:
        given = [e.block.address("rows"), e.block.address("pending")]
        helpers.call(e.b, "move", integer(0), EVALUATOR, given)
        return
    e.evaluate("transition")
    rows = e.rows_of("next"), e.rows_of("fluents")
    copy_in_lanes(helpers, e.b, rows, e.mask("pending"), e.game.number("fluent_count"))


def _emit_count(e: Emitter) -> None:
    """Add 1 to the counters of the pending lanes."""
    b, helpers = e.b, e.helpers
    carry = helpers.variable(b, e.mask("pending"))
    counters = e.block.address("counters")
    with loop(b, integer(0), e.game.number("counter_bits")) as bit:
        row, add = helpers.load(b, counters, bit), helpers.get(b, carry)
        helpers.store(b, b.xor(row, add), counters, bit)
        b.store(b.and_(row, add), carry)


def _emit_reset(e: Emitter) -> None:
    """Put the lanes that begin again into the initial state."""
    b, helpers = e.b, e.helpers
    lanes = e.mask("resetting")
    rows = e.game.address("start"), e.rows_of("fluents")
    copy_in_lanes(helpers, b, rows, lanes, e.game.number("fluent_count"))
    _emit_clear(e, e.block.address("counters"), e.game.number("counter_bits"), lanes)
    with b.if_then(e.game.flag("hides")):
        _emit_clear(e, e.rows_of("percepts"), e.game.number("percept_count"), lanes)
        _emit_clear(e, e.rows_of("moves"), e.game.number("move_count"), lanes)


def _emit_clear(e: Emitter, rows: Value, count: Value, lanes: Value) -> None:
    for batch in batches(e.b, count, e.helpers.batch):
        left = [e.without(e.helpers.load(e.b, rows, row), lanes) for row in batch]
        for row, value in zip(batch, left, strict=True):
            e.helpers.store(e.b, value, rows, row)


def _emit_ends(e: Emitter) -> None:
    """Note which lanes have ended; those go on that have not, where no player has a choice."""
    b, helpers = e.b, e.helpers
    pending = e.mask("pending")
    ended = b.and_(pending, e.row("terminal"))
    e.set_mask("ended", b.or_(e.mask("ended"), ended))
    running = e.without(pending, ended)
    late = b.and_(running, b.or_(_late_lanes(e), e.mask("stuck")))
    e.set_mask("truncated", b.or_(e.mask("truncated"), late))
    begun = e.without(e.mask("resetting"), e.row("terminal"))
    running = b.or_(e.without(running, late), begun)
    choosing = helpers.variable(b, helpers.zero)
    with loop(b, integer(0), e.game.number("roles")) as role:
        several = helpers.load(b, e.rows_of("choices", role), integer(0))
        is_player = b.icmp_signed(">=", e.role(role, 2), integer(0))
        several = b.select(is_player, several, helpers.zero)
        b.store(b.or_(helpers.get(b, choosing), several), choosing)
    running = e.without(running, helpers.get(b, choosing))
    e.set_mask("pending", b.select(e.game.flag("skips"), running, helpers.zero))
    e.set_mask("resetting", helpers.zero)


def _late_lanes(e: Emitter) -> Value:
    """The lanes whose counters have reached the limit."""
    b, helpers = e.b, e.helpers
    limit = e.game.number("limit")
    some = b.icmp_signed("!=", limit, integer(0))
    same = helpers.variable(b, b.select(some, helpers.ones, helpers.zero))
    counters = e.block.address("counters")
    with loop(b, integer(0), e.game.number("counter_bits")) as bit:
        wanted = b.trunc(b.lshr(limit, bit), ir.IntType(1))
        row = helpers.load(b, counters, bit)
        row = b.select(wanted, row, b.not_(row))
        b.store(b.and_(helpers.get(b, same), row), same)
    return helpers.get(b, same)


# ---------------------------------------------------------------------- results


def emit_reward(helpers: IrHelpers, pieces: Pieces) -> Value:
    """Emit the rewards of the lanes that have ended: what each role's lowest goal is worth."""
    e = Emitter(helpers, "reward", ir.VoidType(), pieces)
    b = e.b
    with b.if_then(e.game.flag("goals_view")):
        e.evaluate("goals_view")
    with loop(b, integer(0), integer(helpers.words)) as word:
        ended = get_integer(b, e.block.address("ended"), word)
        _emit_rewards_of_word(e, word, ended)
        with b.if_then(e.call.flag("actors")), each_bit(b, ended) as bit:
            _emit_own_reward(e, b.or_(b.shl(word, integer(6)), bit))
    b.ret_void()
    return e.function


def _emit_rewards_of_word(e: Emitter, word: Value, ended: Value) -> None:
    """Write what each role's lowest goal is worth, in the lanes that have ended, goal by goal."""
    b = e.b
    goals, out = e.rows_of("goals"), e.call.address("rewards")
    table, values = e.game.address("goal_table"), e.game.address("rewards")
    columns = e.game.number("reward_columns")
    last, left = e.helpers.counter(b, -1), local(b, I64, ended)
    with loop(b, integer(0), e.game.number("goal_count")) as goal:
        role = get_integer(b, table, b.mul(goal, integer(2)))
        is_first = b.icmp_signed("!=", role, b.load(last, typ=I64))
        open_lanes = b.select(is_first, ended, b.load(left, typ=I64))
        holds = b.and_(e.helpers.load_word(b, goals, goal, word), open_lanes)
        b.store(role, last)
        b.store(e.without(open_lanes, holds), left)
        column = e.role(role, 3)
        with b.if_then(b.icmp_signed(">=", column, integer(0))):
            value = get_integer(b, values, goal, DOUBLE)
            with each_bit(b, holds) as bit:
                lane = b.or_(b.shl(word, integer(6)), bit)
                place = b.add(b.mul(lane, columns), column)
                b.store(value, b.gep(out, [place], source_etype=DOUBLE))


def _emit_own_reward(e: Emitter, lane: Value) -> None:
    """Repeat the reward of whoever has acted."""
    b = e.b
    line = b.mul(lane, e.game.number("reward_columns"))
    rewards = b.gep(e.call.address("rewards"), [line], source_etype=DOUBLE)
    actor = get_integer(b, e.call.address("actors"), lane, I8)
    value = get_integer(b, rewards, b.zext(actor, I64), DOUBLE)
    b.store(value, b.gep(e.call.address("own_rewards"), [lane], source_etype=DOUBLE))


def emit_deliver_all(helpers: IrHelpers, pieces: Pieces) -> Value:
    """Emit the delivery of observations and legal actions; of done lanes no action is legal."""
    e = Emitter(helpers, "deliver_all", ir.VoidType(), pieces)
    b = e.b
    rows, used = e.block.address("rows"), e.block.address("used")
    count, out = e.game.number("observed_count"), e.call.address("observations")
    b.call(pieces.deliver, [rows, e.game.address("observed"), count, used, out, count])
    with b.if_then(e.game.flag("second_choices")):
        second, out = e.rows_of("second_choices"), e.call.address("movers")
        b.call(pieces.spread, [second, used, out, integer(1)])
    count, out = e.game.number("masked_count"), e.call.address("masks")
    idle = b.or_(e.mask("done"), e.row("terminal"))
    idle = b.and_(idle, e.mask("used"))
    active = e.without(e.mask("used"), idle)
    e.set_mask("movers", active)
    movers, masked = e.block.address("movers"), e.game.address("masked")
    b.call(pieces.deliver, [rows, masked, count, movers, out, count])
    e.set_mask("movers", idle)
    with b.if_then(helpers.any(b, idle)):
        _emit_no_actions(e, out, count)
    b.ret_void()
    return e.function


def _emit_no_actions(e: Emitter, out: Value, count: Value) -> None:
    b = e.b
    with loop(b, integer(0), integer(e.helpers.words)) as word:
        idle = get_integer(b, e.block.address("movers"), word)
        with each_bit(b, idle) as bit, loop(b, integer(0), count) as action:
            lane = b.or_(b.shl(word, integer(6)), bit)
            place = b.add(b.mul(lane, count), action)
            b.store(ir.Constant(I8, 0), b.gep(out, [place], source_etype=I8))


def emit_step_lanes(helpers: IrHelpers, pieces: Pieces, parts: dict[str, Value]) -> Value:
    """Emit one step of a block whose actions have been checked, up to the ends of episodes.

    After it ``movers`` are the lanes that begin again in the same step.
    """
    e = Emitter(helpers, "step_lanes", ir.VoidType(), pieces)
    b = e.b
    used, done = e.mask("used"), e.mask("done")
    waiting = e.without(b.and_(used, e.row("terminal")), b.or_(done, e.mask("held")))
    e.set_mask("ended", waiting)  # came to a terminal state before anybody had a choice
    e.set_mask("truncated", helpers.zero)
    again = b.icmp_signed("==", e.call.number("autoreset"), integer(NEXT_STEP))
    resetting = b.select(again, done, helpers.zero)
    e.set_mask("resetting", resetting)
    e.set_mask("done", e.without(done, resetting))
    e.forward(parts["advance"])
    ended, truncated = e.mask("ended"), e.mask("truncated")
    for field, value in (("terminated", "ended"), ("truncated", "truncated")):
        given = [e.block.address(value), e.block.address("used"), e.call.address(field)]
        b.call(pieces.spread, [*given, integer(1)])
    with b.if_then(helpers.any(b, ended)):
        e.forward(parts["reward"])
    finished = b.or_(ended, truncated)
    same = b.icmp_signed("==", e.call.number("autoreset"), integer(SAME_STEP))
    e.set_mask("movers", b.select(same, finished, helpers.zero))
    waiting = b.select(same, helpers.zero, finished)
    e.set_mask("done", b.or_(e.mask("done"), waiting))
    b.ret_void()
    return e.function


def emit_begin_again(helpers: IrHelpers, pieces: Pieces, parts: dict[str, Value]) -> Value:
    """Emit the new start of the lanes in ``movers``, after a step, and the delivery of all."""
    e = Emitter(helpers, "begin_again", ir.VoidType(), pieces)
    b = e.b
    finished = e.mask("movers")
    with b.if_then(helpers.any(b, finished)):
        e.set_mask("resetting", finished)
        e.forward(parts["advance"])
    e.forward(parts["deliver_all"])
    b.ret_void()
    return e.function


def emit_step_block(helpers: IrHelpers, pieces: Pieces, parts: dict[str, Value]) -> Value:
    """Emit a whole step of a block whose actions have been checked, from actions to arrays."""
    e = Emitter(helpers, "step_block", ir.VoidType(), pieces)
    b = e.b
    e.forward(parts["step_lanes"])
    with b.if_then(helpers.any(b, e.mask("movers"))):
        count = e.game.number("observed_count")
        where = [e.block.address("rows"), e.game.address("observed"), count]
        out = e.call.address("final_observations")
        b.call(pieces.deliver, [*where, e.block.address("movers"), out, count])
    e.forward(parts["begin_again"])
    b.ret_void()
    return e.function


def emit_reset_block(helpers: IrHelpers, pieces: Pieces, parts: dict[str, Value]) -> Value:
    """Emit a new start of the lanes in ``resetting``, and the delivery of all."""
    e = Emitter(helpers, "reset_block", ir.VoidType(), pieces)
    e.set_mask("pending", helpers.zero)
    e.set_mask("done", e.without(e.mask("done"), e.mask("resetting")))
    e.forward(parts["advance"])
    e.forward(parts["deliver_all"])
    e.b.ret_void()
    return e.function


def emit_episodes(helpers: IrHelpers, pieces: Pieces, deliver_all: Value) -> dict[str, Value]:
    """Emit the parts of a step of a block, and a new start, with what delivers their results."""
    choose, find = emit_choose(helpers, pieces), emit_find_choices(helpers, pieces)
    parts = {
        "advance": emit_advance(helpers, pieces, choose, find),
        "reward": emit_reward(helpers, pieces),
        "deliver_all": deliver_all,
    }
    parts["step_lanes"] = emit_step_lanes(helpers, pieces, parts)
    parts["begin_again"] = emit_begin_again(helpers, pieces, parts)
    parts["reset_block"] = emit_reset_block(helpers, pieces, parts)
    return parts


def emit_for_all_blocks(helpers: IrHelpers, name: str, function: Value) -> Value:
    """Emit ``name(game, blocks, calls, count)``: a function called for each block, in order.

    ``blocks`` and ``calls`` are arrays of records. The result is that of the first block for which
    it is not -1, and which block that is in the high half; -1 where there is none.
    """
    outer, b = helpers.function(name, I64, [POINTER, POINTER, POINTER, I64])
    game, blocks, calls, count = outer.args
    has_result = function.function_type.return_type == I64
    with loop(b, integer(0), count) as number:
        block = _record(b, blocks, number, BlockArguments)
        result = b.call(function, [game, block, _record(b, calls, number, CallArguments)])
        if has_result:
            with b.if_then(b.icmp_signed(">=", result, integer(0)), likely=False):
                b.ret(b.or_(b.shl(number, integer(32)), result))
                b.position_at_end(outer.append_basic_block("unreachable"))
    b.ret(integer(-1))
    return outer


def _emit_checked_step(helpers: IrHelpers, check: Value, step: Value) -> None:
    """Emit ``step_if_legal(game, blocks, calls, count)``: first the check of all blocks."""
    function, b = helpers.function("step_if_legal", I64, [POINTER, POINTER, POINTER, I64])
    found = b.call(check, list(function.args))
    with b.if_then(b.icmp_signed("<", found, integer(0))):
        b.call(step, list(function.args))
    b.ret(found)


def _record(b: Value, records: Value, number: Value, kind: type[tuple[int, ...]]) -> Value:
    size = len(kind._fields)  # type: ignore[attr-defined] # a named tuple
    return b.gep(records, [b.mul(number, integer(size))], source_etype=I64)


def emit_stepping(helpers: IrHelpers) -> None:
    """Emit all functions of this package."""
    pieces = Pieces(
        deliver=emit_deliver(helpers),
        spread=emit_spread(helpers),
        check=emit_check(helpers),
        put=emit_put(helpers),
        choices=emit_choices(helpers),
    )
    checks = emit_check_actions(helpers, pieces)
    check = emit_for_all_blocks(helpers, "check_blocks", checks)
    parts = emit_episodes(helpers, pieces, emit_deliver_all(helpers, pieces))
    steps = emit_step_block(helpers, pieces, parts)
    step = emit_for_all_blocks(helpers, "step_blocks", steps)
    _emit_checked_step(helpers, check, step)
    emit_for_all_blocks(helpers, "reset_blocks", parts["reset_block"])
