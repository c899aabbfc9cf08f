// A match, live.

import { Board } from "./board.js";
import { Countdown } from "./clock.js";
import { address, byId, element, goalsTold, setText } from "./dom.js";
import { marksOf } from "./line.js";
import { MovesTable } from "./moves_table.js";
import { follow } from "./stream.js";
import { ThoughtsPanel } from "./thoughts.js";
import { ValuePlot } from "./value_plot.js";

const match = byId("match").dataset.match;
const board = new Board(byId("board"));
const plot = new ValuePlot(byId("plot"), { onTurn: look });
const moves = new MovesTable(byId("moves"), { onTurn: look });
const thoughts = new ThoughtsPanel(byId("thoughts"));
const playClock = new Countdown(byId("play-clock"), "clock");
const ownClock = new Countdown(byId("own-clock"), "our move");

const seen = new Map(); // drawings by turn
const turns = new Map();
const names = {}; // of moves, by their texts in the rules
let about = null, newest = null, lookedAt = null, places = null;

follow(address(`/matches/${match}/events`), update, (state) => {
  const told = { lost: "The server does not answer; trying again.", closed: "Not kept up to date any more; load the page again." };
  byId("connection").hidden = state === "open" || about?.status !== "running";
  setText(byId("connection"), told[state] ?? "");
});
byId("newest").addEventListener("click", () => look(null));
byId("show-line").addEventListener("change", mark);

function update(message) {
  if (message.names) {
    Object.assign(names, message.names);
    moves.rename(message.names);
  }
  if (message.about) showAbout(message.about);
  if (message.turns) showTurns(message.turns);
  if (message.clock) showClock(message.clock, Date.now() - message.now);
  if (message.board) {
    newest = message.board.turn;
    seen.set(newest, message.board);
    if (seen.size > 300) seen.delete(seen.keys().next().value);
    if (lookedAt === null) board.show(message.board);
  }
  if (message.places) places = message.places;
  if ("thoughts" in message) thoughts.show(message.thoughts, names);
  if (message.problems) showProblems(message.problems);
  linkToAnalysis();
  mark();
}

function showAbout(told) {
  about = told;
  moves.setRoles(told.roles.length ? told.roles : [told.role]);
  for (const turn of turns.values()) moves.show(turn);
  const goals = goalsTold(told.goals);
  const facts = [["role", told.role], ["status", told.reason ? `${told.status}: ${told.reason}` : told.status],
    ["goals", goals], ["turn", told.turn], ["kind", told.about_game], ["strategy", told.strategy], ["manager", told.manager],
    ["clocks", `${told.start_clock} s, ${told.play_clock} s`]];
  byId("about").replaceChildren(...facts.filter(([, fact]) => fact !== "").map(([name, fact]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, String(fact)))));
}

function showTurns(changed) {
  for (const turn of changed) {
    turns.set(turn.turn, turn);
    moves.show(turn);
  }
  const known = [...turns.values()].sort((one, other) => one.turn - other.turn);
  plot.show(known, known.at(-1).turn);
}

function showClock(clock, offset) {
  byId("clocks").hidden = clock.kind === "none";
  if (clock.kind === "none") {
    playClock.stop();
    ownClock.stop();
    return;
  }
  playClock.name(clock.kind === "start" ? "start clock" : "play clock");
  playClock.show(clock.asked + 1000 * clock.clock, clock.clock, offset);
  if (clock.chosen) ownClock.stop((clock.asked + 1000 * clock.seconds - clock.chosen) / 1000);
  else ownClock.show(clock.asked + 1000 * clock.seconds, clock.seconds, offset);
  ownClock.name(clock.chosen ? "left when we moved" : "ours, less the margin");
}

function showProblems(problems) {
  byId("log-empty").hidden = problems.length > 0;
  byId("log").replaceChildren(...problems.map((problem) =>
    element("li", {}, `turn ${problem.turn}: ${problem.text}`)));
}

function look(turn) {
  lookedAt = turn === newest ? null : turn;
  byId("newest").hidden = lookedAt === null;
  const shown = seen.get(turn ?? newest);
  if (shown) board.show(shown);
  else if (turn !== null) board.show({ facts: [`The board of turn ${turn} is in the archive.`] });
  moves.point(turn);
  plot.point(lookedAt);
  linkToAnalysis();
  mark();
}

/** Lead to the analysis of the turn that is looked at, unless it is being played. */
function linkToAnalysis() {
  const link = byId("analyse");
  if (!link) return;
  const isOver = about !== null && about.status !== "running";
  link.hidden = lookedAt === null && !isOver;
  link.href = address(`/archive/${match}#step=${lookedAt ?? newest ?? 0}`);
}

function mark() {
  const isShown = byId("show-line").checked && lookedAt === null && places?.turn === newest;
  board.mark(isShown ? marksOf(places.line) : []);
}
