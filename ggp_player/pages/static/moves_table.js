// The moves of a match: a row for each turn, of which one can be looked at.

import { decimal, element, jointMove, nameOf, said, value } from "./dom.js";

export class MovesTable {
  /** Fill a table; onTurn(turn) is called for a turn that is chosen. */
  constructor(container, { onTurn = null } = {}) {
    this.onTurn = onTurn;
    this.rows = new Map();
    this.turns = new Map();
    this.names = {};
    this.current = null; // the turn that is looked at
    this.following = null; // the frame in which the newest row is scrolled to
    this.body = element("tbody");
    this.head = element("tr");
    const table = element("table", { class: "moves" }, element("thead", {}, this.head), this.body);
    this.box = element("div", { class: "scrolls", tabindex: "0", role: "group", "aria-label": said("Moves") }, table);
    container.replaceChildren(this.box);
    this.setRoles([]);
  }

  /** Name the columns. */
  setRoles(roles, hasValues = true) {
    this.roles = roles;
    this.hasValues = hasValues;
    const names = roles.length ? roles : [said("move")];
    this.head.replaceChildren(
      element("th", { scope: "col", class: "number" }, said("turn")),
      ...names.map((role) => element("th", { scope: "col" }, role)),
      ...(hasValues ? [element("th", { scope: "col", class: "number" }, said("value")),
        element("th", { scope: "col", class: "number wide" }, said("time"))] : []),
    );
  }

  /** Show a turn: {turn, joint_move, move, value, proved, note, source, seconds, errors}. */
  show(turn) {
    this.turns.set(turn.turn, turn);
    const made = this.#row(turn);
    const old = this.rows.get(turn.turn);
    if (old) {
      const hasFocus = old.contains(document.activeElement);
      old.replaceWith(made);
      if (hasFocus) made.querySelector("button")?.focus();
    } else this.body.append(made);
    this.rows.set(turn.turn, made);
    if (!old && this.followsNewest !== false) this.#follow();
  }

  /** Show these turns and no others; rows of turns that are as before stay. */
  showAll(turns) {
    const wanted = new Set(turns.map(({ turn }) => turn));
    for (const [turn, row] of this.rows) {
      if (wanted.has(turn)) continue;
      row.remove();
      this.rows.delete(turn);
      this.turns.delete(turn);
    }
    for (const turn of turns) {
      if (JSON.stringify(turn) !== JSON.stringify(this.turns.get(turn.turn))) this.show(turn);
    }
  }

  /** Scroll to the newest row in the next frame: to read the height here would lay out the page for each row. */
  #follow() {
    this.following ??= requestAnimationFrame(() => {
      this.following = null;
      this.box.scrollTop = this.box.scrollHeight;
    });
  }

  /** Call moves by names, which are by their texts in the rules; those that are shown already, too. */
  rename(names) {
    const changed = new Set(Object.keys(names).filter((move) => this.names[move] !== names[move]));
    Object.assign(this.names, names);
    if (!changed.size) return;
    for (const turn of this.turns.values()) {
      if ([...(turn.joint_move ?? []), turn.move].some((move) => changed.has(move))) this.show(turn);
    }
  }

  /** Show which turn is looked at. */
  point(turn) {
    this.current = turn;
    for (const [number, row] of this.rows) this.#mark(row, number);
    this.#scrollTo(this.rows.get(turn));
  }

  #mark(row, turn) {
    if (turn === this.current) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }

  /** Show a row in its box; the page itself is not scrolled, as scrollIntoView would do. */
  #scrollTo(row) {
    if (!row) return;
    const frame = this.box.getBoundingClientRect(), place = row.getBoundingClientRect();
    const head = this.head.offsetHeight; // it stays in sight, over the rows
    if (place.top < frame.top + head) this.box.scrollTop -= frame.top + head - place.top;
    else if (place.bottom > frame.bottom) this.box.scrollTop += place.bottom - frame.bottom;
  }

  #row(turn) {
    const moves = turn.joint_move?.length ? turn.joint_move : this.#ownMove(turn);
    const errors = (turn.errors ?? []).filter(Boolean);
    const told = [turn.note, ...errors];
    const cells = moves.map((move, index) => element("td", { class: "mono move", title: move },
      index === 0 && this.onTurn ? this.#button(turn.turn, moves) : nameOf(move, this.names)));
    if (errors.length) cells.at(-1)?.append(element("div", { class: "small badge warn" }, errors.join(", ")));
    const figures = !this.hasValues ? [] : [
      element("td", { class: "number", title: told.filter(Boolean).join("; ") },
        value(turn.value) + (turn.proved ? " ✓" : "")),
      element("td", { class: "number wide" }, turn.seconds ? `${decimal(turn.seconds, 2)} s` : "–"),
    ];
    const row = element("tr", {}, element("td", { class: "number soft" }, String(turn.turn)), ...cells, ...figures);
    this.#mark(row, turn.turn);
    return row;
  }

  #ownMove(turn) {
    const count = Math.max(1, this.roles.length);
    const moves = Array(count).fill("…");
    moves[Math.max(0, this.roles.indexOf(turn.role))] = turn.move ?? "…";
    return moves;
  }

  /** The first role's move, which shows the turn: a dash where it only waits. */
  #button(turn, moves) {
    return element("button", {
      class: "plain", type: "button", "aria-label": said("turn {turn}: {moves}", { turn, moves: jointMove(moves, this.names) }),
      click: () => this.onTurn(turn),
    }, nameOf(moves[0], this.names) || "–");
  }
}
