// A match of the archive, step by step, and variations of it that are tried by hand. The address
// says what is shown: #step=12, or #step=12&line=4.0-0.2 with the numbers of the moves tried.

import { Analysis } from "./analysis.js";
import { Board } from "./board.js";
import { address, byId, element, get, goalsTold, isChance, jointMove, setText } from "./dom.js";
import { marksOf } from "./line.js";
import { MoveChooser } from "./move_chooser.js";
import { MovesTable } from "./moves_table.js";
import { ThoughtsPanel } from "./thoughts.js";
import { ValuePlot } from "./value_plot.js";

const CHUNK = 16;
const REFRESH = 2000; // milliseconds
const match = byId("match").dataset.match;
const board = new Board(byId("board"), { onCell: (cell) => chooser.click(cell) });
const drawn = []; // drawings by step
const asked = new Map();
const positions = new Map(); // by step and variation
const KEPT = 300;
const names = {}; // of moves, by their texts in the rules
let data = null, step = 0, line = [], later = [], timer = null, shownLine = [];

const plot = new ValuePlot(byId("plot"), { onTurn: (turn) => go(turn) });
const moves = new MovesTable(byId("moves"), { onTurn: (turn) => go(turn + 1) });
const thoughts = new ThoughtsPanel(byId("thoughts"));
const chooser = new MoveChooser({ onJointMove: tryMove, onMarks: mark });
const analysis = byId("analyse") ? new Analysis(match, { onPlaces: mark, onMove: (move) => chooser.chooseText(move) }) : null;
moves.followsNewest = false;

try {
  data = await get(`/archive/${match}/data`);
  begin();
} catch (error) {
  fail(error);
}

function begin() {
  showMatch();
  const buttons = { first: () => go(0), previous: back, next: forward, last: () => go(last()), play, "to-match": () => go(step), copy };
  for (const [name, action] of Object.entries(buttons)) byId(name).addEventListener("click", action);
  byId("step").addEventListener("change", () => go(Number(byId("step").value)));
  addEventListener("hashchange", goToAddress);
  addEventListener("keydown", onKey);
  goToAddress();
  fetchNames();
  if (isRunning()) setTimeout(refresh, REFRESH);
}

/** Fetch what the moves are called; without it they are shown as they are in the rules. */
async function fetchNames() {
  const found = await get(`/archive/${match}/names`).catch(() => ({}));
  Object.assign(names, found);
  moves.rename(found);
  showTold();
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
      showSteps(); // what is tried or searched meanwhile goes on
      showTold();
      fetchNames();
    }
    if (isRunning()) setTimeout(refresh, REFRESH);
  } catch (error) {
    fail(error);
  }
}

function showAbout() {
  const { summary } = data;
  const status = summary.reason ? `${summary.status}: ${summary.reason}` : summary.status;
  const facts = [["game", summary.game], ["kind", data.about_game], ["we are", summary.role], ["status", status],
    ["clocks", `${summary.start_clock} s, ${summary.play_clock} s`]].filter(([, text]) => text);
  for (const { role, player, goal } of summary.seats) {
    facts.push([role, player, ...(goal === null || isChance(role) ? [] : [" ", element("b", {}, String(goal))])]);
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

/** What the address asks for. */
function inAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const text = asked.get("step") ?? "";
  return { step: /^\d{1,7}$/.test(text) ? Number(text) : 0, line: (asked.get("line") ?? "").split("-").filter(Boolean) };
}

function goToAddress() {
  const asked = inAddress();
  if (!asked.line.length) return goToLinked(asked.step);
  if (asked.step === step && asked.line.join("-") === line.join("-")) return null;
  later = [];
  return goTo(asked.step, asked.line);
}

/** Show a step that a link names, and say where the match has no such step. */
async function goToLinked(wanted) {
  await go(wanted);
  if (wanted > last()) fail(new Error(`the match has ${last()} steps, and no step ${wanted}`));
}

/** Show a step of the match; the address follows. */
function go(wanted) {
  later = [];
  return goTo(Math.max(0, Math.min(last(), Math.round(wanted) || 0)), []);
}

function back() {
  if (!line.length) return go(step - 1);
  later.push(line.at(-1));
  return goTo(step, line.slice(0, -1));
}

function forward() {
  if (later.length) return goTo(step, [...line, later.pop()]);
  return line.length ? null : go(step + 1);
}

/** Follow a joint move: the one that was made leads on in the match, another to a variation. */
function tryMove(numbers, texts) {
  const made = data.steps.find((known) => known.step === step + 1)?.joint_move;
  if (!line.length && made && made.join(" ").toLowerCase() === texts.join(" ").toLowerCase()) return go(step + 1);
  later = [];
  return goTo(step, [...line, numbers.join(".")]);
}

/** Show a position: a step of the match, and the moves that are tried from there on. */
async function goTo(wanted, moved) {
  [step, line] = [wanted, moved];
  showAddress();
  showSteps();
  chooser.show(null);
  showTold();
  const key = keyOf();
  try {
    if (line.length) {
      await showPosition(key);
    } else {
      await fetchBoards(step);
      if (key !== keyOf()) return;
      showBoard();
      fetchBoards(step + CHUNK / 2);
      if (timer === null) await showPosition(key);
    }
  } catch (error) {
    if (key !== keyOf()) return;
    if (line.length) await go(step);
    fail(error);
  }
}

function keyOf() {
  return `#step=${step}${line.length ? `&line=${line.join("-")}` : ""}`;
}

function showAddress() {
  byId("failure").hidden = true;
  if (location.hash !== keyOf()) history.replaceState(null, "", keyOf());
  byId("link").value = location.href;
  byId("steps").href = address(`/archive/${match}/steps?step=${step}&line=${line.join("-")}`);
}

function showSteps() {
  const isVariation = line.length > 0;
  byId("step").value = step;
  byId("first").disabled = byId("previous").disabled = step === 0 && !isVariation;
  byId("next").disabled = isVariation || step === last() ? later.length === 0 : false;
  byId("last").disabled = step === last() && !isVariation;
  byId("variation").hidden = !isVariation;
  plot.point(step);
  moves.point(step - 1);
}

/** Show what is to be known of the position from the rules: its moves, and a variation's board. */
async function showPosition(key) {
  const position = await fetchPosition(key).catch((error) => {
    if (line.length) throw error;
    if (key === keyOf()) chooser.refuse(error.message); // the match can be replayed all the same
  });
  if (!position || key !== keyOf()) return;
  if (line.length) {
    board.show(position);
    setText(byId("ending"), position.ending);
    shownLine = [];
    showVariation(position);
  }
  analysis?.goTo(step, line.join("-"));
  chooser.show(position);
}

async function fetchPosition(key) {
  const query = new URLSearchParams({ step, line: line.join("-") });
  if (!positions.has(key)) positions.set(key, get(`/archive/${match}/position?${query}`));
  if (positions.size > KEPT) positions.delete(positions.keys().next().value);
  try {
    return await positions.get(key);
  } catch (error) {
    positions.delete(key); // a match that is running may have it later
    throw error;
  }
}

function showVariation(position) {
  byId("variation-moves").replaceChildren(...position.variation.map((made, index) =>
    element("li", { "data-number": `${step + index + 1}` }, jointMove(made, position.names))));
  const goals = goalsTold(position.goals);
  const told = `Step ${step + line.length}, in a variation after step ${step}: ${jointMove(position.variation.at(-1), position.names)}`;
  setText(byId("told"), goals ? `${told}. The match is over: ${goals}` : told);
}

async function copy() {
  byId("link").select();
  try {
    await navigator.clipboard.writeText(byId("link").value);
    setText(byId("copy"), "Copied");
  } catch {
    setText(byId("copy"), "Press Ctrl+C"); // the link is selected
  }
  setTimeout(() => setText(byId("copy"), "Copy"), REFRESH);
}

function showTold() {
  byId("thoughts-title").closest("section").hidden = line.length > 0;
  if (line.length) return;
  const made = data.steps.find((known) => known.step === step);
  const move = step === 0 ? "the start" : jointMove(made?.joint_move ?? [], names);
  setText(byId("told"), `Step ${step} of ${last()}: ${move}`);
  const choice = choiceOf(step);
  thoughts.show(choice ? (choice.thoughts ?? { ...choice, moves: [], move_count: 0 }) : null, names);
}

function showBoard() {
  const drawing = drawn[step];
  setText(byId("ending"), drawing?.ending ?? "");
  if (!drawing) {
    board.show({ facts: ["This state is not known."] });
    shownLine = [];
    return;
  }
  board.show(drawing);
  shownLine = drawing.line;
  mark();
}

/** Mark the line of the analysis, otherwise that of the match, and what has been clicked. */
function mark() {
  const places = analysis?.places.length ? analysis.places : shownLine;
  const clicked = chooser.marks;
  board.mark(clicked.length ? clicked : marksOf(places));
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
  if (line.length) go(step);
  const isPlaying = timer === null && step < last();
  clearTimeout(timer);
  timer = null;
  showPlaying(isPlaying);
  if (isPlaying) playOn();
  else go(step);
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
  const actions = { ArrowLeft: back, ArrowRight: forward, Home: () => go(0), End: () => go(last()) };
  const action = actions[event.key] ?? (event.key === " " && !event.target.closest("button") ? play : null);
  if (!action) return;
  event.preventDefault();
  action();
}

function fail(error) {
  byId("failure").hidden = false;
  setText(byId("failure"), `${error.message[0].toUpperCase()}${error.message.slice(1)}.`);
}
