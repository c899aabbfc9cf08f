// A drawing that is moved and zoomed: by buttons, keys, wheel and fingers.

import { byId, drawing } from "./dom.js";

const ZOOM = 1.25;
const ROOM = 45; // above the root

export class TreeView {
  /** In `scene` is what is drawn, of the `size` that its owner sets. */
  constructor(svg, { pansByArrows }) {
    this.svg = svg;
    this.scene = drawing("g", {});
    this.size = { width: 1, height: 1 };
    this.x = this.y = 0;
    this.scale = 1;
    this.isMoved = false; // whether the pointer was dragged since it went down
    this.isFitted = true; // until somebody moves it
    this.pansByArrows = pansByArrows;
    svg.append(this.scene);
    svg.addEventListener("wheel", (event) => this.#onWheel(event), { passive: false });
    svg.addEventListener("keydown", (event) => this.#onKey(event));
    byId("fit").addEventListener("click", () => this.fit());
    byId("larger").addEventListener("click", () => this.zoom(ZOOM));
    byId("smaller").addEventListener("click", () => this.zoom(1 / ZOOM));
    new ResizeObserver(() => (this.isFitted ? this.fit() : this.#place())).observe(svg);
    this.#listenToPointers();
  }

  /** Show all of it. */
  fit() {
    const box = this.svg.getBoundingClientRect();
    const scale = Math.min((box.width - 20) / this.size.width, (box.height - 60) / this.size.height, 1.2);
    this.scale = Math.max(scale, 0.01);
    this.x = (this.size.width * this.scale - box.width) / 2;
    this.y = -ROOM;
    this.isFitted = true;
    this.#place();
  }

  zoom(factor, x = null, y = null) {
    const box = this.svg.getBoundingClientRect();
    const at = { x: x === null ? box.width / 2 : x - box.left, y: y === null ? box.height / 2 : y - box.top };
    const scale = Math.min(4, Math.max(0.01, this.scale * factor));
    this.x = (this.x + at.x) * scale / this.scale - at.x;
    this.y = (this.y + at.y) * scale / this.scale - at.y;
    this.scale = scale;
    this.isFitted = false;
    this.#place();
  }

  /** Move what is drawn to the left and up. */
  shift(x, y) {
    this.x += x;
    this.y += y;
    this.isFitted = false;
    this.#place();
  }

  /** Move so that a node is on the screen. */
  showInside(node) {
    const box = this.svg.getBoundingClientRect(), rim = 40;
    const inside = (at, from, length) => Math.min(Math.max(from, at - length + rim), at - rim);
    this.x = inside(node.x * this.scale, this.x, box.width);
    this.y = inside(node.y * this.scale, this.y, box.height);
    this.#place();
  }

  #place() {
    this.scene.setAttribute("transform", `translate(${-this.x} ${-this.y}) scale(${this.scale})`);
  }

  #onWheel(event) {
    event.preventDefault();
    this.zoom(event.deltaY < 0 ? ZOOM : 1 / ZOOM, event.clientX, event.clientY);
  }

  #onKey(event) {
    const ways = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] };
    const way = this.pansByArrows || event.shiftKey ? ways[event.key] : null;
    if (way) this.shift(...way);
    else if (event.key === "+" || event.key === "=") this.zoom(ZOOM);
    else if (event.key === "-") this.zoom(1 / ZOOM);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** One pointer moves the tree, two zoom it. */
  #listenToPointers() {
    const down = new Map();
    this.svg.addEventListener("pointerdown", (event) => {
      down.set(event.pointerId, { x: event.clientX, y: event.clientY });
      this.isMoved = false;
    });
    addEventListener("pointermove", (event) => {
      const old = down.get(event.pointerId);
      if (!old) return;
      const way = { x: event.clientX - old.x, y: event.clientY - old.y };
      if (!this.isMoved && Math.hypot(way.x, way.y) < 4) return;
      this.isMoved = true;
      const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
      down.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (other) {
        const far = (point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
        this.zoom(far({ x: event.clientX, y: event.clientY }) / far(old), other.x, other.y);
        return;
      }
      this.shift(-way.x, -way.y);
    });
    for (const name of ["pointerup", "pointercancel"]) {
      addEventListener(name, (event) => down.delete(event.pointerId));
    }
  }
}
