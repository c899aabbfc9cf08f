// A board: a drawing by the server, whose cells can be clicked, reached by keyboard and marked.

import { drawing, element, said } from "./dom.js";

const FORBIDDEN = "script, foreignObject, iframe, style, a, animate, set, handler";

/** What drawings say in words that are not of the rules, by the names that they give it. */
const PHRASES = {
  of: (values) => said("{count} of {last}", values),
  yes: () => said("yes"),
  more: (values) => said("and {count} lines more", values),
  decides: (values) => said("{place}, which decides the match", values),
  state: () => said("State of the game"),
};

/** Parse a drawing, and leave out all that could do more than be seen. */
function parsed(text) {
  // As HTML, which takes a third of the time of XML. In a document of its own nothing runs or is loaded.
  const found = new DOMParser().parseFromString(text, "text/html").body.firstElementChild;
  if (found?.nodeName !== "svg") return null;
  for (const bad of found.querySelectorAll(FORBIDDEN)) bad.remove();
  for (const node of [found, ...found.querySelectorAll("*")]) {
    if (node.namespaceURI !== found.namespaceURI) node.remove();
    for (const name of node.getAttributeNames()) {
      const isLink = name === "href" || name === "xlink:href";
      if (name.startsWith("on") || (isLink && !node.getAttribute(name).startsWith("#"))) node.removeAttribute(name);
    }
  }
  for (const text of found.querySelectorAll("[data-said]")) {
    const { said: name, ...values } = text.dataset;
    if (Object.hasOwn(PHRASES, name)) text.textContent = PHRASES[name](values);
  }
  return document.adoptNode(found);
}

/** What a cell is called here and in drawings: its board's number and its key. */
export function nameOf(cell) {
  return `${cell.dataset.board} ${cell.dataset.cell}`;
}

export class Board {
  /** Draw into a container; onCell(name) is called for each cell that is clicked. */
  constructor(container, { onCell = null, label = said("The board") } = {}) {
    this.onCell = onCell;
    this.label = label;
    this.svg = null;
    this.marks = [];
    this.container = container;
    container.classList.add("board");
    if (onCell) {
      container.addEventListener("click", (event) => this.#choose(event.target));
      container.addEventListener("keydown", (event) => this.#onKey(event));
    }
  }

  /** Show {svg, facts, label}: a drawing, or facts where there is none. */
  show({ svg = "", facts = [], label = "" }) {
    this.svg = svg ? parsed(svg) : null;
    const parts = [];
    if (this.svg) {
      this.svg.setAttribute("role", this.onCell ? "group" : "img");
      this.svg.setAttribute("aria-label", label || this.label);
      this.#makeCellsReachable();
      parts.push(this.svg);
    }
    if (facts.length) {
      const kind = this.svg ? "facts-list mono" : "facts-list alone mono";
      parts.push(element("ul", { class: kind, "aria-label": said("Facts") },
        ...facts.map((fact) => element("li", {}, fact))));
    }
    this.container.replaceChildren(...parts);
    this.mark(this.marks);
  }

  /** Mark cells: [{cell, kind, text}], where kind is line, chosen, legal or selected. */
  mark(marks) {
    this.marks = marks;
    if (!this.svg) return;
    for (const old of this.svg.querySelectorAll(".mark-group")) old.remove();
    const group = drawing("g", { class: "mark-group", "aria-hidden": "true" });
    for (const mark of marks) group.append(...this.#drawn(mark));
    this.svg.append(group);
  }

  /** The names of the cells that can be clicked. */
  get cells() {
    if (!this.svg) return [];
    return [...this.svg.querySelectorAll("[data-cell]")].map(nameOf);
  }

  #cell(name) {
    const [board, ...key] = name.split(" ");
    const chosen = `[data-board="${CSS.escape(board)}"][data-cell="${CSS.escape(key.join(" "))}"]`;
    return this.svg.querySelector(chosen);
  }

  #drawn({ cell, kind = "line", text = "" }) {
    const found = this.#cell(cell);
    if (!found) return [];
    const box = this.#boxOf(found);
    const inset = Math.min(box.width, box.height) * 0.06;
    const parts = [drawing("rect", {
      class: `mark ${kind}`, x: box.x + inset, y: box.y + inset, rx: inset * 2,
      width: Math.max(0, box.width - 2 * inset), height: Math.max(0, box.height - 2 * inset),
    })];
    if (text) {
      const size = Math.min(box.width, box.height) * 0.3;
      const x = box.x + box.width - size * 0.75, y = box.y + size * 0.75;
      parts.push(drawing("circle", { class: "mark-ground", cx: x, cy: y, r: size * 0.62 }));
      const label = drawing("text", {
        class: "mark-label", x, y, "text-anchor": "middle",
      }, text);
      label.style.fontSize = `${size * 0.8}px`;
      parts.push(label);
    }
    return parts;
  }

  /** The box of a cell in the coordinates of the drawing. */
  #boxOf(cell) {
    const box = cell.getBBox();
    const toCell = cell.getCTM(), toDrawing = this.svg.getCTM();
    if (!toCell || !toDrawing) return box;
    const matrix = toDrawing.inverse().multiply(toCell);
    const corners = [[0, 0], [1, 0], [0, 1], [1, 1]].map(([right, down]) =>
      new DOMPoint(box.x + right * box.width, box.y + down * box.height).matrixTransform(matrix));
    const xs = corners.map((corner) => corner.x), ys = corners.map((corner) => corner.y);
    const x = Math.min(...xs), y = Math.min(...ys);
    return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
  }

  #makeCellsReachable() {
    if (!this.onCell) return;
    const cells = [...this.svg.querySelectorAll("[data-cell]")];
    cells.forEach((cell, index) => {
      cell.classList.add("clickable");
      cell.setAttribute("role", "button");
      cell.setAttribute("tabindex", index === 0 ? "0" : "-1");
      const held = cell.querySelector(":scope > title")?.textContent; // the place, and what is there
      if (!cell.hasAttribute("aria-label")) cell.setAttribute("aria-label", held || cell.dataset.cell);
    });
  }

  #choose(target) {
    const cell = target.closest?.("[data-cell]");
    if (cell && this.container.contains(cell)) this.onCell(nameOf(cell), cell);
  }

  #onKey(event) {
    const here = event.target.closest?.("[data-cell]");
    if (!here) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#choose(here);
      return;
    }
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const next = this.#neighbour(here, step);
    if (!next) return;
    here.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  }

  /** The nearest cell in a direction, as it is seen. */
  #neighbour(here, [right, down]) {
    const from = middle(here);
    let best = null, least = Infinity;
    for (const cell of this.svg.querySelectorAll("[data-cell]")) {
      const to = middle(cell);
      const along = (to.x - from.x) * right + (to.y - from.y) * down;
      const across = Math.abs((to.x - from.x) * down) + Math.abs((to.y - from.y) * right);
      const distance = along + 2 * across;
      if (along > 1 && distance < least) [best, least] = [cell, distance];
    }
    return best;
  }
}

function middle(cell) {
  const box = cell.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
