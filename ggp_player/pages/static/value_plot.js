// The value over time: a point for each turn, 0 to 100, that can be clicked.

import { drawing, value } from "./dom.js";

const WIDTH = 480, HEIGHT = 150, LEFT = 28, RIGHT = 8, TOP = 8, BOTTOM = 22;

export class ValuePlot {
  /** Draw into a container; onTurn(turn) is called for a turn that is clicked. */
  constructor(container, { onTurn = null } = {}) {
    this.points = [];
    this.last = 1;
    this.here = null;
    this.svg = drawing("svg", {
      class: onTurn ? "plot clickable" : "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
    });
    if (onTurn) {
      this.svg.addEventListener("click", (event) => onTurn(this.#turnAt(event)));
    }
    this.svg.setAttribute("aria-label", this.#summary());
    container.replaceChildren(this.svg);
  }

  /** Show [{turn, value, proved}]; turns without a value are left out. */
  show(points, last = 0) {
    this.points = points.filter((point) => point.value !== null && point.value !== undefined);
    this.last = Math.max(1, last, ...this.points.map((point) => point.turn));
    this.#draw();
  }

  /** Show which turn is looked at. */
  point(turn) {
    if (turn === this.here) return;
    this.here = turn;
    this.#draw();
  }

  #x(turn) {
    return LEFT + (turn / this.last) * (WIDTH - LEFT - RIGHT);
  }

  #y(number) {
    return TOP + (1 - number / 100) * (HEIGHT - TOP - BOTTOM);
  }

  #turnAt(event) {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    const turn = Math.round(((x - LEFT) / (WIDTH - LEFT - RIGHT)) * this.last);
    return Math.min(this.last, Math.max(0, turn));
  }

  #draw() {
    const parts = [];
    for (const level of [0, 50, 100]) {
      const y = this.#y(level);
      parts.push(drawing("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }));
      parts.push(drawing("text", { x: LEFT - 5, y: y + 4, "text-anchor": "end" }, String(level)));
    }
    parts.push(...this.#turnLabels());
    if (this.here !== null) {
      const x = this.#x(Math.min(this.here, this.last));
      parts.push(drawing("line", { class: "here", x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM }));
    }
    if (this.points.length > 1) {
      const path = this.points.map((point) => `${this.#x(point.turn)},${this.#y(point.value)}`);
      parts.push(drawing("polyline", { class: "curve", points: path.join(" ") }));
    }
    for (const point of this.points) {
      const dot = drawing("circle", {
        class: point.proved ? "dot proved" : "dot",
        cx: this.#x(point.turn), cy: this.#y(point.value), r: this.points.length > 80 ? 1.5 : 3,
      });
      const told = `turn ${point.turn}: ${value(point.value)}${point.proved ? ", proved" : ""}`;
      dot.append(drawing("title", {}, told));
      parts.push(dot);
    }
    this.svg.setAttribute("aria-label", this.#summary());
    this.svg.replaceChildren(...parts);
  }

  #turnLabels() {
    const count = Math.min(5, this.last);
    const turns = new Set();
    for (let index = 0; index <= count; index += 1) turns.add(Math.round((index / count) * this.last));
    return [...turns].map((turn) =>
      drawing("text", { x: this.#x(turn), y: HEIGHT - 6, "text-anchor": "middle" }, String(turn)));
  }

  #summary() {
    const newest = this.points.at(-1);
    if (!newest) return "The value over time: none is known yet";
    return `The value over time, ${this.points.length} turns; ` +
      `in turn ${newest.turn} it is ${value(newest.value)}${newest.proved ? ", proved" : ""}`;
  }
}
