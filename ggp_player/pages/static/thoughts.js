// What a search thinks: its moves with bars, its rates, and the line that it expects.

import { BranchesPanel } from "./branches.js";
import { decimal, drawing, element, grouped, jointMove, nameOf, said, setText, short, value } from "./dom.js";

const SHOWN = 12;
const BETWEEN_MOVES = /(, | \+ )/; // in the text of a line
const COLUMNS = ["move", "value", "proved", "visits", "expected"]; // the cells of each move
const HEADS = [said("move"), said("value"), said("proved"), said("visits"), said("expected")];
const BAR = 3; // before this column stands a bar
const NUMBERS = ["value", "proved", "visits"];

export class ThoughtsPanel {
  /** Fill a container; onMove(move) is called for a move that is chosen, where it is given. */
  constructor(container, { onMove = null } = {}) {
    this.onMove = onMove;
    this.title = element("p", { class: "soft small", "aria-live": "off" }, said("Nothing is searched yet."));
    this.rates = element("dl", { class: "rates" });
    this.line = element("ol", { class: "principal", "aria-label": said("The line that is expected") });
    this.body = element("tbody");
    this.more = element("p", { class: "soft small" });
    const heads = COLUMNS.map((name, index) => element("th", { scope: "col", class: classOf(name) }, HEADS[index]));
    heads.splice(BAR, 0, element("th", { scope: "col" }, said("0 to 100")));
    const head = element("tr", {}, ...heads);
    this.notice = element("p", { class: "notice small", hidden: true });
    this.table = element("table", { class: "thoughts" }, element("thead", {}, head), this.body);
    this.branches = new BranchesPanel();
    const scrolls = element("div", { class: "across", tabindex: "0", role: "group", "aria-label": said("Moves that are searched") }, this.table);
    container.replaceChildren(this.title, this.notice, this.rates, this.line, scrolls, this.more, this.branches.element);
    this.table.hidden = true;
  }

  /** Show a view of the search, null where there is none; moves are called by names. */
  show(view, names = {}) {
    this.names = names;
    this.table.hidden = !view?.moves?.length;
    this.notice.hidden = !view?.notice;
    setText(this.notice, view?.notice ?? "");
    this.branches.show(view?.tree ?? [], names);
    if (!view) {
      setText(this.title, said("Nothing is searched now."));
      this.rates.replaceChildren();
      this.line.replaceChildren();
      return;
    }
    setText(this.title, this.#titleOf(view));
    this.rates.replaceChildren(...ratesOf(view));
    this.line.replaceChildren(...(lineOf(view)).map((moves, index) =>
      element("li", { "data-number": `${index + 1}` }, jointMove(moves, names))));
    const shown = view.moves.slice(0, SHOWN);
    this.body.replaceChildren(...shown.map((known) => this.#row(known, view.move)));
    const others = Math.max(view.move_count, view.moves.length) - shown.length;
    setText(this.more, others > 0 ? said("and {count} more moves", { count: others }) : "");
  }

  #titleOf(view) {
    const told = [said("turn {turn}: {moves}", { turn: view.turn, moves: this.#name(view.move) }), view.strategy, `${decimal(view.seconds ?? 0, 1)} s`];
    if (view.value !== null) told.push(worth(view.value, view.proved));
    if (view.note) told.push(view.note);
    return told.filter(Boolean).join(" · ");
  }

  #row(known, chosen) {
    const texts = [this.#name(known.move), ...known.cells.slice(1, -1).map(localised), expected(known, this.names)];
    const told = [known.move, ...texts.slice(1, -1), known.cells.at(-1)];
    const cells = texts.map((text, index) => element("td", { class: classOf(COLUMNS[index]), title: told[index] !== text ? told[index] : null },
      index === 0 && this.onMove ? this.#button(known.move) : text));
    cells.splice(BAR, 0, element("td", {}, bar(known)));
    const names = [known.move === chosen ? "chosen" : "", known.twin ? "twin" : ""];
    return element("tr", { class: names.filter(Boolean).join(" ") }, ...cells);
  }

  #button(move) {
    return element("button", { class: "plain", type: "button", click: () => this.onMove(move) }, this.#name(move));
  }

  #name(move) {
    return nameOf(move, this.names) || move;
  }
}

/** A value in words. */
export function worth(number, isProved) {
  return isProved ? said("value {value}, proved", { value: value(number) }) : said("value {value}", { value: value(number) });
}

/** The line that is expected after a move, as its row in the table says it, with the moves' names. */
function expected(known, names) {
  const text = known.cells.at(-1);
  const called = (move) => nameOf(move, names) || move;
  if (known.twin) return said("as {move}, by symmetry", { move: called(known.twin) });
  return text.split(BETWEEN_MOVES).map(called).join("");
}

/** A cell of the table in the page's language: a number, or whether the value is proved. */
function localised(text) {
  if (text === "yes") return said("yes");
  if (!/^[\d,]+(\.\d)?$/.test(text)) return text;
  return grouped(Number(text.replaceAll(",", "")));
}

function classOf(column) {
  if (column === "move") return "mono move";
  return NUMBERS.includes(column) ? "number" : "mono expected";
}

/** The joint moves that are expected from here on. */
export function lineOf(view) {
  return view?.moves?.find((known) => known.move === view.move)?.line ?? [];
}

function ratesOf(view) {
  const rates = [
    [said("playouts"), view.playouts], [said("playouts/s"), view.playouts_per_second],
    [said("nodes"), view.nodes], [said("nodes/s"), view.nodes_per_second], [said("depth"), view.depth],
  ];
  return rates.filter(([, number]) => number)
    .map(([name, number]) => element("div", {},
      element("dt", {}, name), element("dd", {}, short(number))));
}

/** The proved bounds as a band, the value as a line in it; filled and dark where it is proved. */
function bar(known) {
  const proved = known.low === known.high;
  const label = proved ? said("proved: {value}", { value: value(known.low) })
    : said("between {low} and {high}", { low: value(known.low), high: value(known.high) });
  const parts = [
    drawing("rect", { class: "ground", x: 0, y: 3, width: 100, height: 4 }),
    drawing("rect", { class: "range", x: known.low, y: 1, width: Math.max(0, known.high - known.low), height: 8 }),
  ];
  const at = proved ? known.low : known.value;
  if (at !== null && at !== undefined) {
    parts.push(drawing("rect", { class: proved ? "proved" : "value", x: Math.min(98, Math.max(0, at - 1)), y: 0, width: 2, height: 10 }));
  }
  return drawing("svg", {
    class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": label,
  }, drawing("title", {}, label), ...parts);
}
