"""A session: one request after the other, each with an answer, whatever is in it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from gdl.errors import GdlError, GdlSyntaxError, MoveError, Severity, Source
from gdl.language import Term
from gdl.oracle.game_store import NAME, CachedGame, GameStore, read_state, read_term
from gdl.oracle.limits import Limits
from gdl.oracle.requests import (
    METHODS,
    CheckRequest,
    InfoRequest,
    JointMoveText,
    NextRequest,
    ParseRequest,
    PerftRequest,
    PlayoutRequest,
    Request,
    RequestError,
    StateRequest,
    ViewRequest,
    in_mib,
    read_request,
)
from gdl.playouts import play_out, randomness
from gdl.state_machine import RuledMachine, State, joint_moves, legal_moves_text, paths_from
from gdl.system import OutOfTimeError, time_limit
from gdl.validation.validator import problem_record, validate
from gdl.version import __version__

JsonObject: TypeAlias = dict[str, Any]

_log = logging.getLogger(__name__)


class Session:
    """Answers requests about games, which it keeps from one request to the next."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._games = GameStore(self.limits)

    def answer(self, value: object) -> JsonObject:
        """Answer one request, a value read from JSON. Never raises an Exception."""
        identity = value.get("id") if isinstance(value, dict) else None
        answer: JsonObject = {"id": identity if isinstance(identity, str | int) else None}
        try:
            with time_limit(self.limits.seconds):
                return answer | {"result": self._result(read_request(value))}
        except OutOfTimeError:
            self._games.forget_machines()
            message = f"the answer takes longer than {self.limits.seconds:g} seconds"
            return answer | {"error": _error("out_of_time", message)}
        except Exception as error:
            return answer | {"error": self._describe(error)}

    def _describe(self, error: Exception) -> JsonObject:
        """Turn whatever went wrong into a code and a sentence."""
        if isinstance(error, RequestError):
            return _error(error.code, str(error))
        if isinstance(error, GdlSyntaxError):
            problems = [problem_record(error.source, problem) for problem in error.problems]
            first = str(error).splitlines()[0]
            return _error("bad_rules", first) | {"problems": problems}
        if isinstance(error, MoveError):
            return _error("illegal_move", str(error))
        if isinstance(error, GdlError):
            return _error("bad_rules", str(error).splitlines()[0])
        self._games.forget_machines()
        if isinstance(error, MemoryError):
            return _error("out_of_memory", "the answer takes more memory than there may be used")
        if isinstance(error, RecursionError):
            return _error("too_large", "something in the request is nested too deeply")
        _log.exception("a request could not be answered")
        return _error("internal", f"a mistake of ours, which the log has: {type(error).__name__}")

    def _result(self, request: Request) -> JsonObject:
        if isinstance(request, InfoRequest):
            return {"version": __version__, "methods": METHODS, "limits": asdict(self.limits)}
        if request.rules is not None and len(request.rules) > self.limits.rules:
            most = in_mib(self.limits.rules)
            raise RequestError("too_large", f"the rules are longer than {most}")
        if isinstance(request, CheckRequest):
            return self._check(request)
        game = self._games.find(request.rules, request.game)
        if isinstance(request, ParseRequest):
            return _parsed(game)
        return _state_result(game, request)

    def _check(self, request: CheckRequest) -> JsonObject:
        if request.rules is None or request.game is not None:
            text = self._games.find(request.rules, request.game).text
        else:
            text = request.rules  # which need not be such that they can be kept
        source = Source(text, NAME)
        problems = validate(source)
        return {
            "playable": all(problem.severity is not Severity.ERROR for problem in problems),
            "problems": [problem_record(source, problem) for problem in problems],
        }


def _error(code: str, message: str) -> JsonObject:
    return {"code": code, "message": message}


def _parsed(game: CachedGame) -> JsonObject:
    machine = game.machine("reasoner")
    return {
        "game": game.name,
        "roles": _texts(machine.roles),
        "rules": len(game.ruleset.rules),
        "warnings": len(game.ruleset.warnings),
        "initial": _facts(machine.initial_state()),
    }


# ---------------------------------------------------------------------- about states


def _state_result(game: CachedGame, request: StateRequest) -> JsonObject:
    machine = game.machine(request.machine)
    if isinstance(request, ViewRequest):
        states = _states(machine, request, request.states)
        describe = _VIEWS[request.method]
        return _one_or_all([describe(machine, state) for state in states], request.states)
    if isinstance(request, NextRequest):
        return _next(machine, request)
    if isinstance(request, PlayoutRequest):
        return {"playouts": [*_playouts(machine, request)]}
    return _perft(machine, request)


def _states(
    machine: RuledMachine, request: StateRequest, many: Sequence[Sequence[str]] | None
) -> Iterator[State]:
    """Yield the states that a request is about."""
    given = [request.state is not None, bool(request.moves), many is not None]
    if sum(given) > 1:
        raise RequestError("bad_request", "expected one of state, states and moves at most")
    if many is not None:
        yield from (read_state(machine, facts) for facts in many)
    elif request.state is not None:
        yield read_state(machine, request.state)
    else:
        state = machine.initial_state()
        for joint_move in request.moves:
            state = machine.next_state(state, _legal_joint_move(machine, state, joint_move))
        yield state


def _one_or_all(answers: list[JsonObject], many: object | None) -> JsonObject:
    return answers[0] if many is None else {"answers": answers}


def _next(machine: RuledMachine, request: NextRequest) -> JsonObject:
    states = [*_states(machine, request, request.states)]
    made = [request.joint_move] if request.states is None else request.joint_moves
    if made is None or len(made) != len(states) or None in made:
        raise RequestError("bad_request", "expected one joint move for each state")
    pairs = zip(states, made, strict=True)
    answers = [_after(machine, state, joint) for state, joint in pairs if joint is not None]
    return _one_or_all(answers, request.states)


def _after(machine: RuledMachine, state: State, given: JointMoveText) -> JsonObject:
    joint_move = _legal_joint_move(machine, state, given)
    answer: JsonObject = {"state": _facts(machine.next_state(state, joint_move))}
    seen = {str(r): _texts(machine.percepts(state, joint_move, r)) for r in machine.roles}
    if any(seen.values()):
        answer["sees"] = seen
    return answer


def _legal_joint_move(machine: RuledMachine, state: State, given: JointMoveText) -> list[Term]:
    """Read a joint move; raises :class:`.requests.RequestError` where it is not legal."""
    if machine.is_terminal(state):
        raise RequestError("illegal_move", "no move can be made in a terminal state")
    texts = _in_role_order(machine, given)
    joint_move = [machine.ruleset.spell(read_term(text, "the move")) for text in texts]
    for role, move in zip(machine.roles, joint_move, strict=True):
        legal = machine.legal_moves(state, role)
        if move not in legal:
            message = f"{role} cannot make the move {str(move)[:80]}; {legal_moves_text(legal)}"
            raise RequestError("illegal_move", message)
    return joint_move


def _in_role_order(machine: RuledMachine, given: JointMoveText) -> list[str]:
    if isinstance(given, list):
        texts = given
    else:
        by_role = {role.lower(): move for role, move in given.items()}
        texts = [by_role[name] for role in machine.roles if (name := role.name.lower()) in by_role]
    if len(texts) != len(machine.roles) or len(given) != len(machine.roles):
        roles = ", ".join(_texts(machine.roles))
        raise RequestError("illegal_move", f"expected one move for each of the roles {roles}")
    return texts


def _playouts(machine: RuledMachine, request: PlayoutRequest) -> Iterator[JsonObject]:
    (start,) = _states(machine, request, None)
    for number in range(request.playouts):
        random = randomness(request.seed, number)
        steps = [*play_out(machine, random, request.max_steps, start)]
        last = steps[-1]
        playout: JsonObject = {
            "moves": [_texts(step.joint_move) for step in steps if step.joint_move],
            "ending": last.ending,
            "goals": _goals(machine, last.state)["goals"],
            "state": _facts(last.state),
        }
        if request.positions:
            playout["positions"] = [_position(machine, s.state) for s in steps if s.joint_move]
        yield playout


def _perft(machine: RuledMachine, request: PerftRequest) -> JsonObject:
    (state,) = _states(machine, request, None)
    count_paths = _counter(request.machine)
    if not request.divide:
        return {"count": count_paths(machine, state, request.depth)}
    if request.depth == 0 or machine.is_terminal(state):
        return {"count": int(request.depth == 0), "divide": []}
    counts = [
        (moves, count_paths(machine, machine.next_state(state, moves), request.depth - 1))
        for moves in joint_moves(machine, state)
    ]
    divided = [{"joint_move": _texts(moves), "count": count} for moves, count in counts]
    return {"count": sum(count for _, count in counts), "divide": divided}


def _counter(machine: str) -> Callable[[Any, State, int], int]:
    """Return what counts paths with a machine; NumPy is imported only for the compiled one."""
    if machine == "reasoner":
        return paths_from
    from gdl.engine.perft import perft

    return lambda compiled, state, depth: perft(compiled, depth, state)


# ---------------------------------------------------------------------- states as JSON


def _texts(terms: Sequence[Term]) -> list[str]:
    return [str(term) for term in terms]


def _facts(state: State) -> list[str]:
    return sorted(map(str, state))


def _legal(machine: RuledMachine, state: State) -> JsonObject:
    return {"legal": {str(r): _texts(machine.legal_moves(state, r)) for r in machine.roles}}


def _goals(machine: RuledMachine, state: State) -> JsonObject:
    goals = {str(role): machine.goals(state, role) for role in machine.roles}
    return {"terminal": machine.is_terminal(state), "goals": goals}


def _position(machine: RuledMachine, state: State) -> JsonObject:
    return {"state": _facts(state)} | _goals(machine, state) | _legal(machine, state)


_VIEWS: Mapping[str, Callable[[RuledMachine, State], JsonObject]] = {
    "legal": _legal,
    "goals": _goals,
    "position": _position,
}
