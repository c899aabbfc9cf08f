// Chooses a joint move of any position: the board and a list are clicked, for one role after another.

import { byId, element, inOrder, nameOf, setText } from "./dom.js";
import { MovePicker } from "./move_picker.js";

const LISTED = 300;
const FILTERED_FROM = 24;

export class MoveChooser {
  /** onJointMove(numbers) gets the number of each role's move; onMarks() follows each change. */
  constructor({ onJointMove, onMarks }) {
    this.onJointMove = onJointMove;
    this.onMarks = onMarks;
    this.position = null;
    this.chosen = new Map();
    this.picker = new MovePicker();
    byId("filter").addEventListener("input", () => this.#showLegal());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.forget();
    });
  }

  /** Show the moves of a position, null where none is known. */
  show(position) {
    this.position = position;
    this.chosen.clear();
    byId("filter").value = "";
    this.#begin();
  }

  /** Say why no move can be tried. */
  refuse(sentence) {
    this.show(null);
    byId("legal").replaceChildren(element("p", { class: "soft small" }, `${sentence[0].toUpperCase()}${sentence.slice(1)}.`));
  }

  /** Take back what has been chosen of a joint move. */
  forget() {
    this.chosen.clear();
    this.#begin();
  }

  /** Take a click on the board. */
  click(cell) {
    this.#complain("");
    const role = this.#acting();
    if (!role) return;
    if (!this.picker.options.length) {
      this.#complain("No move names a place on the board: choose it in the list.");
      return;
    }
    const { move, several } = this.picker.click(cell);
    if (move) {
      this.#choose(role, move.move);
      return;
    }
    const isPlace = this.picker.options.some((option) => option.cells.includes(cell));
    if (!this.picker.clicked.length && !isPlace) this.#complain(`No legal move of ${role} is there.`);
    this.#showChoices(role, several ?? []);
    this.#showLegal();
    this.onMarks();
  }

  /** Choose a move by its text, where it is one of the role that is to choose. */
  chooseText(text) {
    const role = this.#acting();
    if (role && this.position.legal[role].includes(text)) this.#choose(role, text);
  }

  /** What is clicked, and the places that can be clicked then. */
  get marks() {
    const clicked = this.picker.clicked.map((cell) => ({ cell, kind: "selected" }));
    const next = this.picker.clicked.length ? this.picker.next : [];
    return [...clicked, ...next.map((cell) => ({ cell, kind: "legal" }))];
  }

  /** The first role that has a choice and has not chosen yet. */
  #acting() {
    const legal = this.position?.legal ?? {};
    return this.#roles().find((role) => legal[role].length > 1 && !this.chosen.has(role)) ?? null;
  }

  #roles() {
    return Object.keys(this.position?.legal ?? {}).length ? this.position.roles : [];
  }

  #begin() {
    const role = this.#acting();
    const legal = role ? this.position.legal[role] : [];
    const cells = this.position?.cells ?? {};
    this.picker = new MovePicker(legal.map((move) => ({ role, move, cells: cells[move] ?? [] })));
    this.#complain("");
    this.#showChoices(role, []);
    this.#showLegal();
    this.onMarks();
  }

  #choose(role, move) {
    this.chosen.set(role, move);
    if (this.#acting()) {
      this.#begin();
      return;
    }
    const { legal } = this.position;
    const numbers = this.#roles().map((one) => Math.max(0, legal[one].indexOf(this.chosen.get(one))));
    this.onJointMove(numbers, this.#roles().map((one, index) => legal[one][numbers[index]]));
  }

  #showChoices(role, several) {
    byId("choices").hidden = several.length === 0;
    byId("choices").replaceChildren(...inOrder(several, (option) => this.#name(option.move)).slice(0, LISTED).map((option) => this.#button(role, option.move)));
  }

  #showLegal() {
    const legal = this.position?.legal ?? {};
    const wanted = byId("filter").value.trim().toLowerCase();
    const acting = this.#acting();
    const deciding = this.#roles().filter((role) => legal[role].length > 1);
    const shown = deciding.length ? deciding : this.#roles().slice(0, 1);
    const count = shown.reduce((sum, role) => sum + legal[role].length, 0);
    byId("filter-label").hidden = count < FILTERED_FROM;
    const lists = shown.map((role) => this.#list(role, wanted, role === acting));
    const none = element("p", { class: "soft small" }, this.position ? "The match is over here." : "…");
    byId("legal").replaceChildren(...(lists.length ? lists : [none]));
    byId("legal-hint").hidden = lists.length === 0;
  }

  #list(role, wanted, isActing) {
    const legal = this.position.legal[role];
    const fitting = new Set(isActing && this.picker.clicked.length ? this.picker.candidates.map((one) => one.move) : legal);
    const isWanted = (move) => [move, this.#name(move)].some((text) => text.toLowerCase().includes(wanted));
    const found = legal.filter((move) => fitting.has(move) && isWanted(move));
    const more = found.length > LISTED ? element("p", { class: "soft small" }, `and ${found.length - LISTED} more`) : null;
    return element("div", { class: "of-role", role: "group", "aria-label": `Moves of ${role}` },
      element("h3", {}, role), ...inOrder(found, (move) => this.#name(move)).slice(0, LISTED).map((move) => this.#button(role, move)), more);
  }

  #button(role, move) {
    const isPicked = this.chosen.get(role) === move;
    return element("button", {
      type: "button", class: isPicked ? "picked" : "", "aria-pressed": isPicked ? "true" : null,
      title: move, click: () => this.#choose(role, move),
    }, this.#name(move));
  }

  #name(move) {
    return nameOf(move, this.position?.names) || move;
  }

  #complain(sentence) {
    byId("complaint").hidden = !sentence;
    setText(byId("complaint"), sentence);
  }
}
