// A match of the archive, step by step. The address says which: #step=12.

import { Board } from "./board.js";
import { byId, element, get, jointMove, setText } from "./dom.js";
import { marksOf } from "./line.js";
import { MovesTable } from "./moves_table.js";
import { ThoughtsPanel } from "./thoughts.js";
import { ValuePlot } from "./value_plot.js";

const CHUNK = 16;
const REFRESH = 2000; // milliseconds
const match = byId("match").dataset.match;
const board = new Board(byId("board"));
const drawn = []; // drawings by step
const asked = new Map();
let data = null, step = 0, timer = null;

const plot = new ValuePlot(byId("plot"), { onTurn: (turn) => go(turn) });
const moves = new MovesTable(byId("moves"), { onTurn: (turn) => go(turn + 1) });
const thoughts = new ThoughtsPanel(byId("thoughts"));
moves.followsNewest = false;

try {
  data = await get(`/archive/${match}/data`);
  begin();
} catch (error) {
  fail(error);
}

function begin() {
  showMatch();
  const buttons = { first: () => go(0), previous: () => go(step - 1), next: () => go(step + 1), last: () => go(last()), play };
  for (const [name, action] of Object.entries(buttons)) byId(name).addEventListener("click", action);
  byId("step").addEventListener("change", () => go(Number(byId("step").value)));
  addEventListener("hashchange", () => go(stepInAddress()));
  addEventListener("keydown", onKey);
  go(stepInAddress());
  if (isRunning()) setTimeout(refresh, REFRESH);
}

function isRunning() {
  return data.summary.status === "running";
}

/** Follow a match that still runs. The page is not loaded anew: steps made meanwhile would be lost. */
async function refresh() {
  try {
    const before = data;
    data = await get(`/archive/${match}/data`);
    showAbout();
    if (data.steps.length > before.steps.length) {
      asked.delete(Math.floor(before.steps.length / CHUNK) * CHUNK);
      showMatch();
      go(step);
    }
    if (isRunning()) setTimeout(refresh, REFRESH);
  } catch (error) {
    fail(error);
  }
}

function showAbout() {
  const { summary } = data;
  const status = summary.reason ? `${summary.status}: ${summary.reason}` : summary.status;
  const facts = [["game", summary.game], ["we are", summary.role], ["status", status],
    ["clocks", `${summary.start_clock} s, ${summary.play_clock} s`]].filter(([, text]) => text);
  for (const { role, player, goal } of summary.seats) {
    facts.push([role, player, ...(goal === null ? [] : [" ", element("b", {}, String(goal))])]);
  }
  byId("about").replaceChildren(...facts.map(([name, ...texts]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, ...texts))));
}

function showMatch() {
  const { summary, steps, choices } = data;
  moves.setRoles(summary.seats.map((seat) => seat.role), choices.length > 0);
  for (const made of steps) {
    if (made.step === 0) continue;
    const own = choiceOf(made.step - 1);
    moves.show({ ...own, turn: made.step - 1, joint_move: made.joint_move, errors: made.errors });
  }
  const valued = choices.filter((choice) => choice.value !== null);
  plot.show(valued.filter((choice) => choice.role === valued[0].role), last());
  byId("plot-panel").hidden = valued.length === 0;
  byId("step").max = last();
  byId("log").replaceChildren(...data.problems.map((problem) =>
    element("li", {}, `turn ${problem.turn}: ${problem.text}`)));
  byId("log-panel").hidden = data.problems.length === 0;
}

/** Our move of a turn: of several roles, the one that a search has thought about most. */
function choiceOf(turn) {
  const ours = data.choices.filter((choice) => choice.turn === turn);
  return ours.find((choice) => choice.line.length) ?? ours.find((choice) => choice.value !== null) ?? ours[0];
}

function last() {
  return data.steps.at(-1)?.step ?? 0;
}

function stepInAddress() {
  return Number(/^#step=(\d+)$/.exec(location.hash)?.[1] ?? 0);
}

/** Show a step; the address follows. */
async function go(wanted) {
  step = Math.max(0, Math.min(last(), Math.round(wanted) || 0));
  if (stepInAddress() !== step) history.replaceState(null, "", `#step=${step}`);
  byId("step").value = step;
  for (const name of ["first", "previous"]) byId(name).disabled = step === 0;
  for (const name of ["next", "last"]) byId(name).disabled = step === last();
  plot.point(step);
  moves.point(step - 1);
  showTold();
  try {
    await fetchBoards(step);
    showBoard();
    fetchBoards(step + CHUNK / 2);
  } catch (error) {
    fail(error);
  }
}

function showTold() {
  const made = data.steps.find((known) => known.step === step);
  const move = step === 0 ? "the start" : jointMove(made?.joint_move ?? []);
  setText(byId("told"), `Step ${step} of ${last()}: ${move}`);
  const choice = choiceOf(step);
  thoughts.show(choice ? (choice.thoughts ?? { ...choice, moves: [], move_count: 0 }) : null);
}

function showBoard() {
  const drawing = drawn[step];
  if (!drawing) {
    board.show({ facts: ["This state is not known."] });
    return;
  }
  board.show(drawing);
  board.mark(marksOf(drawing.line));
}

/** Fetch the drawings around a step, some at a time. */
async function fetchBoards(wanted) {
  if (wanted > last()) return;
  const first = Math.floor(wanted / CHUNK) * CHUNK;
  if (!asked.has(first)) {
    const query = `first=${first}&count=${CHUNK}&length=${data.steps.length}`;
    asked.set(first, get(`/archive/${match}/boards?${query}`).then((found) => {
      found.forEach((drawing, index) => { drawn[first + index] = drawing; });
    }).catch((error) => {
      asked.delete(first); // it is asked for again
      throw error;
    }));
  }
  await asked.get(first);
}

function play() {
  const isPlaying = timer === null && step < last();
  clearTimeout(timer);
  timer = null;
  showPlaying(isPlaying);
  if (isPlaying) playOn();
}

function playOn() {
  timer = setTimeout(async () => {
    await go(step + 1);
    if (timer === null) return;
    if (step < last()) playOn();
    else play();
  }, Number(byId("pace").value));
}

function showPlaying(isPlaying) {
  byId("play").setAttribute("aria-pressed", String(isPlaying));
  setText(byId("play"), isPlaying ? "Pause" : "Play");
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("input, select")) return;
  const actions = { ArrowLeft: () => go(step - 1), ArrowRight: () => go(step + 1), Home: () => go(0), End: () => go(last()) };
  const action = actions[event.key] ?? (event.key === " " && !event.target.closest("button") ? play : null);
  if (!action) return;
  event.preventDefault();
  action();
}

function fail(error) {
  byId("failure").hidden = false;
  setText(byId("failure"), error.message);
}
