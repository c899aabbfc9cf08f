// A match that a person plays: the board and the list of moves are clicked, the rest is shown.

import { Board } from "./board.js";
import { Countdown } from "./clock.js";
import { address, byId, element, focusLater, inOrder, isChance, listed, nameOf, post, remember, said, setText } from "./dom.js";
import { MovePicker } from "./move_picker.js";
import { MovesTable } from "./moves_table.js";
import { follow } from "./stream.js";
import { ThoughtsPanel, worth } from "./thoughts.js";

const LISTED = 300;
const FILTERED_FROM = 24;
const MOST_MARKED = 0.5;
const ACTED = "ggp-player acted"; // who only looks on has a level of their own
const AGAIN = 3000; // milliseconds until a program that has ended is looked for once more

const board = new Board(byId("board"), { onCell: click, label: said("The board") });
const moves = new MovesTable(byId("moves"));
const clocks = new Map(); // by role
const thoughts = byId("thoughts") ? new ThoughtsPanel(byId("thoughts"), { onMove: (move) => choose(acting(), move) }) : null;

let table = null, drawn = null, picker = new MovePicker(), focused = null, boards = 0, toldFrom = 0;

const number = byId("play").dataset.number; // where other matches follow, each has a page
follow(address(number ? `/events?page=${number}` : "/events"), update, (state) => {
  if (state === "closed" && number && !byId("gallery")) return location.reload();
  if (state === "closed" && number) return showNext();
  const told = { lost: said("The program does not answer; trying again."), closed: said("The program has ended. What was played is kept.") };
  byId("connection").hidden = state === "open";
  setText(byId("connection"), told[state] ?? "");
  if (state === "closed") lookForProgram();
}, { goesOnUnseen: Boolean(number) && !byId("gallery") }); // the game manager's players are here for as long as this goes on

for (const name of ["back", "hint", "flip", "resign", "new"]) {
  byId(name)?.addEventListener("click", (event) => act(name, event.currentTarget));
}
byId("think")?.addEventListener("click", () => send("/think", { on: !table?.is_thinking }));
byId("show-legal").addEventListener("change", mark);
byId("filter").addEventListener("input", showLegal);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") forget();
});

/** Show the match that has taken the place of this one, unless the program has ended. */
async function showNext() {
  const answered = await fetch(address("/")).catch(() => null);
  if (answered?.ok) return location.reload();
  byId("connection").hidden = false;
  setText(byId("connection"), said("The program has ended. What was played is kept."));
  lookForProgram();
}

/** Say when the program runs again; the board of the match that has ended stays to be looked at. */
async function lookForProgram() {
  let answer = null;
  while (!answer?.ok) {
    await new Promise((done) => setTimeout(done, AGAIN));
    if (!document.hidden) answer = await fetch(address("/")).catch(() => null);
  }
  complain(""); // such as that it does not answer
  const again = element("a", { href: address("/") }, said("Load the page again"));
  byId("connection").replaceChildren(said("The program runs again; this match has ended."), " ", again);
}

function update(message) {
  if (message.position) showPosition(message.position);
  if ("thoughts" in message && thoughts) thoughts.show(message.thoughts?.view ?? null, message.thoughts?.names);
}

/** Show a position: its board, whose turn it is, the clock, and the moves, which come as one. */
function showPosition(position) {
  const isNew = !table || table.step !== position.step || table.match !== position.match;
  const hasMore = table && !isNew && position.choosing.length > table.choosing.length;
  table = position;
  holdFocus(Boolean(position.board));
  if (isNew || hasMore) complain("");
  if (position.board) showBoard(position.board);
  showTable();
  tellMoves();
  renew();
  byId("play").dataset.step = table.step;
}

/** Tell those who do not see the page what has been played since a person last had to choose. */
function tellMoves() {
  toldFrom = Math.min(toldFrom, table.moves.length);
  const told = table.moves.slice(toldFrom).flatMap(({ joint_move }) => joint_move
    .map((move, index) => [table.roles[index], nameOf(move, table.names)])
    .filter(([, name]) => name && name !== "noop").map(([role, name]) => `${role}: ${name}`));
  if (told.length) setText(byId("told"), listed(told));
  if (acting() || table.is_over) toldFrom = table.moves.length;
}

/** The role for which a click moves: the first person who has yet to choose. */
function acting() {
  return table?.choosing[0] ?? null;
}

function showTable() {
  const seats = table.roles.map((role) => {
    const name = table.persons.includes(role) ? said("you") : playerName(role, table.players[role]);
    return element("div", { class: role === acting() ? "acting" : "" }, element("dt", {}, role),
      element("dd", {}, goalOf(role, name)));
  });
  byId("seats").replaceChildren(...seats);
  showTurn();
  showLevel();
  for (const name of ["back", "hint", "think", "flip", "resign", "new"]) {
    if (byId(name)) byId(name).disabled = !table.actions.includes(name) && !(name === "think" && table.is_thinking);
  }
  if (byId("record")) byId("record").hidden = !table.actions.includes("record");
  byId("think")?.setAttribute("aria-pressed", String(table.is_thinking));
  if (byId("thoughts-panel")) byId("thoughts-panel").hidden = !table.is_thinking;
  showClocks();
  moves.rename(table.names);
  const sees = table.moves.some((turn) => turn.seen !== null);
  moves.setRoles(sees ? [...table.roles, said("you see")] : table.roles, false);
  moves.showAll(sees ? table.moves.map((turn) => ({ ...turn, joint_move: [...turn.joint_move, turn.seen || "–"] })) : table.moves);
  byId("knowledge").hidden = !table.knowledge.length;
  setText(byId("knowledge"), table.knowledge.join(" "));
}

/** Say how strong opponents are that adapt, and keep that for the next match. */
function showLevel() {
  if (!byId("level")) return;
  byId("level").hidden = !table.level;
  setText(byId("level"), table.level?.told ?? "");
  if (table.level && sessionStorage.getItem(ACTED)) remember("ggp_player_level", table.level.number);
}

function showClocks() {
  for (const id of ["clocks", "about-clock"]) byId(id).hidden = !table.clocks.length;
  for (const { role, left, total, runs } of table.clocks) {
    if (!clocks.has(role)) {
      clocks.set(role, new Countdown(byId("clocks").appendChild(element("div")), role, () => tellLow(role)));
    }
    const clock = clocks.get(role);
    clock.name(table.persons.includes(role) ? said("{role}, you", { role }) : role);
    if (runs) clock.show(Date.now() + 1000 * left, total);
    else clock.stop(left, total);
  }
  if (!byId("clocks").querySelector(".low")) setText(byId("told-clock"), "");
}

/** Tell those who do not see the page once that their time is short. */
function tellLow(role) {
  if (table.persons.includes(role)) setText(byId("told-clock"), said("The time of {role} is nearly up.", { role }));
}

function playerName(role, name) {
  if (isChance(role)) return said("chance");
  if (name && byId("new")) return said("program: {name}", { name }); // who begins matches plays against programs
  return name || said("another player");
}

function goalOf(role, name) {
  const goal = table.goals[role];
  return goal === undefined || goal === null || isChance(role) ? name : said("{player}, {goal} points", { player: name, goal });
}

function showTurn() {
  const turn = byId("turn");
  turn.classList.toggle("yours", table.choosing.length > 0);
  turn.classList.toggle("over", table.is_over);
  setText(turn, [turnText(), table.notice].filter(Boolean).join(" "));
}

function turnText() {
  if (table.is_over) return table.result;
  const role = acting();
  if (role) {
    const who = table.persons.length > 1 || table.roles.length > 1 ? said("Your move, {role}.", { role }) : said("Your move.");
    const advice = table.advice;
    if (!advice || advice.role !== role) {
      const isFirst = !table.moves.length && drawn && Object.keys(drawn.cells).length;
      const how = said("Click a place on the board, or a move in the list.");
      return isFirst ? `${who} ${how}` : who;
    }
    const told = [called(advice.move), advice.value === null ? "" : worth(advice.value, advice.proved)];
    return [who, said("Hint: {move}.", { move: told.filter(Boolean).join(", ") })].join(" ");
  }
  if (table.waiting_for.length === 1) return said("{role} thinks.", { role: table.waiting_for[0] });
  if (table.waiting_for.length) return said("{roles} think.", { roles: listed(table.waiting_for) });
  return Object.keys(table.chosen).length ? said("Your move is made.") : "";
}

function showBoard(message) {
  drawn = message;
  boards += 1;
  board.mark([]); // those of the position before
  board.show({ svg: message.svg, facts: message.facts, label: said("The board at step {step}", { step: table.step + 1 }) });
  setText(byId("ending"), message.ending);
  if (focused) focusLater(focusedAgain);
}

/**
 * Take the focus from what is about to be replaced, before anything has changed: later it would cost a layout of
 * the page. The list of moves has it meanwhile, or else it is noted which cell gets it again.
 */
function holdFocus(hasBoard) {
  const legal = byId("legal"), active = document.activeElement;
  if (legal.contains(active)) legal.focus({ preventScroll: true });
  const cell = hasBoard ? active?.closest("#board [data-cell]") : null;
  if (!cell) return;
  focused = [cell.dataset.board, cell.dataset.cell];
  cell.blur();
}

/** The cell that had the focus, in the new drawing, unless something else has it by now. */
function focusedAgain() {
  const [number, cell] = focused ?? [];
  focused = null;
  if (!number || document.activeElement !== document.body) return null;
  const again = byId("board").querySelector(`[data-board="${CSS.escape(number)}"][data-cell="${CSS.escape(cell)}"]`);
  if (again) {
    byId("board").querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    again.setAttribute("tabindex", "0");
  }
  return again;
}

/** Begin to choose anew: the clicks so far were for another step, role or drawing. */
function renew() {
  const role = acting();
  const key = table ? `${table.match} ${table.step} ${role} ${boards}` : "";
  if (renew.key !== key) {
    renew.key = key;
    const legal = role ? table.legal[role] : [];
    picker = new MovePicker(legal.map((move) => ({ role, move, cells: drawn.cells[move] ?? [] })));
    byId("filter").value = "";
    showChoices([]);
  }
  byId("board").classList.toggle("waiting", !role);
  showLegal();
  mark();
}

function click(cell) {
  complain("");
  if (table?.is_over) return;
  if (!acting()) return complain(said("It is not your move."));
  if (!picker.options.length) return complain(said("No move names a place on the board: choose it in the list."));
  const { move, several } = picker.click(cell);
  if (move) {
    picker.clear();
    choose(move.role, move.move);
  } else if (!picker.clicked.length && !picker.options.some((option) => option.cells.includes(cell))) {
    complain(said("No legal move of yours is there."));
  }
  showChoices(several ?? []);
  showLegal();
  mark();
}

function forget() {
  picker.clear();
  complain("");
  showChoices([]);
  showLegal();
  mark();
}

/** Ask which of several moves is meant. */
function showChoices(several) {
  const box = byId("choices");
  box.hidden = several.length === 0;
  box.replaceChildren(...inOrder(several, (option) => called(option.move)).slice(0, LISTED).map((option) => button(option.role, option.move)));
}

function showLegal() {
  if (!table) return;
  const wanted = byId("filter").value.trim().toLowerCase();
  let count = 0;
  const lists = table.choosing.map((role) => {
    const fitting = new Set(picker.clicked.length ? picker.candidates.map((one) => one.move) : table.legal[role]);
    const isActing = role === acting();
    const shown = table.legal[role].filter((move) =>
      (!isActing || fitting.has(move)) && [move, called(move)].some((text) => text.toLowerCase().includes(wanted)));
    count += table.legal[role].length;
    const title = table.choosing.length > 1 ? element("h3", {}, role) : null;
    const more = shown.length > LISTED ? element("p", { class: "soft small" }, said("and {count} more", { count: shown.length - LISTED })) : null;
    return element("div", { class: "of-role", role: "group", "aria-label": said("Moves of {role}", { role }) }, title,
      ...inOrder(shown, called).slice(0, LISTED).map((move) => button(role, move)), more);
  });
  byId("filter-label").hidden = count < FILTERED_FROM;
  const none = element("p", { class: "soft small" }, table.is_over ? said("The match is over.") : said("None at the moment."));
  // Who has chosen by keyboard stays in the list: at its first move, when there are moves again.
  const legal = byId("legal");
  holdFocus(false);
  legal.replaceChildren(...(lists.length ? lists : [none]));
  if (document.activeElement === legal) focusLater(() => (document.activeElement === legal ? legal.querySelector("button") : null));
}

function button(role, move) {
  const isAdvised = table.advice?.role === role && table.advice.move === move;
  return element("button", { type: "button", class: isAdvised ? "advised" : "", title: move, click: () => choose(role, move) }, called(move));
}

/** What a move is called in a list of those that can be chosen. */
function called(move) {
  return nameOf(move, table.names) || move;
}

function mark() {
  const marks = [];
  if (table && acting()) {
    for (const cell of picker.clicked) marks.push({ cell, kind: "selected" });
    for (const cell of legalMarks()) marks.push({ cell, kind: "legal" });
    if (table.advice) for (const cell of drawn.advised) marks.push({ cell, kind: "chosen" });
  }
  board.mark(marks);
}

/** The places to click next; not where nearly all of an empty board would be marked. */
function legalMarks() {
  const next = byId("show-legal").checked ? picker.next : [];
  return picker.clicked.length || next.length <= board.cells.length * MOST_MARKED ? next : [];
}

function choose(role, move) {
  return send("/move", { role, move, step: table.step, match: table.match });
}

async function act(name, pressed) {
  pressed.setAttribute("aria-busy", "true");
  if (name === "hint") setText(byId("turn"), said("Looking for the best move …"));
  await send(`/${name}`, { step: table.step, match: table.match });
  pressed.removeAttribute("aria-busy");
  if (name === "hint" && table) showTurn();
}

async function send(path, values) {
  complain("");
  sessionStorage.setItem(ACTED, "yes");
  try {
    await post(path, values);
  } catch (error) {
    complain(`${error.message[0].toUpperCase()}${error.message.slice(1)}.`);
  }
}

function complain(sentence) {
  byId("complaint").hidden = !sentence;
  setText(byId("complaint"), sentence);
}
